/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a bin has between rtpbin and the network while it is not in NULL:
 * sockets, udp elements and, with a key, srtpenc and srtpdec.  Every element
 * of it is in the bin and goes with the transport. */
#pragma once

#include <gst/gst.h>
#include <gio/gio.h>

#include "net/sockets.h"
#include "net/srtp.h"

/* Whether the way to the receiver carries packets of the size that is sent, as
 * routers told the system by ICMP (RFC 1191, RFC 8201).  Where it does not, the
 * system sends them in fragments, and a packet is lost with any of them: the
 * application is warned.  Sends no packets of its own. */
typedef struct
{
  GstElement *element;
  void (*on_less) (GstElement *element, guint found); /* NULL: none */
  GInetSocketAddress *remote; /* owned; under the element's lock; NULL = none */
  guint mtu;                  /* that is sent [bytes] */
  gint found;                 /* atomic [bytes]; 0 = not known */

  /* Of the pad's thread. */
  GstClockTime next_at;
  guint warned; /* of this size; 0: never */
} TfrcPathMtu;

/* Looks at the way to `remote` about once a second as long as buffers pass `pad`, which
 * goes before *self, and posts a warning by `element` when it carries less than `mtu`
 * bytes, of which `on_less` is told first. */
void tfrc_path_mtu_watch (TfrcPathMtu *self, GstElement *element, GstPad *pad,
    GInetSocketAddress *remote, guint mtu,
    void (*on_less) (GstElement *element, guint found));

/* While nothing streams: looks, and warns, anew. */
void tfrc_path_mtu_begin_run (TfrcPathMtu *self);

/* The largest IP packet that the system sends to the address in one piece
 * [bytes]; 0: not known. */
guint tfrc_path_mtu_read (GInetSocketAddress *remote);

/* What was found now; warns once of each size. */
void tfrc_path_mtu_on_found (TfrcPathMtu *self, guint found);

typedef struct
{
  GstBin *bin;
  GstElement *send; /* whose "ect" is followed; NULL = none */
  TfrcSockets sockets;
  TfrcNetSettings settings;       /* its own; with the key for SSRC 0 */
  gboolean is_group;              /* what the sockets are bound to */
  gchar **ifaces;                 /* of multicast-iface; none = the system's */
  GInetAddress *multicast_source; /* NULL = any */
  GList *elements;                /* GstElement, referenced, newest first */
  GstElement *encoder;            /* of elements; NULL = no SRTP */
  TfrcSrtpDecoder *decoder;
  TfrcSrtpDetector *detector; /* NULL = SRTP */
} TfrcTransport;

/* Binds the sockets and, where settings or `get_key` have a key for SSRC 0,
 * prepares SRTP.  `bin` is not referenced. */
TfrcTransport *tfrc_transport_new (GstBin *bin, const TfrcNetSettings *settings,
    const TfrcEndpoint *endpoint, TfrcSrtpGetKey get_key, GError **error);

/* Takes the elements out of the bin and closes the sockets; in NULL, or to
 * undo a start that failed. */
void tfrc_transport_free (TfrcTransport *self);

/* From READY to PAUSED: what it knows of the run before is forgotten. */
void tfrc_transport_begin_run (TfrcTransport *self);

/* From PAUSED to READY: nothing comes in or leaves any more.  A udpsink goes
 * first, as a packet that waits in it for PLAYING keeps the thread that brought
 * it, and so whoever stops that thread. */
void tfrc_transport_stop (TfrcTransport *self);

/* From PLAYING to PAUSED, in front of all other elements: the threads of the
 * sources end and wait anew, for a PLAYING that may come at once. */
void tfrc_transport_pause (TfrcTransport *self);

/* Leaves the group: nothing comes in any more, and EOS goes on instead. */
void tfrc_transport_leave (TfrcTransport *self);

/* A new udpsrc or udpsink in the bin, on the RTP or the RTCP socket.  A udpsrc
 * on the socket of a group joins it from READY on.  With ECN what receives RTP
 * is a GstTfrcEcnSrc, and the group is joined at once. */
GstElement *tfrc_transport_add (TfrcTransport *self, const gchar *factory,
    gboolean rtcp, GError **error);

/* A new udpsink to `remote`, to the next port for RTCP on a socket of its own. */
GstElement *tfrc_transport_add_sender (TfrcTransport *self,
    GInetSocketAddress *remote, gboolean rtcp, GError **error);

/* Where such an element, of `socket`, sends from now on; any thread.  The port is that
 * of the address. */
void tfrc_transport_set_remote (GstElement *sender, GSocket *socket,
    GInetSocketAddress *remote);

/* From now on what leaves from the RTP socket is ECT as the property "ect" of `send`
 * says, which outlives this. */
void tfrc_transport_follow_ect (TfrcTransport *self, GstElement *send);

/* Links `from` to a udpsink, through srtpenc with SRTP. */
gboolean tfrc_transport_link_out (TfrcTransport *self, GstElement *from,
    const gchar *from_pad, gboolean rtcp, GstElement *udpsink);

/* Links a udpsrc to `to`, through srtpdec with SRTP. */
gboolean tfrc_transport_link_in (TfrcTransport *self, GstElement *udpsrc,
    gboolean rtcp, GstElement *to, const gchar *to_pad);

/* The pad from which RTCP that `udpsrc` receives comes as it was sent, behind
 * srtpdec with SRTP; the caller unrefs. */
GstPad *tfrc_transport_get_rtcp_pad (TfrcTransport *self, GstElement *udpsrc);

/* Bytes of SRTP, UDP and IP around an RTP packet sent to `family`. */
guint tfrc_transport_get_overhead (TfrcTransport *self, GSocketFamily family);

/* Adds srtp-received and srtp-dropped (guint64, packets), 0 without SRTP. */
void tfrc_transport_add_stats (TfrcTransport *self, GstStructure *stats);
