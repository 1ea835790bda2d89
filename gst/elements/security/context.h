/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cryptographic context (RFC 3711 section 3.2) of one SSRC's RTP or RTCP:
 * an srtpdec that nobody else uses and no pipeline holds.
 *
 * GStreamer's srtpdec cannot let an SSRC go: it names it to libsrtp2 in host
 * byte order, which knows SSRCs in network byte order.  With all of it in an
 * srtpdec of its own what is forgotten is gone.
 *
 * No locks: the owner has one.  Nothing of it is heard elsewhere. */
#pragma once

#include "security/srtp.h"

typedef struct _TfrcSrtpContext TfrcSrtpContext;

/* No run: what was there in one is no news in the next. */
TfrcSrtpContext *tfrc_srtp_context_new (void);
/* NULL does nothing. */
void tfrc_srtp_context_free (TfrcSrtpContext *self);

/* Begins anew, with a key of the right size and the roll-over counter of the
 * next packet. */
void tfrc_srtp_context_set_key (TfrcSrtpContext *self,
    const TfrcSrtpConfig *config, GstBuffer *key, guint32 roc);

/* What is in the packet, or NULL: it is not authentic, or was there before. */
GstBuffer *tfrc_srtp_context_open (TfrcSrtpContext *self, GstBuffer *packet);
