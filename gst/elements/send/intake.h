/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What comes into the sender: tells streams and frames apart, says which
 * packets begin a key frame, makes room for the stamp, and hands packets to
 * the pacer and their sizes to the encoder control.
 *
 * For the streaming thread of the sink pad. */
#pragma once

#include <gst/rtp/rtp.h>

#include "encoder/encoder.h"
#include "send/pacer.h"
#include "send/stamper.h"

typedef struct
{
  GstPad *sinkpad;
  TfrcSendPacer *pacer;
  TfrcEncoder *encoder;
  TfrcStamper stamper;
  GstCaps *caps;             /* newest; NULL = none yet */
  guint mtu;                 /* [bytes] */
  GMutex lock;               /* of the counters */
  guint64 packets_invalid;   /* no RTP: dropped */
  guint64 packets_unstamped; /* no place for the stamp: passed */
  guint64 packets_oversize;  /* above the MTU: passed */
} TfrcSendIntake;

/* Keeps the pointers and takes no reference. */
void tfrc_send_intake_init (TfrcSendIntake *self, GstPad *sinkpad,
    TfrcSendPacer *pacer, TfrcEncoder *encoder);
void tfrc_send_intake_clear (TfrcSendIntake *self);

/* Forgets caps, id and counters. */
void tfrc_send_intake_start (TfrcSendIntake *self, GstTfrcMode mode,
    gboolean stamps, guint mtu);

/* Sets payloaders upstream to fit.  Caps do that too, but come with the first
 * packets, which are made by then. */
void tfrc_send_intake_limit_mtu (TfrcSendIntake *self);

/* Takes caps of the sink pad and returns those of the source pad. */
GstCaps *tfrc_send_intake_set_caps (TfrcSendIntake *self, GstCaps *caps,
    guint extension_id);

/* Take the buffer, or the list. */
GstFlowReturn tfrc_send_intake_push (TfrcSendIntake *self, GstBuffer *buffer);
GstFlowReturn tfrc_send_intake_push_list (TfrcSendIntake *self,
    GstBufferList *list);

/* That of a pad upstream has changed; from any thread. */
void tfrc_send_intake_update_priorities (TfrcSendIntake *self);

/* Sets the fields of the counters; from any thread. */
void tfrc_send_intake_set_stats (TfrcSendIntake *self, GstStructure *stats);
