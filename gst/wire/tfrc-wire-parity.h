/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The header in the payload of a packet of forward error correction: the parity
 * of some others, as SMPTE 2022-1 and RFC 6015 section 4.3 have it.  Sizes in
 * bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TFRC_WIRE_PARITY_SIZE 16

/* Of the packets first, first + stride, ..., `count` of them; the fields below
 * are the XOR of theirs.  That of their markers is the marker of the packet. */
typedef struct
{
  uint16_t first;  /* sequence number */
  uint8_t stride;  /* > 0 */
  uint8_t count;   /* > 0 */
  uint16_t length; /* of the payloads */
  uint8_t payload_type;
  uint32_t timestamp;
} TfrcWireParity;

/* Writes TFRC_WIRE_PARITY_SIZE bytes. */
void tfrc_wire_write_parity (uint8_t *data, const TfrcWireParity *parity);

/* False: it is none, or of another form; nothing is set. */
bool tfrc_wire_read_parity (const uint8_t *data, size_t size,
    TfrcWireParity *parity);
