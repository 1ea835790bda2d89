/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sink pad of rtptfrcsend: a priority, and what the element knows of it. */
#pragma once

#include <gst/gst.h>

#include "send/stream.h"

#define GST_TYPE_RTP_TFRC_SEND_PAD (gst_rtp_tfrc_send_pad_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpTfrcSendPad, gst_rtp_tfrc_send_pad, GST,
    RTP_TFRC_SEND_PAD, GstPad)

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
