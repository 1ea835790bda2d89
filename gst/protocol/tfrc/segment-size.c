/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* s, the mean packet size over the last four loss intervals, RFC 5348 section
 * 4.1.  Costs a few additions per packet and keeps no packet. */
#include "tfrc/segment-size.h"

#include <assert.h>

void
tfrc_segment_size_init (TfrcSegmentSize *self, double fallback)
{
  assert (fallback >= 0.0);
  *self = (TfrcSegmentSize) { .mean = fallback };
}

static bool
is_interval_over (const TfrcSegmentSize *self, double loss_event_rate)
{
  double packets = (double) self->packets[0];

  /* 1/p <= packets without a division: p may be 0. */
  return packets * loss_event_rate >= 1.0
      || self->packets[0] >= TFRC_SEGMENT_MAX_INTERVAL;
}

static void
start_interval (TfrcSegmentSize *self)
{
  int i = TFRC_SEGMENT_INTERVALS - 1;

  self->all_bytes -= self->bytes[i];
  self->all_packets -= self->packets[i];
  for (; i > 0; i--) {
    self->bytes[i] = self->bytes[i - 1];
    self->packets[i] = self->packets[i - 1];
  }
  self->bytes[0] = 0;
  self->packets[0] = 0;
}

void
tfrc_segment_size_on_packet (TfrcSegmentSize *self, uint32_t size,
    double loss_event_rate)
{
  if (is_interval_over (self, loss_event_rate))
    start_interval (self);
  self->bytes[0] += size;
  self->packets[0]++;
  self->all_bytes += size;
  self->all_packets++;
  /* Packets of no bytes are no size to compute a rate with. */
  if (self->all_bytes > 0)
    self->mean = (double) self->all_bytes / (double) self->all_packets;
}
