/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/feedback.h"

#include "common/stats.h"
#include "net/session.h"
#include "tfmcc-wire.h"
#include "tfrc/sender-based.h"
#include "net/sockets.h"

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

#define FIR_FMT 4 /* RFC 5104 section 4.3.1 */
#define FEEDBACK_HEADER_SIZE 12
#define FIR_ENTRY_SIZE 8

typedef struct
{
  gboolean group;
  gboolean repairs;
  guint64 n_numbered;
  TfrcFeedbackFilterResult *result;
  TfrcFeedbackFilterIsOurs is_ours;
  gpointer user_data;
  GstBuffer *buffer;
  gboolean has_reporter;  /* the last feedback was about our SSRCs */
  guint32 reporter_ssrc;  /* its sender */
  TfrcFeedback *feedback; /* its copy in `result`; NULL = in excess */
} Filter;

static gboolean
is_of_other_mode (Filter *self, const guint8 *data, gsize size,
    TfrcWireKind kind, const TfrcFeedback *feedback)
{
  TfmccReport report;
  bool has_diagnostics;

  if (self->group)
    return kind == TFRC_WIRE_FEEDBACK
        && self->is_ours (feedback->media_ssrc, self->user_data);
  return tfmcc_wire_read_report (data, size, &report, &has_diagnostics, NULL)
      == TFMCC_WIRE_REPORT
      && self->is_ours (report.media_ssrc, self->user_data);
}

static gboolean
extract_report (Filter *self, const guint8 *data, gsize size)
{
  TfrcFeedbackFilterResult *result = self->result;
  TfmccDiagnostics diagnostics;
  TfmccReport report;
  bool has_diagnostics;

  switch (tfmcc_wire_read_report (data, size, &report, &has_diagnostics,
      &diagnostics)) {
    case TFMCC_WIRE_FOREIGN:
      return FALSE;
    case TFMCC_WIRE_BAD_REPORT:
      result->counts[TFRC_FEEDBACK_MALFORMED]++;
      return TRUE;
    case TFMCC_WIRE_REPORT:
      break;
  }
  if (!self->is_ours (report.media_ssrc, self->user_data)) {
    result->counts[TFRC_FEEDBACK_FOREIGN]++;
    return FALSE;
  }
  if (result->n_reports == TFRC_FEEDBACK_FILTER_MAX) {
    result->counts[TFRC_FEEDBACK_EXCESS]++;
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
  TfrcFeedbackFilterResult *result = self->result;

  self->has_reporter = self->is_ours (feedback->media_ssrc, self->user_data);
  if (!self->has_reporter) {
    result->counts[TFRC_FEEDBACK_FOREIGN]++;
    return FALSE;
  }
  self->reporter_ssrc = sender_ssrc;
  self->feedback = NULL;
  if (result->n_feedback < TFRC_FEEDBACK_FILTER_MAX) {
    self->feedback = &result->feedback[result->n_feedback++];
    *self->feedback = *feedback;
  } else {
    result->counts[TFRC_FEEDBACK_EXCESS]++;
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
      self->result->counts[TFRC_FEEDBACK_MALFORMED]++;
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
  TfrcFeedbackFilterResult *result = self->result;
  TfrcEcnSummary summaries[TFRC_ECN_MAX_STREAMS];
  bool alone;
  gsize n = tfrc_wire_read_ecn (data, size, summaries, &alone);
  gboolean all_ours = alone;

  if (n > 0)
    result->n_ecn = 0;
  for (gsize i = 0; i < n; i++) {
    if (self->is_ours (summaries[i].media_ssrc, self->user_data))
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
  TfrcFeedbackFilterResult *result = self->result;
  TfrcPacketFeedbackReader reader;
  TfrcWireKind kind = tfrc_packet_feedback_reader_open_rtcp (&reader, data,
      size);

  if (kind == TFRC_WIRE_BAD_FEEDBACK)
    result->counts[TFRC_FEEDBACK_MALFORMED]++;
  if (kind != TFRC_WIRE_FEEDBACK)
    return;
  if (result->n_spans < TFRC_FEEDBACK_FILTER_SPANS)
    result->spans[result->n_spans++] = (TfrcFeedbackSpan) { data, size };
  else
    result->counts[TFRC_FEEDBACK_EXCESS]++;
}

static gboolean
extract_nack (Filter *self, const guint8 *data, gsize size)
{
  TfrcFeedbackFilterResult *result = self->result;
  uint32_t media_ssrc;
  size_t n_entries;

  if (!tfrc_wire_read_nack (data, size, &media_ssrc, &n_entries)
      || !self->is_ours (media_ssrc, self->user_data))
    return FALSE;
  for (size_t i = 0; i < n_entries; i++) {
    if (result->n_nacks == TFRC_FEEDBACK_FILTER_NACKS) {
      result->counts[TFRC_FEEDBACK_EXCESS]++;
      break;
    }
    result->nacks[result->n_nacks++] = (TfrcFeedbackFilterNack) { media_ssrc,
      tfrc_wire_read_nack_entry (data, i) };
  }
  return TRUE;
}

static gboolean
extract_key_request (Filter *self, guint32 ssrc)
{
  TfrcFeedbackFilterResult *result = self->result;

  if (!self->is_ours (ssrc, self->user_data))
    return FALSE;
  if (result->n_key_requests < TFRC_FEEDBACK_FILTER_MAX)
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
  TfrcFeedbackFilterResult *result = self->result;
  RtpReportBlock block;

  for (guint n = 0; result->n_blocks < TFRC_FEEDBACK_FILTER_MAX
      && tfrc_wire_read_report_block (data, size, n, &block);
      n++) {
    /* All libavformat receivers use the media SSRC + 1; tell them apart by address. */
    if (block.reporter_ssrc == block.media_ssrc + 1)
      block.reporter_ssrc ^= hash_source (self->buffer);
    if (self->is_ours (block.media_ssrc, self->user_data))
      result->blocks[result->n_blocks++] = block;
  }
}

/* Transport-wide feedback about another SSRC, or about packets older than those that are
 * remembered.  An rtpsession would accept it all the same, take up to 25 ms for what
 * 36 bytes can describe, and free none of it before it has numbered a packet. */
static gboolean
is_foreign_twcc (Filter *self, const guint8 *data, gsize size)
{
  guint16 age;

  if (!tfrc_wire_is_rtcp (data, size, TFRC_WIRE_RTPFB, TFRC_WIRE_FMT_TWCC)
      || size < FEEDBACK_HEADER_SIZE)
    return FALSE;
  if (!self->is_ours (GST_READ_UINT32_BE (data + 8), self->user_data))
    return TRUE;
  if (size < TFRC_WIRE_TWCC_HEADER_SIZE)
    return FALSE;
  age = (guint16) (self->n_numbered - GST_READ_UINT16_BE (data + 12));
  return age > MIN (self->n_numbered, TFRC_SENT_LENGTH)
      || GST_READ_UINT16_BE (data + 14) > age;
}

/* TRUE: the packet is for this sender and taken out. */
static gboolean
is_for_us (Filter *self, const guint8 *data, gsize size, TfrcWireKind kind,
    const TfrcFeedback *feedback, guint32 sender_ssrc)
{
  uint32_t ssrc;

  if (is_foreign_twcc (self, data, size)) {
    self->result->counts[TFRC_FEEDBACK_FOREIGN]++;
    return TRUE;
  }
  if (is_of_other_mode (self, data, size, kind, feedback))
    self->result->other_mode++;
  if (self->group) {
    if (extract_report (self, data, size))
      return TRUE;
  } else if (kind == TFRC_WIRE_FEEDBACK) {
    return extract_feedback (self, feedback, sender_ssrc);
  } else if (kind == TFRC_WIRE_BAD_FEEDBACK) {
    self->result->counts[TFRC_FEEDBACK_MALFORMED]++;
    return TRUE;
  } else {
    note_packet_feedback (self, data, size);
  }
  if (tfrc_wire_is_sr_request (data, size)) {
    self->result->counts[TFRC_FEEDBACK_SR_REQUESTS]++;
    return TRUE;
  }
  if (extract_delay (self, data, size) || extract_ecn (self, data, size)
      || (self->repairs && extract_nack (self, data, size)))
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
      && self->is_ours (GST_READ_UINT32_BE (data + 8), self->user_data);
}

GstBuffer *
tfrc_feedback_filter (GstBuffer *buffer, const GstMapInfo *map, gboolean group,
    gboolean repairs, guint64 n_numbered, TfrcFeedbackFilterResult *result,
    TfrcFeedbackFilterIsOurs is_ours, gpointer user_data)
{
  Filter filter = { group, repairs, n_numbered, result, is_ours, user_data,
    buffer };
  TfrcWireCompound compound;
  GstBuffer *rest;
  gsize offset = 0;

  *result = (TfrcFeedbackFilterResult) { 0 };
  if (!tfrc_wire_read_compound (map->data, map->size, &compound)) {
    result->counts[TFRC_FEEDBACK_RTCP_MALFORMED] = 1;
    return NULL;
  }
  result->ssrc = compound.ssrcs[0];
  for (gsize i = 0; i < compound.n_ssrcs; i++)
    if (compound.byes >> i & 1)
      result->byes[result->n_byes++] = compound.ssrcs[i];
  rest = gst_buffer_new ();
  gst_buffer_copy_into (rest, buffer, GST_BUFFER_COPY_METADATA, 0, -1);

  while (offset < map->size) {
    TfrcFeedback feedback;
    uint32_t sender_ssrc = 0;
    size_t size;
    TfrcWireKind kind = tfrc_wire_read_rtcp (map->data + offset,
        map->size - offset, &size, &feedback, &sender_ssrc);

    if (!is_for_us (&filter, map->data + offset, size, kind, &feedback,
            sender_ssrc))
      gst_buffer_copy_into (rest, buffer, GST_BUFFER_COPY_MEMORY, offset, size);
    result->n_packets++;
    result->about_us |= result->n_blocks + result->n_key_requests > 0
        || is_about_us (&filter, map->data + offset, size);
    offset += size;
  }
  if (result->about_us)
    GST_BUFFER_FLAG_SET (rest, TFRC_MEMBERS_ABOUT_US);
  if (gst_buffer_get_size (rest) == 0)
    gst_clear_buffer (&rest);
  return rest;
}

void
tfrc_feedback_filter_set_stats (const guint64 *counts, GstStructure *stats)
{
  static const gchar *const names[] = {
    [TFRC_FEEDBACK_MALFORMED] = "feedback-malformed",
    [TFRC_FEEDBACK_FOREIGN] = "feedback-foreign",
    [TFRC_FEEDBACK_EXCESS] = "feedback-excess",
    [TFRC_FEEDBACK_SR_REQUESTS] = "sr-requests-filtered",
    [TFRC_FEEDBACK_RTCP_MALFORMED] = "rtcp-malformed",
    [TFRC_FEEDBACK_KEY_REQUESTS] = "key-frame-requests-received",
  };

  for (guint i = 0; i < TFRC_FEEDBACK_N_COUNTS; i++)
    tfrc_stats_set (stats, names[i], counts[i]);
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
      "it running, are host and port right, do firewalls let UDP through in "
      "both directions, does it get another sender's stream? feedback=none is "
      "for players that never answer.",
      "No receiver of the group reports: the rate stays at min-bitrate until "
      "one does." },
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
      "Reports come back, but more than receivers may send, or from several "
      "receivers with the same SSRC, and are refused: see reports-limited and"
      " reports-colliding." },
  [TFRC_FEEDBACK_WATCH_INVALID] = { "invalid",
      "Reports come back, but do not match packets that were sent, and are "
      "refused: does somebody forge them, or does something on the way change"
      " the header extension?",
      NULL },
};

void
tfrc_feedback_watch_start (TfrcFeedbackWatch *self)
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

void
tfrc_feedback_watch_on_rtcp (TfrcFeedbackWatch *self,
    const TfrcFeedbackFilterResult *result, TfrcTime now)
{
  if (result->n_packets > 0)
    on_other_rtcp (self, result->n_byes > 0, now);
  if (result->counts[TFRC_FEEDBACK_MALFORMED]
          + result->counts[TFRC_FEEDBACK_RTCP_MALFORMED]
      > 0)
    self->came_at[TFRC_FEEDBACK_WATCH_MALFORMED] = now;
  if (result->counts[TFRC_FEEDBACK_FOREIGN] > 0)
    self->came_at[TFRC_FEEDBACK_WATCH_FOREIGN] = now;
  if (result->other_mode > 0)
    self->came_at[TFRC_FEEDBACK_WATCH_OTHER_MODE] = now;
}

void
tfrc_feedback_watch_on_report (TfrcFeedbackWatch *self, TfrcResult result,
    TfrcTime now)
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
    text = "Pad rtcp_sink is not linked, and no transport-wide feedback comes "
           "from an rtpsession, so hardly anything is sent: RTCP from the "
           "receiver must go there, or the receiver and the packets need the "
           "header extension of transport-wide feedback.";
  if (self->state == TFRC_FEEDBACK_WATCH_RTCP_ONLY
      && self->working_since != TFRC_TIME_NONE)
    text = "RTCP comes back, but no reports of arrivals any more, so hardly "
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

void
tfrc_feedback_watch_set_stats (const TfrcFeedbackWatch *self,
    GstStructure *stats)
{
  tfrc_stats_set (stats, "feedback-state", states[self->state].name);
}

void
tfrc_send_circuit_breaker_start (TfrcSendCircuitBreaker *self)
{
  rtp_circuit_breaker_init (&self->breaker, self->breaker.group);
  self->posted = RTP_CIRCUIT_BREAKER_CLOSED;
  self->posted_ssrc = 0;
  self->posted_at = 0;
}

void
tfrc_send_circuit_breaker_begin_path (TfrcSendCircuitBreaker *self)
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

static gboolean
allows_sending (RtpCircuitBreakerState state)
{
  return state == RTP_CIRCUIT_BREAKER_CLOSED
      || state == RTP_CIRCUIT_BREAKER_REDUCED;
}

gboolean
tfrc_send_circuit_breaker_allows_sending (const TfrcSendCircuitBreaker *self)
{
  return allows_sending (self->breaker.state);
}

void
tfrc_send_circuit_breaker_on_sent (TfrcSendCircuitBreaker *self, guint32 ssrc,
    guint32 timestamp, guint size, TfrcTime now)
{
  if (self->enabled)
    rtp_circuit_breaker_on_sent (&self->breaker, ssrc, timestamp, size, now);
}

void
tfrc_send_circuit_breaker_on_rtcp (TfrcSendCircuitBreaker *self,
    const TfrcFeedbackFilterResult *result,
    const TfrcReceptionReports *reception, TfrcDuration rtt, TfrcTime now)
{
  if (!self->enabled)
    return;
  if (result->about_us)
    rtp_circuit_breaker_on_rtcp (&self->breaker, now);
  /* Takes one sample of Tr per packet, however many streams it reports on. */
  for (guint i = 0; i < result->n_blocks; i++)
    if (reception == NULL
        || !tfrc_reception_reports_is_ignored (reception,
            result->blocks[i].reporter_ssrc))
      rtp_circuit_breaker_on_report (&self->breaker, &result->blocks[i],
          i == 0 ? rtt : 0, now);
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
  TfrcDuration ceased = allows_sending (posted)
      ? 0
      : tfrc_time_since (self->posted_at, now);
  TfrcRate limit = tripped && allows_sending (state)
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

void
tfrc_send_circuit_breaker_set_stats (const TfrcSendCircuitBreaker *self,
    GstStructure *stats)
{
  tfrc_stats_set (stats, "circuit-breaker",
      rtp_circuit_breaker_state_get_name (self->breaker.state));
  tfrc_stats_set (stats, "circuit-breaker-trips", self->breaker.trips);
}
