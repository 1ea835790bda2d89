/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Either protocol's sender. */

#include "send/flow.h"

#include <math.h>
#include <string.h>

#include "common/stats.h"
#include "base/rate.h"
#include "tfrc/equation.h"
#include "tfrc/sender.h"

#define SLOW_TIME (10 * TFRC_SECOND)
/* Who has said nothing for so long may be another now: the next report counts anew. */
#define SILENT_TIME (5 * TFRC_SECOND)
/* Who lost something is there for so long, though it reports once in some rounds. */
#define LOSS_MEMORY (10 * TFRC_SECOND)
/* Of less parity would repair nothing, and p of the last loss is never 0 again. */
#define LEAST_LOSS 0.001
/* Of more members the least of what they can take is chance.  Those that were there
 * first count, so that many SSRCs of one who comes push nobody out. */
#define PLAIN_MAX 8
/* A twentieth of its packets, in 256: no picture is whole. */
#define PLAIN_LOSS 13

static guint
find_reporter (const TfmccReporters *self, guint32 ssrc)
{
  guint i = 0;

  while (i < self->n_reporters && self->reporters[i].ssrc != ssrc)
    i++;
  return i;
}

/* Who makes room: the last of those who report by RTCP alone, or of all. */
static guint
find_least (const TfmccReporters *self)
{
  guint last = self->n_reporters - 1, i = last;

  while (i > 0 && !self->reporters[i].plain)
    i--;
  return self->reporters[i].plain ? i : last;
}

/* Moves it to the front. */
static TfmccReporter *
find_or_add (TfmccReporters *self, guint32 ssrc)
{
  TfmccReporter found = { .ssrc = ssrc, .slow_since = TFRC_TIME_NONE };
  guint i = find_reporter (self, ssrc);

  if (i < self->n_reporters)
    found = self->reporters[i];
  else if (self->n_reporters < TFMCC_REPORTERS_MAX)
    self->n_reporters++;
  else
    i = find_least (self);
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

/* `silent` is who was not heard in between.  Two seconds that are fast enough make up
 * for one that is not: who flaps holds the group down as well. */
static void
note_rate (TfmccReporter *self, TfrcRate rate, const gchar *address,
    gboolean slow, gboolean silent, TfrcTime now)
{
  TfrcDuration made_up = 3 * tfrc_time_since (self->reported_at, now) / 2;

  g_strlcpy (self->address, address != NULL ? address : "",
      sizeof self->address);
  self->rate = rate;
  self->reported_at = now;
  if (slow) {
    if (self->slow_since == TFRC_TIME_NONE || silent)
      self->slow_since = now;
    return;
  }
  self->slow_since = tfrc_time_add (self->slow_since, made_up);
  if (silent || self->slow_since >= now) {
    self->slow_since = TFRC_TIME_NONE;
    self->posted = FALSE;
  }
}

static gboolean
has_host (const TfmccReporter *self, const gchar *address)
{
  const gchar *port = address != NULL ? strrchr (address, ':') : NULL;
  gsize length = port != NULL ? (gsize) (port - address) + 1 : 0;

  return length > 0 && strncmp (self->address, address, length) == 0;
}

/* Who was slow at that host, and has left or fallen silent, has come back with another
 * SSRC: else whoever does so each second is slow for none of them. */
static void
take_over (TfmccReporters *self, TfmccReporter *reporter, const gchar *address,
    TfrcTime now)
{
  const TfmccReporter *before = NULL;

  if (tfrc_time_since (self->gone.reported_at, now) <= SILENT_TIME
      && has_host (&self->gone, address))
    before = &self->gone;
  for (guint i = 0; i < self->n_reporters && before == NULL; i++) {
    const TfmccReporter *other = &self->reporters[i];

    if (other != reporter && !other->plain
        && other->slow_since != TFRC_TIME_NONE && has_host (other, address)
        && tfrc_time_since (other->reported_at, now) > 2 * other->rtt
        && tfrc_time_since (other->reported_at, now) <= SILENT_TIME)
      before = other;
  }
  if (before == NULL)
    return;
  reporter->slow_since = before->slow_since;
  reporter->posted = before->posted;
  reporter->reported_at = before->reported_at;
}

static void
leave (TfmccReporters *self, guint32 ssrc, TfrcTime now)
{
  guint i = find_reporter (self, ssrc);

  if (i == self->n_reporters)
    return;
  if (self->reporters[i].slow_since != TFRC_TIME_NONE) {
    self->gone = self->reporters[i];
    self->gone.reported_at = now;
  }
  remove_reporter (self, ssrc);
}

void
tfmcc_reporters_on_report (TfmccReporters *self, const TfmccReport *report,
    gdouble loss_event_rate, TfrcDuration rtt, const gchar *address,
    TfrcRate least_rate, TfrcTime now)
{
  gboolean known = find_reporter (self, report->ssrc) < self->n_reporters;
  TfmccReporter *reporter;

  if (report->leaving) {
    leave (self, report->ssrc, now);
    return;
  }
  reporter = find_or_add (self, report->ssrc);
  if (!known)
    take_over (self, reporter, address, now);
  reporter->plain = FALSE;
  reporter->rtt = rtt;
  reporter->loss_event_rate = loss_event_rate;
  /* Who has lost nothing tells what came, which may be little. */
  note_rate (reporter, report->rate, address,
      report->rate < least_rate && report->has_loss,
      tfrc_time_since (reporter->reported_at, now) > SILENT_TIME, now);
}

/* Only in place of one of its kind that is gone: whoever was heard stays, so that it can
 * be slow for ten seconds. */
static gboolean
has_plain_room (const TfmccReporters *self, guint32 ssrc, TfrcTime now)
{
  const TfmccReporter *least;

  if (self->n_reporters < TFMCC_REPORTERS_MAX
      || find_reporter (self, ssrc) < self->n_reporters)
    return TRUE;
  least = &self->reporters[find_least (self)];
  return least->plain
      && tfrc_time_since (least->reported_at, now) > TFRC_MEMBER_TIMEOUT;
}

static guint
count_limiting (const TfmccReporters *self, TfrcTime now)
{
  guint n = 0;

  for (guint i = 0; i < self->n_reporters; i++)
    n += self->reporters[i].plain && self->reporters[i].limits
        && tfrc_time_since (self->reporters[i].reported_at, now)
            <= TFRC_MEMBER_TIMEOUT;
  return n;
}

gboolean
tfmcc_reporters_on_blocks (TfmccReporters *self, const RtpReportBlock *blocks,
    guint n, const gchar *address, TfrcRate rate, TfrcTime now)
{
  TfmccReporter *reporter;
  guint8 lost = 0; /* in 256 */
  gboolean silent;

  if (!has_plain_room (self, blocks[0].reporter_ssrc, now))
    return FALSE;
  reporter = find_or_add (self, blocks[0].reporter_ssrc);
  for (guint i = 0; i < n; i++)
    lost = MAX (lost, blocks[i].fraction_lost);
  if (!reporter->plain && reporter->reported_at != 0)
    return FALSE;
  silent = tfrc_time_since (reporter->reported_at, now) > TFRC_MEMBER_TIMEOUT;
  reporter->limits = (reporter->limits && !silent)
      || count_limiting (self, now) < PLAIN_MAX;
  reporter->plain = TRUE;
  note_rate (reporter, rate * (256 - lost) / 256, address, lost >= PLAIN_LOSS,
      silent, now);
  return reporter->limits;
}

void
tfmcc_reporters_on_bye (TfmccReporters *self, guint32 ssrc)
{
  guint i = find_reporter (self, ssrc);

  if (i < self->n_reporters && self->reporters[i].plain)
    remove_reporter (self, ssrc);
}

gboolean
tfmcc_reporters_poll_slow (TfmccReporters *self, TfrcRate least_rate,
    TfmccSlowReceiver *slow, TfrcTime now)
{
  for (guint i = 0; i < self->n_reporters; i++) {
    TfmccReporter *reporter = &self->reporters[i];

    if (reporter->posted || reporter->slow_since == TFRC_TIME_NONE
        || tfrc_time_since (reporter->slow_since, reporter->reported_at)
            < SLOW_TIME)
      continue;
    reporter->posted = TRUE;
    *slow = (TfmccSlowReceiver) {
      .ssrc = reporter->ssrc,
      .rate = reporter->rate,
      .least_rate = least_rate,
      .slow_for = tfrc_time_since (reporter->slow_since, now),
      .plain = reporter->plain,
    };
    memcpy (slow->address, reporter->address, sizeof slow->address);
    return TRUE;
  }
  return FALSE;
}

gdouble
tfmcc_reporters_get_loss_event_rate (const TfmccReporters *self, TfrcTime now)
{
  gdouble largest = 0;

  for (guint i = 0; i < self->n_reporters; i++)
    if (tfrc_time_since (self->reporters[i].reported_at, now) <= LOSS_MEMORY)
      largest = MAX (largest, self->reporters[i].loss_event_rate);
  return largest >= LEAST_LOSS ? largest : 0;
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
            G_TYPE_UINT64, reporter->rtt, "loss-event-rate", G_TYPE_DOUBLE,
            reporter->loss_event_rate, "age-ns", G_TYPE_UINT64,
            tfrc_time_since (reporter->reported_at, now), "slow",
            G_TYPE_BOOLEAN, reporter->slow_since != TFRC_TIME_NONE, "plain",
            G_TYPE_BOOLEAN, reporter->plain, NULL));
    gst_value_array_append_and_take_value (&array, &value);
  }
  gst_structure_take_value (stats, "reporters", &array);
  tfrc_stats_set (stats, "reports-excluded", self->reports_excluded);
}

void
tfmcc_send_flow_init (TfmccSendFlow *self, const TfmccSenderConfig *config)
{
  const TfrcReceptionConfig reception = tfrc_reception_config_default ();

  *self = (TfmccSendFlow) { 0 };
  tfrc_reception_reports_init (&self->plain, &reception);
  tfmcc_sender_init (&self->sender, config);
}

void
tfmcc_send_flow_charge (TfmccSendFlow *self, guint size, gboolean backlog,
    TfrcExtensionBytes *extension, TfrcTime now)
{
  TfmccExtension sent = tfmcc_sender_on_sent (&self->sender, size, backlog,
      now);

  *extension = (TfrcExtensionBytes) { 0 };
  extension->size = (guint) tfmcc_wire_write_extension (extension->data, &sent);
}

/* Takes what the members that report by RTCP alone can take. */
static void
take_plain_limit (TfmccSendFlow *self)
{
  if (self->sender.limit != self->plain.limit)
    tfmcc_sender_set_limit (&self->sender, self->plain.limit);
}

/* That member has gone, or reports otherwise. */
static void
forget_plain (TfmccSendFlow *self, guint32 ssrc)
{
  tfrc_reception_reports_on_bye (&self->plain, ssrc);
  take_plain_limit (self);
}

static void
add_news (TfmccSendFlow *self, const gchar *reason, TfrcTime now)
{
  const TfmccLimiter *clr = tfmcc_sender_get_clr (&self->sender);
  TfmccClrNews news = {
    .ssrc = clr != NULL ? clr->ssrc : 0,
    .previous_ssrc = self->posted_ssrc,
    .rate = clr != NULL ? clr->rate
                        : tfmcc_sender_get_rate (&self->sender, now),
    .rtt = clr != NULL ? clr->rtt : 0,
    .reason = reason,
  };

  if (self->n_news == TFMCC_SEND_FLOW_MAX_NEWS)
    news.previous_ssrc = self->news[--self->n_news].previous_ssrc;
  self->news[self->n_news++] = news;
  self->posted_ssrc = news.ssrc;
}

/* The CLR has gone; `reason` if nobody has taken its place. */
static void
add_end_of_clr (TfmccSendFlow *self, const gchar *reason, TfrcTime now)
{
  gboolean succeeded = tfmcc_sender_get_clr (&self->sender) != NULL;

  add_news (self, succeeded ? "succeeded" : reason, now);
}

/* NULL: it is who it was. */
static const gchar *
get_reason (TfmccClrChange change)
{
  switch (change) {
    case TFMCC_CLR_UNCHANGED:
    case TFMCC_CLR_REPORTED:
      return NULL;
    case TFMCC_CLR_FIRST:
      return "first";
    case TFMCC_CLR_LOWER:
      return "lower";
    case TFMCC_CLR_SUCCEEDED:
      return "succeeded";
  }
  return NULL;
}

TfrcResult
tfmcc_send_flow_on_report (TfmccSendFlow *self, const TfmccReport *report,
    gdouble loss_event_rate, const gchar *address, TfrcTime now)
{
  TfrcDuration rtt = tfmcc_sender_measure_rtt (&self->sender, report, now);
  const gchar *reason;
  TfrcResult result;

  if (tfmcc_reporters_is_excluded (&self->reporters, report->ssrc)) {
    self->reporters.reports_excluded++;
    return TFRC_STALE;
  }
  result = tfmcc_report_check_on_report (&self->check, &self->sender, report,
      now);
  if (result != TFRC_OK)
    return result;
  tfmcc_reporters_on_report (&self->reporters, report, loss_event_rate, rtt,
      address, self->sender.config.min_rate, now);
  forget_plain (self, report->ssrc);
  reason = get_reason (self->sender.clr_change);
  if (reason != NULL)
    add_news (self, reason, now);
  return result;
}

static void
tfmcc_send_flow_on_bye (TfmccSendFlow *self, guint32 ssrc)
{
  tfmcc_reporters_on_bye (&self->reporters, ssrc);
  forget_plain (self, ssrc);
}

gboolean
tfmcc_send_flow_exclude (TfmccSendFlow *self, guint32 ssrc, TfrcTime now)
{
  gboolean was_clr = tfmcc_clr_choice_is (&self->sender.clr, ssrc);

  if (!tfmcc_reporters_exclude (&self->reporters, ssrc))
    return FALSE;
  tfmcc_sender_forget (&self->sender, ssrc, now);
  forget_plain (self, ssrc);
  if (was_clr)
    add_end_of_clr (self, "excluded", now);
  return TRUE;
}

void
tfmcc_send_flow_on_deadline (TfmccSendFlow *self, TfrcTime now)
{
  TfmccClrChoice before = self->sender.clr;

  tfrc_reception_reports_forget_silent (&self->plain, now);
  take_plain_limit (self);
  tfmcc_sender_on_deadline (&self->sender, now);
  if (before.known
      && !tfmcc_clr_choice_is (&self->sender.clr, before.limiter.ssrc))
    add_end_of_clr (self, before.leaving ? "left" : "timeout", now);
}

GstStructure *
tfmcc_send_flow_poll_news (TfmccSendFlow *self)
{
  TfmccClrNews news = self->news[0];

  if (self->n_news == 0)
    return NULL;
  self->n_news--;
  memmove (self->news, self->news + 1, self->n_news * sizeof self->news[0]);
  return gst_structure_new ("tfmcc-clr",
      "ssrc", G_TYPE_UINT, news.ssrc,
      "previous-ssrc", G_TYPE_UINT, news.previous_ssrc,
      "bitrate", G_TYPE_UINT64, tfrc_rate_to_bits (news.rate),
      "rtt-ns", G_TYPE_UINT64, news.rtt,
      "reason", G_TYPE_STRING, news.reason, NULL);
}

/* In the words of TFRC: nobody has reported yet, nobody has lost anything, the
 * CLR's rate rules, or there is none. */
static TfrcSenderState
get_state (const TfmccSendFlow *self)
{
  if (self->sender.counters.reports == 0)
    return TFRC_SENDER_WAITING;
  if (tfmcc_sender_get_clr (&self->sender) == NULL)
    return TFRC_SENDER_NO_FEEDBACK;
  return self->sender.slow_start ? TFRC_SENDER_SLOW_START
                                 : TFRC_SENDER_EQUATION;
}

/* What of TFRC's samples has a meaning here; the rest is 0. */
static void
group_get_trace (const TfmccSendFlow *self, TfrcTrace *trace, TfrcTime now)
{
  const TfmccSender *sender = &self->sender;
  const TfmccLimiter *clr = tfmcc_sender_get_clr (sender);
  TfmccSenderCounters counters = tfmcc_sender_get_counters (sender);
  TfrcRate rate = tfmcc_sender_get_rate (sender, now);

  *trace = (TfrcTrace) {
    .at = now,
    .allowed_rate = rate,
    .instant_rate = rate,
    .equation_rate = clr != NULL ? clr->rate : INFINITY,
    .receive_limit = INFINITY,
    .loss_event_rate = tfmcc_reporters_get_loss_event_rate (&self->reporters,
        now),
    .rtt = clr != NULL ? clr->rtt : 0,
    .segment_size = tfrc_segment_size_get (&sender->segment_size),
    .state = get_state (self),
    .data_limited = sender->application_limited,
    .packets = counters.packets,
    .bytes = counters.bytes,
    .feedback = counters.reports,
    .feedback_invalid = counters.reports_invalid,
    .nofeedback_expiries = counters.starvations,
  };
}

/* Sets the fields that only TFMCC has. */
static void
group_set_stats (const TfmccSendFlow *self, GstStructure *stats, TfrcTime now)
{
  const TfmccSender *sender = &self->sender;
  const TfmccLimiter *clr = tfmcc_sender_get_clr (sender);
  TfmccSenderCounters counters = tfmcc_sender_get_counters (sender);
  TfrcRate suppression = sender->round.suppression_rate;

  tfrc_stats_add (stats, TFRC_STATS_SEND_GROUP);
  tfrc_stats_set (stats, "clr-ssrc", clr != NULL ? clr->ssrc : 0);
  tfrc_stats_set (stats, "clr-bitrate",
      clr != NULL ? tfrc_rate_to_bits (clr->rate) : 0);
  tfrc_stats_set (stats, "clr-rtt-ns", clr != NULL ? clr->rtt : 0);
  tfrc_stats_set (stats, "round", counters.rounds);
  tfrc_stats_set (stats, "max-rtt-ns", sender->round.max_rtt);
  tfrc_stats_set (stats, "suppression-bitrate",
      isfinite (suppression) ? tfrc_rate_to_bits (suppression) : 0);
  tfrc_stats_set (stats, "plain-bitrate",
      isfinite (sender->limit) ? tfrc_rate_to_bits (sender->limit) : 0);
  tfrc_stats_set (stats, "slow-start", sender->slow_start);
  tfrc_stats_set (stats, "reports", counters.reports);
  tfrc_stats_set (stats, "reports-clr", counters.reports_clr);
  tfrc_stats_set (stats, "reports-without-rtt", counters.reports_without_rtt);
  tfrc_stats_set (stats, "reports-invalid", counters.reports_invalid);
  tfrc_stats_set (stats, "reports-limited", self->check.counters.limited);
  tfrc_stats_set (stats, "reports-colliding", self->check.counters.colliding);
  tfrc_stats_set (stats, "reports-below-floor", counters.reports_below_floor);
  tfrc_stats_set (stats, "reports-rtt-bounded",
      self->check.counters.rtt_bounded);
  tfrc_stats_set (stats, "receivers-seen",
      (guint64) tfmcc_report_check_get_receivers (&self->check, sender->now));
  tfrc_stats_set (stats, "echoes-dropped", sender->echoes.dropped);
  tfrc_stats_set (stats, "clr-changes", counters.clr_changes);
  tfrc_stats_set (stats, "clr-timeouts", counters.clr_timeouts);
  tfrc_stats_set (stats, "starvations", counters.starvations);
  tfrc_stats_set (stats, "leaves", counters.leaves);
  tfmcc_reporters_set_stats (&self->reporters, stats, now);
}

/* The nofeedback timer waits for four of these: feedback=none never gets one. */
#define NO_REPORT_DELAY (TFRC_TIME_NONE / 64)
/* Of a TCP connection where there is no max-bitrate [bytes/s]. */
#define UNBOUND_RATE 125e6

#define SECONDS_1900_TO_1970 G_GUINT64_CONSTANT (2208988800)
/* As of who shares an encoder. */
#define LEAST_NEWS_TIME TFRC_SECOND
#define LEAST_NEWS_INTERVAL (10 * TFRC_SECOND)
#define NOTIFY_THRESHOLD 0.01 /* of the last bitrate that was notified */

void
tfrc_send_flow_init (TfrcSendFlow *self)
{
  const TfrcSendFlowConfig config = {
    .unicast = tfrc_sender_config_default ()
  };

  self->max_rate = INFINITY;
  self->packet_feedback.n_numbered = 0;
  self->sharers = (TfrcSharers) { 0 };
  tfrc_send_flow_start (self, &config);
}

void
tfrc_send_flow_clear (TfrcSendFlow *self)
{
  tfrc_sharers_clear (&self->sharers);
}

void
tfrc_send_flow_start (TfrcSendFlow *self, const TfrcSendFlowConfig *config)
{
  self->is_group = config->mode == GST_TFRC_MODE_TFMCC;
  tfrc_sharers_clear (&self->sharers);
  if (self->is_group) {
    tfmcc_send_flow_init (&self->group, &config->group);
    self->group.heeds_plain = config->feedback == GST_RTP_TFRC_FEEDBACK_AUTO
        || config->feedback == GST_RTP_TFRC_FEEDBACK_RR;
  } else {
    const TfrcReceptionConfig reception = tfrc_reception_config_default ();
    TfrcSenderChecks checks = tfrc_sender_checks_default ();

    /* Reception reports are seconds apart. */
    if (config->feedback != GST_RTP_TFRC_FEEDBACK_RR
        && config->feedback != GST_RTP_TFRC_FEEDBACK_NONE)
      checks.delay_target = config->delay_target;
    checks.tolerate_loss = config->tolerate_loss;
    tfrc_checked_sender_init (&self->unicast.checked, &config->unicast, checks);
    tfrc_encoder_rate_init (&self->unicast.encoder_rate);
    tfrc_feedback_format_start (&self->unicast.format, config->feedback);
    tfrc_reception_reports_init (&self->unicast.reception, &reception);
    if (config->feedback == GST_RTP_TFRC_FEEDBACK_RR)
      tfrc_sender_set_report_delay (&self->unicast.checked.sender,
          tfrc_reception_reports_get_delay (&self->unicast.reception));
    else if (config->feedback == GST_RTP_TFRC_FEEDBACK_NONE)
      tfrc_sender_set_report_delay (&self->unicast.checked.sender,
          NO_REPORT_DELAY);
    self->unicast.ends_padding = FALSE;
    self->unicast.left_to_tcp = FALSE;
  }
  self->followed = FALSE;
  tfrc_packet_feedback_start (&self->packet_feedback, &config->unicast,
      config->ect == TFRC_ECN_ECT_1);
  self->rate_limit = INFINITY;
  self->taken_rate = INFINITY;
  self->least_ssrc = self->told_ssrc = 0;
  self->told_at = 0;
  self->notified_bitrate = 0;
}

/* As nothing had been sent. */
static void
begin_anew (TfrcUnicast *self, TfrcRate start_rate, TfrcDuration report_delay)
{
  TfrcSenderConfig config = self->checked.sender.config;

  config.start_rate = start_rate;
  tfrc_checked_sender_init (&self->checked, &config, self->checked.checks);
  tfrc_sender_set_report_delay (&self->checked.sender, report_delay);
}

gboolean
tfrc_send_flow_set_in_tcp (TfrcSendFlow *self, gboolean in_tcp, TfrcTime now)
{
  TfrcUnicast *unicast = &self->unicast;

  if (self->is_group || unicast->format.wanted == GST_RTP_TFRC_FEEDBACK_NONE
      || in_tcp == unicast->left_to_tcp
      || (in_tcp && tfrc_send_flow_has_receiver (self)))
    return FALSE;
  if (in_tcp) {
    unicast->left_start_rate = unicast->checked.sender.config.start_rate;
    unicast->left_at = now;
    unicast->left_bytes = 0;
    begin_anew (unicast, MIN (self->max_rate, UNBOUND_RATE), NO_REPORT_DELAY);
  } else {
    begin_anew (unicast, unicast->left_start_rate,
        unicast->format.wanted == GST_RTP_TFRC_FEEDBACK_RR
            ? tfrc_reception_reports_get_delay (&unicast->reception)
            : 0);
  }
  unicast->left_to_tcp = in_tcp;
  return TRUE;
}

void
tfrc_send_flow_begin_path (TfrcSendFlow *self)
{
  TfrcUnicast *unicast = &self->unicast;

  if (self->is_group)
    return;
  tfrc_sharers_clear (&self->sharers);
  tfrc_checked_sender_begin_path (&unicast->checked);
  tfrc_encoder_rate_init (&unicast->encoder_rate);
  tfrc_feedback_format_start (&unicast->format, unicast->format.wanted);
  tfrc_reception_reports_forget (&unicast->reception);
  unicast->ends_padding = FALSE;
  tfrc_sender_based_forget (&self->packet_feedback.based);
  tfrc_delay_meter_forget (&self->packet_feedback.delays);
}

gboolean
tfrc_send_flow_config_has_extensions (const TfrcSendFlowConfig *self)
{
  return self->mode == GST_TFRC_MODE_TFMCC
      || self->feedback == GST_RTP_TFRC_FEEDBACK_AUTO
      || self->feedback == GST_RTP_TFRC_FEEDBACK_TFRC;
}

TfrcTime
tfrc_send_flow_next_send_at (const TfrcSendFlow *self)
{
  return self->is_group
      ? tfmcc_sender_next_send_at (&self->group.sender)
      : tfrc_sender_next_send_at (&self->unicast.checked.sender);
}

static void
look_for_report (TfrcSendFlow *self, TfrcTime now)
{
  TfrcUnicast *unicast = &self->unicast;
  TfrcSender *sender = &unicast->checked.sender;

  if (unicast->format.current != GST_RTP_TFRC_FEEDBACK_RR
      || !tfrc_reception_reports_poll_missed (&unicast->reception, sender,
          &self->packet_feedback.based))
    return;
  tfrc_encoder_rate_advance (&unicast->encoder_rate, sender, now);
  tfrc_sender_set_report_delay (sender,
      tfrc_reception_reports_get_delay (&unicast->reception));
  tfrc_sender_on_missed_report (sender, now);
}

void
tfrc_send_flow_charge (TfrcSendFlow *self, const TfrcSentRtp *packet,
    gboolean backlog, TfrcExtensionBytes *extension, TfrcTime now)
{
  TfrcExtension sent;

  if (self->is_group) {
    const TfrcExtension none = { 0 };

    tfmcc_send_flow_charge (&self->group, packet->size, backlog, extension,
        now);
    if (self->group.heeds_plain)
      tfrc_sender_based_on_sent (&self->packet_feedback.based, packet->ssrc,
          packet->seq, packet->size, &none, now);
    return;
  }
  if (self->unicast.left_to_tcp)
    self->unicast.left_bytes += packet->size;
  sent = packet->probe
      ? tfrc_checked_sender_on_probe_sent (&self->unicast.checked, packet->size,
            now)
      : tfrc_checked_sender_on_sent (&self->unicast.checked, packet->size,
            backlog, now);
  tfrc_sharers_on_sent (&self->sharers, packet, now);
  if (self->unicast.format.wanted != GST_RTP_TFRC_FEEDBACK_TFRC)
    tfrc_packet_feedback_on_sent (&self->packet_feedback, packet, &sent, now);
  else
    self->packet_feedback.n_numbered += packet->transport_numbered;
  look_for_report (self, now);
  tfrc_wire_write_extension (extension->data, &sent);
  extension->size = TFRC_WIRE_EXTENSION_SIZE;
}

void
tfrc_send_flow_take_back (TfrcSendFlow *self, guint n)
{
  if (self->is_group)
    return;
  tfrc_sharers_take_back (&self->sharers, n);
  if (self->unicast.format.wanted != GST_RTP_TFRC_FEEDBACK_TFRC)
    tfrc_packet_feedback_take_back (&self->packet_feedback, n);
  else
    self->packet_feedback.n_numbered -= n;
}

gboolean
tfrc_send_flow_admits (const TfrcSendFlow *self, GstRtpTfrcFeedback format,
    TfrcTime now)
{
  return self->is_group
      ? format == GST_RTP_TFRC_FEEDBACK_RR
      : tfrc_feedback_format_admits (&self->unicast.format, format, now);
}

static TfrcResult
give_feedback (TfrcSendFlow *self, GstRtpTfrcFeedback format,
    const TfrcFeedback *feedback, TfrcTime now)
{
  TfrcUnicast *unicast = &self->unicast;
  TfrcResult result;

  tfrc_encoder_rate_advance (&unicast->encoder_rate, &unicast->checked.sender,
      now);
  /* It goes on from what the encoder made. */
  if (unicast->left_to_tcp && unicast->left_bytes > 0)
    tfrc_sender_set_start_rate (&unicast->checked.sender,
        tfrc_rate_of ((double) unicast->left_bytes,
            tfrc_time_since (unicast->left_at, now)));
  result = tfrc_checked_sender_on_feedback (&unicast->checked, feedback, now);
  if (result != TFRC_OK)
    return result;
  tfrc_encoder_rate_on_report (&unicast->encoder_rate, &unicast->checked.sender,
      now);
  tfrc_feedback_format_on_accepted (&unicast->format, format, now);
  unicast->left_to_tcp = FALSE;
  if (feedback->has_delay || format != GST_RTP_TFRC_FEEDBACK_TFRC)
    unicast->ends_padding = format == GST_RTP_TFRC_FEEDBACK_TFRC
        && feedback->delay.ends_padding;
  if (format != GST_RTP_TFRC_FEEDBACK_RR)
    tfrc_reception_reports_forget (&unicast->reception);
  return TFRC_OK;
}

TfrcResult
tfrc_send_flow_on_feedback (TfrcSendFlow *self, const TfrcFeedback *feedback,
    TfrcTime now)
{
  tfrc_sender_set_report_delay (&self->unicast.checked.sender, 0);
  return give_feedback (self, GST_RTP_TFRC_FEEDBACK_TFRC, feedback, now);
}

static TfrcSharedWay
get_way (TfrcSendFlow *self)
{
  return (TfrcSharedWay) { &self->unicast.checked, &self->unicast.encoder_rate,
    &self->packet_feedback };
}

static void
choose_receiver (TfrcSendFlow *self, gboolean gone, TfrcTime now)
{
  const TfrcSharedWay way = get_way (self);

  if (tfrc_sharers_choose (&self->sharers, &way, gone, now))
    tfrc_sender_set_max_rate (&self->unicast.checked.sender, self->rate_limit);
}

TfrcResult
tfrc_send_flow_on_packet_feedback (TfrcSendFlow *self,
    TfrcPacketFeedbackReader *reader, TfrcTime now)
{
  TfrcPacketFeedback *packet_feedback = &self->packet_feedback;
  const TfrcSenderBased *based = &packet_feedback->based;
  uint64_t accepted = based->receiver.counters.packets;
  uint64_t unknown = based->counters.packets_unknown;
  TfrcFeedback feedback;
  TfrcResult result;
  gboolean ok = FALSE;

  if (self->is_group)
    return TFRC_INVALID;
  choose_receiver (self, FALSE, now);
  if (tfrc_packet_feedback_is_of_another (packet_feedback, reader, now)) {
    const TfrcSharedWay way = get_way (self);

    return tfrc_sharers_on_report (&self->sharers, &way, reader, now);
  }
  result = tfrc_packet_feedback_begin_report (packet_feedback, reader, now);
  if (result != TFRC_OK)
    return result;
  while (tfrc_packet_feedback_poll_feedback (packet_feedback, reader,
      &feedback)) {
    tfrc_sender_set_report_delay (&self->unicast.checked.sender,
        tfrc_sender_based_get_report_delay (based));
    result = give_feedback (self, reader->format, &feedback, now);
    ok |= result == TFRC_OK;
  }
  if (ok || result != TFRC_OK)
    return ok ? TFRC_OK : result;
  /* No feedback came of it. */
  return accepted == based->receiver.counters.packets
          && unknown < based->counters.packets_unknown
      ? TFRC_INVALID
      : TFRC_DUPLICATE;
}

static guint32
get_least_ssrc (const TfrcSendFlow *self)
{
  const TfrcSenderBased *based = &self->packet_feedback.based;

  if (self->unicast.reception.has_report)
    return self->unicast.reception.reporter_ssrc;
  return based->has_report ? based->reporter_ssrc : 0;
}

gboolean
tfrc_send_flow_poll_least (TfrcSendFlow *self, TfrcLeastReceiver *least,
    TfrcTime now)
{
  const TfrcReceptionReports *plain = &self->unicast.reception;

  if (self->is_group)
    return FALSE;
  least->ssrc = get_least_ssrc (self);
  if (least->ssrc != self->least_ssrc) {
    self->least_ssrc = least->ssrc;
    self->least_since = now;
  }
  if (least->ssrc == 0 || least->ssrc == self->told_ssrc
      || tfrc_time_since (self->least_since, now) < LEAST_NEWS_TIME
      || (self->told_at != 0
          && tfrc_time_since (self->told_at, now) < LEAST_NEWS_INTERVAL))
    return FALSE;
  least->n_receivers = plain->has_report
      ? tfrc_reception_reports_count (plain, now)
      : self->sharers.n + 1;
  least->rate = tfrc_sender_get_send_rate (&self->unicast.checked.sender);
  if (least->n_receivers < 2)
    return FALSE;
  self->told_ssrc = least->ssrc;
  self->told_at = now;
  return TRUE;
}

gboolean
tfrc_send_flow_poll_lost (TfrcSendFlow *self, guint32 *ssrc)
{
  return tfrc_sender_based_poll_lost (&self->packet_feedback.based, ssrc)
      || tfrc_sharers_poll_lost (&self->sharers, ssrc);
}

/* RFC 3550 section 4: the middle 32 of 64 bits of seconds since 1900. */
static guint32
to_middle_of_ntp (gint64 real_time)
{
  guint64 seconds = (guint64) real_time / G_USEC_PER_SEC + SECONDS_1900_TO_1970;
  guint64 rest = (guint64) real_time % G_USEC_PER_SEC;

  return (guint32) (seconds << 16 | (rest << 16) / G_USEC_PER_SEC);
}

static void
on_member_blocks (TfrcSendFlow *self, const RtpReportBlock *blocks, guint n,
    const gchar *address, guint32 ntp, TfrcTime now)
{
  TfmccSendFlow *group = &self->group;
  const TfmccSendingRate *bytes = &group->sender.used_rate;
  TfrcRate rate = tfrc_rate_of (1.0, tfmcc_sending_rate_get_interval (bytes));

  if (!tfmcc_reporters_on_blocks (&group->reporters, blocks, n, address, rate,
          now)
      || !group->heeds_plain)
    return;
  tfrc_reception_reports_on_member (&group->plain, blocks, n,
      &self->packet_feedback.based,
      tfrc_segment_size_get (&group->sender.segment_size), rate, ntp, now);
  take_plain_limit (group);
}

TfrcResult
tfrc_send_flow_on_blocks (TfrcSendFlow *self, const RtpReportBlock *blocks,
    guint n, const gchar *address, gint64 real_time, TfrcTime now)
{
  TfrcUnicast *unicast = &self->unicast;
  TfrcFeedback feedback;
  TfrcResult result;

  if (self->is_group) {
    on_member_blocks (self, blocks, n, address, to_middle_of_ntp (real_time),
        now);
    return TFRC_DUPLICATE;
  }
  result = tfrc_reception_reports_on_blocks (&unicast->reception, blocks, n,
      &unicast->checked.sender, &self->packet_feedback.based,
      to_middle_of_ntp (real_time), &feedback, now);
  if (result != TFRC_OK)
    return result;
  tfrc_sender_set_report_delay (&unicast->checked.sender,
      tfrc_reception_reports_get_delay (&unicast->reception));
  return give_feedback (self, GST_RTP_TFRC_FEEDBACK_RR, &feedback, now);
}

void
tfrc_send_flow_on_bye (TfrcSendFlow *self, guint32 ssrc, TfrcTime now)
{
  const TfrcSenderBased *based = &self->packet_feedback.based;

  if (self->is_group) {
    tfmcc_send_flow_on_bye (&self->group, ssrc);
    return;
  }
  tfrc_reception_reports_on_bye (&self->unicast.reception, ssrc);
  if (!tfrc_sharers_on_bye (&self->sharers, ssrc) && based->has_report
      && based->reporter_ssrc == ssrc)
    choose_receiver (self, TRUE, now);
}

TfrcTime
tfrc_send_flow_next_deadline (const TfrcSendFlow *self)
{
  return self->is_group
      ? (self->group.n_news > 0
                ? 0
                : tfmcc_sender_next_deadline (&self->group.sender))
      : tfrc_checked_sender_next_deadline (&self->unicast.checked);
}

void
tfrc_send_flow_on_deadline (TfrcSendFlow *self, TfrcTime now)
{
  TfrcUnicast *unicast = &self->unicast;

  if (self->is_group) {
    tfmcc_send_flow_on_deadline (&self->group, now);
  } else if (tfrc_checked_sender_next_deadline (&unicast->checked) <= now) {
    tfrc_encoder_rate_advance (&unicast->encoder_rate, &unicast->checked.sender,
        now);
    tfrc_checked_sender_on_deadline (&unicast->checked, now);
  }
}

static void
update_wanted_rate (TfrcSendFlow *self)
{
  if (!self->is_group)
    self->unicast.checked.wanted_rate = self->followed ? self->max_rate : 0;
}

void
tfrc_send_flow_set_bounds (TfrcSendFlow *self, TfrcRate min_rate,
    TfrcRate max_rate)
{
  self->max_rate = max_rate;
  update_wanted_rate (self);
  if (self->is_group)
    tfmcc_sender_set_min_rate (&self->group.sender, min_rate);
}

void
tfrc_send_flow_set_followed (TfrcSendFlow *self, gboolean followed)
{
  self->followed = followed;
  update_wanted_rate (self);
}

gboolean
tfrc_send_flow_is_probing (const TfrcSendFlow *self)
{
  return !self->is_group && tfrc_probing_is_on (&self->unicast.checked.probing);
}

gboolean
tfrc_send_flow_takes_padding (const TfrcSendFlow *self)
{
  return !self->is_group && self->unicast.ends_padding;
}

void
tfrc_send_flow_set_rate_limit (TfrcSendFlow *self, TfrcRate limit)
{
  if (!self->is_group && limit != self->rate_limit)
    tfrc_sender_set_max_rate (&self->unicast.checked.sender, limit);
  self->rate_limit = limit;
}

TfrcDuration
tfrc_send_flow_get_two_packets_time (TfrcSendFlow *self, TfrcTime now)
{
  TfrcRate rate = self->is_group
      ? tfmcc_sender_get_rate (&self->group.sender, now)
      : tfrc_sender_get_pacing_rate (&self->unicast.checked.sender);
  gdouble size = tfrc_segment_size_get (self->is_group
          ? &self->group.sender.segment_size
          : &self->unicast.checked.sender.segment_size);

  return tfrc_rate_time_for (rate, 2 * size);
}

TfrcDuration
tfrc_send_flow_get_rtt (const TfrcSendFlow *self)
{
  return self->is_group ? 0 : self->unicast.checked.sender.rtt.rtt;
}

TfrcDuration
tfrc_send_flow_get_repair_time (const TfrcSendFlow *self)
{
  return self->is_group ? self->group.sender.round.max_rtt
                        : tfrc_send_flow_get_rtt (self);
}

gdouble
tfrc_send_flow_get_loss_event_rate (const TfrcSendFlow *self, TfrcTime now)
{
  if (self->is_group)
    return tfmcc_reporters_get_loss_event_rate (&self->group.reporters, now);
  return self->unicast.format.current == GST_RTP_TFRC_FEEDBACK_TFRC
      ? self->unicast.checked.sender.loss_event_rate
      : 0;
}

TfrcDuration
tfrc_send_flow_get_round_time (const TfrcSendFlow *self)
{
  if (self->is_group)
    return 2 * tfmcc_round_get_span (&self->group.sender.round);
  if (self->unicast.format.wanted == GST_RTP_TFRC_FEEDBACK_NONE
      || self->unicast.left_to_tcp)
    return TFRC_TIME_NONE;
  return self->unicast.format.current == GST_RTP_TFRC_FEEDBACK_RR
      ? 4 * tfrc_reception_reports_get_delay (&self->unicast.reception)
      : 0;
}

gboolean
tfrc_send_flow_has_receiver (const TfrcSendFlow *self)
{
  TfrcSenderState state;

  if (self->is_group)
    return tfmcc_sender_get_clr (&self->group.sender) != NULL;
  /* Neither is the first report out nor has the nofeedback timer expired since
   * the newest. */
  state = self->unicast.checked.sender.state;
  return state != TFRC_SENDER_WAITING && state != TFRC_SENDER_NO_FEEDBACK;
}

static TfrcRate
get_most_told (const TfrcSendFlow *self)
{
  return MIN (self->max_rate, self->taken_rate);
}

gboolean
tfrc_send_flow_poll_bitrate (TfrcSendFlow *self, guint *bitrate, TfrcTime now)
{
  TfrcRate rate = self->is_group
      ? tfmcc_sender_get_rate (&self->group.sender, now)
      : tfrc_sender_get_send_rate (&self->unicast.checked.sender);
  guint64 bits = tfrc_rate_to_bits (MIN (rate, get_most_told (self)));

  *bitrate = (guint) MIN (bits, G_MAXUINT);
  if (fabs ((gdouble) *bitrate - self->notified_bitrate)
      <= NOTIFY_THRESHOLD * self->notified_bitrate)
    return FALSE;
  self->notified_bitrate = *bitrate;
  return TRUE;
}

gboolean
tfrc_send_flow_get_encoder_rate (TfrcSendFlow *self, TfrcRate *rate,
    TfrcTime now)
{
  TfrcUnicast *unicast = &self->unicast;

  if (self->is_group) {
    /* X itself, from the start.  It rises along a slope, and where it falls at once all
     * that an encoder makes above it becomes a queue; and the first report may be
     * seconds away, while next to nothing leaves. */
    *rate = tfmcc_sender_get_rate (&self->group.sender, now);
  } else if (unicast->left_to_tcp) {
    if (isinf (self->taken_rate))
      return FALSE;
    *rate = self->taken_rate;
  } else {
    tfrc_encoder_rate_advance (&unicast->encoder_rate, &unicast->checked.sender,
        now);
    *rate = tfrc_encoder_rate_get (&unicast->encoder_rate);
    if (*rate == 0 && unicast->checked.sender.config.start_rate > 0)
      *rate = tfrc_sender_get_send_rate (&unicast->checked.sender);
  }
  *rate = MIN (*rate, get_most_told (self));
  return *rate > 0;
}

void
tfrc_send_flow_set_stats (TfrcSendFlow *self, GstStructure *stats, TfrcTime now)
{
  TfrcTrace trace = { 0 };

  if (self->is_group)
    group_get_trace (&self->group, &trace, now);
  else
    tfrc_checked_sender_get_trace (&self->unicast.checked, &trace, now);
  tfrc_stats_set_trace (stats, &trace, TFRC_TRACE_SENDER);
  tfrc_stats_set (stats, "mode", self->is_group ? "tfmcc" : "tfrc");
  if (self->is_group) {
    group_set_stats (&self->group, stats, now);
    return;
  }
  tfrc_stats_set (stats, "feedback-format",
      tfrc_feedback_get_name (self->unicast.format.current));
  tfrc_packet_feedback_set_stats (&self->packet_feedback, stats);
  tfrc_stats_set (stats, "arrival-receivers",
      (guint64) self->sharers.n + self->packet_feedback.based.has_report);
  tfrc_stats_set (stats, "padding-probes",
      self->unicast.checked.probing.counters.probes);
  tfrc_stats_set (stats, "padding-bytes",
      self->unicast.checked.probing.counters.bytes);
  tfrc_stats_set (stats, "reception-reports",
      self->unicast.reception.counters.reports);
  tfrc_stats_set (stats, "reception-reports-invalid",
      self->unicast.reception.counters.reports_invalid);
}
