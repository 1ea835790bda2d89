/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a bin sends to and listens: addresses, and the UDP sockets.
 *
 * There is one socket for RTP and RTCP (RFC 5761), or two on adjacent ports (RFC
 * 3550 section 11).  Both are bound here, not in udpsrc, because sending and
 * receiving elements share them.
 *
 * A socket bound to a multicast group hears that group alone, and shares its
 * port with those of other receivers on the host.  Reports therefore leave from
 * one more, whose port is the receiver's own: behind a NAT, and at the sender,
 * receivers can be told apart. */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

#include "net/settings.h"

/* The address of `host`, a literal or a name.  Blocks for a name. */
GInetSocketAddress *tfrc_address_resolve (const gchar *host, guint16 port,
    GError **error);

/* Host and port. */
gboolean tfrc_address_is_equal (GSocketAddress *a, GSocketAddress *b);

/* Whether packets to it go to a group (multicast, RFC 1112 and RFC 4291 section 2.7). */
gboolean tfrc_address_is_group (GInetSocketAddress *address);

/* The same of an address that is written down; FALSE as well of a name. */
gboolean tfrc_address_names_group (const gchar *host);

/* The same host, IPv6 scope included, with another port; the caller unrefs. */
GSocketAddress *tfrc_address_with_port (GInetSocketAddress *address,
    guint port);

/* Sets two fields, a string that tfrc_address_resolve takes and a guint. */
void tfrc_address_set_fields (GSocketAddress *address, GstStructure *structure,
    const gchar *host_field, const gchar *port_field);

/* 0 of IPv4. */
guint tfrc_address_get_scope (GInetSocketAddress *address);

typedef struct
{
  GSocket *rtp;     /* NULL = closed */
  GSocket *rtcp;    /* the same object with rtcp-mux */
  GSocket *reports; /* where RTCP leaves: rtcp, unless a group's */
} TfrcSockets;

/* Binds to `address` and its port; port 0 is any, an even one if there are
 * two sockets.  The IPv6 wildcard takes IPv4 too.  Joins no group. */
gboolean tfrc_sockets_open (TfrcSockets *self, GInetSocketAddress *address,
    gboolean rtcp_mux, GError **error);

/* Closes those that are open.  Any may be bound again. */
void tfrc_sockets_close (TfrcSockets *self);

/* The local port of the RTP socket; 0 = closed. */
guint tfrc_sockets_get_port (const TfrcSockets *self);

/* Of the sockets that send, or receive, RTP and RTCP.  Gives the size that the
 * system grants [bytes]. */
guint tfrc_sockets_set_buffer_size (TfrcSockets *self, gboolean sending,
    guint size);

/* Throws away what has come in; gives the number of datagrams. */
guint tfrc_sockets_drain (TfrcSockets *self);

/* Lets what `socket` sends to hosts without a scope leave on the link of `to`,
 * if that has one (RFC 4007).  For a udpsink, which takes no scope with an
 * address. */
void tfrc_sockets_send_on_link (GSocket *socket, GInetSocketAddress *to);

/* At once, or it is lost: while an interface takes nothing, and the socket has no room,
 * nobody waits, who may be saying BYE on the way to NULL.  `message`: NULL = none. */
void tfrc_socket_send_to (GSocket *socket, GstBuffer *buffer,
    GSocketAddress *to, GSocketControlMessage *message);

/* From now on what comes to `udpsink`, of that socket, leaves so, with the DSCP that the
 * socket has then, and as datagrams that are not ECN-capable: RTCP on the socket of RTP,
 * which may have ECT (RFC 6679 section 7.3.1) and no room. */
void tfrc_sockets_send_at_once (GstElement *udpsink, GSocket *socket);

/* `address` as a socket of this family can send to it (IPv4 through IPv6);
 * the caller unrefs. */
GSocketAddress *tfrc_sockets_map_address (const TfrcSockets *self,
    GSocketAddress *address, guint port_offset);

/* Makes packets that `socket` sends to groups of its family leave through
 * `iface`, from an address of that interface. */
gboolean tfrc_multicast_send_through (GSocket *socket, const gchar *iface,
    GError **error);

/* What multicast-iface names, separated by commas; NULL: none.  For g_strfreev (). */
gchar **tfrc_multicast_split_ifaces (const gchar *ifaces);

/* The way of one packet through another interface than the socket's: control data of
 * sendmsg (), as ip(7) and ipv6(7) have them. */
typedef struct
{
  guint64 control[8]; /* aligned */
  gsize size;
} TfrcMulticastWay;

void tfrc_multicast_way_init (TfrcMulticastWay *self, GSocket *socket,
    const gchar *iface);
void tfrc_multicast_way_send (TfrcMulticastWay *self, GSocket *socket,
    GSocketAddress *group, GstBuffer *buffer);

/* Keeps from `socket` what other sockets of this host have joined for. */
void tfrc_multicast_receive_own_only (GSocket *socket);

/* Where a tfrcsink sends to and a tfrcsrc listens, as addresses, and which
 * protocol is spoken there. */
typedef struct
{
  GInetSocketAddress *host;       /* remote of tfrcsink, local of tfrcsrc */
  GInetSocketAddress *local;      /* to bind to; of tfrcsrc the same */
  GInetSocketAddress *feedback;   /* of tfrcsrc; NULL = the packets' source */
  GInetSocketAddress *sender;     /* of tfrcsrc; NULL = it speaks first */
  GInetAddress *multicast_source; /* of tfrcsrc; NULL = any */
  gboolean is_group;
  GstTfrcMode mode; /* not auto */
} TfrcEndpoint;

/* Resolve what the settings name, which may block for a name.  The error says
 * what does not go together; the endpoint is to be cleared in any case. */
gboolean tfrc_endpoint_init_sink (TfrcEndpoint *self,
    const TfrcNetSettings *settings, GError **error);

/* A group on the loopback interface has members on this host only, to which loop=false
 * sends nothing. */
gboolean tfrc_endpoint_reaches_nobody (const TfrcEndpoint *self,
    const TfrcNetSettings *settings);
gboolean tfrc_endpoint_init_src (TfrcEndpoint *self,
    const TfrcNetSettings *settings, GError **error);
void tfrc_endpoint_clear (TfrcEndpoint *self);
