/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shows rtpbin one address of the sender, wherever that moves.
 *
 * An rtpsession drops what comes under a known SSRC from another address: it
 * might be a loop or a collision.  rtptfrcreceive has looked closer, and when
 * it says that the sender is somewhere else now, behind another mapping of its
 * NAT for instance, the stream is to go on.  Packets from any other address
 * keep theirs, and are dropped as before. */
#pragma once

#include <gst/gst.h>

#include "receive/gstrtptfrcreceive.h"

G_BEGIN_DECLS

typedef struct _TfrcSteadyAddress TfrcSteadyAddress;

/* For the RTP that passes `sinkpad` of rtpbin, as long as this exists and
 * something streams; `receive`, in front of it, is not referenced. */
TfrcSteadyAddress *tfrc_steady_address_new (GstRtpTfrcReceive *receive,
    GstPad *sinkpad);
void tfrc_steady_address_free (TfrcSteadyAddress *self);

G_END_DECLS
