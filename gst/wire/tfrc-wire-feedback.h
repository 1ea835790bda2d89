/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The feedback packet: RTCP PT 205 (RTPFB), FMT 2, 28 bytes (see docs). */
#pragma once

#include <stddef.h>

#include "tfrc/packet.h"

#define TFRC_WIRE_FEEDBACK_SIZE 28

/* Writes one RTCP packet, without the delay; out-of-range values saturate, a p above 0 never
 * becomes 0. */
void tfrc_wire_write_feedback (uint8_t data[TFRC_WIRE_FEEDBACK_SIZE],
    const TfrcFeedback *feedback, uint32_t sender_ssrc);

typedef enum
{
  TFRC_WIRE_FOREIGN,      /* a well-formed RTCP packet of another kind */
  TFRC_WIRE_FEEDBACK,     /* ours, and well-formed */
  TFRC_WIRE_BAD_FEEDBACK, /* PT 205, FMT 2, but of another length */
  TFRC_WIRE_MALFORMED,    /* no RTCP packet: version, length, padding */
} TfrcWireKind;

/* Looks at the RTCP packet that starts at `data`, at most `size` bytes.
 * Sets *packet_size to its length (0 for TFRC_WIRE_MALFORMED), and *feedback
 * and *sender_ssrc for TFRC_WIRE_FEEDBACK. */
TfrcWireKind tfrc_wire_read_rtcp (const uint8_t *data, size_t size,
    size_t *packet_size, TfrcFeedback *feedback, uint32_t *sender_ssrc);
