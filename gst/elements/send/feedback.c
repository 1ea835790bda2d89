/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/feedback.h"

#include <gst/net/gstnetaddressmeta.h>

#include "common/stats.h"
#include "net/session.h"
#include "net/sockets.h"
#include "tfmcc-wire.h"
#include "tfrc-wire.h"
#include "tfrc/sender-based.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_send_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_send_debug

/* Feedback, reports, key frame requests and report blocks that are read from one compound
 * packet; a correct receiver sends one of each. */
#define MAX_EACH 8

/* NACK entries that are read from one compound packet; each is for up to 17 packets. */
#define MAX_NACKS 32

/* Packets of packet feedback in one compound packet: a receiver may send one per SSRC. */
#define MAX_SPANS 64

typedef struct
{
  guint32 media_ssrc;
  TfrcNackEntry entry;
} Nack;

typedef struct
{
  TfrcFeedback feedback[MAX_EACH]; /* of TFRC */
  guint n_feedback;
  TfmccReport reports[MAX_EACH]; /* of TFMCC */
  /* p of each report; 0 = it has none */
  gdouble report_p[MAX_EACH];
  guint n_reports;
  guint32 key_requests[MAX_EACH]; /* media SSRCs */
  guint n_key_requests;
  /* packet feedback; passed on */
  TfrcFeedbackSpan spans[MAX_SPANS];
  guint n_spans;
  Nack nacks[MAX_NACKS];
  guint n_nacks;
  RtpReportBlock blocks[MAX_EACH]; /* passed on, too */
  guint n_blocks;
  gboolean about_us; /* some packet names one of our SSRCs */
  TfrcEcnSummary ecn[TFRC_ECN_MAX_STREAMS]; /* of the last XR packet */
  guint n_ecn;
  guint counts[TFRC_RTCP_N_COUNTS];
  /* reports about our SSRCs, but of the other protocol; passed on */
  guint other_mode;
  guint n_packets;                        /* RTCP packets of any kind */
  guint32 ssrc;                           /* of the first packet's sender */
  guint32 byes[TFRC_WIRE_COMPOUND_SSRCS]; /* SSRCs that sent BYE */
  guint n_byes;
} RtcpContent;

#define PROOFS_TO_MOVE 2
#define SILENT_RTTS 4

void
tfrc_receiver_address_set (TfrcReceiverAddress *self, GSocketAddress *to)
{
  g_clear_object (&self->candidate);
  if (!to || !self->address || !tfrc_address_is_equal (self->address, to))
    g_clear_object (&self->address);
}

/* A report from an address other than `address`.  TRUE: the receiver has moved there. */
static gboolean
on_report_from_elsewhere (TfrcReceiverAddress *self, GSocketAddress *from,
    TfrcReceiverProof proof, TfrcDuration timeout, TfrcTime now)
{
  gboolean known = self->candidate
      && tfrc_address_is_equal (self->candidate, from);

  self->elsewhere++;
  if (!known && proof == TFRC_RECEIVER_PROVES_NOTHING)
    return FALSE;
  if (!known || proof == TFRC_RECEIVER_PROVES_NOTHING)
    self->proofs = 0;
  g_set_object (&self->candidate, from);
  self->proofs += proof != TFRC_RECEIVER_PROVES_NOTHING;
  return self->proofs >= PROOFS_TO_MOVE
      && tfrc_time_since (self->reported_at, now) >= timeout;
}

gboolean
tfrc_receiver_address_on_report (TfrcReceiverAddress *self,
    GSocketAddress *from, TfrcReceiverProof proof, TfrcDuration rtt,
    TfrcTime now)
{
  TfrcDuration timeout = tfrc_time_max (TFRC_RECEIVER_ADDRESS_TIMEOUT,
      SILENT_RTTS * rtt);
  gboolean elsewhere = self->address
      && !tfrc_address_is_equal (self->address, from);
  gboolean moved = elsewhere
      && on_report_from_elsewhere (self, from, proof, timeout, now);

  if (elsewhere != moved
      || (!self->address && proof != TFRC_RECEIVER_GETS_PACKETS))
    return FALSE;
  /* Any report from `address` restarts the silence, even one that proves nothing: an
   * attacker whose copies overtake the receiver's reports has not silenced it. */
  g_set_object (&self->address, from);
  g_clear_object (&self->candidate);
  self->reported_at = now;
  self->moves += moved;
  return moved;
}

/* A longer gap between packets is lack of data: without feedback a packet is sent every
 * 3 s at least (probe-interval). */
#define MAX_GAP (3 * TFRC_SECOND)
/* How long a refused report counts as a sign.  The last report about a stream that ended
 * may be refused; but each probe packet gets a report. */
#define REFUSAL_TIME (4 * TFRC_SECOND)
/* The same for other RTCP, which comes at least every 6.2 s (RFC 3550 section 6.3.1). */
#define RTCP_TIME (10 * TFRC_SECOND)
/* RTCP within these times after or before a report comes from a receiver that reports:
 * after an outage it can only report a probe packet, of which there is one every 3 s. */
#define BEHIND_REPORT TFRC_SECOND
#define BEFORE_REPORT (4 * TFRC_SECOND)
#define MIN_INTERVAL (60 * TFRC_SECOND)
#define MAX_INTERVAL (3600 * TFRC_SECOND)

static const struct
{
  const gchar *name;
  const gchar *text;
  const gchar *group_text; /* NULL = `text` */
} states[TFRC_FEEDBACK_WATCH_N_STATES] = {
  [TFRC_FEEDBACK_WATCH_WAITING] = { "waiting", NULL, NULL },
  [TFRC_FEEDBACK_WATCH_WORKING] = { "working", "Reports of the receiver come.",
      "Reports come from the group." },
  [TFRC_FEEDBACK_WATCH_SILENT] = { "silent",
      "Nothing comes back from the receiver, so hardly anything is sent: is "
      "it running, are host and port right, is rtcp-mux the same at both ends,"
      " do firewalls let UDP through in both directions, does it get another "
      "sender's stream? feedback=none is for players that never answer.",
      "No receiver of the group reports: the rate stays at min-bitrate until "
      "one does.  If some run, is rtcp-mux the same, and does the network let "
      "UDP through to the sender?" },
  [TFRC_FEEDBACK_WATCH_RTCP_ONLY] = { "rtcp-only",
      "RTCP comes back, but no report that can be followed says which packets"
      " arrive, so hardly anything is sent: with feedback=tfrc the receiver "
      "must be tfrcsrc, or have rtptfrcreceive before its rtpbin and be given"
      " the header extension in the caps; feedback=auto follows other "
      "reports, too.",
      "RTCP comes back, but no report that can be followed, so the rate stays"
      " at min-bitrate: with feedback=tfrc receivers must be tfrcsrc, or have"
      " rtptfrcreceive before their rtpbin, and be given the header extension"
      " in the caps; feedback=auto follows reception reports of other "
      "receivers, too." },
  [TFRC_FEEDBACK_WATCH_OTHER_MODE] = { "other-mode",
      "Reports of TFMCC come back, and this sender speaks TFRC: set the same "
      "mode at both ends.",
      "Reports of TFRC come back, and this sender speaks TFMCC: set the same "
      "mode at both ends." },
  [TFRC_FEEDBACK_WATCH_MALFORMED] = { "malformed",
      "What comes back cannot be read: is the receiver of another version, "
      "or is it SRTP at one end only?",
      NULL },
  [TFRC_FEEDBACK_WATCH_FOREIGN] = { "foreign",
      "Reports come back about SSRCs that this sender does not send: do they "
      "belong to another sender, or does something on the way change SSRCs?",
      NULL },
  [TFRC_FEEDBACK_WATCH_STALE] = { "stale",
      "Reports come back, but older than others, replayed, or held for more "
      "than a minute, and are refused: does something on the way store or "
      "copy them?",
      "Reports come back, but more than receivers may send, from several "
      "receivers with the same SSRC, or from excluded ones, and are refused: "
      "see reports-limited, reports-colliding and reports-excluded." },
  [TFRC_FEEDBACK_WATCH_INVALID] = { "invalid",
      "Reports come back, but do not match packets that were sent, and are "
      "refused: does somebody forge them, or does something on the way change"
      " the header extension?",
      NULL },
};

static void
start_watch (TfrcFeedbackWatch *self)
{
  *self = (TfrcFeedbackWatch) {
    .working_since = TFRC_TIME_NONE,
    .interval = MIN_INTERVAL,
  };
  for (guint i = 0; i < TFRC_FEEDBACK_WATCH_N_STATES; i++)
    self->posted_at[i] = TFRC_TIME_NONE;
  tfrc_feedback_watch_resume (self);
}

/* Forgets all signs, and since when packets are unanswered. */
static void
forget (TfrcFeedbackWatch *self)
{
  self->unanswered_since = TFRC_TIME_NONE;
  self->sending = 0;
  for (guint i = 0; i < TFRC_FEEDBACK_WATCH_N_STATES; i++)
    self->came_at[i] = TFRC_TIME_NONE;
}

void
tfrc_feedback_watch_resume (TfrcFeedbackWatch *self)
{
  self->sent_at = TFRC_TIME_NONE;
  forget (self);
}

static gboolean
is_recent (TfrcTime at, TfrcDuration time, TfrcTime now)
{
  return at != TFRC_TIME_NONE && tfrc_time_since (at, now) <= time;
}

/* A refused report, the newest one, says more than other RTCP.  WAITING: the RTCP may
 * still be of a receiver that reports. */
static TfrcFeedbackWatchState
find_state (const TfrcFeedbackWatch *self, TfrcTime now)
{
  TfrcFeedbackWatchState newest = TFRC_FEEDBACK_WATCH_SILENT;

  for (guint i = TFRC_FEEDBACK_WATCH_OTHER_MODE;
      i < TFRC_FEEDBACK_WATCH_N_STATES; i++)
    if (is_recent (self->came_at[i], REFUSAL_TIME, now)
        && (newest == TFRC_FEEDBACK_WATCH_SILENT
            || self->came_at[i] > self->came_at[newest]))
      newest = i;
  if (newest == TFRC_FEEDBACK_WATCH_SILENT
      && is_recent (self->came_at[TFRC_FEEDBACK_WATCH_RTCP_ONLY], RTCP_TIME,
          now))
    return is_recent (self->rtcp_since, BEFORE_REPORT, now)
        ? TFRC_FEEDBACK_WATCH_WAITING
        : TFRC_FEEDBACK_WATCH_RTCP_ONLY;
  return newest;
}

void
tfrc_feedback_watch_on_sent (TfrcFeedbackWatch *self, gboolean group,
    TfrcDuration round_time, TfrcTime now)
{
  TfrcDuration gap = self->sent_at == TFRC_TIME_NONE
      ? 0
      : tfrc_time_min (tfrc_time_since (self->sent_at, now), MAX_GAP);
  TfrcFeedbackWatchState state;

  self->group = group;
  self->sent_at = now;
  if (self->unanswered_since == TFRC_TIME_NONE) {
    self->unanswered_since = now;
    return;
  }
  self->sending += gap;
  if (self->sending
      < tfrc_time_max (TFRC_FEEDBACK_WATCH_SENDING_TIME, round_time))
    return;
  state = find_state (self, now);
  if (state == TFRC_FEEDBACK_WATCH_WAITING)
    return;
  self->state = state;
  self->due = self->posted_at[self->state] == TFRC_TIME_NONE
      || tfrc_time_since (self->posted_at[self->state], now) >= self->interval;
}

static void
on_other_rtcp (TfrcFeedbackWatch *self, gboolean bye, TfrcTime now)
{
  TfrcTime *newest = &self->came_at[TFRC_FEEDBACK_WATCH_RTCP_ONLY];

  if (bye) {
    *newest = TFRC_TIME_NONE;
    return;
  }
  if (self->working_since != TFRC_TIME_NONE
      && (self->unanswered_since == TFRC_TIME_NONE
          || tfrc_time_since (self->unanswered_since, now) < BEHIND_REPORT))
    return;
  if (!is_recent (*newest, RTCP_TIME, now))
    self->rtcp_since = now;
  *newest = now;
}

static void
watch_rtcp (TfrcFeedbackWatch *self, const RtcpContent *result, TfrcTime now)
{
  if (result->n_packets > 0)
    on_other_rtcp (self, result->n_byes > 0, now);
  if (result->counts[TFRC_RTCP_FEEDBACK_MALFORMED]
          + result->counts[TFRC_RTCP_MALFORMED]
      > 0)
    self->came_at[TFRC_FEEDBACK_WATCH_MALFORMED] = now;
  if (result->counts[TFRC_RTCP_FEEDBACK_FOREIGN] > 0)
    self->came_at[TFRC_FEEDBACK_WATCH_FOREIGN] = now;
  if (result->other_mode > 0)
    self->came_at[TFRC_FEEDBACK_WATCH_OTHER_MODE] = now;
}

static void
watch_report (TfrcFeedbackWatch *self, TfrcResult result, TfrcTime now)
{
  if (result != TFRC_OK) {
    self->came_at[result == TFRC_INVALID ? TFRC_FEEDBACK_WATCH_INVALID
                                         : TFRC_FEEDBACK_WATCH_STALE] = now;
    return;
  }
  if (self->state != TFRC_FEEDBACK_WATCH_WORKING) {
    self->state = TFRC_FEEDBACK_WATCH_WORKING;
    self->working_since = now;
    self->due = self->posted;
    if (self->unanswered_since != TFRC_TIME_NONE)
      self->unanswered = tfrc_time_since (self->unanswered_since, now);
  } else if (tfrc_time_since (self->working_since, now) >= self->interval) {
    self->interval = MIN_INTERVAL;
  }
  forget (self);
}

gboolean
tfrc_feedback_watch_poll_message (TfrcFeedbackWatch *self,
    TfrcFeedbackWatch *message, TfrcTime now)
{
  if (!self->due)
    return FALSE;
  self->due = FALSE;
  self->posted = self->state != TFRC_FEEDBACK_WATCH_WORKING;
  if (self->posted) {
    if (self->posted_at[self->state] != TFRC_TIME_NONE)
      self->interval = tfrc_time_min (2 * self->interval, MAX_INTERVAL);
    self->posted_at[self->state] = now;
    self->unanswered = tfrc_time_since (self->unanswered_since, now);
  }
  *message = *self;
  return TRUE;
}

void
tfrc_feedback_watch_post (const TfrcFeedbackWatch *self, GstElement *element)
{
  gboolean info = self->state == TFRC_FEEDBACK_WATCH_WORKING
      || (self->group && self->state == TFRC_FEEDBACK_WATCH_SILENT);
  const gchar *text = self->group && states[self->state].group_text != NULL
      ? states[self->state].group_text
      : states[self->state].text;
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "rtcp_sink");

  if (self->state == TFRC_FEEDBACK_WATCH_SILENT && !gst_pad_is_linked (pad))
    text = self->group
        ? "Pad rtcp_sink is not linked, so the rate stays at min-bitrate: RTCP "
          "from the receivers must go there."
        : "Pad rtcp_sink is not linked, and no transport-wide feedback comes "
          "from an rtpsession, so hardly anything is sent: RTCP from the "
          "receiver must go there, or the receiver and the packets need the "
          "header extension of transport-wide feedback.";
  if (self->state == TFRC_FEEDBACK_WATCH_RTCP_ONLY
      && self->working_since != TFRC_TIME_NONE)
    text = self->group
        ? "RTCP comes back, but no reports of the group any more, so the rate "
          "stays at min-bitrate: do packets still arrive?"
        : "RTCP comes back, but no reports of arrivals any more, so hardly "
          "anything is sent: do packets still arrive, or does now another "
          "receiver answer, whose reports feedback does not follow?";
  gst_element_message_full_with_details (element,
      info ? GST_MESSAGE_INFO : GST_MESSAGE_WARNING, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_READ, g_strdup (text),
      g_strdup_printf (
          "feedback-state=%s: no report was accepted for %" G_GUINT64_FORMAT
          " ms",
          states[self->state].name, self->unanswered / TFRC_MILLISECOND),
      __FILE__, G_STRFUNC, __LINE__,
      gst_structure_new ("tfrc-feedback", "feedback-state", G_TYPE_STRING,
          states[self->state].name, NULL));
}

static void
start_breaker (TfrcSendCircuitBreaker *self)
{
  rtp_circuit_breaker_init (&self->breaker, self->breaker.group);
  self->posted = RTP_CIRCUIT_BREAKER_CLOSED;
  self->posted_ssrc = 0;
  self->posted_at = 0;
}

static void
close_breaker (TfrcSendCircuitBreaker *self)
{
  const uint64_t trips = self->breaker.trips;

  rtp_circuit_breaker_init (&self->breaker, self->breaker.group);
  self->breaker.trips = trips;
}

void
tfrc_send_circuit_breaker_configure (TfrcSendCircuitBreaker *self,
    gboolean enabled, gboolean group)
{
  if (enabled == self->enabled && group == self->breaker.group)
    return;
  self->enabled = enabled;
  rtp_circuit_breaker_init (&self->breaker, group);
}

void
tfrc_send_circuit_breaker_on_sent (TfrcSendCircuitBreaker *self, guint32 ssrc,
    guint32 timestamp, guint size, TfrcTime now)
{
  if (self->enabled)
    rtp_circuit_breaker_on_sent (&self->breaker, ssrc, timestamp, size, now);
}

static void
give_rtcp_to_breaker (TfrcSendCircuitBreaker *self, const RtcpContent *result,
    const TfrcSendFlow *flow, TfrcTime now)
{
  if (!self->enabled)
    return;
  if (result->about_us)
    rtp_circuit_breaker_on_rtcp (&self->breaker, now);
  /* Takes one sample of Tr per packet, however many streams it reports on. */
  for (guint i = 0; i < result->n_blocks; i++)
    if (flow->is_group
        || !tfrc_reception_reports_is_ignored (&flow->unicast.reception,
            result->blocks[i].reporter_ssrc))
      rtp_circuit_breaker_on_report (&self->breaker, &result->blocks[i],
          i == 0 ? tfrc_send_flow_get_rtt (flow) : 0, now);
}

TfrcTime
tfrc_send_circuit_breaker_next_deadline (const TfrcSendCircuitBreaker *self)
{
  return self->breaker.state != self->posted
      ? 0
      : rtp_circuit_breaker_next_deadline (&self->breaker);
}

/* REDUCED is a form of CONGESTION, the only reason to reduce the rate. */
static const gchar *
get_reason (RtpCircuitBreakerState state)
{
  return rtp_circuit_breaker_state_get_name (state
              == RTP_CIRCUIT_BREAKER_REDUCED
          ? RTP_CIRCUIT_BREAKER_CONGESTION
          : state);
}

GstStructure *
tfrc_send_circuit_breaker_poll_message (TfrcSendCircuitBreaker *self,
    TfrcTime now)
{
  RtpCircuitBreakerState state = self->breaker.state, posted = self->posted;
  gboolean tripped = state != RTP_CIRCUIT_BREAKER_CLOSED;
  TfrcDuration ceased = rtp_circuit_breaker_state_allows_sending (posted)
      ? 0
      : tfrc_time_since (self->posted_at, now);
  TfrcRate limit = state == RTP_CIRCUIT_BREAKER_REDUCED
      ? self->breaker.rate_limit
      : 0;

  if (state == posted)
    return NULL;
  self->posted = state;
  if (tripped) {
    self->posted_ssrc = self->breaker.tripped_ssrc;
    self->posted_at = now;
  }
  return gst_structure_new ("rtp-circuit-breaker",
      "tripped", G_TYPE_BOOLEAN, tripped,
      "reason", G_TYPE_STRING, get_reason (tripped ? state : posted),
      "ssrc", G_TYPE_UINT, self->posted_ssrc,
      "bitrate-limit", G_TYPE_UINT64, tfrc_rate_to_bits (limit),
      "ceased-ns", G_TYPE_UINT64, tripped ? 0 : ceased, NULL);
}

/* An rtpsession that gets transport-wide feedback sends an event of it at once. */
#define TWCC_IN_RTCP_TIME TFRC_SECOND

void
tfrc_send_feedback_start_ecn (TfrcSendFeedback *self, TfrcEcnCodepoint ect)
{
  tfrc_ecn_check_init (&self->ecn, ect);
  self->ecn_announced = self->ecn.state;
  self->ect_announced = tfrc_ecn_check_get_ect (&self->ecn);
}

void
tfrc_send_messages_add (TfrcSendMessages *self, GstStructure *message)
{
  if (message != NULL)
    self->items[self->n++] = message;
}

static const gchar *
get_ecn_text (const TfrcEcnCheck *check)
{
  static const gchar *const states[] = { "off", "testing", "waiting",
    "working" };
  static const gchar *const failures[] = { "failed", "unreported", "bleached",
    "blocked", "marked" };

  return check->state == TFRC_ECN_FAILED
      ? failures[check->failure]
      : states[check->state];
}

/* Applications only get a message for WORKING and FAILED. */
void
tfrc_send_feedback_announce_ecn (TfrcSendFeedback *self,
    TfrcSendMessages *messages)
{
  const TfrcEcnCheck *check = &self->ecn;
  const TfrcEcnCodepoint ect = tfrc_ecn_check_get_ect (check);

  if (check->state == self->ecn_announced)
    return;
  messages->ect_changed = ect != self->ect_announced;
  self->ecn_announced = check->state;
  self->ect_announced = ect;
  if (check->state == TFRC_ECN_FAILED)
    GST_WARNING ("packets do not leave as ECT any more, since ECN is %s",
        get_ecn_text (check));
  if (check->state == TFRC_ECN_FAILED || check->state == TFRC_ECN_WORKING)
    tfrc_send_messages_add (messages,
        gst_structure_new ("tfrc-ecn",
            "state", G_TYPE_STRING, get_ecn_text (check), NULL));
}

void
tfrc_send_feedback_reset (TfrcSendFeedback *self)
{
  tfrc_receiver_address_set (&self->receiver, NULL);
  self->receiver.moves = self->receiver.elsewhere = 0;
  start_breaker (&self->circuit_breaker);
  start_watch (&self->watch);
  self->upstream_requests = (TfrcUpstreamRequests) { 0 };
  memset (self->counts, 0, sizeof self->counts);
  self->twcc_in_rtcp_at = TFRC_TIME_NONE;
}

void
tfrc_send_feedback_clear (TfrcSendFeedback *self)
{
  tfrc_receiver_address_set (&self->receiver, NULL);
  for (guint i = 0; i < TFRC_SEND_CLIENTS; i++)
    g_clear_object (&self->clients[i].address);
}

void
tfrc_send_feedback_begin_path (TfrcSendFeedback *self, GSocketAddress *to)
{
  tfrc_receiver_address_set (&self->receiver, to);
  tfrc_send_feedback_start_ecn (self, self->ecn.ect);
  close_breaker (&self->circuit_breaker);
  tfrc_feedback_watch_resume (&self->watch);
}

void
tfrc_send_feedback_add_client (TfrcSendFeedback *self, const gchar *host,
    gint port, TfrcTime now)
{
  TfrcSendClient *added = &self->clients[self->n_clients++ % TFRC_SEND_CLIENTS];

  g_clear_object (&added->address);
  *added = (TfrcSendClient) { g_inet_address_new_from_string (host),
    (guint) port, now };
}

#define FIR_FMT 4 /* RFC 5104 section 4.3.1 */
#define FEEDBACK_HEADER_SIZE 12
#define FIR_ENTRY_SIZE 8

/* A compound packet that is being read. */
typedef struct
{
  const TfrcSendFeedback *owner;
  RtcpContent *result;
  GstBuffer *buffer;
  gboolean has_reporter;  /* the last feedback was about our SSRCs */
  guint32 reporter_ssrc;  /* its sender */
  TfrcFeedback *feedback; /* its copy in `result`; NULL = in excess */
} Filter;

static gboolean
is_ours (const Filter *self, guint32 ssrc)
{
  const TfrcSendFeedback *owner = self->owner;

  return tfrc_queue_find_stream (owner->queue, ssrc) != NULL
      || tfrc_repair_has_ssrc (owner->retransmitter->streams, ssrc)
      || tfrc_repair_has_ssrc (owner->fec->streams, ssrc)
      || ssrc == owner->padding->ssrc;
}

static gboolean
is_of_other_mode (Filter *self, const guint8 *data, gsize size,
    TfrcWireKind kind, const TfrcFeedback *feedback)
{
  TfmccReport report;
  bool has_diagnostics;

  if (self->owner->flow->is_group)
    return kind == TFRC_WIRE_FEEDBACK && is_ours (self, feedback->media_ssrc);
  return tfmcc_wire_read_report (data, size, &report, &has_diagnostics, NULL)
      == TFMCC_WIRE_REPORT
      && is_ours (self, report.media_ssrc);
}

static gboolean
extract_report (Filter *self, const guint8 *data, gsize size)
{
  RtcpContent *result = self->result;
  TfmccDiagnostics diagnostics;
  TfmccReport report;
  bool has_diagnostics;

  switch (tfmcc_wire_read_report (data, size, &report, &has_diagnostics,
      &diagnostics)) {
    case TFMCC_WIRE_FOREIGN:
      return FALSE;
    case TFMCC_WIRE_BAD_REPORT:
      result->counts[TFRC_RTCP_FEEDBACK_MALFORMED]++;
      return TRUE;
    case TFMCC_WIRE_REPORT:
      break;
  }
  if (!is_ours (self, report.media_ssrc)) {
    result->counts[TFRC_RTCP_FEEDBACK_FOREIGN]++;
    return FALSE;
  }
  if (result->n_reports == MAX_EACH) {
    result->counts[TFRC_RTCP_FEEDBACK_EXCESS]++;
    return TRUE;
  }
  result->report_p[result->n_reports] = has_diagnostics
      ? diagnostics.loss_event_rate
      : 0;
  result->reports[result->n_reports++] = report;
  return TRUE;
}

static gboolean
extract_feedback (Filter *self, const TfrcFeedback *feedback,
    guint32 sender_ssrc)
{
  RtcpContent *result = self->result;

  self->has_reporter = is_ours (self, feedback->media_ssrc);
  if (!self->has_reporter) {
    result->counts[TFRC_RTCP_FEEDBACK_FOREIGN]++;
    return FALSE;
  }
  self->reporter_ssrc = sender_ssrc;
  self->feedback = NULL;
  if (result->n_feedback < MAX_EACH) {
    self->feedback = &result->feedback[result->n_feedback++];
    *self->feedback = *feedback;
  } else {
    result->counts[TFRC_RTCP_FEEDBACK_EXCESS]++;
  }
  return TRUE;
}

/* Delay reports name only the receiver's SSRC.  They belong to its feedback before them
 * in the compound packet, and are dropped with that. */
static gboolean
extract_delay (Filter *self, const guint8 *data, gsize size)
{
  TfrcDelayReport delay;
  uint32_t ssrc;

  switch (tfrc_wire_read_delay (data, size, &delay, &ssrc)) {
    case TFRC_WIRE_NO_DELAY:
      return FALSE;
    case TFRC_WIRE_BAD_DELAY:
      self->result->counts[TFRC_RTCP_FEEDBACK_MALFORMED]++;
      return TRUE;
    case TFRC_WIRE_DELAY:
      break;
  }
  if (!self->has_reporter || ssrc != self->reporter_ssrc)
    return FALSE;
  if (self->feedback != NULL) {
    self->feedback->has_delay = TRUE;
    self->feedback->delay = delay;
  }
  return TRUE;
}

/* Returns TRUE if the XR has nothing but summaries about our SSRCs. */
static gboolean
extract_ecn (Filter *self, const guint8 *data, gsize size)
{
  RtcpContent *result = self->result;
  TfrcEcnSummary summaries[TFRC_ECN_MAX_STREAMS];
  bool alone;
  gsize n = tfrc_wire_read_ecn (data, size, summaries, &alone);
  gboolean all_ours = alone;

  if (n > 0)
    result->n_ecn = 0;
  for (gsize i = 0; i < n; i++) {
    if (is_ours (self, summaries[i].media_ssrc))
      result->ecn[result->n_ecn++] = summaries[i];
    else
      all_ours = FALSE;
  }
  return all_ours;
}

/* Packet feedback is passed on even if malformed, as the rtpsession reads it, too. */
static void
note_packet_feedback (Filter *self, const guint8 *data, gsize size)
{
  RtcpContent *result = self->result;
  TfrcPacketFeedbackReader reader;
  TfrcWireKind kind = tfrc_packet_feedback_reader_open_rtcp (&reader, data,
      size);

  if (kind == TFRC_WIRE_BAD_FEEDBACK)
    result->counts[TFRC_RTCP_FEEDBACK_MALFORMED]++;
  if (kind != TFRC_WIRE_FEEDBACK)
    return;
  if (result->n_spans < MAX_SPANS)
    result->spans[result->n_spans++] = (TfrcFeedbackSpan) { data, size };
  else
    result->counts[TFRC_RTCP_FEEDBACK_EXCESS]++;
}

static gboolean
extract_nack (Filter *self, const guint8 *data, gsize size)
{
  RtcpContent *result = self->result;
  uint32_t media_ssrc;
  size_t n_entries;

  if (!tfrc_wire_read_nack (data, size, &media_ssrc, &n_entries)
      || !is_ours (self, media_ssrc))
    return FALSE;
  for (size_t i = 0; i < n_entries; i++) {
    if (result->n_nacks == MAX_NACKS) {
      result->counts[TFRC_RTCP_FEEDBACK_EXCESS]++;
      break;
    }
    result->nacks[result->n_nacks++] = (Nack) { media_ssrc,
      tfrc_wire_read_nack_entry (data, i) };
  }
  return TRUE;
}

static gboolean
extract_key_request (Filter *self, guint32 ssrc)
{
  RtcpContent *result = self->result;

  if (!is_ours (self, ssrc))
    return FALSE;
  if (result->n_key_requests < MAX_EACH)
    result->key_requests[result->n_key_requests++] = ssrc;
  return TRUE;
}

/* An FIR has an entry of 8 bytes per SSRC; it is taken out if all are ours. */
static gboolean
extract_full_intra_request (Filter *self, const guint8 *data, gsize size)
{
  gboolean all_ours = size >= FEEDBACK_HEADER_SIZE + FIR_ENTRY_SIZE;

  for (gsize entry = FEEDBACK_HEADER_SIZE; entry + FIR_ENTRY_SIZE <= size;
      entry += FIR_ENTRY_SIZE)
    all_ours &= extract_key_request (self, GST_READ_UINT32_BE (data + entry));
  return all_ours;
}

/* 0: the source address is not known. */
static guint
hash_source (GstBuffer *buffer)
{
  g_autofree gchar *text = tfrc_packet_get_source (buffer);

  return text != NULL ? g_str_hash (text) : 0;
}

static void
read_report_blocks (Filter *self, const guint8 *data, gsize size)
{
  RtcpContent *result = self->result;
  RtpReportBlock block;

  for (guint n = 0; result->n_blocks < MAX_EACH
      && tfrc_wire_read_report_block (data, size, n, &block);
      n++) {
    /* All libavformat receivers use the media SSRC + 1; tell them apart by address. */
    if (block.reporter_ssrc == block.media_ssrc + 1)
      block.reporter_ssrc ^= hash_source (self->buffer);
    if (is_ours (self, block.media_ssrc))
      result->blocks[result->n_blocks++] = block;
  }
}

/* Transport-wide feedback about another SSRC, or about packets older than those that are
 * remembered.  An rtpsession would accept it all the same, take up to 25 ms for what
 * 36 bytes can describe, and free none of it before it has numbered a packet. */
static gboolean
is_foreign_twcc (Filter *self, const guint8 *data, gsize size)
{
  const guint64 n_numbered =
      self->owner->flow->slowest->packet_feedback.n_numbered;
  guint16 age;

  if (!tfrc_wire_is_rtcp (data, size, TFRC_WIRE_RTPFB, TFRC_WIRE_FMT_TWCC)
      || size < FEEDBACK_HEADER_SIZE)
    return FALSE;
  if (!is_ours (self, GST_READ_UINT32_BE (data + 8)))
    return TRUE;
  if (size < TFRC_WIRE_TWCC_HEADER_SIZE)
    return FALSE;
  age = (guint16) (n_numbered - GST_READ_UINT16_BE (data + 12));
  return age > MIN (n_numbered, TFRC_SENT_LENGTH)
      || GST_READ_UINT16_BE (data + 14) > age;
}

/* TRUE: the packet is for this sender and taken out. */
static gboolean
is_for_us (Filter *self, const guint8 *data, gsize size, TfrcWireKind kind,
    const TfrcFeedback *feedback, guint32 sender_ssrc)
{
  uint32_t ssrc;

  if (is_foreign_twcc (self, data, size)) {
    self->result->counts[TFRC_RTCP_FEEDBACK_FOREIGN]++;
    return TRUE;
  }
  if (is_of_other_mode (self, data, size, kind, feedback))
    self->result->other_mode++;
  if (self->owner->flow->is_group) {
    if (extract_report (self, data, size))
      return TRUE;
  } else if (kind == TFRC_WIRE_FEEDBACK) {
    return extract_feedback (self, feedback, sender_ssrc);
  } else if (kind == TFRC_WIRE_BAD_FEEDBACK) {
    self->result->counts[TFRC_RTCP_FEEDBACK_MALFORMED]++;
    return TRUE;
  } else {
    note_packet_feedback (self, data, size);
  }
  if (tfrc_wire_is_sr_request (data, size)) {
    self->result->counts[TFRC_RTCP_SR_REQUESTS]++;
    return TRUE;
  }
  if (extract_delay (self, data, size) || extract_ecn (self, data, size)
      || (self->owner->retransmitter->enabled
          && extract_nack (self, data, size)))
    return TRUE;
  if (tfrc_wire_read_pli (data, size, &ssrc))
    return extract_key_request (self, ssrc);
  if (tfrc_wire_is_rtcp (data, size, TFRC_WIRE_PSFB, FIR_FMT))
    return extract_full_intra_request (self, data, size);
  read_report_blocks (self, data, size);
  return FALSE;
}

/* Feedback of any kind (RFC 4585 section 6.1) whose media SSRC is ours. */
static gboolean
is_about_us (Filter *self, const guint8 *data, gsize size)
{
  return size >= FEEDBACK_HEADER_SIZE
      && (data[1] == TFRC_WIRE_RTPFB || data[1] == TFRC_WIRE_PSFB)
      && is_ours (self, GST_READ_UINT32_BE (data + 8));
}

static void
keep (GstBuffer **rest, GstBuffer *buffer, gsize offset, gsize size)
{
  if (*rest == NULL) {
    *rest = gst_buffer_new ();
    gst_buffer_copy_into (*rest, buffer, GST_BUFFER_COPY_METADATA, 0, -1);
  }
  gst_buffer_copy_into (*rest, buffer, GST_BUFFER_COPY_MEMORY, offset, size);
}

/* Reads one compound packet.  Returns a new buffer with what is passed on, or NULL.  If it is
 * malformed, only that is set in `result`. */
static GstBuffer *
filter_rtcp (const TfrcSendFeedback *self, GstBuffer *buffer,
    const GstMapInfo *map, RtcpContent *result)
{
  Filter filter = { .owner = self, .result = result, .buffer = buffer };
  TfrcWireCompound compound;
  GstBuffer *rest = NULL;
  gsize offset = 0;

  *result = (RtcpContent) { 0 };
  if (!tfrc_wire_read_compound (map->data, map->size, &compound)) {
    result->counts[TFRC_RTCP_MALFORMED] = 1;
    return NULL;
  }
  result->ssrc = compound.ssrcs[0];
  for (gsize i = 0; i < compound.n_ssrcs; i++)
    if (compound.byes >> i & 1)
      result->byes[result->n_byes++] = compound.ssrcs[i];
  while (offset < map->size) {
    TfrcFeedback feedback;
    uint32_t sender_ssrc = 0;
    size_t size;
    TfrcWireKind kind = tfrc_wire_read_rtcp (map->data + offset,
        map->size - offset, &size, &feedback, &sender_ssrc);

    if (!is_for_us (&filter, map->data + offset, size, kind, &feedback,
            sender_ssrc))
      keep (&rest, buffer, offset, size);
    result->n_packets++;
    result->about_us |= result->n_blocks + result->n_key_requests > 0
        || is_about_us (&filter, map->data + offset, size);
    offset += size;
  }
  if (rest != NULL && result->about_us)
    GST_BUFFER_FLAG_SET (rest, TFRC_MEMBERS_ABOUT_US);
  return rest;
}

/* No effect where `ssrc` is that of RTX packets or parity, which have no key frames. */
static void
ask_key_frame (TfrcSendFeedback *self, guint32 ssrc, TfrcTime now)
{
  TfrcSendStream *stream = tfrc_queue_find_stream (self->queue, ssrc);

  if (stream != NULL
      && !tfrc_picture_loss_covers_request (&stream->picture_loss,
          tfrc_send_flow_get_rtt (self->flow), now))
    tfrc_queue_ask_key_frame (self->queue, stream,
        tfrc_stopwatch_read (self->stopwatch, now));
}

/* A client sends RTCP from its RTP port, or from the next one (RFC 3550 section 11). */
static gboolean
is_from (const TfrcSendClient *client, GInetSocketAddress *from)
{
  guint port = g_inet_socket_address_get_port (from);

  return client->address != NULL
      && (port == client->port || port == client->port + 1)
      && g_inet_address_equal (client->address,
          g_inet_socket_address_get_address (from));
}

/* The reporting client may have paused, and packets that it was not sent are not lost.
 * In TCP nothing is lost; RTCP from TCP is recognised by its missing PTS, as
 * gst-rtsp-server sets one on a connection's first buffer only. */
static void
forgive_pause (TfrcSendFeedback *self, RtcpContent *content, GstBuffer *buffer)
{
  const GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  gboolean in_tcp = self->tcp && !GST_BUFFER_PTS_IS_VALID (buffer);

  for (guint i = 0; i < content->n_blocks && in_tcp; i++)
    content->blocks[i].cumulative_lost = content->blocks[i].fraction_lost = 0;
  if (meta == NULL || !G_IS_INET_SOCKET_ADDRESS (meta->addr))
    return;
  for (guint i = 0; i < TFRC_SEND_CLIENTS; i++)
    if (is_from (&self->clients[i], G_INET_SOCKET_ADDRESS (meta->addr)))
      for (guint k = 0; k < content->n_blocks; k++)
        tfrc_reception_reports_on_return (&self->flow->unicast.reception,
            content->blocks[k].reporter_ssrc, self->clients[i].at);
}

static void
note_loss (TfrcSendFeedback *self, TfrcSendStream *stream, gboolean lost,
    TfrcTime now)
{
  gboolean repaired = !self->key_frame_on_loss || self->retransmitter->asked > 0
      || self->upstream_requests.asked > 0 || self->fec->percentage > 0;

  if (tfrc_picture_loss_on_report (&stream->picture_loss, lost, repaired,
          tfrc_send_flow_get_rtt (self->flow), now))
    tfrc_queue_ask_key_frame (self->queue, stream,
        tfrc_stopwatch_read (self->stopwatch, now));
}

/* After packet feedback: requests key frames for losses that are not repaired.  Not
 * needed for feedback of TFRC, which names no packets: such receivers request key frames
 * themselves, as do those that use parity. */
static void
note_losses (TfrcSendFeedback *self, TfrcTime now)
{
  TfrcSendStream *stream;
  guint32 ssrc;

  while (tfrc_send_flow_poll_lost (self->flow, &ssrc)) {
    stream = tfrc_queue_find_stream (self->queue, ssrc);
    if (stream != NULL)
      note_loss (self, stream, TRUE, now);
  }
  for (guint i = 0; (stream = tfrc_queue_get_stream (self->queue, i)) != NULL;
      i++)
    note_loss (self, stream, FALSE, now);
}

/* Gives the result of feedback or a report to the circuit breaker and the feedback
 * watch. */
static void
note_result (TfrcSendFeedback *self, TfrcResult result, TfrcTime now)
{
  if (result == TFRC_OK && self->circuit_breaker.enabled)
    rtp_circuit_breaker_on_feedback (&self->circuit_breaker.breaker, now);
  if (result != TFRC_NO_ARRIVALS)
    watch_report (&self->watch, result, now);
}

/* A report that told nothing new (TFRC_DUPLICATE) is no failure. */
static TfrcResult
follow_packet_feedback (TfrcSendFeedback *self,
    TfrcPacketFeedbackReader *reader, TfrcTime now)
{
  TfrcResult result = tfrc_send_flow_on_packet_feedback (self->flow, reader,
      now);

  GST_DEBUG ("packet feedback: result=%d", result);
  note_losses (self, now);
  if (result != TFRC_DUPLICATE)
    note_result (self, result, now);
  return result;
}

/* Reads the packet feedback, which is passed on, as an rtpsession uses it, too.  If that
 * sends an event of transport-wide feedback, the event is ignored, as it does not name
 * the receiver.  TRUE: feedback was accepted. */
static gboolean
read_packet_feedback (TfrcSendFeedback *self, RtcpContent *content,
    TfrcTime now)
{
  const TfrcFeedbackSpan *packet = content->spans;
  const TfrcFeedbackSpan *end = packet + content->n_spans;
  gboolean accepted = FALSE;
  TfrcPacketFeedbackReader reader;
  guint n = 0;

  while (packet < end) {
    packet += tfrc_packet_feedback_reader_open_report (&reader, packet, end);
    if (reader.format == GST_RTP_TFRC_FEEDBACK_TWCC)
      self->twcc_in_rtcp_at = now;
    if (!tfrc_send_flow_admits (self->flow, reader.format, now))
      continue;
    if (n++ >= MAX_EACH) {
      self->counts[TFRC_RTCP_FEEDBACK_EXCESS]++;
      continue;
    }
    accepted |= follow_packet_feedback (self, &reader, now) == TFRC_OK;
    if (reader.format == GST_RTP_TFRC_FEEDBACK_CCFB) {
      content->ecn[0] = self->flow->slowest->packet_feedback.ecn;
      content->n_ecn = 1;
    }
  }
  return accepted;
}

/* Reads the report blocks, one receiver after the other, if no better reports are
 * followed; and BYEs. */
static void
read_blocks (TfrcSendFeedback *self, const RtcpContent *content,
    const gchar *address, TfrcTime now)
{
  const RtpReportBlock *block = content->blocks;
  const RtpReportBlock *end = block + content->n_blocks;

  while (block < end
      && tfrc_send_flow_admits (self->flow, GST_RTP_TFRC_FEEDBACK_RR, now)) {
    TfrcResult result;
    guint n = 1;

    GST_DEBUG ("report block ssrc=%08x reporter_ssrc=%08x "
               "highest_seq=%u fraction_lost_256=%u",
        block->media_ssrc, block->reporter_ssrc, block->highest_seq,
        block->fraction_lost);
    while (block + n < end && block[n].reporter_ssrc == block->reporter_ssrc)
      n++;
    result = tfrc_send_flow_on_blocks (self->flow, block, n, address,
        g_get_real_time (), now);
    if (result == TFRC_OK)
      note_result (self, result, now);
    block += n;
  }
  for (guint i = 0; i < content->n_byes; i++)
    tfrc_send_flow_on_bye (self->flow, content->byes[i], now);
}

/* Returns what the feedback proves of the receiver's address. */
static TfrcReceiverProof
read_feedback (TfrcSendFeedback *self, const RtcpContent *content, TfrcTime now)
{
  TfrcReceiverProof proof = TFRC_RECEIVER_PROVES_NOTHING;

  for (guint i = 0; i < content->n_feedback; i++) {
    const TfrcFeedback *feedback = &content->feedback[i];
    TfrcResult result;

    if (!tfrc_send_flow_admits (self->flow, GST_RTP_TFRC_FEEDBACK_TFRC, now))
      continue;
    result = tfrc_send_flow_on_feedback (self->flow, feedback, now);
    GST_DEBUG ("feedback ssrc=%08x receive_rate_bytes_s=%.0f "
               "loss_event_rate=%.6f echo_delay_ns=%" G_GUINT64_FORMAT
               " result=%d",
        feedback->media_ssrc, feedback->receive_rate, feedback->loss_event_rate,
        feedback->echo_delay, result);
    note_result (self, result, now);
    if (result == TFRC_OK)
      proof = TFRC_RECEIVER_GETS_PACKETS;
    else if (result == TFRC_NO_ARRIVALS)
      proof = MAX (proof, TFRC_RECEIVER_WAITS);
  }
  return proof;
}

/* Updates the receiver's address by the source of RTCP with feedback. */
static void
follow_receiver (TfrcSendFeedback *self, GstBuffer *buffer,
    TfrcReceiverProof proof, TfrcDuration rtt, TfrcTime now,
    TfrcSendMessages *messages)
{
  const GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  g_autoptr (GSocketAddress) old = NULL;
  GstStructure *message;

  if (meta == NULL || !G_IS_INET_SOCKET_ADDRESS (meta->addr))
    return;
  g_set_object (&old, self->receiver.address);
  if (!tfrc_receiver_address_on_report (&self->receiver, meta->addr, proof, rtt,
          now))
    return;
  message = gst_structure_new ("tfrc-receiver-moved",
      "followed", G_TYPE_BOOLEAN, FALSE, NULL);
  tfrc_address_set_fields (old, message, "old-host", "old-port");
  tfrc_address_set_fields (meta->addr, message, "host", "port");
  tfrc_send_messages_add (messages, message);
}

/* Reads the TFMCC reports of members of a group. */
static void
read_reports (TfrcSendFeedback *self, const RtcpContent *content,
    const gchar *address, TfrcTime now)
{
  for (guint i = 0; i < content->n_reports; i++) {
    const TfmccReport *report = &content->reports[i];
    TfrcResult result = tfmcc_send_flow_on_report (&self->flow->group, report,
        content->report_p[i], address, now);

    GST_DEBUG ("report ssrc=%08x rate_bytes_s=%.0f "
               "round=%u has_rtt=%d has_loss=%d leaving=%d result=%d",
        report->ssrc, report->rate, report->round, report->has_rtt,
        report->has_loss, report->leaving, result);
    note_result (self, result, now);
  }
}

/* `accepted`: TFRC feedback or packet feedback was accepted. */
static void
check_ecn (TfrcSendFeedback *self, const RtcpContent *content,
    gboolean accepted, TfrcTime now)
{
  TfrcEcnCheck *check = &self->ecn;
  guint ce = (guint) check->ce, ect_1 = (guint) check->ect_1;
  guint marked, unmarked;

  for (guint i = 0; i < content->n_ecn; i++)
    tfrc_ecn_check_on_summary (check, &content->ecn[i]);
  if (accepted)
    tfrc_ecn_check_on_feedback (check, now);
  /* CE marks of ECT(1) packets only. */
  marked = check->ect == TFRC_ECN_ECT_1 ? (guint) check->ce - ce : 0;
  unmarked = (guint) check->ect_1 - ect_1;
  if (!self->flow->is_group && marked + unmarked > 0)
    tfrc_checked_sender_on_marks (&self->flow->slowest->checked, marked,
        unmarked, now);
}

static gboolean
is_malformed (const guint64 *counts)
{
  return counts[TFRC_RTCP_FEEDBACK_MALFORMED] + counts[TFRC_RTCP_MALFORMED] > 0;
}

static void
count (TfrcSendFeedback *self, const RtcpContent *content)
{
  const gboolean known = is_malformed (self->counts);

  for (guint i = 0; i < TFRC_RTCP_N_COUNTS; i++)
    self->counts[i] += content->counts[i];
  self->counts[TFRC_RTCP_KEY_REQUESTS] += content->n_key_requests;
  if (!known && is_malformed (self->counts))
    GST_WARNING ("malformed RTCP or feedback came in; more is only counted");
}

GstBuffer *
tfrc_send_feedback_on_rtcp (TfrcSendFeedback *self, GstBuffer *buffer,
    const GstMapInfo *map, gboolean overheard, TfrcSendMessages *messages,
    TfrcTime now)
{
  const TfrcDuration rtt = tfrc_send_flow_get_rtt (self->flow);
  RtcpContent content;
  g_autofree gchar *address = NULL;
  TfrcReceiverProof proof;
  gboolean accepted, excluded = FALSE;
  GstBuffer *rest;

  rest = filter_rtcp (self, buffer, map, &content);
  if (self->flow->is_group) {
    address = tfrc_packet_get_source (buffer);
    excluded = tfmcc_reporters_is_excluded (&self->flow->group.reporters,
        content.ssrc, address);
  }
  if (overheard || excluded)
    content.n_key_requests = 0;
  if (excluded)
    content.n_nacks = content.n_blocks = content.n_byes = 0;
  count (self, &content);
  if (content.n_blocks > 0 && !self->flow->is_group)
    forgive_pause (self, &content, buffer);
  give_rtcp_to_breaker (&self->circuit_breaker, &content, self->flow, now);
  watch_rtcp (&self->watch, &content, now);
  for (guint i = 0; i < content.n_key_requests; i++)
    ask_key_frame (self, content.key_requests[i], now);
  for (guint i = 0; i < content.n_nacks; i++)
    tfrc_retransmitter_on_nack (self->retransmitter,
        content.nacks[i].media_ssrc, content.nacks[i].entry, content.ssrc,
        tfrc_send_flow_get_rtt_of (self->flow, content.ssrc), now);
  proof = read_feedback (self, &content, now);
  if (content.n_feedback > 0)
    follow_receiver (self, buffer, proof, rtt, now, messages);
  read_reports (self, &content, address, now);
  accepted = read_packet_feedback (self, &content, now)
      || proof == TFRC_RECEIVER_GETS_PACKETS;
  read_blocks (self, &content, address, now);
  check_ecn (self, &content, accepted, now);
  tfrc_send_feedback_announce_ecn (self, messages);
  return rest;
}

TfrcResult
tfrc_send_feedback_on_event (TfrcSendFeedback *self,
    TfrcPacketFeedbackReader *reader, TfrcTime now)
{
  if ((self->twcc_in_rtcp_at != TFRC_TIME_NONE
          && tfrc_time_since (self->twcc_in_rtcp_at, now) < TWCC_IN_RTCP_TIME)
      || !tfrc_send_flow_admits (self->flow, reader->format, now))
    return TFRC_FOREIGN;
  return follow_packet_feedback (self, reader, now);
}

gboolean
tfrc_send_feedback_ask_key_frame (TfrcSendFeedback *self, const guint32 *ssrc,
    TfrcTime now)
{
  const TfrcSendStream *stream = ssrc != NULL
      ? tfrc_queue_find_stream (self->queue, *ssrc)
      : tfrc_queue_get_stream (self->queue, 0);

  if (stream == NULL)
    return FALSE;
  self->counts[TFRC_RTCP_KEY_REQUESTS]++;
  if (ssrc != NULL)
    ask_key_frame (self, *ssrc, now);
  else
    tfrc_queue_ask_key_frame (self->queue, NULL,
        tfrc_stopwatch_read (self->stopwatch, now));
  return TRUE;
}

void
tfrc_send_feedback_set_stats (const TfrcSendFeedback *self, GstStructure *stats)
{
  static const gchar *const names[] = {
    [TFRC_RTCP_FEEDBACK_MALFORMED] = "feedback-malformed",
    [TFRC_RTCP_FEEDBACK_FOREIGN] = "feedback-foreign",
    [TFRC_RTCP_FEEDBACK_EXCESS] = "feedback-excess",
    [TFRC_RTCP_SR_REQUESTS] = "sr-requests-filtered",
    [TFRC_RTCP_MALFORMED] = "rtcp-malformed",
    [TFRC_RTCP_KEY_REQUESTS] = "key-frame-requests-received",
  };
  const RtpCircuitBreaker *breaker = &self->circuit_breaker.breaker;

  for (guint i = 0; i < TFRC_RTCP_N_COUNTS; i++)
    tfrc_stats_set (stats, names[i], self->counts[i]);
  tfrc_stats_set (stats, "receiver-moves", self->receiver.moves);
  tfrc_stats_set (stats, "reports-elsewhere", self->receiver.elsewhere);
  tfrc_stats_set (stats, "retransmission-requests",
      self->upstream_requests.asked);
  tfrc_stats_set (stats, "circuit-breaker",
      rtp_circuit_breaker_state_get_name (breaker->state));
  tfrc_stats_set (stats, "circuit-breaker-trips", breaker->trips);
  tfrc_stats_set (stats, "feedback-state", states[self->watch.state].name);
  tfrc_stats_set (stats, "ecn", get_ecn_text (&self->ecn));
  tfrc_stats_set (stats, "ecn-not-ect", self->ecn.not_ect);
  tfrc_stats_set (stats, "ecn-ect-0", self->ecn.ect_0);
  tfrc_stats_set (stats, "ecn-ect-1", self->ecn.ect_1);
  tfrc_stats_set (stats, "ecn-ce", self->ecn.ce);
}
