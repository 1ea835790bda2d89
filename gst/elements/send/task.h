/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The task of rtptfrcsend's source pad: takes turn after turn at the pacer,
 * and does in each what was due, packets first.  Pauses when the pad flushes or
 * its push fails. */
#pragma once

#include <gst/gst.h>

#include "encoder/encoder.h"
#include "send/ecn.h"
#include "send/intake.h"
#include "send/pacer.h"

G_BEGIN_DECLS

/* Filled in by the owner, which outlives the task. */
typedef struct
{
  GstElement *element; /* posts, and notifies of "bitrate" */
  GstPad *sinkpad;
  GstPad *srcpad;
  TfrcSendPacer *pacer;
  TfrcSendIntake *intake;
  TfrcSendEcn *ecn;
  TfrcEncoder *encoder;
} TfrcSendTask;

/* To be started from flushing, or after a push that found no peer. */
gboolean tfrc_send_task_start (TfrcSendTask *self);

G_END_DECLS
