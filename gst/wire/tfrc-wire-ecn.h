/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTCP XR with ECN Summary Reports, RFC 3611 section 3 and RFC 6679 section
 * 5.2.  Sizes in bytes. */
#pragma once

#include "rtp/ecn.h"

#define TFRC_WIRE_XR_HEADER_SIZE 8
#define TFRC_WIRE_ECN_BLOCK_SIZE 24
#define TFRC_WIRE_ECN_MAX \
  (TFRC_WIRE_XR_HEADER_SIZE + TFRC_ECN_MAX_STREAMS * TFRC_WIRE_ECN_BLOCK_SIZE)

/* Writes TFRC_WIRE_XR_HEADER_SIZE + n TFRC_WIRE_ECN_BLOCK_SIZE bytes, and
 * returns how many that is; 0 without summaries. */
size_t tfrc_wire_write_ecn (uint8_t data[TFRC_WIRE_ECN_MAX],
    const TfrcEcnSummary *summaries, size_t n, uint32_t sender_ssrc);

/* Of an RTCP packet that tfrc_wire_read_rtcp found: the number of summaries,
 * 0 when it is no XR or has none.  Goes over other blocks, and ends at one
 * whose length cannot be.  `alone`: there was nothing else in it. */
size_t tfrc_wire_read_ecn (const uint8_t *data, size_t packet_size,
    TfrcEcnSummary summaries[TFRC_ECN_MAX_STREAMS], bool *alone);
