/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Generic negative acknowledgements: RTCP RTPFB, FMT 1, RFC 4585 section 6.2.1.
 * Sizes in bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TFRC_WIRE_NACK_HEADER_SIZE 12
#define TFRC_WIRE_NACK_ENTRY_SIZE 4
#define TFRC_WIRE_NACK_SPAN 17 /* sequence numbers that an entry can name */

/* What n sequence numbers need at most. */
#define TFRC_WIRE_NACK_SIZE(n) \
  (TFRC_WIRE_NACK_HEADER_SIZE + TFRC_WIRE_NACK_ENTRY_SIZE * (n))

/* A missing packet, and of the 16 behind it those whose bit is set: bit i is
 * seq + 1 + i. */
typedef struct
{
  uint16_t seq;
  uint16_t following;
} TfrcNackEntry;

/* Of an RTCP packet that tfrc_wire_read_rtcp found.  False: no NACK, or one
 * without an entry; nothing is set.  *n_entries: how many it has. */
bool tfrc_wire_read_nack (const uint8_t *data, size_t packet_size,
    uint32_t *media_ssrc, size_t *n_entries);

/* Entry `n` of a NACK, below its number of entries. */
TfrcNackEntry tfrc_wire_read_nack_entry (const uint8_t *data, size_t n);

/* Names `n` > 0 sequence numbers in the fewest entries that their order, from
 * old to new, allows.  There is room for TFRC_WIRE_NACK_SIZE (n).  Returns the
 * bytes written. */
size_t tfrc_wire_write_nack (uint8_t *data, uint32_t sender_ssrc,
    uint32_t media_ssrc, const uint16_t *seqs, size_t n);
