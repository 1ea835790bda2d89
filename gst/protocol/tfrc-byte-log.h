/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many bytes went by until when: the sender keeps one of what it sent, the
 * receiver one of what arrived.
 *
 * A ring of fixed size.  Packets closer together than the resolution share an
 * entry, so that the ring reaches back far enough at any packet rate. */
#pragma once

#include "tfrc-time.h"

#ifndef TFRC_BYTE_LOG_LENGTH
#define TFRC_BYTE_LOG_LENGTH 4096
#endif

typedef struct
{
  TfrcTime first_at;            /* of the packets that share the entry */
  TfrcTime last_at;
  uint64_t bytes_before;        /* of all earlier entries */
} TfrcByteLogEntry;

typedef struct
{
  TfrcByteLogEntry entries[TFRC_BYTE_LOG_LENGTH];
  uint32_t head;                /* index of the newest entry */
  uint32_t length;
  uint64_t bytes;               /* of all packets ever */
  uint64_t packets;
} TfrcByteLog;

void tfrc_byte_log_init (TfrcByteLog * self);

/* Adds a packet.  `now` not before the packet before; an earlier one is
 * taken as that. */
void tfrc_byte_log_add (TfrcByteLog * self, uint32_t size,
    TfrcDuration resolution, TfrcTime now);

/* Bytes of the packets in (from, to]; O(log length).  What is older than the
 * ring does not count. */
uint64_t tfrc_byte_log_between (const TfrcByteLog * self, TfrcTime from,
    TfrcTime to);

/* Whether a packet may have been added at `at`, give or take `tolerance`. */
bool tfrc_byte_log_covers (const TfrcByteLog * self, TfrcTime at,
    TfrcDuration tolerance);
