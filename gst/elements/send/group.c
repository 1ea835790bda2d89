/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The list of reporters, excluded receivers, and messages about the CLR. */

#include "send/group.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

#include "common/stats.h"

#define SLOW_TIME (10 * TFRC_SECOND)
/* After this silence the receiver's path may have changed: counting begins anew with its
 * next report. */
#define SILENT_TIME (5 * TFRC_SECOND)
/* How long a reported p counts, as a receiver may report only once in several rounds. */
#define LOSS_MEMORY (10 * TFRC_SECOND)
/* A smaller p counts as 0: parity would repair next to nothing, and the p of a receiver
 * that lost a packet once is never 0 again. */
#define LEAST_LOSS 0.001
/* How many members with reception reports only the rate follows.  Of more, the minimum
 * would be mere chance.  Those that came first count, so that one host that reports under
 * many SSRCs displaces nobody. */
#define PLAIN_MAX 8
/* A twentieth of the packets, as fraction lost (in 1/256): then no picture is complete. */
#define PLAIN_LOSS 13

static guint
find_reporter (const TfmccReporters *self, guint32 ssrc)
{
  guint i = 0;

  while (i < self->n_reporters && self->reporters[i].ssrc != ssrc)
    i++;
  return i;
}

/* The reporter that a new one replaces: the least recent with reception reports only, or
 * else the least recent. */
static guint
find_least (const TfmccReporters *self)
{
  guint last = self->n_reporters - 1, i = last;

  while (i > 0 && !self->reporters[i].rr_only)
    i--;
  return self->reporters[i].rr_only ? i : last;
}

/* Returns the reporter, moved to the front. */
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
remove_at (TfmccReporters *self, guint i)
{
  self->n_reporters--;
  memmove (self->reporters + i, self->reporters + i + 1,
      (self->n_reporters - i) * sizeof *self->reporters);
}

/* `silent`: its last report is too long ago.  Two seconds that are fast enough make up
 * for one second that is too slow: a receiver that alternates holds the group down as
 * well. */
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

/* A new SSRC inherits the state of a slow receiver on the same host that has left or
 * fallen silent.  Otherwise a receiver that rejoins every second would never count as
 * slow. */
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

    if (other != reporter && !other->rr_only
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
  remove_at (self, i);
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
  reporter->rr_only = FALSE;
  reporter->rtt = rtt;
  reporter->loss_event_rate = loss_event_rate;
  /* Without loss, a receiver reports its receive rate, which is low where little is
   * sent. */
  note_rate (reporter, report->rate, address,
      report->rate < least_rate && report->has_loss,
      tfrc_time_since (reporter->reported_at, now) > SILENT_TIME, now);
}

/* A reporter with reception reports only replaces just one of its kind that has fallen
 * silent: reporters must stay in the list for ten seconds to be found slow. */
static gboolean
has_rr_room (const TfmccReporters *self, guint32 ssrc, TfrcTime now)
{
  const TfmccReporter *least;

  if (self->n_reporters < TFMCC_REPORTERS_MAX
      || find_reporter (self, ssrc) < self->n_reporters)
    return TRUE;
  least = &self->reporters[find_least (self)];
  return least->rr_only
      && tfrc_time_since (least->reported_at, now) > TFRC_MEMBER_TIMEOUT;
}

static guint
count_limiting (const TfmccReporters *self, TfrcTime now)
{
  guint n = 0;

  for (guint i = 0; i < self->n_reporters; i++)
    n += self->reporters[i].rr_only && self->reporters[i].limits
        && tfrc_time_since (self->reporters[i].reported_at, now)
            <= TFRC_MEMBER_TIMEOUT;
  return n;
}

gboolean
tfmcc_reporters_on_blocks (TfmccReporters *self, const RtpReportBlock *blocks,
    guint n, const gchar *address, TfrcRate rate, TfrcTime now)
{
  TfmccReporter *reporter;
  guint8 lost = 0; /* in 1/256 */
  gboolean silent;

  if (!has_rr_room (self, blocks[0].reporter_ssrc, now))
    return FALSE;
  reporter = find_or_add (self, blocks[0].reporter_ssrc);
  for (guint i = 0; i < n; i++)
    lost = MAX (lost, blocks[i].fraction_lost);
  if (!reporter->rr_only && reporter->reported_at != 0)
    return FALSE;
  silent = tfrc_time_since (reporter->reported_at, now) > TFRC_MEMBER_TIMEOUT;
  reporter->limits = (reporter->limits && !silent)
      || count_limiting (self, now) < PLAIN_MAX;
  reporter->rr_only = TRUE;
  note_rate (reporter, rate * (256 - lost) / 256, address, lost >= PLAIN_LOSS,
      silent, now);
  return reporter->limits;
}

void
tfmcc_reporters_on_bye (TfmccReporters *self, guint32 ssrc)
{
  guint i = find_reporter (self, ssrc);

  if (i < self->n_reporters && self->reporters[i].rr_only)
    remove_at (self, i);
}

const TfmccReporter *
tfmcc_reporters_poll_slow (TfmccReporters *self)
{
  for (guint i = 0; i < self->n_reporters; i++) {
    TfmccReporter *reporter = &self->reporters[i];

    if (reporter->posted || reporter->slow_since == TFRC_TIME_NONE
        || tfrc_time_since (reporter->slow_since, reporter->reported_at)
            < SLOW_TIME)
      continue;
    reporter->posted = TRUE;
    return reporter;
  }
  return NULL;
}

TfrcDuration
tfmcc_reporters_get_rtt (const TfmccReporters *self, guint32 ssrc)
{
  guint i = find_reporter (self, ssrc);

  return i < self->n_reporters ? self->reporters[i].rtt : 0;
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

/* Prefix of an IPv4-mapped address of an IPv6 socket, RFC 4291 section 2.5.5.2. */
#define MAPPED "::ffff:"

/* Reads the host of "192.0.2.7:5004" or "[fe80::1%2]:5004", or of the same without port
 * or brackets.  FALSE: it is no IP address. */
static gboolean
read_host (const gchar *address, gchar host[TFMCC_HOST_SIZE])
{
  const gchar *colon = strchr (address, ':');
  g_autofree gchar *text = NULL, *found = NULL;
  g_autoptr (GInetAddress) parsed = NULL;

  if (address[0] == '[')
    text = g_strndup (address + 1, strcspn (address + 1, "]%"));
  else if (colon != NULL && strchr (colon + 1, ':') == NULL)
    text = g_strndup (address, (gsize) (colon - address));
  else
    text = g_strndup (address, strcspn (address, "%"));
  parsed = g_inet_address_new_from_string (text);
  if (parsed == NULL)
    return FALSE;
  found = g_inet_address_to_string (parsed);
  if (g_str_has_prefix (found, MAPPED) && strchr (found, '.') != NULL)
    g_strlcpy (host, found + strlen (MAPPED), TFMCC_HOST_SIZE);
  else
    g_strlcpy (host, found, TFMCC_HOST_SIZE);
  return TRUE;
}

/* The text by which an address is excluded, or (`address` NULL) an SSRC.  FALSE: it is no
 * IP address. */
static gboolean
make_excluded (gchar excluded[TFMCC_HOST_SIZE], guint32 ssrc,
    const gchar *address)
{
  if (address != NULL)
    return read_host (address, excluded);
  g_snprintf (excluded, TFMCC_HOST_SIZE, "#%08x", ssrc);
  return TRUE;
}

static guint
find_excluded (const TfmccReporters *self, const gchar *excluded)
{
  guint i = 0;

  while (i < self->n_excluded && strcmp (self->excluded[i], excluded) != 0)
    i++;
  return i;
}

gboolean
tfmcc_reporters_is_excluded (const TfmccReporters *self, guint32 ssrc,
    const gchar *address)
{
  gchar by_ssrc[TFMCC_HOST_SIZE], by_host[TFMCC_HOST_SIZE];

  if (self->n_excluded == 0)
    return FALSE;
  make_excluded (by_ssrc, ssrc, NULL);
  return find_excluded (self, by_ssrc) < self->n_excluded
      || (address != NULL && make_excluded (by_host, 0, address)
          && find_excluded (self, by_host) < self->n_excluded);
}

gboolean
tfmcc_reporters_exclude (TfmccReporters *self, guint32 ssrc,
    const gchar *address)
{
  gchar excluded[TFMCC_HOST_SIZE];
  guint place;

  if (!make_excluded (excluded, ssrc, address))
    return FALSE;
  place = find_excluded (self, excluded);
  if (place == TFMCC_EXCLUDED_MAX)
    return FALSE;
  g_strlcpy (self->excluded[place], excluded, TFMCC_HOST_SIZE);
  self->n_excluded = MAX (self->n_excluded, place + 1);
  for (guint i = self->n_reporters; i-- > 0;)
    if (tfmcc_reporters_is_excluded (self, self->reporters[i].ssrc,
            self->reporters[i].address))
      remove_at (self, i);
  return TRUE;
}

gboolean
tfmcc_reporters_admit (TfmccReporters *self, guint32 ssrc, const gchar *address)
{
  gchar excluded[TFMCC_HOST_SIZE];
  guint place;

  if (!make_excluded (excluded, ssrc, address))
    return FALSE;
  place = find_excluded (self, excluded);
  if (place == self->n_excluded)
    return FALSE;
  memmove (self->excluded[place], self->excluded[--self->n_excluded],
      TFMCC_HOST_SIZE);
  return TRUE;
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
            G_TYPE_BOOLEAN, reporter->rr_only, NULL));
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
  tfrc_reception_reports_init (&self->reception, &reception);
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

/* Bounds X by what the members with reception reports only can receive. */
static void
take_rr_limit (TfmccSendFlow *self)
{
  if (self->sender.limit != self->reception.limit)
    tfmcc_sender_set_limit (&self->sender, self->reception.limit);
}

/* The member has left, or sends TFMCC reports. */
static void
forget_rr (TfmccSendFlow *self, guint32 ssrc)
{
  tfrc_reception_reports_on_bye (&self->reception, ssrc);
  take_rr_limit (self);
}

static void
add_message (TfmccSendFlow *self, const gchar *reason, TfrcTime now)
{
  const TfmccLimiter *clr = tfmcc_sender_get_clr (&self->sender);
  TfmccClrMessage message = {
    .ssrc = clr != NULL ? clr->ssrc : 0,
    .previous_ssrc = self->posted_ssrc,
    .rate = clr != NULL ? clr->rate
                        : tfmcc_sender_get_rate (&self->sender, now),
    .rtt = clr != NULL ? clr->rtt : 0,
    .reason = reason,
  };

  if (self->n_messages == TFMCC_SEND_FLOW_MAX_MESSAGES)
    message.previous_ssrc = self->messages[--self->n_messages].previous_ssrc;
  self->messages[self->n_messages++] = message;
  self->posted_ssrc = message.ssrc;
}

/* There is no CLR any more (`reason` says why), or another receiver has succeeded it. */
static void
add_end_of_clr (TfmccSendFlow *self, const gchar *reason, TfrcTime now)
{
  gboolean succeeded = tfmcc_sender_get_clr (&self->sender) != NULL;

  add_message (self, succeeded ? "succeeded" : reason, now);
}

/* NULL: the CLR is the same. */
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

  if (tfmcc_reporters_is_excluded (&self->reporters, report->ssrc, address)) {
    self->reporters.reports_excluded++;
    return TFRC_STALE;
  }
  result = tfmcc_report_check_on_report (&self->check, &self->sender, report,
      now);
  if (result != TFRC_OK)
    return result;
  tfmcc_reporters_on_report (&self->reporters, report, loss_event_rate, rtt,
      address, self->sender.config.min_rate, now);
  forget_rr (self, report->ssrc);
  reason = get_reason (self->sender.clr_change);
  if (reason != NULL)
    add_message (self, reason, now);
  return result;
}

gboolean
tfmcc_send_flow_on_blocks (TfmccSendFlow *self, const RtpReportBlock *blocks,
    guint n, const gchar *address, const TfrcSenderBased *packets, guint32 ntp,
    TfrcTime now)
{
  TfmccSender *sender = &self->sender;
  TfrcGroupSent sent = {
    .packets = packets,
    .size = tfrc_segment_size_get (&sender->segment_size),
    .rate = tfrc_rate_of (1.0,
        tfmcc_sending_rate_get_interval (&sender->used_rate)),
    .least = sender->config.min_rate,
    .first = sender->has_receiver ? (gdouble) INFINITY
                                  : tfmcc_sender_get_rate (sender, now),
  };
  TfrcResult result;

  if (!tfmcc_reporters_on_blocks (&self->reporters, blocks, n, address,
          sent.rate, now)
      || !self->follows_rr)
    return FALSE;
  result = tfrc_reception_reports_on_member (&self->reception, blocks, n, &sent,
      ntp, now);
  if (result == TFRC_OK)
    tfmcc_sender_set_limit (sender, self->reception.limit);
  return result == TFRC_OK && !sender->has_receiver;
}

void
tfmcc_send_flow_on_bye (TfmccSendFlow *self, guint32 ssrc)
{
  tfmcc_reporters_on_bye (&self->reporters, ssrc);
  forget_rr (self, ssrc);
}

static void
exclude_reporter (TfmccSendFlow *self, guint32 ssrc, TfrcTime now)
{
  gboolean was_clr = tfmcc_clr_choice_is (&self->sender.clr, ssrc);

  tfmcc_sender_forget (&self->sender, ssrc, now);
  forget_rr (self, ssrc);
  if (was_clr)
    add_end_of_clr (self, "excluded", now);
}

gboolean
tfmcc_send_flow_exclude (TfmccSendFlow *self, guint32 ssrc,
    const gchar *address, TfrcTime now)
{
  const TfmccReporters before = self->reporters;

  if (!tfmcc_reporters_exclude (&self->reporters, ssrc, address))
    return FALSE;
  if (address == NULL)
    exclude_reporter (self, ssrc, now);
  for (guint i = 0; i < before.n_reporters; i++)
    if (tfmcc_reporters_is_excluded (&self->reporters, before.reporters[i].ssrc,
            before.reporters[i].address))
      exclude_reporter (self, before.reporters[i].ssrc, now);
  return TRUE;
}

void
tfmcc_send_flow_on_deadline (TfmccSendFlow *self, TfrcTime now)
{
  TfmccClrChoice before = self->sender.clr;

  tfrc_reception_reports_forget_silent (&self->reception, now);
  take_rr_limit (self);
  tfmcc_sender_on_deadline (&self->sender, now);
  if (before.known
      && !tfmcc_clr_choice_is (&self->sender.clr, before.limiter.ssrc))
    add_end_of_clr (self, before.leaving ? "left" : "timeout", now);
}

GstStructure *
tfmcc_send_flow_poll_clr_message (TfmccSendFlow *self)
{
  TfmccClrMessage message = self->messages[0];

  if (self->n_messages == 0)
    return NULL;
  self->n_messages--;
  memmove (self->messages, self->messages + 1,
      self->n_messages * sizeof self->messages[0]);
  return gst_structure_new ("tfmcc-clr",
      "ssrc", G_TYPE_UINT, message.ssrc,
      "previous-ssrc", G_TYPE_UINT, message.previous_ssrc,
      "bitrate", G_TYPE_UINT64, tfrc_rate_to_bits (message.rate),
      "rtt-ns", G_TYPE_UINT64, message.rtt,
      "reason", G_TYPE_STRING, message.reason, NULL);
}

GstStructure *
tfmcc_send_flow_poll_slow_message (TfmccSendFlow *self, TfrcTime now)
{
  const TfmccReporter *slow = tfmcc_reporters_poll_slow (&self->reporters);

  if (slow == NULL)
    return NULL;
  return gst_structure_new ("tfmcc-slow-receiver",
      "ssrc", G_TYPE_UINT, slow->ssrc,
      "address", G_TYPE_STRING, slow->address,
      "bitrate", G_TYPE_UINT64, tfrc_rate_to_bits (slow->rate),
      "min-bitrate", G_TYPE_UINT64,
      tfrc_rate_to_bits (self->sender.config.min_rate),
      "slow-for-ns", G_TYPE_UINT64, tfrc_time_since (slow->slow_since, now),
      "plain", G_TYPE_BOOLEAN, slow->rr_only, NULL);
}

/* As states of TFRC: no report yet; no CLR; slow start, as nothing was lost; or the CLR's
 * rate. */
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

void
tfmcc_send_flow_get_trace (const TfmccSendFlow *self, TfrcTrace *trace,
    TfrcTime now)
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

void
tfmcc_send_flow_set_stats (const TfmccSendFlow *self, GstStructure *stats,
    TfrcTime now)
{
  const TfmccSender *sender = &self->sender;
  const TfmccLimiter *clr = tfmcc_sender_get_clr (sender);
  TfmccSenderCounters counters = tfmcc_sender_get_counters (sender);

  tfrc_stats_add (stats, TFRC_STATS_SEND_GROUP);
  tfrc_stats_set (stats, "clr-ssrc", clr != NULL ? clr->ssrc : 0);
  tfrc_stats_set (stats, "clr-bitrate",
      clr != NULL ? tfrc_rate_to_bits (clr->rate) : 0);
  tfrc_stats_set (stats, "clr-rtt-ns", clr != NULL ? clr->rtt : 0);
  tfrc_stats_set (stats, "round", counters.rounds);
  tfrc_stats_set (stats, "max-rtt-ns", sender->round.max_rtt);
  tfrc_stats_set (stats, "plain-bitrate",
      isfinite (sender->limit) ? tfrc_rate_to_bits (sender->limit) : 0);
  tfrc_stats_set (stats, "slow-start", sender->slow_start);
  tfrc_stats_set (stats, "reports", counters.reports);
  tfrc_stats_set (stats, "reports-clr", counters.reports_clr);
  tfrc_stats_set (stats, "reports-invalid", counters.reports_invalid);
  tfrc_stats_set (stats, "reports-limited", self->check.counters.limited);
  tfrc_stats_set (stats, "reports-colliding", self->check.counters.colliding);
  tfrc_stats_set (stats, "reports-below-floor", counters.reports_below_floor);
  tfrc_stats_set (stats, "reports-rtt-bounded",
      self->check.counters.rtt_bounded);
  tfrc_stats_set (stats, "receivers-seen",
      (guint64) tfmcc_report_check_get_receivers (&self->check, sender->now));
  tfrc_stats_set (stats, "clr-changes", counters.clr_changes);
  tfrc_stats_set (stats, "clr-timeouts", counters.clr_timeouts);
  tfrc_stats_set (stats, "starvations", counters.starvations);
  tfrc_stats_set (stats, "leaves", counters.leaves);
  tfmcc_reporters_set_stats (&self->reporters, stats, now);
}
