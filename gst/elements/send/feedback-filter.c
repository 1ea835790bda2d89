/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Goes through RTCP compound packets and takes out what is for the sender. */

#include "send/feedback-filter.h"

#include "common/stats.h"
#include "net/packet.h"
#include "tfmcc-wire.h"
#include "tfrc-wire-compound.h"
#include "tfrc-wire-delay.h"
#include "tfrc-wire-rtcp.h"
#include "tfrc-wire-feedback.h"
#include "tfrc/sender-based.h"

#define FIR_FMT 4 /* RFC 5104 section 4.3.1 */
#define FEEDBACK_HEADER_SIZE 12
#define FIR_ENTRY_SIZE 8

typedef struct
{
  GstTfrcMode mode;
  gboolean repairs;
  guint64 n_numbered;
  TfrcFeedbackFilterResult *result;
  TfrcFeedbackFilterIsOurs is_ours;
  gpointer user_data;
  GstBuffer *buffer;
  gboolean has_reporter;  /* the last feedback was about us */
  guint32 reporter_ssrc;  /* and of that receiver */
  TfrcFeedback *feedback; /* it; NULL = in excess */
} Filter;

static gboolean
is_of_other_mode (Filter *self, const guint8 *data, gsize size,
    TfrcWireKind kind, const TfrcFeedback *feedback)
{
  TfmccReport report;
  bool has_diagnostics;

  if (self->mode == GST_TFRC_MODE_TFMCC)
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
      result->feedback_malformed++;
      return TRUE;
    case TFMCC_WIRE_REPORT:
      break;
  }
  if (!self->is_ours (report.media_ssrc, self->user_data)) {
    result->feedback_foreign++;
    return FALSE;
  }
  if (result->n_reports < TFRC_FEEDBACK_FILTER_MAX)
    result->reports[result->n_reports++] = report;
  else
    result->feedback_excess++;
  return TRUE;
}

static gboolean
extract_feedback (Filter *self, const TfrcFeedback *feedback,
    guint32 sender_ssrc)
{
  TfrcFeedbackFilterResult *result = self->result;

  self->has_reporter = self->is_ours (feedback->media_ssrc, self->user_data);
  if (!self->has_reporter) {
    result->feedback_foreign++;
    return FALSE;
  }
  self->reporter_ssrc = sender_ssrc;
  self->feedback = NULL;
  if (result->n_feedback < TFRC_FEEDBACK_FILTER_MAX) {
    self->feedback = &result->feedback[result->n_feedback++];
    *self->feedback = *feedback;
  } else {
    result->feedback_excess++;
  }
  return TRUE;
}

/* They name no SSRC but the receiver's, belong to its feedback in front of them,
 * and are dropped with it. */
static gboolean
extract_delay (Filter *self, const guint8 *data, gsize size)
{
  TfrcDelayReport delay;
  uint32_t ssrc;

  switch (tfrc_wire_read_delay (data, size, &delay, &ssrc)) {
    case TFRC_WIRE_NO_DELAY:
      return FALSE;
    case TFRC_WIRE_BAD_DELAY:
      self->result->feedback_malformed++;
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

/* An XR with more than that goes on. */
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

/* All go on, malformed ones too: they are for the rtpsession as well. */
static void
note_arrivals (Filter *self, const guint8 *data, gsize size)
{
  TfrcFeedbackFilterResult *result = self->result;
  TfrcArrivalReader reader;
  TfrcWireKind kind = tfrc_arrival_reader_open_rtcp (&reader, data, size);

  if (kind == TFRC_WIRE_BAD_FEEDBACK)
    result->feedback_malformed++;
  if (kind != TFRC_WIRE_FEEDBACK)
    return;
  if (result->n_arrivals < TFRC_FEEDBACK_FILTER_ARRIVALS)
    result->arrivals[result->n_arrivals++] = (TfrcArrivalPacket) { data, size };
  else
    result->feedback_excess++;
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
      result->feedback_excess++;
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

/* Names its SSRCs in entries of 8 bytes; taken out when all are ours. */
static gboolean
extract_full_intra_request (Filter *self, const guint8 *data, gsize size)
{
  gboolean all_ours = size >= FEEDBACK_HEADER_SIZE + FIR_ENTRY_SIZE;

  for (gsize entry = FEEDBACK_HEADER_SIZE; entry + FIR_ENTRY_SIZE <= size;
      entry += FIR_ENTRY_SIZE)
    all_ours &= extract_key_request (self, GST_READ_UINT32_BE (data + entry));
  return all_ours;
}

/* 0: nobody knows whence it came. */
static guint
hash_source (GstBuffer *buffer)
{
  gchar *text = tfrc_packet_get_source (buffer);
  guint hash = text != NULL ? g_str_hash (text) : 0;

  g_free (text);
  return hash;
}

static void
read_report_blocks (Filter *self, const guint8 *data, gsize size)
{
  TfrcFeedbackFilterResult *result = self->result;
  RtpReportBlock block;

  for (guint n = 0; result->n_blocks < TFRC_FEEDBACK_FILTER_MAX
      && tfrc_wire_read_report_block (data, size, n, &block);
      n++) {
    /* The SSRC of libavformat's receivers, one and the same for all of them. */
    if (block.reporter_ssrc == block.media_ssrc + 1)
      block.reporter_ssrc ^= hash_source (self->buffer);
    if (self->is_ours (block.media_ssrc, self->user_data))
      result->blocks[result->n_blocks++] = block;
  }
}

/* It names no SSRC of ours, or numbers that are not of packets we remember.  An
 * rtpsession takes it all the same, and 25 ms for what 36 bytes may tell, and frees
 * none of it before it has numbered a packet. */
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

/* Whether the packet is for us. */
static gboolean
is_for_us (Filter *self, const guint8 *data, gsize size, TfrcWireKind kind,
    const TfrcFeedback *feedback, guint32 sender_ssrc)
{
  uint32_t ssrc;

  if (is_foreign_twcc (self, data, size)) {
    self->result->feedback_foreign++;
    return TRUE;
  }
  if (is_of_other_mode (self, data, size, kind, feedback))
    self->result->feedback_other_mode++;
  if (self->mode == GST_TFRC_MODE_TFMCC) {
    if (extract_report (self, data, size))
      return TRUE;
  } else if (kind == TFRC_WIRE_FEEDBACK) {
    return extract_feedback (self, feedback, sender_ssrc);
  } else if (kind == TFRC_WIRE_BAD_FEEDBACK) {
    self->result->feedback_malformed++;
    return TRUE;
  }
  if (self->mode != GST_TFRC_MODE_TFMCC)
    note_arrivals (self, data, size);
  if (tfrc_wire_is_sr_request (data, size)) {
    self->result->sr_requests++;
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

/* Feedback of whatever kind: RFC 4585 section 6.1. */
static gboolean
is_about_us (Filter *self, const guint8 *data, gsize size)
{
  return size >= FEEDBACK_HEADER_SIZE
      && (data[1] == TFRC_WIRE_RTPFB || data[1] == TFRC_WIRE_PSFB)
      && self->is_ours (GST_READ_UINT32_BE (data + 8), self->user_data);
}

GstBuffer *
tfrc_feedback_filter (GstBuffer *buffer, const GstMapInfo *map,
    GstTfrcMode mode, gboolean repairs, guint64 n_numbered,
    TfrcFeedbackFilterResult *result, TfrcFeedbackFilterIsOurs is_ours,
    gpointer user_data)
{
  Filter filter = { mode, repairs, n_numbered, result, is_ours, user_data,
    buffer };
  TfrcWireCompound compound;
  GstBuffer *rest;
  gsize offset = 0;

  *result = (TfrcFeedbackFilterResult) { 0 };
  if (!tfrc_wire_read_compound (map->data, map->size, &compound)) {
    result->rtcp_malformed = 1;
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
    result->heard |= result->n_blocks + result->n_key_requests > 0
        || is_about_us (&filter, map->data + offset, size);
    offset += size;
  }
  if (gst_buffer_get_size (rest) == 0)
    gst_clear_buffer (&rest);
  return rest;
}

void
tfrc_feedback_filter_count (TfrcFeedbackFilterCounters *counters,
    const TfrcFeedbackFilterResult *result)
{
  counters->feedback_malformed += result->feedback_malformed;
  counters->feedback_foreign += result->feedback_foreign;
  counters->feedback_excess += result->feedback_excess;
  counters->rtcp_malformed += result->rtcp_malformed;
  counters->sr_requests += result->sr_requests;
  counters->key_frame_requests += result->n_key_requests;
}

void
tfrc_feedback_filter_set_stats (const TfrcFeedbackFilterCounters *counters,
    GstStructure *stats)
{
  tfrc_stats_set (stats, "feedback-malformed", counters->feedback_malformed);
  tfrc_stats_set (stats, "feedback-foreign", counters->feedback_foreign);
  tfrc_stats_set (stats, "feedback-excess", counters->feedback_excess);
  tfrc_stats_set (stats, "rtcp-malformed", counters->rtcp_malformed);
  tfrc_stats_set (stats, "sr-requests-filtered", counters->sr_requests);
  tfrc_stats_set (stats, "key-frame-requests-received",
      counters->key_frame_requests);
}
