/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ids of RTP header extensions in caps: "extmap-N", as GStreamer maps
 * a=extmap of SDP (RFC 8285 section 5). */
#pragma once

#include <gst/gst.h>

/* Of the two-byte form; that of one byte has 1 to 14. */
#define TFRC_EXTMAP_MAX_ID 255

/* N of a field "extmap-N"; 0 = it is none. */
guint tfrc_extmap_parse_id (const gchar *field);

/* Whether it is a field "extmap-..." whose value names the URI: it is that, or an
 * array of direction, URI and attributes. */
gboolean tfrc_extmap_names (const gchar *field, const GValue *value,
    const gchar *uri);

/* The id that the caps give the URI; 0 = none. */
guint tfrc_extmap_find_id (const GstStructure *caps, const gchar *uri);
