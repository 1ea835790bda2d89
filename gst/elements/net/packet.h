/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is read of RTP and RTCP packets that share a port, whether or not they
 * are protected (RFC 3711), and of RTCP compounds on their way to an
 * rtpsession. */
#pragma once

#include <gst/gst.h>

#include "tfrc-wire-compound.h"

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

/* FALSE: it is no RTCP that may go on, see tfrc_wire_read_compound. */
gboolean tfrc_packet_read_compound (GstBuffer *buffer,
    TfrcWireCompound *compound);

/* Whether it is RTCP and the lengths of the packets in it add up.  Those of
 * SRTCP do not: it has a word and a tag behind them (RFC 3711 section 3.4). */
gboolean tfrc_packet_is_plain_rtcp (GstBuffer *buffer);

/* Whether an rtpsession that gets it between RTP (RFC 5761) sees that it is RTCP: by
 * the type of its first packet, 200 to 204 in GStreamer 1.22 to 1.28.  Else the media
 * SSRC of feedback would be that of a stream. */
gboolean tfrc_packet_begins_as_rtcp (GstBuffer *buffer);

/* Takes the buffer that `compound` was read from and gives it back, or a copy
 * without what harms the rtpsession of a receiver, or NULL when nothing is left of
 * it. */
GstBuffer *tfrc_packet_remove_harmful (GstBuffer *buffer,
    const TfrcWireCompound *compound);

/* Where a received buffer comes from, as text; NULL: not known. */
gchar *tfrc_packet_get_source (GstBuffer *buffer);
