/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a user may set about addresses and SRTP on tfrcsink and tfrcsrc: one
 * struct, its GObject properties, and the URI that sets them. */
#pragma once

#include <gst/gst.h>

#include "common/properties.h"
#include "net/srtp.h"

typedef struct
{
  gchar *host; /* remote of tfrcsink, local of tfrcsrc */
  guint port;
  gchar *bind_address; /* NULL = any */
  guint bind_port;     /* 0 = any */
  GstTfrcMode mode;
  guint ttl;
  guint ttl_mc;
  gchar *multicast_iface; /* NULL = the system's choice */
  gboolean auto_multicast;
  gchar *multicast_source; /* NULL = any */
  gchar *feedback_host;    /* NULL = where the packets come from */
  guint feedback_port;     /* 0 = theirs */
  guint ssrc;              /* of reports; 0 = a random one */
  gchar *cname;            /* never NULL */
  gint qos_dscp;           /* -1 = the system's */
  gint buffer_size;        /* of the kernel [bytes]; 0 = ours */
  gboolean loop;           /* of packets to a group, to this host */
  GstClockTime timeout;    /* without a packet; 0 = none */
  guint rtcp_group_limit;  /* receivers; 0 = no regular RTCP in a group */
  gboolean rtcp_mux;
  gboolean follow_receiver; /* of tfrcsink */
  gboolean listen;          /* of tfrcsink */
  gchar *sender_host;       /* NULL = it speaks first */
  guint sender_port;
  gboolean ecn;
  TfrcSrtpConfig srtp;
} TfrcNetSettings;

/* `offset` of the struct in the instance, and the default of its host;
 * `sending`: those of tfrcsink. */
void tfrc_net_settings_install (GObjectClass *klass, guint id, gsize offset,
    const gchar *host, gboolean sending);

/* Sets what must not be NULL, after properties were set: host and cname. */
void tfrc_net_settings_complete (TfrcNetSettings *self);

/* A copy to clear, so that the lock need not be held while it is used. */
TfrcNetSettings tfrc_net_settings_copy (const TfrcNetSettings *self);
void tfrc_net_settings_clear (TfrcNetSettings *self);

/* What NULL to READY looks at first: FALSE with an error for an empty host, no
 * port for RTCP, what needs another setting, or a cname that RTCP cannot carry. */
gboolean tfrc_net_settings_check (const TfrcNetSettings *self, GError **error);

/* tfrc://host:port?option=value.
 *
 * An option is any writable property of the element by its name.  The key of
 * SRTP is not one: a URI is shown, logged and stored. */
#define TFRC_URI_SCHEME "tfrc"

/* Sets host, port and the options on `object`, all of them or none.  The
 * error names the part that is wrong.  A URI without a port leaves it. */
gboolean tfrc_uri_set (GObject *object, const gchar *text, GError **error);

/* The URI of `object` as it is now, with the options (each NULL or
 * "name=value&...") of the last one applied. */
gchar *tfrc_uri_make (const gchar *host, guint port, const gchar *options);
