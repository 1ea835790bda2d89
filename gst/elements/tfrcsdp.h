/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Session descriptions (RFC 8866) of what a tfrcsink sends, and what a tfrcsrc
 * takes from them: payload types, port, rtcp-mux, SRTP or not, the id of our
 * header extension.  Never a key. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  GstCaps *caps;                /* a structure for each stream */
  gchar *host;                  /* as text; not parsed back */
  guint port;
  gboolean rtcp_mux;
  gboolean srtp;
  guint extension_id;           /* 0 = not known */
} TfrcSdp;

void tfrc_sdp_clear (TfrcSdp * self);

/* The caller frees it. */
gchar *tfrc_sdp_write (const TfrcSdp * self);

/* Sets *self, which the caller clears; the error says what is missing. */
gboolean tfrc_sdp_read (TfrcSdp * self, const gchar * text, GError ** error);

/* The id that `caps` gives to the rtt-sendts extension; 0 = none. */
guint tfrc_sdp_get_extension_id (const GstCaps * caps);

G_END_DECLS
