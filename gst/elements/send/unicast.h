/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A flow to one receiver: TFRC's sender, and the rate that an encoder may
 * follow.  No lock.  Rates are bytes/s. */
#pragma once

#include "tfrc/sender.h"
#include "encoder/rate.h"
#include "common/stamp-bytes.h"

G_BEGIN_DECLS

typedef struct
{
  TfrcSender sender;
  TfrcEncoderRate encoder_rate;
} TfrcUnicast;

void tfrc_unicast_init (TfrcUnicast *self, const TfrcSenderConfig *config);

/* A packet of `size` bytes leaves.  `backlog`: more is waiting. */
void tfrc_unicast_charge (TfrcUnicast *self, guint size, gboolean backlog,
    TfrcStampBytes *stamp, TfrcTime now);

TfrcResult tfrc_unicast_on_feedback (TfrcUnicast *self,
    const TfrcFeedback *feedback, TfrcTime now);

/* Does nothing before the nofeedback timer. */
void tfrc_unicast_on_deadline (TfrcUnicast *self, TfrcTime now);

/* The receiver reports: neither is the first report out nor has the nofeedback
 * timer expired since the newest. */
gboolean tfrc_unicast_is_heard (const TfrcUnicast *self);

/* The rate that an encoder may follow; 0: no report yet. */
TfrcRate tfrc_unicast_get_encoder_rate (TfrcUnicast *self, TfrcTime now);

G_END_DECLS
