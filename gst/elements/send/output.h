/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The task of rtptfrcsend's source pad: waits at the pacer and does what is due,
 * with no lock held and packets first.  Pauses when the pad flushes or its push
 * fails. */
#pragma once

#include <gst/gst.h>

#include "encoder/encoder.h"
#include "send/ecn.h"
#include "send/pacer.h"

/* Filled in by the owner, which outlives the task. */
typedef struct
{
  GstElement *element; /* posts, and notifies of "bitrate"; has "stats" */
  GstPad *srcpad;
  TfrcSendPacer *pacer;
  TfrcSendEcn *ecn;
  TfrcEncoder *encoder;
} TfrcSendOutput;

/* To be started from flushing, or after a push that found no peer. */
gboolean tfrc_send_output_start (TfrcSendOutput *self);
