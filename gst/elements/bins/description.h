/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a tfrcsrc has been told about the streams that will come: by an SDP, by
 * caps, or by the name of an encoding. */
#pragma once

#include <gst/gst.h>

#include "bins/sdp.h"

/* The first three are properties. */
typedef struct
{
  gchar *encoding_name;
  GstCaps *caps;
  gchar *sdp;         /* as set; NULL = none */
  gchar *sdp_error;   /* why it was refused; NULL = it was not */
  gboolean needs_key; /* the SDP says SRTP */
} TfrcDescription;

/* Takes the caps of a session description (NULL = none) and sets `sdp`, which
 * the caller clears, to the rest.  FALSE: it tells nothing; what is wrong with
 * it is for tfrc_description_check to say. */
gboolean tfrc_description_set_sdp (TfrcDescription *self, const gchar *text,
    TfrcSdp *sdp);

/* What NULL to READY looks at: FALSE with an error for a refused SDP, or one
 * that wants a key where there is none. */
gboolean tfrc_description_check (const TfrcDescription *self, gboolean has_key,
    GError **error);

/* Caps of a stream with this payload type.  Taken from the structure of `caps`
 * that has this payload type or, where it has none, any; else from the static
 * payload types (RFC 3551); else from `encoding_name`.  These tell the clock
 * rate, too, where that structure has none.  NULL = not known; the caller
 * unrefs. */
GstCaps *tfrc_description_get_caps (const TfrcDescription *self,
    guint payload_type);

/* Whether a depayloader for such a stream is installed. */
gboolean tfrc_description_has_depayloader (const GstCaps *caps);
