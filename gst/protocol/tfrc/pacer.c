/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tfrc/pacer.h"

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

  /* 1/p <= packets without a division, as p may be 0. */
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
  if (size > self->largest)
    self->largest = size;
  /* Packets of zero bytes would give a size of 0. */
  if (self->all_bytes > 0)
    self->mean = (double) self->all_bytes / (double) self->all_packets;
}

void
tfrc_pacer_init (TfrcPacer *self, TfrcDuration granularity,
    TfrcDuration max_credit)
{
  *self = (TfrcPacer) {
    .granularity = granularity,
    .max_credit = max_credit,
    .last_nominal_at = TFRC_TIME_NONE,
  };
}

void
tfrc_pacer_begin_train (TfrcPacer *self, uint32_t packets)
{
  self->train = packets;
}

/* t_ipi after the packet sent last. */
static TfrcDuration
get_interval (const TfrcPacer *self, TfrcRate rate)
{
  return tfrc_rate_time_for (rate, (double) self->last_size);
}

TfrcTime
tfrc_pacer_next_send_at (const TfrcPacer *self, TfrcRate rate, TfrcDuration rtt)
{
  TfrcDuration interval, delta;
  TfrcTime at;

  if (self->last_nominal_at == TFRC_TIME_NONE)
    return 0;
  /* RFC 5348 section 8.3: "t_delta = min (t_ipi, t_gran, rtt) / 2". */
  interval = get_interval (self, rate);
  delta = tfrc_time_min (interval, self->granularity);
  if (rtt != 0)
    delta = tfrc_time_min (delta, rtt);
  at = self->train > 0
      ? 0
      : tfrc_time_sub (tfrc_time_add (self->last_nominal_at, interval),
            delta / 2);
  return self->min_interval == 0
      ? at
      : tfrc_time_max (at,
            tfrc_time_add (self->last_sent_at, self->min_interval));
}

/* RFC 5348 section 4.6: one RTT.  If that is shorter than the timer granularity,
 * two ticks (deviation D10): one to catch up with, and one for the next late
 * wake-up.  Otherwise such a path would get only RTT / t_gran of its rate. */
static TfrcDuration
get_credit (const TfrcPacer *self, TfrcDuration rtt)
{
  if (rtt == 0)
    return 0;
  return tfrc_time_min (tfrc_time_max (rtt, 2 * self->granularity),
      self->max_credit);
}

void
tfrc_pacer_on_sent (TfrcPacer *self, uint32_t size, TfrcRate rate,
    TfrcDuration rtt, TfrcTime now)
{
  TfrcTime nominal_at = now;

  assert (now != TFRC_TIME_NONE);
  if (self->last_nominal_at != TFRC_TIME_NONE) {
    TfrcDuration credit = get_credit (self, rtt);

    nominal_at = tfrc_time_add (self->last_nominal_at,
        get_interval (self, rate));
    /* RFC 5348 section 4.6: credit that is older is forfeited. */
    nominal_at = tfrc_time_max (nominal_at, tfrc_time_sub (now, credit));
    /* A schedule that stood still, at rate 0, starts again here. */
    if (nominal_at == TFRC_TIME_NONE)
      nominal_at = now;
  }
  self->last_nominal_at = nominal_at;
  self->last_sent_at = now;
  self->last_size = size;
  if (self->train > 0)
    self->train--;
}
