/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The SSRC and the sequence numbers of what repairs a stream (RTX, parity), also of
 * streams that made room for others: one that comes back goes on with its own, so
 * that receivers know it, and each number of an SSRC is for one packet (RFC 3711
 * section 9.1). */
#pragma once

#include <glib.h>

/* Remembered at a time; as many as the queue knows. */
#define TFRC_REPAIR_NUMBERS 1024

typedef struct
{
  guint32 ssrc; /* of the stream */
  guint32 repair_ssrc;
  guint16 seq; /* of the next packet of repair */
} TfrcRepairNumbers;

/* All zero: none. */
typedef struct
{
  TfrcRepairNumbers ring[TFRC_REPAIR_NUMBERS];
  guint n; /* that were kept in all */
} TfrcRepairMemory;

/* The stream makes room. */
void tfrc_repair_memory_keep (TfrcRepairMemory *self,
    const TfrcRepairNumbers *numbers);

/* A stream comes, or comes back. */
TfrcRepairNumbers tfrc_repair_memory_take (TfrcRepairMemory *self,
    guint32 ssrc);
