/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sink pads of rtptfrcsend: each has a priority, the state of its stream, and the
 * encoder that it controls. */
#pragma once

#include <gst/gst.h>

#include "base/units.h"
#include "encoder/encoder.h"
#include "send/queue.h"

#define GST_TYPE_RTP_TFRC_SEND_PAD (gst_rtp_tfrc_send_pad_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpTfrcSendPad, gst_rtp_tfrc_send_pad, GST,
    RTP_TFRC_SEND_PAD, GstPad)

/* A sink pad, with its priority and its state in the element. */
struct _GstRtpTfrcSendPad
{
  GstPad parent;

  GstTfrcPriority priority; /* object lock */
  TfrcSendInput input;      /* locked as the queue is */

  /* Guarded by the element's object lock; reset for each run. */
  gboolean started; /* an event came */
  gboolean eos;
  gboolean flushing; /* from FLUSH_START to FLUSH_STOP */
  /* the encoder that this pad controls, and no other; not referenced; NULL = none */
  gconstpointer encoder;
};

/* Makes a pad that has not been added yet; its packets are pushed from `src`. */
GstPad *tfrc_send_pad_new (GstPadTemplate *template, const gchar *name,
    GstPad *src);

/* The caller frees the list and unrefs the pads. */
GList *tfrc_send_pads_list (GstElement *element);

/* Of the pads that are requested or in use, with the element's object lock held: how many
 * there are; whether all are at EOS; whether some flush and no others send.  Pads that
 * have not started, or are at EOS, have nothing to flush. */
guint tfrc_send_pads_count (GstElement *element);
gboolean tfrc_send_pads_are_at_eos (GstElement *element);
gboolean tfrc_send_pads_are_flushing (GstElement *element);

/* Makes `encoder` (NULL = none) the one of this pad, or refuses (FALSE).  An encoder may
 * be upstream of several pads, but belongs to one; one set by the property `encoder` may
 * be upstream of none (`nearest` FALSE).  `changed`: the pad's encoder is another now. */
gboolean tfrc_send_pad_claim_encoder (GstPad *sinkpad, GstElement *encoder,
    gboolean nearest, GstElement *owner, gboolean *changed);

/* Calls tfrc_encoder_prepare, or tfrc_encoder_attach, for each linked pad; the other pads
 * will get caps before packets. */
void tfrc_send_pads_foreach_linked (GstElement *element,
    void (*call) (TfrcEncoder *encoder, GstPad *pad));

/* Gives each encoder its part, by weight, of min-bitrate and start-bitrate. */
void tfrc_send_pads_configure_encoders (GstElement *element,
    const TfrcEncoderSettings *settings);

/* Called by the thread that has set `flow` of each input. */
void tfrc_send_pads_update_encoders (GstElement *element, TfrcTime now);
