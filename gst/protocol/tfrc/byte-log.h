/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many bytes went by until when: the sender keeps one of what it sent, the
 * receiver one of what arrived.
 *
 * A ring of fixed size.  Packets closer together than the resolution share an
 * entry.  Where that does not reach back far enough, old entries are joined
 * (tfrc_byte_log_stretch). */
#pragma once

#include "base/units.h"

#ifndef TFRC_BYTE_LOG_LENGTH
#define TFRC_BYTE_LOG_LENGTH 4096
#endif
/* How far back a log reaches that is stretched, at any packet rate: as long as the
 * first nofeedback timer of RFC 5348 section 4.2. */
#define TFRC_BYTE_LOG_SPAN (2 * TFRC_SECOND)

typedef struct
{
  TfrcTime first_at; /* of the packets that share the entry */
  TfrcTime last_at;
  uint64_t bytes_before; /* of all earlier entries */
} TfrcByteLogEntry;

typedef struct
{
  TfrcByteLogEntry entries[TFRC_BYTE_LOG_LENGTH];
  uint32_t head; /* index of the newest entry */
  uint32_t length;
  uint64_t bytes; /* of all packets ever */
  uint64_t packets;
  TfrcTime joined_until; /* older entries may have been joined */
} TfrcByteLog;

void tfrc_byte_log_init (TfrcByteLog *self);

/* Adds a packet.  `now` not before the packet before; an earlier one is
 * taken as that. */
void tfrc_byte_log_add (TfrcByteLog *self, uint32_t size,
    TfrcDuration resolution, TfrcTime now);

/* If the ring is full and reaches back less than TFRC_BYTE_LOG_SPAN: joins entries
 * that are older than `exact`, as long as what comes of it is no wider than a
 * 128th of its age.  For each packet, before it is added; the ring is gone through
 * once for hundreds of them. */
void tfrc_byte_log_stretch (TfrcByteLog *self, TfrcDuration exact,
    TfrcTime now);

/* Bytes of the packets in (from, to]; O(log length).  What is older than the
 * ring does not count. */
uint64_t tfrc_byte_log_between (const TfrcByteLog *self, TfrcTime from,
    TfrcTime to);

/* When the first packet behind `at` was added, or TFRC_TIME_NONE. */
TfrcTime tfrc_byte_log_first_after (const TfrcByteLog *self, TfrcTime at);

/* Whether a packet may have been added at `at`, give or take `tolerance`. */
bool tfrc_byte_log_covers (const TfrcByteLog *self, TfrcTime at,
    TfrcDuration tolerance);

/* X_recv, the rate at which data arrives, RFC 5348 section 6.2, and the
 * largest one of late, from which the first loss interval follows (6.3.1). */

/* What had come when a report was made. */
typedef struct
{
  uint64_t bytes;
  uint64_t packets;
} TfrcReceived;

typedef struct
{
  TfrcRate rate;
  double size; /* mean of the packets in it [bytes] */
} TfrcLargestRate;

typedef struct
{
  TfrcByteLog log;
  uint32_t newest_size;    /* of the newest packet [bytes] */
  bool reported;           /* X_recv was asked for before */
  TfrcReceived reports[2]; /* the newest, and the one before */
  TfrcTime begin_at;       /* of the interval not yet measured */
  TfrcRate rate;           /* X_recv of the newest report; first 0 */
  bool keeps_maximum;      /* as RFC 5348 has it; default false */
  /* Since R is known, of this period of 1 s or 8 R and the one before: what was held
   * up for once, and came at a stroke, is soon forgotten. */
  TfrcLargestRate largest;
  TfrcLargestRate newer; /* of this one */
  TfrcTime period_since;
} TfrcReceiveRate;

void tfrc_receive_rate_init (TfrcReceiveRate *self);

/* A packet of `size` bytes; `rtt` is R, 0 while not known. */
void tfrc_receive_rate_on_packet (TfrcReceiveRate *self, uint32_t size,
    TfrcDuration rtt, TfrcTime now);

/* A report is due, and at least one packet came since the last: measures
 * X_recv over the last `rtt`, or since the interval began if that is longer,
 * and begins the next.  `rtt` is R as it was when the feedback timer was
 * started (R_{m-1}), 0 while not known.  The first report has 0. */
TfrcRate tfrc_receive_rate_on_report (TfrcReceiveRate *self, TfrcDuration rtt,
    TfrcTime now);
