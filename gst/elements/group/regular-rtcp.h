/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a tfrcsrc sends regular RTCP (RR, SDES, BYE): always to a sender of
 * its own; in a group only while that is known to be small.
 *
 * An rtpsession knows of the sender alone, as reports go to no one else, and so
 * would send as often as if there were two members (RFC 3550 section 6.2):
 * every 5 s, from each of 10,000 receivers.  Setting its rtcp-rr-bandwidth to 0
 * would stop that for good, not for a while. */
#pragma once

#include <gst/gst.h>

typedef struct _TfrcRegularRtcp TfrcRegularRtcp;

/* Watches session 0 of `rtpbin`.  `receive` tells how large the group seems;
 * neither is referenced. */
TfrcRegularRtcp *tfrc_regular_rtcp_new (GstElement *rtpbin,
    GstElement *receive);
void tfrc_regular_rtcp_free (TfrcRegularRtcp *self);

/* While nothing streams: nothing has been said.  In a group of more than `limit`
 * receivers nothing passes. */
void tfrc_regular_rtcp_begin_run (TfrcRegularRtcp *self, gboolean is_group,
    guint limit);

/* Says BYE where anything was said before (RFC 3550 section 6.3.7). */
void tfrc_regular_rtcp_send_bye (TfrcRegularRtcp *self);

/* Adds rtcp-withheld (guint64, packets). */
void tfrc_regular_rtcp_add_stats (TfrcRegularRtcp *self, GstStructure *stats);
