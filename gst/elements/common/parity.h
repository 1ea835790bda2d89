/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parity of packets (SMPTE 2022-1, RFC 6015), which both ends compute.
 *
 * A packet of parity names the stream that it protects in its list of CSRCs, as
 * RFC 8627 has it; a header extension that it has is its own.  Protected are
 * timestamps, markers, payload types and payloads, but no CSRCs, header
 * extensions and padding. */
#pragma once

#include <gst/rtp/rtp.h>

#include "tfrc-wire-parity.h"

/* CSRC and header of parity: what such a packet is longer by than the longest
 * that it protects. */
#define TFRC_FEC_HEADER_SIZE (4 + TFRC_WIRE_PARITY_SIZE)

/* The parity of some packets, or (count 0) of none.  Zero to begin with. */
typedef struct
{
  TfrcWireParity header; /* without `stride` */
  gboolean marker;
  guint8 *payload;
  guint size; /* of that [bytes]: the longest of the packets has it */
} TfrcParity;

/* One more packet.  Adding one a second time takes it out again, but for its
 * number. */
void tfrc_parity_add (TfrcParity *self, GstRTPBuffer *rtp);

/* Of none again. */
void tfrc_parity_clear (TfrcParity *self);
