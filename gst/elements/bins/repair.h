/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Repair at the receiving end: rtprtxreceive in rtpbin's aux slot and jitter
 * buffers that say what they miss; and bins/parity.h, wherever parity comes in.
 *
 * Where nothing says what types of packets are, those that are usual for RTX are held
 * back for a moment, until the stream has come which they repeat, or has not.
 *
 * What they miss goes to rtptfrcreceive and not to rtpsession, whose early
 * feedback may wait for seconds (RFC 4585 section 3.5.3). */
#pragma once

#include <gst/gst.h>

#include "bins/jitter-buffers.h"
#include "bins/parity.h"
#include "common/repair-types.h"
#include "receive/gstrtptfrcreceive.h"

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
