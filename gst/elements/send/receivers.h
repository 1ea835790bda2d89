/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several receivers of the same packets that send packet feedback, as the clients that
 * share a media of an RTSP server: each has the TFRC sender that it would have alone, and
 * the lowest rate applies to all.  The state of the slowest receiver, which has that rate,
 * is part of the flow; the others are kept here.  A receiver is removed when it has been
 * silent for so long that another one may replace it (tfrc/sender-based.h).
 *
 * A new receiver begins at the present rate, as the others receive that already.  No
 * lock, no clock. */
#pragma once

#include <gst/gst.h>

#include "checks/tfrc-sender.h"
#include "encoder/target.h"
#include "send/packet-feedback.h"

/* Each takes 2 MB for its log of sent packets. */
#define TFRC_SEND_RECEIVERS_MAX 7

/* One receiver: its state at the sender. */
typedef struct
{
  TfrcCheckedSender checked;
  TfrcEncoderRate encoder_rate;
  TfrcPacketFeedback packet_feedback;
  guint32 ssrc;   /* of the receiver; not set in the slowest */
  TfrcTime since; /* when it was added here */
} TfrcSendReceiver;

typedef struct
{
  TfrcSendReceiver *items[TFRC_SEND_RECEIVERS_MAX];
  guint n;
  guint32 last;     /* SSRC of the newest */
  guint32 next;     /* SSRC of the one whose turn is next; may be superseded */
  TfrcTime next_at; /* its newest report; long ago: there is none */
} TfrcSendReceivers;

/* Removes all; zeroed memory has none. */
void tfrc_send_receivers_clear (TfrcSendReceivers *self);

/* A packet is sent, or the newest `n` were not pushed: see send/packet-feedback.h.  `rtt`:
 * R of the slowest, which counts for a receiver without an RTT sample; 0 = none either. */
void tfrc_send_receivers_on_sent (TfrcSendReceivers *self,
    const TfrcSentRtp *packet, TfrcDuration rtt, TfrcTime now);
void tfrc_send_receivers_take_back (TfrcSendReceivers *self, guint n);

/* A report came from a receiver other than the slowest.  A new receiver starts with a copy
 * of the state of the slowest.  TFRC_FOREIGN: there are too many receivers. */
TfrcResult tfrc_send_receivers_on_report (TfrcSendReceivers *self,
    TfrcSendReceiver *slowest, TfrcPacketFeedbackReader *reader, TfrcTime now);

/* To be called before a report is read.  TRUE: another receiver is the slowest now, as its
 * rate is lower, or as the previous one is silent or has left (`gone`).  If that is not
 * gone, it is kept here. */
gboolean tfrc_send_receivers_choose (TfrcSendReceivers *self,
    TfrcSendReceiver **slowest, gboolean gone, TfrcTime now);

/* See tfrc_sender_based_poll_lost. */
gboolean tfrc_send_receivers_poll_lost (TfrcSendReceivers *self, guint32 *ssrc);

/* A BYE came.  TRUE: it was of a receiver kept here, which is removed. */
gboolean tfrc_send_receivers_on_bye (TfrcSendReceivers *self, guint32 ssrc);
