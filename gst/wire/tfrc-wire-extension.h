/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rtt-sendts element of RTP header extensions: 7 bytes, big-endian.
 *
 *   0-2  sender's RTT, microseconds; 0 = unknown, 0xFFFFFF = that or more
 *   3-6  send timestamp, microseconds
 *
 * These functions see the element's data alone; the RFC 8285 header around it
 * is GstRTPBuffer's business. */
#pragma once

#include <stddef.h>

#include "tfrc/packet.h"

#define TFRC_WIRE_EXTENSION_URI "urn:ietf:params:rtp-hdrext:rtt-sendts"
#define TFRC_WIRE_EXTENSION_SIZE 7

void tfrc_wire_write_stamp (uint8_t data[TFRC_WIRE_EXTENSION_SIZE],
    const TfrcStamp *stamp);

/* False: another size, *stamp untouched. */
bool tfrc_wire_read_stamp (TfrcStamp *stamp, const uint8_t *data, size_t size);
