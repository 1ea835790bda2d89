/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of a bin between rtpbin and the network, which exists from READY on: sockets,
 * udpsrcs, whose packets are decrypted as they leave, and udpsinks, with a key behind
 * srtpenc.  The elements are in the bin and are removed with the transport. */
#pragma once

#include <gst/gst.h>
#include <gio/gio.h>

#include "net/sockets.h"
#include "net/srtp.h"

/* The path MTU to the receiver, as the kernel learned it from ICMP (RFC 1191, RFC 8201).
 * Larger packets leave as fragments, and the loss of any of them loses the packet, so the
 * application is warned.  Sends no probes. */
typedef struct
{
  GstElement *element;
  void (*on_found) (GstElement *element, guint found); /* NULL: none */
  GInetSocketAddress *const *remote; /* under the element's lock */
  guint mtu;                         /* largest packet sent [bytes] */
  gint found;                        /* path MTU [bytes]; 0 = unknown; atomic */

  /* Used by the pad's thread. */
  GstClockTime next_at;
  guint warned; /* path MTU of the last warning; 0: none */
} TfrcPathMtu;

/* Reads the path MTU to `remote` about once a second while buffers pass `pad`, which must
 * not outlive *self and *remote.  Calls `on_found` with it each time, `mtu` at most, and posts a
 * warning from `element` when it is below that.  The kernel forgets what it learned after
 * ten minutes, so a path that was mended is used again then. */
void tfrc_path_mtu_watch (TfrcPathMtu *self, GstElement *element, GstPad *pad,
    GInetSocketAddress *const *remote, guint mtu,
    void (*on_found) (GstElement *element, guint found));

/* While nothing streams: forgets the path MTU and the warning. */
void tfrc_path_mtu_begin_run (TfrcPathMtu *self);

/* The largest IP packet that the kernel sends there unfragmented [bytes]; 0: unknown. */
guint tfrc_path_mtu_read (GInetSocketAddress *remote);

/* Notes the path MTU read [bytes]; warns when it is below `mtu` and has changed. */
void tfrc_path_mtu_on_found (TfrcPathMtu *self, guint found);

typedef struct
{
  GstBin *bin;
  GstElement *send; /* whose property "ect" is followed; NULL = none */
  TfrcSockets sockets;
  TfrcNetSettings settings; /* a copy; once open with the key for SSRC 0 */
  TfrcEndpoint endpoint;    /* set before it is opened */
  gchar **ifaces;           /* multicast-iface; empty = the system's */
  GList *elements;          /* GstElement, referenced, newest first */
  GstElement *encoder;      /* of elements; NULL = no SRTP */
  /* NULL before it is open; set under the lock of `bin`, for the statistics */
  TfrcSrtpDecoder *decoder;
} TfrcTransport;

/* `bin` is not referenced.  Sets `endpoint` to nothing. */
TfrcTransport *tfrc_transport_new (GstBin *bin,
    const TfrcNetSettings *settings);

/* Binds the sockets and, if `get_key` returns a key for SSRC 0, sets up SRTP.  FALSE with
 * an error. */
gboolean tfrc_transport_open (TfrcTransport *self, TfrcSrtpGetKey get_key,
    GError **error);

/* Removes the elements from the bin and closes the sockets; in NULL, or after a failed
 * start.  NULL does nothing. */
void tfrc_transport_free (TfrcTransport *self);

/* READY to PAUSED: forgets the state of the previous run. */
void tfrc_transport_begin_run (TfrcTransport *self);

/* PAUSED to READY: stops sending and receiving.  The udpsinks are stopped first: a packet
 * that waits in one for PLAYING blocks its thread, which could not be stopped. */
void tfrc_transport_stop (TfrcTransport *self);

/* PLAYING to PAUSED, before all other elements: restarts the threads of the sources, so
 * that they wait for a PLAYING that may follow at once. */
void tfrc_transport_pause (TfrcTransport *self);

/* Leaves the group: stops the sources and sends EOS downstream of them. */
void tfrc_transport_leave (TfrcTransport *self);

/* Adds a udpsrc on the RTP or the RTCP socket, and links it to `to`; NULL with an error.
 * What leaves its pad is decrypted.  On the socket of a group it joins that from READY
 * on.  With ECN, RTP is received by a GstTfrcEcnSrc, and the group is joined at once. */
GstElement *tfrc_transport_receive (TfrcTransport *self, gboolean rtcp,
    GstElement *to, const gchar *to_pad, GError **error);

/* Adds a udpsink on the RTP or the RTCP socket, and links `from` to it, with SRTP through
 * srtpenc; NULL with an error.  It sends to `remote` (NULL = nowhere yet), RTCP without
 * rtcp-mux to the next port. */
GstElement *tfrc_transport_send (TfrcTransport *self, gboolean rtcp,
    GstElement *from, const gchar *from_pad, GInetSocketAddress *remote,
    GError **error);

/* From now on sets the ECN bits of the RTP socket to the property "ect" of `send`, which
 * must outlive the transport. */
void tfrc_transport_follow_ect (TfrcTransport *self, GstElement *send);

/* Overhead of SRTP, UDP and IP of an RTP packet [bytes]. */
guint tfrc_transport_get_overhead (const TfrcTransport *self);

/* Adds srtp-received and srtp-dropped (guint64, packets), 0 without SRTP; `self` may be
 * NULL. */
void tfrc_transport_add_stats (TfrcTransport *self, GstStructure *stats);
