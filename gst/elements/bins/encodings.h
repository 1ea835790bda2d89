/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTP caps without signalling: from the name of an encoding, or from a static
 * payload type of RFC 3551. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Caps of a stream with this payload type.  Taken from the structure of `caps`
 * (may be NULL) that has this payload type or, where it has none, any; else
 * from the static payload types; else from `encoding_name` (may be NULL).
 * NULL = not known; the caller unrefs. */
GstCaps *tfrc_encodings_get_caps (GstCaps *caps, const gchar *encoding_name,
    guint payload_type);

/* Whether a depayloader for such a stream is installed. */
gboolean tfrc_encodings_has_depayloader (const GstCaps *caps);

G_END_DECLS
