/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several receivers of the same packets that send packet feedback, as the clients that
 * share a media of an RTSP server: each has the TFRC sender that it would have alone, and
 * the lowest rate applies to all.  The receiver with that rate (the ruler) is part of the
 * flow, the others are kept here.  A receiver is removed when it has been silent for so
 * long that another one may replace it (tfrc/sender-based.h).
 *
 * A new receiver begins at the present rate, as the others receive that already.  No
 * lock, no clock. */
#pragma once

#include <gst/gst.h>

#include "checks/tfrc-sender.h"
#include "encoder/target.h"
#include "send/packet-feedback.h"

/* Each takes 2 MB for its log of sent packets. */
#define TFRC_SHARERS_MAX 7

/* One receiver; its state.  That of the ruler belongs to the flow. */
typedef struct
{
  TfrcCheckedSender checked;
  TfrcEncoderRate encoder_rate;
  TfrcPacketFeedback packet_feedback;
  guint32 ssrc; /* of the receiver */
  TfrcTime since;
} TfrcSharer;

typedef struct
{
  TfrcSharer *sharers[TFRC_SHARERS_MAX];
  guint n;
} TfrcSharers;

/* Removes all; zeroed memory has none. */
void tfrc_sharers_clear (TfrcSharers *self);

/* A packet is sent, or the newest `n` were not pushed: see send/packet-feedback.h. */
void tfrc_sharers_on_sent (TfrcSharers *self, const TfrcSentRtp *packet,
    TfrcTime now);
void tfrc_sharers_take_back (TfrcSharers *self, guint n);

/* A report came from a receiver other than the ruler.  A new receiver starts with a copy
 * of the ruler's state.  TFRC_FOREIGN: there are too many receivers. */
TfrcResult tfrc_sharers_on_report (TfrcSharers *self, TfrcSharer *ruler,
    TfrcPacketFeedbackReader *reader, TfrcTime now);

/* To be called before a report is read.  TRUE: the ruler was replaced, by a receiver of a
 * lower rate, or by the one of the lowest rate if the ruler is silent or has left
 * (`gone`).  A ruler that is not gone is kept here. */
gboolean tfrc_sharers_choose (TfrcSharers *self, TfrcSharer *ruler,
    gboolean gone, TfrcTime now);

/* See tfrc_sender_based_poll_lost. */
gboolean tfrc_sharers_poll_lost (TfrcSharers *self, guint32 *ssrc);

/* A BYE came.  TRUE: it was of a receiver kept here, which is removed. */
gboolean tfrc_sharers_on_bye (TfrcSharers *self, guint32 ssrc);
