/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/arrival-reader.h"

/* Of the reference time in transport-wide feedback, which the event has not
 * unwrapped. */
#define EVENT_CLOCK_PERIOD ((1ull << 24) * 64 * TFRC_MILLISECOND)

/* What the event says of a packet. */
typedef struct
{
  guint16 seq;
  guint64 arrived_at; /* TFRC_TIME_NONE: it has not */
} EventPacket;

TfrcWireKind
tfrc_arrival_reader_open_rtcp (TfrcArrivalReader *self, const guint8 *data,
    gsize packet_size)
{
  TfrcWireKind kind;

  self->is_event = FALSE;
  self->format = GST_RTP_TFRC_FEEDBACK_CCFB;
  kind = tfrc_wire_begin_ccfb (&self->ccfb, data, packet_size, &self->report);
  if (kind != TFRC_WIRE_FOREIGN)
    return kind;
  self->format = GST_RTP_TFRC_FEEDBACK_TWCC;
  return tfrc_wire_begin_twcc (&self->twcc, data, packet_size, &self->report);
}

/* Where a receiver has a packet for each SSRC: what they tell goes by the time of the
 * arrivals as well.  Returns where those end. */
static gsize
join (TfrcArrivalReader *self, const guint8 *data, gsize size, gsize at)
{
  size_t packet_size;
  TfrcFeedback feedback;
  uint32_t ssrc;

  while (self->format == GST_RTP_TFRC_FEEDBACK_CCFB && at < size
      && tfrc_wire_read_rtcp (data + at, size - at, &packet_size, &feedback,
             &ssrc)
          != TFRC_WIRE_MALFORMED
      && tfrc_wire_join_ccfb (&self->ccfb, data + at, packet_size,
          &self->report))
    at += packet_size;
  return at;
}

gboolean
tfrc_arrival_reader_open_next_rtcp (TfrcArrivalReader *self, const guint8 *data,
    gsize size, gsize *offset)
{
  size_t packet_size;

  for (gsize at = *offset; at < size; at += packet_size) {
    TfrcFeedback feedback;
    uint32_t ssrc;

    if (tfrc_wire_read_rtcp (data + at, size - at, &packet_size, &feedback,
            &ssrc)
        == TFRC_WIRE_MALFORMED)
      break;
    if (tfrc_arrival_reader_open_rtcp (self, data + at, packet_size)
        == TFRC_WIRE_FEEDBACK) {
      *offset = join (self, data, size, at + packet_size);
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean
holds_array (const GValue *value)
{
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  return G_VALUE_HOLDS (value, g_value_array_get_type ());
  G_GNUC_END_IGNORE_DEPRECATIONS
}

/* FALSE: not what an rtpsession says. */
static gboolean
peek_event (const TfrcTwccEventReader *self, guint i, EventPacket *packet)
{
  const GValueArray *array = g_value_get_boxed (self->packets);
  const GValue *value = &array->values[i];
  const GstStructure *structure;
  gboolean lost;
  guint seq;

  if (!GST_VALUE_HOLDS_STRUCTURE (value))
    return FALSE;
  structure = gst_value_get_structure (value);
  if (!gst_structure_get_uint (structure, "seqnum", &seq)
      || !gst_structure_get_boolean (structure, "lost", &lost)
      || !gst_structure_get_uint64 (structure, "remote-ts",
          &packet->arrived_at))
    return FALSE;
  packet->seq = (guint16) seq;
  if (lost)
    packet->arrived_at = TFRC_TIME_NONE;
  return TRUE;
}

static guint64
find_newest (const TfrcTwccEventReader *self)
{
  guint64 newest = 0;
  EventPacket packet;

  for (guint i = 0; i < self->n; i++) {
    if (peek_event (self, i, &packet) && packet.arrived_at != TFRC_TIME_NONE)
      newest = MAX (newest, packet.arrived_at);
  }
  return newest;
}

/* Nobody says which receiver it was, nor counts: of a lost report the session knows
 * nothing, and losses between two in a row it has put in. */
gboolean
tfrc_arrival_reader_open_event (TfrcArrivalReader *self,
    const GstStructure *structure)
{
  const GValue *packets = gst_structure_get_value (structure, "packets");
  TfrcTwccEventReader *event = &self->event;

  if (!gst_structure_has_name (structure, TFRC_TWCC_EVENT) || packets == NULL
      || !holds_array (packets) || g_value_get_boxed (packets) == NULL)
    return FALSE;
  self->is_event = TRUE;
  self->format = GST_RTP_TFRC_FEEDBACK_TWCC;
  *event = (TfrcTwccEventReader) {
    .packets = packets,
    .n = ((const GValueArray *) g_value_get_boxed (packets))->n_values,
  };
  event->newest = find_newest (event);
  self->report = (TfrcArrivalReport) {
    .clock = event->newest % EVENT_CLOCK_PERIOD,
    .clock_period = EVENT_CLOCK_PERIOD,
    .resolution = TFRC_WIRE_TWCC_TICK,
  };
  return TRUE;
}

/* Those missing that no arrival follows. */
static gboolean
end_run (TfrcTwccEventReader *self, TfrcReportedPacket *packet)
{
  *packet = (TfrcReportedPacket) {
    .seq = self->seq,
    .missing = (guint16) (self->missing - 1),
  };
  self->missing = 0;
  return TRUE;
}

static gboolean
next_in_event (TfrcTwccEventReader *self, TfrcReportedPacket *packet)
{
  EventPacket next;

  while (self->i < self->n) {
    if (!peek_event (self, self->i, &next)) {
      self->i++;
      continue;
    }
    if (self->missing > 0
        && (next.seq != (guint16) (self->seq + 1)
            || self->missing == G_MAXUINT16))
      return end_run (self, packet);
    self->i++;
    if (next.arrived_at != TFRC_TIME_NONE) {
      *packet = (TfrcReportedPacket) {
        .seq = next.seq,
        .missing = (guint16) self->missing,
        .arrived = TRUE,
        .has_time = TRUE,
        .age = self->newest - next.arrived_at,
      };
      self->missing = 0;
      return TRUE;
    }
    self->seq = next.seq;
    self->missing++;
  }
  return self->missing > 0 && end_run (self, packet);
}

gboolean
tfrc_arrival_reader_next (TfrcArrivalReader *self, TfrcReportedPacket *packet)
{
  if (self->is_event)
    return next_in_event (&self->event, packet);
  if (self->format == GST_RTP_TFRC_FEEDBACK_CCFB)
    return tfrc_wire_next_ccfb (&self->ccfb, packet);
  return tfrc_wire_next_twcc (&self->twcc, packet);
}
