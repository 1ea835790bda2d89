/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What can be read of RTP and RTCP packets on one port, whether or not they
 * are protected (RFC 3711). */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* FALSE: RTP, or neither. */
gboolean tfrc_packet_is_rtcp (GstBuffer *buffer);

/* FALSE: neither RTP nor RTCP. */
gboolean tfrc_packet_read_ssrc (GstBuffer *buffer, gboolean *rtcp,
    guint32 *ssrc);

/* Whether the lengths of the RTCP packets in it add up.  Those of SRTCP do
 * not: it has a word and a tag behind them (RFC 3711 section 3.4). */
gboolean tfrc_packet_is_plain_rtcp (GstBuffer *buffer);

G_END_DECLS
