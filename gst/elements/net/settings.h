/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings of addresses, sockets and SRTP of tfrcsink and tfrcsrc: one struct, its
 * GObject properties, and the URI that sets them. */
#pragma once

#include <gst/gst.h>

#include "common/properties.h"
#include "net/srtp.h"

typedef struct
{
  gchar *host; /* tfrcsink: remote; tfrcsrc: local */
  guint port;
  gchar *bind_address; /* NULL = any */
  guint bind_port;     /* 0 = any */
  GstTfrcMode mode;
  guint ttl;
  guint ttl_mc;
  gchar *multicast_iface; /* NULL = the system's choice */
  gboolean auto_multicast;
  gchar *multicast_source; /* NULL = any */
  gchar *feedback_host;    /* NULL = the source of the packets */
  guint feedback_port;     /* 0 = their source port */
  guint ssrc;              /* of reports; 0 = random */
  gchar *cname;            /* never NULL */
  gint qos_dscp;           /* -1 = the system's */
  gint buffer_size;        /* of the kernel [bytes]; 0 = default */
  gboolean loop;           /* multicast loopback to this host */
  GstClockTime timeout;    /* without a packet; 0 = none */
  guint rtcp_group_limit;  /* receivers; 0 = no regular RTCP in a group */
  gboolean rtcp_mux;
  gboolean follow_receiver; /* tfrcsink only */
  gboolean listen;          /* tfrcsink only */
  gchar *sender_host;       /* NULL = no hellos are sent */
  guint sender_port;
  gboolean ecn;
  TfrcSrtpConfig srtp;
} TfrcNetSettings;

/* Installs the properties, all with `id`.  `offset`: of the struct in the instance;
 * `host`: the default of host; `sending`: those of tfrcsink, otherwise of tfrcsrc. */
void tfrc_net_settings_install (GObjectClass *klass, guint id, gsize offset,
    const gchar *host, gboolean sending);

/* Sets host and cname where a property left them NULL, which they must not be. */
void tfrc_net_settings_complete (TfrcNetSettings *self);

/* A deep copy, to be used without the lock and then cleared by the caller. */
TfrcNetSettings tfrc_net_settings_copy (const TfrcNetSettings *self);
void tfrc_net_settings_clear (TfrcNetSettings *self);

/* Checked first in NULL to READY.  FALSE with an error for an empty host, no port left
 * for RTCP, a setting that requires another one, or a cname too long for RTCP. */
gboolean tfrc_net_settings_check (const TfrcNetSettings *self, GError **error);

/* tfrc://host:port?option=value.
 *
 * An option is any other writable property of the element but srtp-key and sdp: URIs are
 * displayed, logged and stored, so they must not contain a key. */
#define TFRC_URI_SCHEME "tfrc"

/* Sets host, port and the options on `object`: all of them, or none with an error that
 * names the wrong part.  Without a port in the URI that of `object` is unchanged. */
gboolean tfrc_uri_set (GObject *object, const gchar *text, GError **error);

/* A URI with `options` ("name=value&..."; NULL = none), which the caller frees. */
gchar *tfrc_uri_make (const gchar *host, guint port, const gchar *options);
