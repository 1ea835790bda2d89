/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Session descriptions (RFC 8866): a tfrcsink writes them, and a tfrcsrc reads payload
 * types, port, rtcp-mux, SRTP or not, TFRC or TFMCC, the id of the header extension, and
 * the multicast group with its source filter (RFC 4570).  They never contain a key. */
#pragma once

#include <gst/gst.h>

#include "common/properties.h"

typedef struct
{
  GstCaps *caps; /* a structure for each stream */
  gchar *host;   /* as text; when read, NULL unless a group */
  gchar *source; /* of packets to a group; NULL = any */
  guint ttl;     /* of packets to a group; not read */
  guint port;
  GstTfrcMode mode;            /* auto: without the header extension */
  GstRtpTfrcFeedback feedback; /* that the sender follows; not read */
  gboolean small_packets;      /* TFRC-SP; not read */
  gint tcp;                    /* TfrcTcp; not read */
  gboolean rtcp_mux;
  gboolean srtp;
  gboolean repairs;   /* requested packets are retransmitted; not read */
  gint fec;           /* parity [%], 0 = none, < 0 = adaptive; not read */
  guint extension_id; /* 0 = unknown */
} TfrcSdp;

void tfrc_sdp_clear (TfrcSdp *self);

/* The SDP as text, which the caller frees. */
gchar *tfrc_sdp_write (const TfrcSdp *self);

/* Reads `text` into *self, which the caller clears.  FALSE with an error. */
gboolean tfrc_sdp_read (TfrcSdp *self, const gchar *text, GError **error);

/* The id that `caps` give to the header extension of TFRC or TFMCC; 0 = none.  Sets
 * *mode, unless NULL, to the protocol of the extension, or auto. */
guint tfrc_sdp_get_extension_id (const GstCaps *caps, GstTfrcMode *mode);

/* How the application has described the streams to a tfrcsrc: by an SDP, caps, or the
 * name of an encoding.  The first three fields are properties. */
typedef struct
{
  gchar *encoding_name;
  GstCaps *caps;
  gchar *sdp;         /* as set; NULL = none */
  gchar *sdp_error;   /* why it was refused, or NULL */
  gboolean needs_key; /* the SDP requires SRTP */
} TfrcDescription;

/* Sets the caps from a session description (NULL = none), and the whole of it in *sdp,
 * which the caller clears.  FALSE if there is none or it is invalid, which
 * tfrc_description_check reports. */
gboolean tfrc_description_set_sdp (TfrcDescription *self, const gchar *text,
    TfrcSdp *sdp);

/* Checked in NULL to READY: FALSE with an error for caps that are not RTP, an invalid
 * SDP, or one that requires SRTP without a key. */
gboolean tfrc_description_check (const TfrcDescription *self, gboolean has_key,
    GError **error);

/* Caps of a stream with this payload type, which the caller unrefs; NULL = unknown.  They
 * are from the first structure of `caps` with this payload type or without any; else from
 * the static payload types (RFC 3551); else from `encoding_name`.  The latter two also
 * provide a clock rate that the structure lacks. */
GstCaps *tfrc_description_get_caps (const TfrcDescription *self,
    guint payload_type);

/* Whether a depayloader for a stream with these caps is installed. */
gboolean tfrc_description_has_depayloader (const GstCaps *caps);
