/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/group-reporters.h"

#include "base/rate.h"
#include "common/stats.h"

#define SLOW_TIME (10 * TFRC_SECOND)
/* Who has said nothing for so long may be another now: the next report counts anew. */
#define SILENT_TIME (5 * TFRC_SECOND)

/* Moves it to the front; the last one goes where there is no room. */
static TfmccReporter *
find_or_add (TfmccReporters *self, guint32 ssrc)
{
  TfmccReporter found = { .ssrc = ssrc, .slow_since = TFRC_TIME_NONE };
  guint i = 0;

  while (i < self->n_reporters && self->reporters[i].ssrc != ssrc)
    i++;
  if (i < self->n_reporters)
    found = self->reporters[i];
  else if (self->n_reporters < TFMCC_REPORTERS_MAX)
    self->n_reporters++;
  else
    i--;
  memmove (self->reporters + 1, self->reporters, i * sizeof found);
  self->reporters[0] = found;
  return self->reporters;
}

static void
remove_reporter (TfmccReporters *self, guint32 ssrc)
{
  guint kept = 0;

  for (guint i = 0; i < self->n_reporters; i++)
    if (self->reporters[i].ssrc != ssrc)
      self->reporters[kept++] = self->reporters[i];
  self->n_reporters = kept;
}

void
tfmcc_reporters_on_report (TfmccReporters *self, const TfmccReport *report,
    TfrcDuration rtt, const gchar *address, TfrcRate least_rate, TfrcTime now)
{
  TfmccReporter *reporter;
  gboolean silent;

  if (report->leaving) {
    remove_reporter (self, report->ssrc);
    return;
  }
  reporter = find_or_add (self, report->ssrc);
  silent = tfrc_time_since (reporter->reported_at, now) > SILENT_TIME;
  g_strlcpy (reporter->address, address != NULL ? address : "",
      sizeof reporter->address);
  reporter->rate = report->rate;
  reporter->rtt = rtt;
  reporter->reported_at = now;
  /* Who has lost nothing tells what came, which may be little. */
  if (report->rate >= least_rate || !report->has_loss) {
    reporter->slow_since = TFRC_TIME_NONE;
    reporter->told = FALSE;
  } else if (reporter->slow_since == TFRC_TIME_NONE || silent)
    reporter->slow_since = now;
}

gboolean
tfmcc_reporters_poll_slow (TfmccReporters *self, TfrcRate least_rate,
    TfmccSlowReceiver *slow, TfrcTime now)
{
  for (guint i = 0; i < self->n_reporters; i++) {
    TfmccReporter *reporter = &self->reporters[i];

    if (reporter->told || reporter->slow_since == TFRC_TIME_NONE
        || tfrc_time_since (reporter->slow_since, reporter->reported_at)
            < SLOW_TIME)
      continue;
    reporter->told = TRUE;
    *slow = (TfmccSlowReceiver) {
      .ssrc = reporter->ssrc,
      .rate = reporter->rate,
      .least_rate = least_rate,
      .slow_for = tfrc_time_since (reporter->slow_since, now),
    };
    memcpy (slow->address, reporter->address, sizeof slow->address);
    return TRUE;
  }
  return FALSE;
}

static guint
find_excluded (const TfmccReporters *self, guint32 ssrc)
{
  guint i = 0;

  while (i < self->n_excluded && self->excluded[i] != ssrc)
    i++;
  return i;
}

gboolean
tfmcc_reporters_exclude (TfmccReporters *self, guint32 ssrc)
{
  guint place = find_excluded (self, ssrc);

  if (place == TFMCC_EXCLUDED_MAX)
    return FALSE;
  self->excluded[place] = ssrc;
  self->n_excluded = MAX (self->n_excluded, place + 1);
  remove_reporter (self, ssrc);
  return TRUE;
}

gboolean
tfmcc_reporters_admit (TfmccReporters *self, guint32 ssrc)
{
  guint place = find_excluded (self, ssrc);

  if (place == self->n_excluded)
    return FALSE;
  self->excluded[place] = self->excluded[--self->n_excluded];
  return TRUE;
}

gboolean
tfmcc_reporters_is_excluded (const TfmccReporters *self, guint32 ssrc)
{
  return find_excluded (self, ssrc) < self->n_excluded;
}

void
tfmcc_reporters_set_stats (const TfmccReporters *self, GstStructure *stats,
    TfrcTime now)
{
  GValue array = G_VALUE_INIT;

  g_value_init (&array, GST_TYPE_ARRAY);
  for (guint i = 0; i < self->n_reporters; i++) {
    const TfmccReporter *reporter = &self->reporters[i];
    GValue value = G_VALUE_INIT;

    g_value_init (&value, GST_TYPE_STRUCTURE);
    g_value_take_boxed (&value,
        gst_structure_new ("reporter", "ssrc", G_TYPE_UINT, reporter->ssrc,
            "address", G_TYPE_STRING, reporter->address, "bitrate",
            G_TYPE_UINT64, tfrc_rate_to_bits (reporter->rate), "rtt-ns",
            G_TYPE_UINT64, reporter->rtt, "age-ns", G_TYPE_UINT64,
            tfrc_time_since (reporter->reported_at, now), "slow",
            G_TYPE_BOOLEAN, reporter->slow_since != TFRC_TIME_NONE, NULL));
    gst_value_array_append_and_take_value (&array, &value);
  }
  tfrc_stats_take_array (stats, "reporters", &array);
  tfrc_stats_set (stats, "reports-excluded", self->reports_excluded);
}
