/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfmcc/arrivals.h"

/* Entries of the log per RTT. */
#define LOG_ENTRIES_PER_RTT 16
/* And no more than find a place in the time of TFMCC_FRAMES_TIME: 61 us with the
 * log of 4096 entries, which is less than a part of the shortest RTT. */
#define LEAST_RESOLUTION (TFMCC_FRAMES_TIME / (TFRC_BYTE_LOG_LENGTH - 8))

void
tfmcc_arrivals_init (TfmccArrivals *self)
{
  self->first_at = TFRC_TIME_NONE;
  tfrc_byte_log_init (&self->log);
}

void
tfmcc_arrivals_add (TfmccArrivals *self, uint32_t size, TfrcDuration rtt,
    TfrcTime now)
{
  if (self->first_at == TFRC_TIME_NONE)
    self->first_at = now;
  tfrc_byte_log_add (&self->log, size,
      tfrc_time_max (rtt / LOG_ENTRIES_PER_RTT, LEAST_RESOLUTION), now);
}

TfrcRate
tfmcc_arrivals_get_rate (const TfmccArrivals *self, TfrcDuration window,
    TfrcDuration rtt, TfrcTime now)
{
  TfrcDuration age;
  uint64_t bytes;

  if (self->first_at == TFRC_TIME_NONE)
    return 0.0;
  /* The first packet begins what is measured and is not in it; while it is the
   * only one, it is one in the window. */
  age = tfrc_time_since (self->first_at, now);
  if (age < window)
    window = tfrc_time_max (age, rtt);
  bytes = tfrc_byte_log_between (&self->log, tfrc_time_sub (now, window), now);
  return tfrc_rate_of ((double) bytes, window);
}

/* "l_0 = (X_recv R / (sqrt (3/2) 8 s))^2" with X_recv in bits/s. */
double
tfmcc_arrivals_first_interval (TfrcRate rate, TfrcDuration rtt, double size)
{
  double packets = tfrc_rate_bytes_in (rate, rtt) / size;

  return packets * packets / 1.5;
}
