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

G_BEGIN_DECLS

typedef struct _TfrcRtcpGate TfrcRtcpGate;

/* Watches session 0 of `rtpbin`.  `receive` tells how large the group seems;
 * neither is referenced. */
TfrcRtcpGate *tfrc_rtcp_gate_new (GstElement *rtpbin, GstElement *receive);
void tfrc_rtcp_gate_free (TfrcRtcpGate *self);

/* While nothing streams.  In a group of more than `limit` receivers nothing
 * passes. */
void tfrc_rtcp_gate_set (TfrcRtcpGate *self, gboolean is_group, guint limit);

/* Says BYE where anything was said before (RFC 3550 section 6.3.7). */
void tfrc_rtcp_gate_send_bye (TfrcRtcpGate *self);

/* Adds rtcp-withheld (guint64, packets). */
void tfrc_rtcp_gate_add_stats (TfrcRtcpGate *self, GstStructure *stats);

G_END_DECLS
