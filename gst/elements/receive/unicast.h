/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiver of a TFRC flow, whose sender has no other: what arrives goes to
 * the core, the core's feedback waits here until it is sent.
 *
 * No clock, no locks: the owner has both.  Its log lines are the owner's. */
#pragma once

#include <gst/gst.h>

#include "guard/receiver.h"

typedef struct
{
  GstElement *owner; /* not referenced */
  TfrcGuardedReceiver guarded;
  TfrcReceiverCounters seen; /* of the receiver, when last logged */
  gboolean steady;           /* the timer, and no packet, made the last one */
  gboolean pending;          /* feedback waits for tfrc_unicast_receiver_poll */
  TfrcFeedback feedback;
  TfrcTime feedback_at;      /* when it was made */
  guint64 feedback_replaced; /* by a newer one before it was sent */
} TfrcUnicastReceiver;

/* `owner` outlives this. */
void tfrc_unicast_receiver_init (TfrcUnicastReceiver *self, GstElement *owner,
    const TfrcReceiverConfig *config, TfrcReceiverGuards guards);

/* Forgets the flow; the counters go on. */
void tfrc_unicast_receiver_forget (TfrcUnicastReceiver *self);

TfrcResult tfrc_unicast_receiver_on_packet (TfrcUnicastReceiver *self,
    const TfrcDataPacket *packet, TfrcTime now);
void tfrc_unicast_receiver_remove_stream (TfrcUnicastReceiver *self,
    guint32 ssrc, TfrcTime now);

/* At or before now: call tfrc_unicast_receiver_poll.  While packets keep coming
 * it is that of the next report already before the first of them, which then need
 * wake nobody. */
TfrcTime tfrc_unicast_receiver_next_deadline (const TfrcUnicastReceiver *self);

/* The feedback to send now. */
gboolean tfrc_unicast_receiver_poll (TfrcUnicastReceiver *self,
    TfrcFeedback *feedback, TfrcTime now);
