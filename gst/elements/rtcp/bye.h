/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Leaving an RTP session at once (RFC 3550 section 6.3.7): rtpsession says
 * BYE at EOS only. */
#pragma once

#include <gst/gst.h>

/* Sends an RTCP compound with BYE for an SSRC of our own in session 0 (0 = for
 * all of them) to where the RTCP of that session goes. */
void tfrc_bye_send (GstElement *rtpbin, guint32 ssrc);
