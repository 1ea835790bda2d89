/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which protocol rtptfrcsend speaks: the one that is set, or with
 * GST_TFRC_MODE_AUTO the one that the first caps name.  Starts the parts that
 * depend on it.
 *
 * For the thread that starts the element, then the streaming thread of the sink
 * pad. */
#pragma once

#include <gst/gst.h>

#include "send/flow.h"
#include "send/ecn.h"
#include "send/intake.h"

G_BEGIN_DECLS

typedef struct
{
  TfrcFlow *flow; /* of the owner, as the next two */
  TfrcSendIntake *intake;
  TfrcSendEcn *ecn;
  TfrcFlowConfig config;
  gboolean choosing; /* by the first caps */
} TfrcSendMode;

/* READY to PAUSED: a new flow.  TFRC, where the mode is still to be chosen. */
void tfrc_send_mode_start (TfrcSendMode *self, const TfrcFlowConfig *config,
    guint mtu);

/* Caps came in.  TRUE: the flow began anew with TFMCC, and needs its settings
 * again. */
gboolean tfrc_send_mode_choose (TfrcSendMode *self, const GstCaps *caps);

G_END_DECLS
