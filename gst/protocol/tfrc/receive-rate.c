/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfrc/receive-rate.h"

/* Entries of the log per RTT: a thousandth of an RTT is as exact as X_recv
 * needs to be, and the log then holds four RTTs at any packet rate. */
#define RESOLUTION 1024

/* Of the largest X_recv, whichever is longer. */
#define PERIOD TFRC_SECOND
#define PERIOD_RTTS 8

void
tfrc_receive_rate_init (TfrcReceiveRate *self)
{
  tfrc_byte_log_init (&self->log);
  self->newest_size = 0;
  self->reported = false;
  self->reports[0] = self->reports[1] = (TfrcReceived) { .packets = 0 };
  self->begin_at = 0;
  self->rate = 0.0;
  self->keeps_maximum = false;
  self->largest = self->newer = (TfrcLargestRate) { .rate = 0.0 };
  self->period_since = 0;
}

void
tfrc_receive_rate_on_packet (TfrcReceiveRate *self, uint32_t size,
    TfrcDuration rtt, TfrcTime now)
{
  tfrc_byte_log_add (&self->log, size, rtt / RESOLUTION, now);
  self->newest_size = size;
}

/* Mean size of the packets since the last report; an early one looks back at those
 * before it, too.  0: none. */
static double
measure_size (TfrcReceiveRate *self, bool early)
{
  TfrcReceived since = self->reports[early ? 1 : 0];
  TfrcReceived all = { .bytes = self->log.bytes, .packets = self->log.packets };

  self->reports[1] = self->reports[0];
  self->reports[0] = all;
  if (all.packets == since.packets)
    return 0.0;
  return (double) (all.bytes - since.bytes)
      / (double) (all.packets - since.packets);
}

static void
note_largest (TfrcReceiveRate *self, TfrcDuration rtt, double size,
    TfrcTime now)
{
  if (rtt == 0 && !self->keeps_maximum)
    return;
  if (!self->keeps_maximum
      && tfrc_time_since (self->period_since, now)
          >= tfrc_time_max (PERIOD, PERIOD_RTTS * rtt)) {
    self->largest = self->newer;
    self->newer.rate = 0.0;
    self->period_since = now;
  }
  if (self->rate > self->newer.rate)
    self->newer = (TfrcLargestRate) { self->rate, size };
  if (self->newer.rate > self->largest.rate)
    self->largest = self->newer;
}

TfrcRate
tfrc_receive_rate_on_report (TfrcReceiveRate *self, TfrcDuration rtt,
    TfrcTime now)
{
  /* RFC 5348 section 6.2 step 2: the last R_{m-1} seconds, and "MAY" reach
   * back further, to the last expiry at least R_{m-1} ago. */
  TfrcDuration interval = tfrc_time_since (self->begin_at, now);
  TfrcDuration window = tfrc_time_max (rtt, interval);
  double size = measure_size (self, interval < rtt);
  uint64_t bytes;

  self->begin_at = now;
  /* RFC 5348 section 6.3: the first report says X_recv = 0. */
  if (!self->reported) {
    self->reported = true;
    return self->rate;
  }
  /* Two packets at one instant and no RTT: nothing to measure by. */
  if (window == 0)
    return self->rate;
  bytes = tfrc_byte_log_between (&self->log, tfrc_time_sub (now, window), now);
  /* The packet that makes the report due may lie on the edge of the window. */
  if (bytes < self->newest_size)
    bytes = self->newest_size;
  self->rate = tfrc_rate_of ((double) bytes, window);
  note_largest (self, rtt, size, now);
  return self->rate;
}
