/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several receivers of the same packets that report arrivals, as clients do that share
 * a media of an RTSP server: each has the sender that it would have alone, and the one
 * that may have least rules.  Those that do not are here; a receiver that is silent for
 * as long as another may take its place (tfrc/sender-based.h) is gone.
 *
 * Who comes later begins at the rate that is sent, since the others have it already.
 * No lock, no clock. */
#pragma once

#include <gst/gst.h>

#include "checks/tfrc-sender.h"
#include "encoder/target.h"
#include "send/packet-feedback.h"

/* 2 MB each: the packets that were sent. */
#define TFRC_SHARERS_MAX 7

/* The way to one receiver. */
typedef struct
{
  TfrcCheckedSender *checked;
  TfrcEncoderRate *encoder_rate;
  TfrcPacketFeedback *packet_feedback;
} TfrcSharedWay;

typedef struct
{
  TfrcCheckedSender checked;
  TfrcEncoderRate encoder_rate;
  TfrcPacketFeedback packet_feedback;
  guint32 ssrc; /* the receiver's */
  TfrcTime since;
} TfrcSharer;

typedef struct
{
  TfrcSharer *sharers[TFRC_SHARERS_MAX];
  guint n;
} TfrcSharers;

/* There is none, as in zeroed memory. */
void tfrc_sharers_clear (TfrcSharers *self);

/* Packets leave, or left without being taken: see tfrc_packet_feedback. */
void tfrc_sharers_on_sent (TfrcSharers *self, const TfrcSentRtp *packet,
    TfrcTime now);
void tfrc_sharers_take_back (TfrcSharers *self, guint n);

/* A report of another receiver than that of `ruler`, which is copied for one that is
 * new; TFRC_FOREIGN: there are too many. */
TfrcResult tfrc_sharers_on_report (TfrcSharers *self,
    const TfrcSharedWay *ruler, TfrcPacketFeedbackReader *reader, TfrcTime now);

/* A report is to be read.  The receiver that takes less than the one of `ruler` takes its
 * place, or the one that takes least when that is silent, or gone: TRUE.  The other one
 * stays unless it is. */
gboolean tfrc_sharers_choose (TfrcSharers *self, const TfrcSharedWay *ruler,
    gboolean gone, TfrcTime now);

/* See tfrc_sender_based_poll_lost. */
gboolean tfrc_sharers_poll_lost (TfrcSharers *self, guint32 *ssrc);

/* TRUE: there was one of that SSRC. */
gboolean tfrc_sharers_on_bye (TfrcSharers *self, guint32 ssrc);
