/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTCP that comes into the sender: takes out what is for it, hands that to the
 * pacer, and passes the rest on.
 *
 * For the streaming thread of rtcp_sink. */
#pragma once

#include <gst/gst.h>

#include "send/ecn.h"
#include "send/pacer.h"

typedef struct
{
  GstPad *srcpad; /* rtcp_src */
  TfrcSendPacer *pacer;
  TfrcSendEcn *ecn;
  gboolean warned; /* of malformed RTCP */
} TfrcSendRtcp;

/* Keeps the pointers and takes no reference. */
void tfrc_send_rtcp_init (TfrcSendRtcp *self, GstPad *srcpad,
    TfrcSendPacer *pacer, TfrcSendEcn *ecn);

/* Takes the buffer. */
GstFlowReturn tfrc_send_rtcp_push (TfrcSendRtcp *self, GstBuffer *buffer);
