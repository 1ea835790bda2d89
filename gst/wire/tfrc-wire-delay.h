/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One-way delays behind a feedback packet: RTCP APP, name "TFRC", subtype 0 or 1,
 * 28 bytes (see docs).  Who does not know it goes over it (RFC 3550 section 6.7). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tfrc/packet.h"

#define TFRC_WIRE_DELAY_SIZE 28

void tfrc_wire_write_delay (uint8_t data[TFRC_WIRE_DELAY_SIZE],
    const TfrcDelayReport *delay, uint32_t sender_ssrc);

typedef enum
{
  TFRC_WIRE_NO_DELAY,
  TFRC_WIRE_DELAY,
  TFRC_WIRE_BAD_DELAY, /* of another length */
} TfrcWireDelayKind;

/* Of an RTCP packet that tfrc_wire_read_rtcp found.  Sets *delay and
 * *sender_ssrc for TFRC_WIRE_DELAY. */
TfrcWireDelayKind tfrc_wire_read_delay (const uint8_t *data, size_t packet_size,
    TfrcDelayReport *delay, uint32_t *sender_ssrc);
