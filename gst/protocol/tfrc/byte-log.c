/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tfrc/byte-log.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

static_assert (TFRC_BYTE_LOG_LENGTH > 8, "no place for an interval");

/* Merged entries are at most a 128th of their age wide.  There are about 128
 * ln (2 s / exact) of them, twice as many in the worst case. */
#define JOINED_PER_AGE 128
/* Entries that are free at least after the ring has been gone through. */
#define FREED (TFRC_BYTE_LOG_LENGTH / 8)

void
tfrc_byte_log_init (TfrcByteLog *self)
{
  self->head = 0;
  self->length = 0;
  self->bytes = 0;
  self->packets = 0;
  self->joined_until = 0;
}

void
tfrc_byte_log_add (TfrcByteLog *self, uint32_t size, TfrcDuration resolution,
    TfrcTime now)
{
  TfrcByteLogEntry *newest = &self->entries[self->head];

  if (self->length > 0)
    now = tfrc_time_max (now, newest->last_at);
  if (self->length > 0 && now - newest->first_at <= resolution) {
    newest->last_at = now;
  } else {
    self->head = (self->head + 1) % TFRC_BYTE_LOG_LENGTH;
    newest = &self->entries[self->head];
    newest->first_at = now;
    newest->last_at = now;
    newest->bytes_before = self->bytes;
    if (self->length < TFRC_BYTE_LOG_LENGTH)
      self->length++;
  }
  self->bytes += size;
  self->packets++;
}

/* Entry `i` by age, where 0 is the oldest; i < length. */
static const TfrcByteLogEntry *
entry_at (const TfrcByteLog *self, uint32_t i)
{
  uint32_t oldest = self->head + TFRC_BYTE_LOG_LENGTH + 1 - self->length;

  return &self->entries[(oldest + i) % TFRC_BYTE_LOG_LENGTH];
}

void
tfrc_byte_log_stretch (TfrcByteLog *self, TfrcDuration exact, TfrcTime now)
{
  uint32_t oldest = self->head + 1, n = 0;
  TfrcByteLogEntry *last = NULL;

  if (self->length < TFRC_BYTE_LOG_LENGTH
      || tfrc_time_since (entry_at (self, 0)->first_at, now)
          >= TFRC_BYTE_LOG_SPAN)
    return;
  for (uint32_t i = 0; i < TFRC_BYTE_LOG_LENGTH; i++) {
    TfrcByteLogEntry entry = *entry_at (self, i);
    TfrcDuration age = tfrc_time_since (entry.last_at, now);

    if (last != NULL && age >= exact
        && entry.last_at - last->first_at <= age / JOINED_PER_AGE) {
      last->last_at = entry.last_at;
      continue;
    }
    last = &self->entries[(oldest + n++) % TFRC_BYTE_LOG_LENGTH];
    *last = entry;
  }
  self->head = (oldest + n - 1) % TFRC_BYTE_LOG_LENGTH;
  self->length = n < TFRC_BYTE_LOG_LENGTH - FREED
      ? n
      : TFRC_BYTE_LOG_LENGTH - FREED;
  self->joined_until = tfrc_time_sub (now, exact);
}

/* How many entries start at or before `at`, by bisection. */
static uint32_t
count_until (const TfrcByteLog *self, TfrcTime at)
{
  uint32_t low = 0, high = self->length;

  while (low < high) {
    uint32_t middle = low + (high - low) / 2;

    if (entry_at (self, middle)->first_at <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Bytes of all packets at or before `at`.  Packets that share an entry count at its
 * start, so that adjacent intervals never count one twice; those of merged entries
 * count as evenly spread. */
static uint64_t
bytes_until (const TfrcByteLog *self, TfrcTime at)
{
  uint32_t n = count_until (self, at);
  uint64_t bytes = n == self->length
      ? self->bytes
      : entry_at (self, n)->bytes_before;
  const TfrcByteLogEntry *entry;

  if (n == 0 || at >= self->joined_until)
    return bytes;
  entry = entry_at (self, n - 1);
  if (at >= entry->last_at)
    return bytes;
  return entry->bytes_before
      + (uint64_t) ((double) (bytes - entry->bytes_before)
          * (double) (at - entry->first_at)
          / (double) (entry->last_at - entry->first_at));
}

uint64_t
tfrc_byte_log_between (const TfrcByteLog *self, TfrcTime from, TfrcTime to)
{
  if (from >= to || self->length == 0)
    return 0;
  return bytes_until (self, to) - bytes_until (self, from);
}

TfrcTime
tfrc_byte_log_first_after (const TfrcByteLog *self, TfrcTime at)
{
  uint32_t n = count_until (self, at);

  return n < self->length ? entry_at (self, n)->first_at : TFRC_TIME_NONE;
}

bool
tfrc_byte_log_covers (const TfrcByteLog *self, TfrcTime at,
    TfrcDuration tolerance)
{
  /* Of the entries that start early enough, the last one ends latest. */
  uint32_t n = count_until (self, tfrc_time_add (at, tolerance));

  return n > 0
      && tfrc_time_add (entry_at (self, n - 1)->last_at, tolerance) >= at;
}

/* Entries of the log per RTT.  X_recv need not be more precise than a thousandth,
 * and the log then covers four RTTs at any packet rate. */
#define RESOLUTION 1024

/* Period of the largest X_recv: the longer of PERIOD and PERIOD_RTTS RTTs. */
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

/* Mean size of the packets since the last report, or for an early report, which
 * looks back further, since the one before; 0 if there are none. */
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
  /* RFC 5348 section 6.2 step 2: the last R_{m-1} seconds; it "MAY" reach back
   * further, to the last expiry at least R_{m-1} ago. */
  TfrcDuration interval = tfrc_time_since (self->begin_at, now);
  TfrcDuration window = tfrc_time_max (rtt, interval);
  uint64_t bytes = self->log.bytes - self->reports[0].bytes;
  double size = measure_size (self, interval < rtt);

  self->begin_at = now;
  /* RFC 5348 section 6.3: the first report says X_recv = 0. */
  if (!self->reported) {
    self->reported = true;
    return self->rate;
  }
  /* Two packets at the same instant and no RTT: no time to measure over. */
  if (window == 0)
    return self->rate;
  /* A regular report counts all bytes since the last one.  A window in time would
   * miss packets that arrived at the instant of that report, but were handed in
   * after it. */
  if (interval < rtt)
    bytes = tfrc_byte_log_between (&self->log, tfrc_time_sub (now, window),
        now);
  /* The packet that triggered the report may lie on the edge of the window. */
  if (bytes < self->newest_size)
    bytes = self->newest_size;
  self->rate = tfrc_rate_of ((double) bytes, window);
  note_largest (self, rtt, size, now);
  return self->rate;
}
