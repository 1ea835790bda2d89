/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pads at which packets come in to rtptfrcsend: a priority each, and an encoder
 * that it alone may set. */
#pragma once

#include <gst/gst.h>

#include "base/units.h"
#include "encoder/encoder.h"
#include "send/queue.h"

#define GST_TYPE_RTP_TFRC_SEND_PAD (gst_rtp_tfrc_send_pad_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpTfrcSendPad, gst_rtp_tfrc_send_pad, GST,
    RTP_TFRC_SEND_PAD, GstPad)

/* A sink pad: a priority, and what the element knows of it. */
struct _GstRtpTfrcSendPad
{
  GstPad parent;

  GstTfrcPriority priority; /* object lock */
  TfrcSendInput input;      /* as the queue */

  /* Object lock of the element; of one run. */
  gboolean started; /* an event came */
  gboolean eos;
  gboolean flushing;     /* from FLUSH_START to FLUSH_STOP */
  gconstpointer encoder; /* that this pad alone may set; NULL = none */
};

/* Which is not added yet; `src`: where its packets leave. */
GstPad *tfrc_send_pad_new (GstPadTemplate *template, const gchar *name,
    GstPad *src);

/* Those of the element; the caller frees the list and its references. */
GList *tfrc_send_pads_list (GstElement *element);

/* Of those that are requested, or in use, with the object lock of the element: how many
 * there are; whether all are at their end; whether some flush and no other sends, as pads
 * that have not begun, or are at their end, send nothing that a flush could take. */
guint tfrc_send_pads_count (GstElement *element);
gboolean tfrc_send_pads_are_at_eos (GstElement *element);
gboolean tfrc_send_pads_flush (GstElement *element);

/* One encoder may be upstream of several pads, and one that is named of none.  FALSE:
 * it is another's; `encoder` NULL: lets go of it.  `changed`: whose it is. */
gboolean tfrc_send_pad_claim_encoder (GstPad *sinkpad, GstElement *encoder,
    gboolean nearest, GstElement *owner, gboolean *changed);

/* Those of pads that are linked; the others have their caps in front of packets. */
void tfrc_send_pads_attach_encoders (GstElement *element);

/* They have a part each of the least, and of what the first of them would start
 * with. */
void tfrc_send_pads_configure_encoders (GstElement *element,
    const TfrcEncoderSettings *settings);

/* Of the thread that has shared the flow out.  TRUE: one follows. */
gboolean tfrc_send_pads_update_encoders (GstElement *element, TfrcTime now);
