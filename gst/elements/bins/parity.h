/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recovers lost packets from parity (SMPTE 2022-1, RFC 6015), as soon as all other
 * packets that the parity covers have been received.
 *
 * The packets of a stream are kept from its first parity packet on, until its parity
 * stops, or memory runs short and the stream takes most of it.  Of the streams without
 * parity the newest packets are kept, as their first parity may cover them.  No clock,
 * locks or pads: the owner has those. */
#pragma once

#include <gst/gst.h>

#include "common/rtp.h"

/* Packets kept of streams without parity so far.  At 5 %, the least that fec=-1 uses, a
 * parity packet covers about 20. */
#define TFRC_FEC_MAX_RECENT 64

/* Only the memory is kept, so that the buffer stays writable downstream. */
typedef struct
{
  GstMemory *memory; /* NULL = none */
  guint32 ssrc;
  guint16 seq;
} TfrcRecentPacket;

/* Read-only for its users. */
typedef struct
{
  GPtrArray *streams;                           /* of Stream */
  GQueue recovered;                             /* of GstBuffer */
  TfrcRecentPacket recent[TFRC_FEC_MAX_RECENT]; /* a ring */
  guint next_recent;
  gsize bytes;         /* kept of all streams, 32 MB at most */
  guint64 n_all;       /* packets and parity packets of all streams */
  guint n_since;       /* packets of all streams since the last parity */
  guint64 n_received;  /* parity packets */
  guint64 n_recovered; /* packets recovered from parity */
} TfrcFecDecoder;

/* No run: each one needs a new decoder. */
TfrcFecDecoder *tfrc_fec_decoder_new (void);
void tfrc_fec_decoder_free (TfrcFecDecoder *self);

/* A media packet was received, or recovered by retransmission.  References it. */
void tfrc_fec_decoder_on_packet (TfrcFecDecoder *self, GstBuffer *packet,
    const TfrcRtpHeader *header);

/* A parity packet was received.  References it; ignores an invalid one. */
void tfrc_fec_decoder_on_parity (TfrcFecDecoder *self, GstBuffer *packet);

/* Whether there was parity among the last 1024 packets of all streams. */
gboolean tfrc_fec_decoder_is_active (const TfrcFecDecoder *self);

/* The next recovered packet, which the caller owns, with the PTS and DTS of the packet
 * that completed it; NULL: none.  It is not flagged as a retransmission, which a jitter
 * buffer drops without a request. */
GstBuffer *tfrc_fec_decoder_poll (TfrcFecDecoder *self);
