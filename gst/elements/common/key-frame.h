/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Does a key frame start in this RTP packet?  Told from the first bytes of the
 * payload: GST_BUFFER_FLAG_DELTA_UNIT is not reliable behind payloaders, and a
 * receiver does not have it.
 *
 * Encoding names are those of RTP caps, "H264" for one.  Payloads may come
 * from anywhere: nothing past `size` is read, and what is too short to tell
 * starts no key frame. */
#pragma once

#include <glib.h>

/* TRUE also for a packet that carries what goes in front of a key frame:
 * parameter sets of H.264 and H.265, headers of Theora. */
gboolean tfrc_key_frame_starts (const gchar *encoding_name,
    const guint8 *payload, gsize size);

/* Whether tfrc_key_frame_starts can tell at all. NULL: no. */
gboolean tfrc_key_frame_is_known (const gchar *encoding_name);
