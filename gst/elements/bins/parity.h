/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Computes lost packets from parity (SMPTE 2022-1, RFC 6015), as soon as all
 * others that the parity is of are there.
 *
 * Packets of a stream are kept from its first packet of parity on, until no parity
 * comes, or it is what takes most of the room, and the newest of all others, of which the first parity may be.  No clock,
 * no lock, no pads: the owner has those. */
#pragma once

#include <gst/gst.h>

#include "common/rtp.h"

/* Packets of streams without parity that are kept: the first parity may be of them.
 * At 5 %, the least that fec=-1 makes, it is of some 20. */
#define TFRC_FEC_MAX_RECENT 64

/* Its bytes alone: who gets the packet may write its timestamps without a copy. */
typedef struct
{
  GstMemory *memory; /* NULL = none */
  guint32 ssrc;
  guint16 seq;
} TfrcRecentPacket;

/* For others to read alone. */
typedef struct
{
  GPtrArray *streams;                           /* of Stream */
  GQueue recovered;                             /* of GstBuffer */
  TfrcRecentPacket recent[TFRC_FEC_MAX_RECENT]; /* a ring */
  guint next_recent;
  gsize bytes;         /* kept of all streams: 32 MB at most */
  guint64 n_all;       /* packets and parity of all streams */
  guint n_since;       /* packets of all streams since the last parity */
  guint64 n_received;  /* packets of parity */
  guint64 n_recovered; /* packets that were computed */
} TfrcFecDecoder;

/* No run: each has another. */
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
