/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The addresses that a bin sends to and receives on, and its UDP sockets.
 *
 * There is one socket for RTP and RTCP (RFC 5761), or two on adjacent ports (RFC 3550
 * section 11).  They are bound here, not in udpsrc, as udpsrc and udpsink share them.
 *
 * A socket bound to a multicast group receives only what is sent to that group, and
 * shares its port with other receivers on the host.  Reports are therefore sent from
 * another socket with its own port, so that a NAT and the sender can distinguish
 * receivers. */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

#include "net/settings.h"

/* The address of `host`, a literal or a name, which blocks while it is looked up; of
 * several one of `family`, if there is one (INVALID = any).  The caller unrefs; NULL with
 * an error. */
GInetSocketAddress *tfrc_address_resolve (const gchar *host, guint16 port,
    GSocketFamily family, GError **error);

/* Whether host and port are equal. */
gboolean tfrc_address_is_equal (GSocketAddress *a, GSocketAddress *b);

/* Whether it is a multicast address (RFC 1112, RFC 4291 section 2.7). */
gboolean tfrc_address_is_group (GInetSocketAddress *address);

/* The same for an address as text; FALSE for a host name. */
gboolean tfrc_address_names_group (const gchar *host);

/* The same host, IPv6 scope included, with another port; the caller unrefs. */
GSocketAddress *tfrc_address_with_port (GInetSocketAddress *address,
    guint port);

/* Sets two fields: the host, as text for tfrc_address_resolve, and the port (guint). */
void tfrc_address_set_fields (GSocketAddress *address, GstStructure *structure,
    const gchar *host_field, const gchar *port_field);

/* The IPv6 scope id; 0 with IPv4. */
guint tfrc_address_get_scope (GInetSocketAddress *address);

typedef struct
{
  GSocket *rtp;     /* NULL = closed */
  GSocket *rtcp;    /* with rtcp-mux the same object */
  GSocket *reports; /* sends RTCP; `rtcp` unless bound to a group */
} TfrcSockets;

/* Binds to `address` and its port; port 0 is any, an even one if there are two sockets.
 * The IPv6 wildcard accepts IPv4, too.  Joins no group.  FALSE with an error. */
gboolean tfrc_sockets_open (TfrcSockets *self, GInetSocketAddress *address,
    gboolean rtcp_mux, GError **error);

/* Closes the open sockets; they may be opened again. */
void tfrc_sockets_close (TfrcSockets *self);

/* The local port of the RTP socket; 0 = closed. */
guint tfrc_sockets_get_port (const TfrcSockets *self);

/* Discards the datagrams received so far, and returns their number. */
guint tfrc_sockets_drain (TfrcSockets *self);

/* Makes datagrams that `socket` sends to addresses without a scope leave on the link of
 * `to`, if that has a scope (RFC 4007): a udpsink takes an address without scope only. */
void tfrc_sockets_send_on_link (GSocket *socket, GInetSocketAddress *to);

/* Changes the destination of a udpsink; any thread.  The port is that of `remote`, also
 * for RTCP. */
void tfrc_sockets_set_remote (GstElement *udpsink, GInetSocketAddress *remote);

/* Sends without blocking; the datagram is lost if the send buffer is full.  So a stalled
 * interface cannot block the BYE of a state change to NULL.  `message`: NULL = none. */
void tfrc_socket_send_to (GSocket *socket, GstBuffer *buffer,
    GSocketAddress *to, GSocketControlMessage *message);

/* Sends the packets that reach `udpsink` from its `socket` by tfrc_socket_send_to, to the
 * newest address that tfrc_sockets_set_remote has set, with the current DSCP of the
 * socket, and Not-ECT: for RTCP on the socket of RTP, which may be set to ECT (RFC 6679
 * section 7.3.1) and whose send buffer may be full. */
void tfrc_sockets_send_at_once (GstElement *udpsink, GSocket *socket);

/* `address`, its port increased by `port_offset`, in the form that the sockets can send
 * to: IPv4 as IPv4-mapped IPv6 where they are IPv6.  The caller unrefs. */
GSocketAddress *tfrc_sockets_map_address (const TfrcSockets *self,
    GSocketAddress *address, guint port_offset);

/* Makes packets that `socket` sends to groups leave through `iface`, from an address of
 * that interface.  FALSE with an error. */
gboolean tfrc_multicast_set_interface (GSocket *socket, const gchar *iface,
    GError **error);

/* The names in multicast-iface, which are separated by commas; empty for NULL.  Free with
 * g_strfreev (). */
gchar **tfrc_multicast_split_ifaces (const gchar *ifaces);

/* The control message (IP_PKTINFO in ip(7) and ipv6(7)) of packets to groups that leave
 * through `iface`, and not through the interface of `socket`. */
GSocketControlMessage *tfrc_multicast_message_new (GSocket *socket,
    const gchar *iface);

/* The resolved addresses to send to (tfrcsink) or receive on (tfrcsrc), and the mode. */
typedef struct
{
  GInetSocketAddress *host;       /* tfrcsink: remote; tfrcsrc: local */
  GInetSocketAddress *local;      /* to bind to; tfrcsrc: the same as host */
  GInetSocketAddress *feedback;   /* tfrcsrc; NULL = source of the packets */
  GInetSocketAddress *sender;     /* tfrcsrc; NULL = no hellos are sent */
  GInetAddress *multicast_source; /* tfrcsrc; NULL = any */
  gboolean is_group;
  GstTfrcMode mode; /* not auto */
} TfrcEndpoint;

/* These resolve the settings, which may block for a name.  FALSE with an error for what
 * cannot be resolved or combined; the caller clears the endpoint in any case.  `family`:
 * which of the addresses of a name is wanted, if the bind-address does not say it
 * (INVALID = any). */
gboolean tfrc_endpoint_init_sink (TfrcEndpoint *self,
    const TfrcNetSettings *settings, GSocketFamily family, GError **error);

/* Whether no receiver can be reached: a group on the loopback interface has members on
 * this host only, which loop=false excludes. */
gboolean tfrc_endpoint_reaches_nobody (const TfrcEndpoint *self,
    const TfrcNetSettings *settings);
gboolean tfrc_endpoint_init_src (TfrcEndpoint *self,
    const TfrcNetSettings *settings, GError **error);
void tfrc_endpoint_clear (TfrcEndpoint *self);
