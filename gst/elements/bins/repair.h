/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Repair at the receiving end: rtprtxreceive in rtpbin's aux slot and jitter
 * buffers that say what they miss; and packets that are computed from parity,
 * wherever parity comes in.
 *
 * Where nothing says what types of packets are, those that are usual for RTX are held
 * back for a moment, until the stream has come which they repeat, or has not.
 *
 * What they miss goes to rtptfrcreceive and not to rtpsession, whose early
 * feedback may wait for seconds (RFC 4585 section 3.5.3). */
#pragma once

#include <gst/gst.h>

#include "bins/jitter-buffers.h"
#include "common/repair-types.h"
#include "receive/gstrtptfrcreceive.h"
#include "common/rtp.h"

/* Computes lost packets from parity (SMPTE 2022-1, RFC 6015), as soon as all
 * others that the parity is of are there.
 *
 * Packets of a stream are kept from its first packet of parity on, until no parity
 * comes, or it is what takes most of the room, and the newest of all others, of which the first parity may be.  No clock,
 * no lock, no pads: the owner has those. */
typedef struct _TfrcFecDecoder TfrcFecDecoder;

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

/* What is kept of streams that have parity: 32 MB at most. */
gsize tfrc_fec_decoder_get_bytes (const TfrcFecDecoder *self);

/* Packets of parity that came, and packets that were computed from them. */
guint64 tfrc_fec_decoder_get_received (const TfrcFecDecoder *self);
guint64 tfrc_fec_decoder_get_recovered (const TfrcFecDecoder *self);

typedef struct _TfrcRepair TfrcRepair;

/* Before rtpbin has a pad.  `receive` is not referenced; `buffers` hear of all
 * that goes into one, and how late answers will be. */
TfrcRepair *tfrc_repair_new (GstElement *rtpbin, GstRtpTfrcReceive *receive,
    TfrcJitterBuffers *buffers);
void tfrc_repair_free (TfrcRepair *self);

/* While nothing streams.  Takes the RTX types that `caps` (NULL = none) name;
 * `described`: they are those of an SDP, which would name all that there are. */
void tfrc_repair_begin_run (TfrcRepair *self, GstTfrcRetransmission mode,
    const GstCaps *caps, gboolean described);

/* Packets of this type come in, as caps say that name none of RTX: where no
 * SDP did, or with GST_TFRC_RETRANSMISSION_ON, those that are usual for it are
 * expected, too. */
void tfrc_repair_expect (TfrcRepair *self, guint payload_type);

/* Forgets what was made of the packets of others than the sender. */
void tfrc_repair_forget_types (TfrcRepair *self);

/* The first packet of this type has come.  `one_csrc`: it names one stream. */
void tfrc_repair_on_payload_type (TfrcRepair *self, guint payload_type,
    gboolean one_csrc);

typedef enum
{
  TFRC_REPAIR_NONE,
  TFRC_REPAIR_RTX,
  /* Of another type that is usual for it, as caps do not say what they are, and the
   * first one is no packet of a stream. */
  TFRC_REPAIR_PARITY,
} TfrcRepairKind;

/* What packets of this type are, and of which other. */
TfrcRepairKind tfrc_repair_get_kind (TfrcRepair *self, guint payload_type,
    guint *original);

/* Adds the fields of the correction. */
void tfrc_repair_add_stats (TfrcRepair *self, GstStructure *stats);
