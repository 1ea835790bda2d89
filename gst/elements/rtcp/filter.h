/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTCP on its way to an rtpsession: takes out what blocks one (an SR request,
 * RFC 6051 section 3.2, that names a local SSRC) and reads who says BYE. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* RFC 5761 section 4: whether the second byte of a packet on a port that RTP
 * and RTCP share makes it RTCP. */
static inline gboolean
tfrc_rtcp_is_second_byte (guint8 second_byte)
{
  return second_byte >= 192 && second_byte <= 223;
}

/* Takes the buffer and gives it back, or a copy without the SR requests, or
 * NULL when nothing is left of it.  *n_removed: how many were in it. */
GstBuffer *tfrc_rtcp_filter_sr_requests (GstBuffer *buffer, guint *n_removed);

/* The first n_max SSRCs that say BYE; returns how many. */
guint tfrc_rtcp_read_byes (GstBuffer *buffer, guint32 *ssrcs, guint n_max);

G_END_DECLS
