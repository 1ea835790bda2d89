/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What comes into the receiver: tells RTP from RTCP, asks the application about
 * payload types that were not seen before, hands everything to the meter and
 * pushes what may go on.
 *
 * For the streaming thread of the sink pad.  The lock is the owner's and guards
 * the meter and the reporter. */
#pragma once

#include <gst/gst.h>

#include "receive/meter.h"
#include "receive/reporter.h"

G_BEGIN_DECLS

typedef struct
{
  GstElement *owner;
  GstPad *srcpad;
  GMutex *lock;
  TfrcMeter *meter;
  TfrcReporter *reporter;
  guint request_pt_map; /* signal of the owner */
} TfrcReceiveIntake;

/* Take the buffer, or the list, that arrived `now`; with no lock held. */
GstFlowReturn tfrc_receive_intake_push (const TfrcReceiveIntake *self,
    GstBuffer *buffer, TfrcTime now);
GstFlowReturn tfrc_receive_intake_push_list (const TfrcReceiveIntake *self,
    GstBufferList *list, TfrcTime now);

G_END_DECLS
