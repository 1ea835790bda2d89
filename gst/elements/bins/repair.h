/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packet repair at the receiver: retransmission, with rtprtxreceive as rtpbin's
 * auxiliary receiver and requests from the jitter buffers, and parity (bins/parity.h).
 *
 * If neither SDP nor caps define a payload type that this plugin uses for RTX, its
 * packets are held back shortly, until the stream that they would repeat has appeared,
 * or not.
 *
 * Requests go to rtptfrcreceive, not to rtpsession, whose early feedback may wait for
 * seconds (RFC 4585 section 3.5.3). */
#pragma once

#include <gst/gst.h>

#include "bins/jitter-buffers.h"
#include "bins/parity.h"
#include "common/repair-types.h"
#include "receive/gstrtptfrcreceive.h"

typedef struct _TfrcRepair TfrcRepair;

/* Call before rtpbin has a pad.  `receive` and `buffers` are not referenced; `buffers`
 * are informed of packets that enter a jitter buffer, and of requests. */
TfrcRepair *tfrc_repair_new (GstElement *rtpbin, GstRtpTfrcReceive *receive,
    TfrcJitterBuffers *buffers);
void tfrc_repair_free (TfrcRepair *self);

/* While nothing streams.  Uses the RTX and parity types in `caps` (NULL = none);
 * `described`: the caps are from an SDP, which lists all types that are used. */
void tfrc_repair_begin_run (TfrcRepair *self, GstTfrcRetransmission mode,
    const GstCaps *caps, gboolean described);

/* Packets of this type are received.  If no SDP lists the types, or in any case with
 * GST_TFRC_RETRANSMISSION_ON, also expects RTX of them with tfrcsink's type. */
void tfrc_repair_expect (TfrcRepair *self, guint payload_type);

/* Forgets the types derived from packets, as some may have been from another sender. */
void tfrc_repair_forget_types (TfrcRepair *self);

/* The first packet of this type was received.  `one_csrc`: it has one, like parity. */
void tfrc_repair_on_payload_type (TfrcRepair *self, guint payload_type,
    gboolean one_csrc);

typedef enum
{
  TFRC_REPAIR_NONE,
  TFRC_REPAIR_RTX,
  /* The type is the usual one of parity, not defined by caps, and its first packet did
   * not look like one of a stream. */
  TFRC_REPAIR_PARITY,
} TfrcRepairKind;

/* The kind of the packets of this type; sets *original to the type that they repair. */
TfrcRepairKind tfrc_repair_get_kind (TfrcRepair *self, guint payload_type,
    guint *original);

/* Adds fec-received and fec-recovered (guint64, packets). */
void tfrc_repair_add_stats (TfrcRepair *self, GstStructure *stats);
