/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Logs how many bytes were sent or received until when; the sender keeps one of
 * sent packets, the receiver one of received packets.
 *
 * A ring of fixed size.  Packets closer together than the resolution share an
 * entry.  If it does not reach back far enough, old entries are merged
 * (tfrc_byte_log_stretch). */
#pragma once

#include "base/units.h"

#ifndef TFRC_BYTE_LOG_LENGTH
#define TFRC_BYTE_LOG_LENGTH 4096
#endif
/* How far back a log reaches at any packet rate if it is stretched: the first
 * nofeedback timer of RFC 5348 section 4.2. */
#define TFRC_BYTE_LOG_SPAN (2 * TFRC_SECOND)

typedef struct
{
  TfrcTime first_at; /* of the packets that share the entry */
  TfrcTime last_at;
  uint64_t bytes_before; /* sum of all earlier entries */
} TfrcByteLogEntry;

typedef struct
{
  TfrcByteLogEntry entries[TFRC_BYTE_LOG_LENGTH];
  uint32_t head; /* index of the newest entry */
  uint32_t length;
  uint64_t bytes; /* of all packets so far */
  uint64_t packets;
  TfrcTime joined_until; /* entries older than this may have been merged */
} TfrcByteLog;

void tfrc_byte_log_init (TfrcByteLog *self);

/* Adds a packet.  A `now` before that of the previous packet is taken as that. */
void tfrc_byte_log_add (TfrcByteLog *self, uint32_t size,
    TfrcDuration resolution, TfrcTime now);

/* If the ring is full and reaches back less than TFRC_BYTE_LOG_SPAN: merges entries
 * that are older than `exact`, as long as a merged entry is no wider than a 128th
 * of its age.  To be called before each packet is added; the ring is gone through
 * once in hundreds of packets. */
void tfrc_byte_log_stretch (TfrcByteLog *self, TfrcDuration exact,
    TfrcTime now);

/* Bytes of the packets in (from, to]; O(log length).  Packets older than the ring
 * do not count. */
uint64_t tfrc_byte_log_between (const TfrcByteLog *self, TfrcTime from,
    TfrcTime to);

/* When the first packet after `at` was added, or TFRC_TIME_NONE. */
TfrcTime tfrc_byte_log_first_after (const TfrcByteLog *self, TfrcTime at);

/* Whether a packet may have been added at `at`, within `tolerance`. */
bool tfrc_byte_log_covers (const TfrcByteLog *self, TfrcTime at,
    TfrcDuration tolerance);

/* X_recv, the receive rate, RFC 5348 section 6.2, and the largest recent one, from
 * which the first loss interval is computed (6.3.1). */

/* Totals when a report was made. */
typedef struct
{
  uint64_t bytes;
  uint64_t packets;
} TfrcReceived;

typedef struct
{
  TfrcRate rate;
  double size; /* mean size of the packets it was measured from [bytes] */
} TfrcLargestRate;

typedef struct
{
  TfrcByteLog log;
  uint32_t newest_size; /* of the newest packet [bytes] */
  bool reported;        /* a report was made before */
  /* Totals at the newest report and at the one before. */
  TfrcReceived reports[2];
  TfrcTime begin_at; /* start of the interval not yet measured */
  TfrcRate rate;     /* X_recv of the newest report; 0 in the first */
  /* Largest X_recv since the start, as in RFC 5348; default false. */
  bool keeps_maximum;
  /* Largest X_recv since R is known, in the current period of 1 s or 8 R and the
   * one before it, so that a burst which was held up and arrived all at once is
   * soon forgotten. */
  TfrcLargestRate largest;
  TfrcLargestRate newer; /* of the current period only */
  TfrcTime period_since;
} TfrcReceiveRate;

void tfrc_receive_rate_init (TfrcReceiveRate *self);

/* A packet of `size` bytes arrived; `rtt` is R, 0 while not known. */
void tfrc_receive_rate_on_packet (TfrcReceiveRate *self, uint32_t size,
    TfrcDuration rtt, TfrcTime now);

/* Measures X_recv for a report, for which at least one packet has arrived since the
 * last: over the last `rtt`, or since the last report if that is longer.  `rtt` is
 * R when the feedback timer was started (R_{m-1}), 0 while not known.  The first
 * report gets 0. */
TfrcRate tfrc_receive_rate_on_report (TfrcReceiveRate *self, TfrcDuration rtt,
    TfrcTime now);
