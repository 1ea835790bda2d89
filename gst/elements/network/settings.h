/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a user may set about addresses and SRTP on tfrcsink and tfrcsrc: one
 * struct and its URI; the properties are in network/properties.h. */
#pragma once

#include <gst/gst.h>

#include "common/mode.h"
#include "bins/sdp.h"
#include "security/srtp.h"

G_BEGIN_DECLS

typedef struct
{
  gchar *host; /* remote of tfrcsink, local of tfrcsrc */
  guint port;
  gchar *uri_options;  /* of the last URI; NULL = none */
  gchar *uri_error;    /* why the last one was refused; NULL = not */
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
  guint buffer_size;       /* of the kernel [bytes]; 0 = ours */
  gboolean loop;           /* of packets to a group, to this host */
  GstClockTime timeout;    /* without a packet; 0 = none */
  guint rtcp_group_limit;  /* receivers; 0 = no regular RTCP in a group */
  gboolean rtcp_mux;
  gboolean ecn;
  TfrcSrtpConfig srtp;
} TfrcNetSettings;

void tfrc_net_settings_init (TfrcNetSettings *self, const gchar *host);
void tfrc_net_settings_clear (TfrcNetSettings *self);

/* A copy to clear, so that the lock need not be held while it is used. */
TfrcNetSettings tfrc_net_settings_copy (const TfrcNetSettings *self);

/* Takes where to listen, and how, from a session description. */
void tfrc_net_settings_set_sdp (TfrcNetSettings *self, const TfrcSdp *sdp);

/* For the property: a URI that is refused makes NULL to READY fail. */
void tfrc_net_settings_set_uri_property (TfrcNetSettings *self,
    GstElement *element, const GValue *value);

/* What NULL to READY looks at first: FALSE with an error for a refused URI, or
 * no port for RTCP. */
gboolean tfrc_net_settings_check (const TfrcNetSettings *self, GError **error);

/* For GstURIHandlerInterface.set_uri of `element`, without its object lock:
 * only in NULL, while no socket is open. */
gboolean tfrc_net_settings_set_uri (TfrcNetSettings *self, GstElement *element,
    const gchar *uri, GError **error);

G_END_DECLS
