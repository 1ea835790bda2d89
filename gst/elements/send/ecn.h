/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ECN at the sender: asks the core whether packets may leave as ECT, and
 * tells the element's property "ect" and the application (message tfrc-ecn)
 * when the answer is another one.  Marks no packet: the socket is elsewhere. */
#pragma once

#include <gst/gst.h>

#include "rtp/ecn.h"

typedef struct
{
  GstElement *owner; /* not referenced */
  GMutex lock;       /* of all below */
  TfrcEcnCheck check;
} TfrcSendEcn;

/* `owner` outlives this and has a property "ect". */
void tfrc_send_ecn_init (TfrcSendEcn *self, GstElement *owner);
void tfrc_send_ecn_clear (TfrcSendEcn *self);

/* A new flow, whose packets are to be that. */
void tfrc_send_ecn_start (TfrcSendEcn *self, TfrcEcnCodepoint ect);

/* As what they are to leave now. */
TfrcEcnCodepoint tfrc_send_ecn_get_ect (TfrcSendEcn *self);

/* None of the owner's locks may be held: these may notify and post.  `marked` and
 * `unmarked`: packets that the summaries tell of, where they left as ECT(1). */
void tfrc_send_ecn_on_output (TfrcSendEcn *self, gboolean sent, TfrcTime now);
void tfrc_send_ecn_on_report (TfrcSendEcn *self,
    const TfrcEcnSummary *summaries, guint n_summaries, gboolean feedback,
    guint *marked, guint *unmarked, TfrcTime now);

/* Sets the fields of ECN. */
void tfrc_send_ecn_set_stats (TfrcSendEcn *self, GstStructure *stats);
