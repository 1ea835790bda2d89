/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many bytes went by until when: the sender keeps one of what it sent, the
 * receiver one of what arrived.
 *
 * A ring of fixed size.  Packets closer together than the resolution share an
 * entry.  Where that does not reach back far enough, old entries are joined
 * (tfrc_byte_log_stretch). */
#pragma once

#include "base/rate.h"
#include "base/time.h"

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
