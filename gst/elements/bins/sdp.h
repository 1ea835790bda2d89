/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Session descriptions (RFC 8866) of what a tfrcsink sends, and what a tfrcsrc
 * takes from them: payload types, port, rtcp-mux, SRTP or not, TFRC or TFMCC,
 * the id of our header extension, and a multicast group with the source whose
 * packets are wanted (RFC 4570).  Never a key. */
#pragma once

#include <gst/gst.h>

#include "common/properties.h"

typedef struct
{
  GstCaps *caps; /* a structure for each stream */
  gchar *host;   /* as text; read: NULL unless a group */
  gchar *source; /* of packets to a group; NULL = any */
  guint ttl;     /* of packets to a group; not read */
  guint port;
  GstTfrcMode mode;            /* auto: the extension is not there */
  GstRtpTfrcFeedback feedback; /* that is followed; not read */
  gboolean small_packets;      /* TFRC-SP; not read */
  gint tcp;                    /* TfrcTcp; not read */
  gboolean rtcp_mux;
  gboolean srtp;
  gboolean repairs;   /* what is asked for is sent again; not read */
  gint fec;           /* [%] of parity, 0 = none, < 0 = as needed; not read */
  guint extension_id; /* 0 = not known */
} TfrcSdp;

void tfrc_sdp_clear (TfrcSdp *self);

/* The caller frees it. */
gchar *tfrc_sdp_write (const TfrcSdp *self);

/* Sets *self, which the caller clears; the error says what is missing. */
gboolean tfrc_sdp_read (TfrcSdp *self, const gchar *text, GError **error);

/* The id that `caps` gives to the extension of TFRC or TFMCC; 0 = none.
 * `mode` (NULL = not wanted) is set to whose it is, or auto. */
guint tfrc_sdp_get_extension_id (const GstCaps *caps, GstTfrcMode *mode);

/* What a tfrcsrc has been told about the streams that will come: by an SDP, by
 * caps, or by the name of an encoding.  The first three are properties. */
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
