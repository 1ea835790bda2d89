/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is read of RTP and RTCP packets that share a port, whether or not they
 * are protected (RFC 3711), and of RTCP compounds on their way to an
 * rtpsession. */
#pragma once

#include <gst/gst.h>

/* RFC 5761 section 4: whether the second byte of a packet on a port that RTP
 * and RTCP share makes it RTCP. */
static inline gboolean
tfrc_packet_is_rtcp_byte (guint8 second_byte)
{
  return second_byte >= 192 && second_byte <= 223;
}

/* FALSE: neither RTP nor RTCP. */
gboolean tfrc_packet_read_ssrc (GstBuffer *buffer, gboolean *rtcp,
    guint32 *ssrc);

/* Whether it is RTCP and the lengths of the packets in it add up.  Those of
 * SRTCP do not: it has a word and a tag behind them (RFC 3711 section 3.4). */
gboolean tfrc_packet_is_plain_rtcp (GstBuffer *buffer);

/* Takes an RTCP compound and gives it back, or a copy without SR requests (RFC
 * 6051 section 3.2), or NULL when nothing is left of it: one that names a local
 * SSRC blocks an rtpsession.  *n_removed: how many were in it. */
GstBuffer *tfrc_packet_remove_sr_requests (GstBuffer *buffer, guint *n_removed);

/* The first n_max SSRCs that say BYE in a compound; returns how many. */
guint tfrc_packet_read_byes (GstBuffer *buffer, guint32 *ssrcs, guint n_max);

#define TFRC_PACKET_MAX_SSRCS 32

/* The SSRCs in a compound of which an rtpsession makes sources, up to
 * TFRC_PACKET_MAX_SSRCS; returns how many. */
guint tfrc_packet_read_ssrcs (GstBuffer *buffer, guint32 *ssrcs);
