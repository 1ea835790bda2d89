/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who a bin is in its RTP session: the CNAME, and for a tfrcsrc the SSRC of its
 * reports, which no other member may have (RFC 3550 section 8). */
#pragma once

#include <gst/gst.h>

typedef struct _TfrcIdentity TfrcIdentity;

/* Whether `receive` has heard of somebody with this SSRC. */
typedef gboolean (*TfrcIdentityKnowsSsrc) (GstElement *receive, guint32 ssrc);

/* For a tfrcsrc: `receive` takes the SSRC of session 0 of `rtpbin`, and says
 * when it is somebody else's; then it changes. */
TfrcIdentity *tfrc_identity_new (GstElement *rtpbin, GstElement *receive,
    TfrcIdentityKnowsSsrc knows_ssrc);
void tfrc_identity_free (TfrcIdentity *self);

/* While nothing streams: another SSRC, 0 = a random one, as the one before may
 * have said BYE, and the indices of srtpenc begin anew (RFC 3711 section 9.1). */
void tfrc_identity_begin_run (TfrcIdentity *self, guint32 ssrc);

/* Whether `session`, an RTPSession, sends under this SSRC. */
gboolean tfrc_identity_is_own (GObject *session, guint32 ssrc);

/* Whether this RTCP is no member's: it goes to rtpbin to make rtpsession give up
 * an SSRC. */
gboolean tfrc_identity_is_made_up (GstBuffer *rtcp);

/* A CNAME of 96 random bits, for rtpbin's own holds the user and the host (RFC
 * 7022 section 4.2). */
gchar *tfrc_identity_make_cname (void);

void tfrc_identity_set_cname (GstElement *rtpbin, const gchar *cname);
