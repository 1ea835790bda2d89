/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What comes into the sender: tells streams and frames apart, says which
 * packets begin a key frame, makes room for the stamp, and hands packets to
 * the pacer and their sizes to the encoder control.
 *
 * For the streaming threads of the sink pads: one after the other. */
#pragma once

#include <gst/rtp/rtp.h>

#include "encoder/encoder.h"
#include "send/pacer.h"
#include "send/stamper.h"

typedef struct
{
  GstElement *element; /* posts */
  TfrcSendPacer *pacer;

  GMutex lock; /* guards all below, and the pacer's streams: send/pacer.h */
  TfrcStamper stamper;
  GstCaps *caps;             /* newest, of all streams; NULL = none yet */
  guint mtu;                 /* [bytes] */
  guint64 packets_invalid;   /* no RTP: dropped */
  guint64 packets_unstamped; /* no place for the stamp: passed */
  guint64 packets_oversize;  /* above the MTU: passed */
} TfrcSendIntake;

/* Keeps the pointers and takes no reference. */
void tfrc_send_intake_init (TfrcSendIntake *self, GstElement *element,
    TfrcSendPacer *pacer);
void tfrc_send_intake_clear (TfrcSendIntake *self);

/* Forgets caps, id and counters. */
void tfrc_send_intake_start (TfrcSendIntake *self, GstTfrcMode mode,
    gboolean stamps, guint mtu);

/* Sets payloaders upstream of a pad to fit.  Caps do that too, but come with the
 * first packets, which are made by then. */
void tfrc_send_intake_limit_mtu (TfrcSendIntake *self, GstPad *pad);

/* Caps of a sink pad; sends those of the source pad.  `shared`: others have streams,
 * too; then these caps name the header extensions alone. */
GstFlowReturn tfrc_send_intake_set_caps (TfrcSendIntake *self,
    TfrcSendInput *input, const GstCaps *caps, gboolean shared,
    guint extension_id);

/* Take the buffer, or the list. */
GstFlowReturn tfrc_send_intake_push (TfrcSendIntake *self, TfrcSendInput *input,
    GstBuffer *buffer);
GstFlowReturn tfrc_send_intake_push_list (TfrcSendIntake *self,
    TfrcSendInput *input, GstBufferList *list);

/* Sets the fields of the counters; from any thread. */
void tfrc_send_intake_set_stats (TfrcSendIntake *self, GstStructure *stats);
