/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forward error correction as both ends see it: payload types and caps, and the
 * parity of packets (SMPTE 2022-1, RFC 6015).
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

/* The payload type of the parity of packets of `payload_type`: 96 to 111 have 63
 * to 48, so that who was told nothing knows it too.  0: others have none. */
guint tfrc_fec_get_payload_type (guint payload_type);

/* The payload type whose parity has this type; 0: none's. */
guint tfrc_fec_get_original_type (guint payload_type);

/* Whether caps are those of parity. */
gboolean tfrc_fec_is_caps (const GstStructure *caps);

/* Of the parity of a stream with these caps. */
GstCaps *tfrc_fec_make_caps (const GstCaps *original, guint payload_type);

/* One more packet.  Adding one a second time takes it out again, but for its
 * number. */
void tfrc_parity_add (TfrcParity *self, GstRTPBuffer *rtp);

/* Of none again. */
void tfrc_parity_clear (TfrcParity *self);
