/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The video in a flow at its receiver: which payload types are video, and the
 * key frames to ask their senders for, receive/key-requests.h.
 *
 * No clock, no locks: the owner has both. */
#pragma once

#include <gst/rtp/rtp.h>

#include "receive/key-requests.h"
#include "receive/payload-types.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean asks; /* for key frames; FALSE: never */
  TfrcPayloadTypes payload_types;
  TfrcKeyRequests key_requests;
  guint64 lost; /* packets of the flow, when last looked */
} TfrcReceiveVideo;

/* Begins anew; it asks for nothing.  Of the seed see tfrc_key_requests_init. */
void tfrc_receive_video_init (TfrcReceiveVideo *self, guint64 seed);

void tfrc_receive_video_on_packet (TfrcReceiveVideo *self, GstRTPBuffer *rtp,
    TfrcTime now);

/* So many packets of the flow have been lost; more than before may have been
 * those of a picture. */
void tfrc_receive_video_on_lost (TfrcReceiveVideo *self, guint64 lost,
    TfrcTime now);

/* At or before now: call tfrc_receive_video_poll until it returns FALSE. */
TfrcTime tfrc_receive_video_next_deadline (const TfrcReceiveVideo *self);

/* The SSRC to ask for a key frame now. */
gboolean tfrc_receive_video_poll (TfrcReceiveVideo *self, guint32 *ssrc,
    TfrcTime now);

G_END_DECLS
