/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a tfrcsink sends to and a tfrcsrc listens, as addresses, and which
 * protocol is spoken there. */
#pragma once

#include <gio/gio.h>

#include "network/settings.h"

typedef struct
{
  GInetSocketAddress *host;       /* remote of tfrcsink, local of tfrcsrc */
  GInetSocketAddress *local;      /* to bind to; of tfrcsrc the same */
  GInetSocketAddress *feedback;   /* of tfrcsrc; NULL = the packets' source */
  GInetAddress *multicast_source; /* of tfrcsrc; NULL = any */
  gboolean is_group;
  GstTfrcMode mode; /* not auto */
} TfrcEndpoint;

/* Resolve what the settings name, which may block for a name.  The error says
 * what does not go together; the endpoint is to be cleared in any case. */
gboolean tfrc_endpoint_init_sink (TfrcEndpoint *self,
    const TfrcNetSettings *settings, GError **error);
gboolean tfrc_endpoint_init_src (TfrcEndpoint *self,
    const TfrcNetSettings *settings, GError **error);
void tfrc_endpoint_clear (TfrcEndpoint *self);
