/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tfmcc element of RTP header extensions: 8 bytes, or 16 when a report is
 * echoed; big-endian.
 *
 *    0-1  C E S F, then X_supp in 12 bits: C the echoed receiver is the CLR, E
 *         bytes 8 to 15 are there, S slow start, F limited by the application
 *    2    R_max
 *    3    feedback round
 *    4-7  send timestamp, microseconds
 *    8-11 SSRC of the receiver that is echoed
 *   12-15 its report's timestamp plus the time that we held it, microseconds
 */
#pragma once

#include <stddef.h>

#include "tfmcc/packet.h"

#define TFMCC_WIRE_EXTENSION_URI "urn:x-gst:rtp-hdrext:tfmcc:1"
#define TFMCC_WIRE_EXTENSION_SIZE 8
#define TFMCC_WIRE_EXTENSION_MAX 16

/* Returns the bytes written. */
size_t tfmcc_wire_write_stamp (uint8_t data[TFMCC_WIRE_EXTENSION_MAX],
    const TfmccStamp *stamp);

/* False: its size is not what its flags say, *stamp untouched. */
bool tfmcc_wire_read_stamp (TfmccStamp *stamp, const uint8_t *data,
    size_t size);
