/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/rtcp-filter.h"

#include "common/stats.h"
#include "net/session.h"
#include "tfmcc-wire.h"
#include "tfrc/sender-based.h"

#define FIR_FMT 4 /* RFC 5104 section 4.3.1 */
#define FEEDBACK_HEADER_SIZE 12
#define FIR_ENTRY_SIZE 8

typedef struct
{
  gboolean group;
  gboolean repairs;
  guint64 n_numbered;
  TfrcRtcpContent *result;
  TfrcRtcpIsOurs is_ours;
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
  TfrcRtcpContent *result = self->result;
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
  if (!self->is_ours (report.media_ssrc, self->user_data)) {
    result->counts[TFRC_RTCP_FEEDBACK_FOREIGN]++;
    return FALSE;
  }
  if (result->n_reports == TFRC_RTCP_MAX) {
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
  TfrcRtcpContent *result = self->result;

  self->has_reporter = self->is_ours (feedback->media_ssrc, self->user_data);
  if (!self->has_reporter) {
    result->counts[TFRC_RTCP_FEEDBACK_FOREIGN]++;
    return FALSE;
  }
  self->reporter_ssrc = sender_ssrc;
  self->feedback = NULL;
  if (result->n_feedback < TFRC_RTCP_MAX) {
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
  TfrcRtcpContent *result = self->result;
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
  TfrcRtcpContent *result = self->result;
  TfrcPacketFeedbackReader reader;
  TfrcWireKind kind = tfrc_packet_feedback_reader_open_rtcp (&reader, data,
      size);

  if (kind == TFRC_WIRE_BAD_FEEDBACK)
    result->counts[TFRC_RTCP_FEEDBACK_MALFORMED]++;
  if (kind != TFRC_WIRE_FEEDBACK)
    return;
  if (result->n_spans < TFRC_RTCP_MAX_SPANS)
    result->spans[result->n_spans++] = (TfrcFeedbackSpan) { data, size };
  else
    result->counts[TFRC_RTCP_FEEDBACK_EXCESS]++;
}

static gboolean
extract_nack (Filter *self, const guint8 *data, gsize size)
{
  TfrcRtcpContent *result = self->result;
  uint32_t media_ssrc;
  size_t n_entries;

  if (!tfrc_wire_read_nack (data, size, &media_ssrc, &n_entries)
      || !self->is_ours (media_ssrc, self->user_data))
    return FALSE;
  for (size_t i = 0; i < n_entries; i++) {
    if (result->n_nacks == TFRC_RTCP_MAX_NACKS) {
      result->counts[TFRC_RTCP_FEEDBACK_EXCESS]++;
      break;
    }
    result->nacks[result->n_nacks++] = (TfrcRtcpNack) { media_ssrc,
      tfrc_wire_read_nack_entry (data, i) };
  }
  return TRUE;
}

static gboolean
extract_key_request (Filter *self, guint32 ssrc)
{
  TfrcRtcpContent *result = self->result;

  if (!self->is_ours (ssrc, self->user_data))
    return FALSE;
  if (result->n_key_requests < TFRC_RTCP_MAX)
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
  TfrcRtcpContent *result = self->result;
  RtpReportBlock block;

  for (guint n = 0; result->n_blocks < TFRC_RTCP_MAX
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
    self->result->counts[TFRC_RTCP_FEEDBACK_FOREIGN]++;
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

static void
keep (GstBuffer **rest, GstBuffer *buffer, gsize offset, gsize size)
{
  if (*rest == NULL) {
    *rest = gst_buffer_new ();
    gst_buffer_copy_into (*rest, buffer, GST_BUFFER_COPY_METADATA, 0, -1);
  }
  gst_buffer_copy_into (*rest, buffer, GST_BUFFER_COPY_MEMORY, offset, size);
}

GstBuffer *
tfrc_rtcp_filter (GstBuffer *buffer, const GstMapInfo *map, gboolean group,
    gboolean repairs, guint64 n_numbered, TfrcRtcpContent *result,
    TfrcRtcpIsOurs is_ours, gpointer user_data)
{
  Filter filter = { group, repairs, n_numbered, result, is_ours, user_data,
    buffer };
  TfrcWireCompound compound;
  GstBuffer *rest = NULL;
  gsize offset = 0;

  *result = (TfrcRtcpContent) { 0 };
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

void
tfrc_rtcp_filter_set_stats (const guint64 *counts, GstStructure *stats)
{
  static const gchar *const names[] = {
    [TFRC_RTCP_FEEDBACK_MALFORMED] = "feedback-malformed",
    [TFRC_RTCP_FEEDBACK_FOREIGN] = "feedback-foreign",
    [TFRC_RTCP_FEEDBACK_EXCESS] = "feedback-excess",
    [TFRC_RTCP_SR_REQUESTS] = "sr-requests-filtered",
    [TFRC_RTCP_MALFORMED] = "rtcp-malformed",
    [TFRC_RTCP_KEY_REQUESTS] = "key-frame-requests-received",
  };

  for (guint i = 0; i < TFRC_RTCP_N_COUNTS; i++)
    tfrc_stats_set (stats, names[i], counts[i]);
}
