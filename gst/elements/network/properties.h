/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TfrcNetSettings as GObject properties of tfrcsink and tfrcsrc: names, ranges,
 * defaults and texts. */
#pragma once

#include "network/settings.h"

G_BEGIN_DECLS

typedef enum
{
  TFRC_NET_PROP_HOST = 1,
  TFRC_NET_PROP_ADDRESS,
  TFRC_NET_PROP_PORT,
  TFRC_NET_PROP_URI,
  TFRC_NET_PROP_MODE,
  TFRC_NET_PROP_TTL,
  TFRC_NET_PROP_MULTICAST_IFACE,
  TFRC_NET_PROP_RTCP_MUX,
  TFRC_NET_PROP_ECN,
  TFRC_NET_PROP_SRTP_KEY,
  TFRC_NET_PROP_SRTP_CIPHER,
  TFRC_NET_PROP_SRTP_AUTH,
  TFRC_NET_PROP_CNAME,
  TFRC_NET_PROP_QOS_DSCP,
  TFRC_NET_PROP_BUFFER_SIZE,
  /* Of the side that sends alone. */
  TFRC_NET_PROP_LOOP,
  TFRC_NET_PROP_TTL_MC,
  TFRC_NET_PROP_BIND_ADDRESS,
  TFRC_NET_PROP_BIND_PORT,
  /* Of the side that receives alone. */
  TFRC_NET_PROP_AUTO_MULTICAST,
  TFRC_NET_PROP_MULTICAST_SOURCE,
  TFRC_NET_PROP_FEEDBACK_HOST,
  TFRC_NET_PROP_FEEDBACK_PORT,
  TFRC_NET_PROP_SSRC,
  TFRC_NET_PROP_RTCP_GROUP_LIMIT,
  TFRC_NET_PROP_TIMEOUT,
  TFRC_NET_N_PROPS,
} TfrcNetProp;

/* Installs the properties; `sending`: with those of tfrcsink. */
void tfrc_net_properties_install (GObjectClass *klass, const gchar *host,
    gboolean sending);

/* FALSE: no such setting.  The caller holds the lock of the settings.  The
 * URI is read here and set with tfrc_net_settings_set_uri. */
gboolean tfrc_net_properties_set (TfrcNetSettings *settings, guint prop_id,
    const GValue *value);
gboolean tfrc_net_properties_get (const TfrcNetSettings *settings,
    guint prop_id, GValue *value);

G_END_DECLS
