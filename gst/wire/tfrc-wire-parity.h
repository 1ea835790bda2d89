/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The FEC header at the start of the payload of a parity packet, SMPTE 2022-1 and
 * RFC 6015 section 4.3.  Sizes in bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TFRC_WIRE_PARITY_SIZE 16

/* Protects the `count` packets with the sequence numbers first, first + stride, ...
 * The fields from `length` on are the XOR of theirs.  The XOR of their marker bits
 * is the marker bit of the parity packet. */
typedef struct
{
  uint16_t first;  /* sequence number */
  uint8_t stride;  /* > 0 */
  uint8_t count;   /* > 0 */
  uint16_t length; /* XOR of the payload sizes */
  uint8_t payload_type;
  uint32_t timestamp;
} TfrcWireParity;

/* Writes TFRC_WIRE_PARITY_SIZE bytes. */
void tfrc_wire_write_parity (uint8_t *data, const TfrcWireParity *parity);

/* Returns false, and leaves *parity untouched, if this is no FEC header of this
 * form. */
bool tfrc_wire_read_parity (const uint8_t *data, size_t size,
    TfrcWireParity *parity);
