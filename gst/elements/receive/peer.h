/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiver of a TFRC flow, whose sender has no other: what arrives goes to
 * the core, the core's feedback waits here until it is sent.
 *
 * No clock, no locks: the owner has both.  Its log lines are the owner's. */
#pragma once

#include <gst/gst.h>

#include "tfrc/receiver.h"

G_BEGIN_DECLS

typedef struct
{
  GstElement *owner; /* not referenced */
  TfrcReceiver receiver;
  TfrcReceiverCounters seen; /* of the receiver, when last looked */
  gboolean pending;          /* feedback waits for tfrc_peer_poll */
  TfrcFeedback feedback;
  TfrcTime feedback_at;      /* when it was made */
  guint64 feedback_replaced; /* by a newer one before it was sent */
} TfrcPeer;

/* `owner` outlives this. */
void tfrc_peer_init (TfrcPeer *self, GstElement *owner,
    const TfrcReceiverConfig *config);

/* Forgets the flow; the counters go on. */
void tfrc_peer_forget (TfrcPeer *self);

TfrcResult tfrc_peer_on_packet (TfrcPeer *self, const TfrcDataPacket *packet,
    TfrcTime now);
gboolean tfrc_peer_trusts (const TfrcPeer *self, guint32 ssrc, TfrcTime now);
void tfrc_peer_remove_stream (TfrcPeer *self, guint32 ssrc, TfrcTime now);

/* At or before now: call tfrc_peer_poll. */
TfrcTime tfrc_peer_next_deadline (const TfrcPeer *self);

/* The feedback to send now. */
gboolean tfrc_peer_poll (TfrcPeer *self, TfrcFeedback *feedback, TfrcTime now);

G_END_DECLS
