/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfrc-receive-rate.h"

/* Entries of the log per RTT: a thousandth of an RTT is as exact as X_recv
 * needs to be, and the log then holds four RTTs at any packet rate. */
#define RESOLUTION 1024

void
tfrc_receive_rate_init (TfrcReceiveRate *self)
{
  tfrc_byte_log_init (&self->log);
  self->newest_size = 0;
  self->reported = false;
  self->begin_at = 0;
  self->rate = 0.0;
  self->maximum = 0.0;
}

void
tfrc_receive_rate_on_packet (TfrcReceiveRate *self, uint32_t size,
    TfrcDuration rtt, TfrcTime now)
{
  tfrc_byte_log_add (&self->log, size, rtt / RESOLUTION, now);
  self->newest_size = size;
}

void
tfrc_receive_rate_begin (TfrcReceiveRate *self, TfrcTime now)
{
  self->begin_at = now;
}

TfrcRate
tfrc_receive_rate_on_report (TfrcReceiveRate *self, TfrcDuration rtt,
    TfrcTime now)
{
  /* RFC 5348 section 6.2 step 2: the last R_{m-1} seconds, and "MAY" reach
   * back further, to the last expiry at least R_{m-1} ago. */
  TfrcDuration window =
      tfrc_time_max (rtt, tfrc_time_since (self->begin_at, now));
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
  if (self->rate > self->maximum)
    self->maximum = self->rate;
  return self->rate;
}

TfrcRate
tfrc_receive_rate_get (const TfrcReceiveRate *self)
{
  return self->rate;
}

TfrcRate
tfrc_receive_rate_get_maximum (const TfrcReceiveRate *self)
{
  return self->maximum;
}

double
tfrc_receive_rate_get_mean_size (const TfrcReceiveRate *self)
{
  return self->log.packets == 0 ? 0.0
      : (double) self->log.bytes / (double) self->log.packets;
}
