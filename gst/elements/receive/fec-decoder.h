/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Computes lost packets from parity (SMPTE 2022-1, RFC 6015), as soon as all
 * others that the parity is of are there.
 *
 * Packets of a stream are kept from its first packet of parity on, until no parity
 * comes, or it is what takes most of the room, and the newest of all others, of which the first parity may be.  No clock,
 * no lock, no pads: the owner has those. */
#pragma once

#include <gst/gst.h>

#include "common/rtp-header.h"

typedef struct _TfrcFecDecoder TfrcFecDecoder;

TfrcFecDecoder *tfrc_fec_decoder_new (void);
void tfrc_fec_decoder_free (TfrcFecDecoder *self);

/* A packet of a stream came, or has been computed by somebody else. */
void tfrc_fec_decoder_on_packet (TfrcFecDecoder *self, GstBuffer *packet,
    const TfrcRtpHeader *header);

/* A packet of parity came. */
void tfrc_fec_decoder_on_parity (TfrcFecDecoder *self, GstBuffer *packet);

/* Whether parity comes: some was among the last 1024 packets of all streams. */
gboolean tfrc_fec_decoder_is_active (const TfrcFecDecoder *self);

/* The next packet that was computed, with the time of the newest that came; NULL:
 * none.  (Flagged as a retransmission a jitter buffer would drop it, which has not
 * asked for any.) */
GstBuffer *tfrc_fec_decoder_poll (TfrcFecDecoder *self);

/* What is kept of streams that have parity: 32 MB at most. */
gsize tfrc_fec_decoder_get_bytes (const TfrcFecDecoder *self);

/* Packets of parity that came, and packets that were computed from them. */
guint64 tfrc_fec_decoder_get_received (const TfrcFecDecoder *self);
guint64 tfrc_fec_decoder_get_recovered (const TfrcFecDecoder *self);
