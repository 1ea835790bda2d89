/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether the way to the receiver carries packets of the size that is sent, as
 * routers told the system by ICMP (RFC 1191, RFC 8201).  Where it does not, the
 * system sends them in fragments, and a packet is lost with any of them: the
 * application is warned.  Sends no packets of its own. */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

typedef struct _TfrcPathMtu TfrcPathMtu;

/* Looks at the way to `remote` about once a second as long as buffers pass
 * `pad`, and posts a warning by `element` when it carries less than `mtu`
 * bytes.  The pad keeps a reference; `element` outlives the pad. */
TfrcPathMtu *tfrc_path_mtu_new (GstElement *element, GstPad *pad,
    GInetSocketAddress *remote, guint mtu);
/* Another way from now on; any thread. */
void tfrc_path_mtu_set_remote (TfrcPathMtu *self, GInetSocketAddress *remote);
void tfrc_path_mtu_unref (TfrcPathMtu *self);
/* While nothing streams: looks, and warns, anew.  NULL does nothing. */
void tfrc_path_mtu_begin_run (TfrcPathMtu *self);

/* The largest IP packet that the system sends to the address in one piece
 * [bytes]; 0: not known. */
guint tfrc_path_mtu_read (GInetSocketAddress *remote);

/* What was found now; warns once of each size. */
void tfrc_path_mtu_on_found (TfrcPathMtu *self, guint found);

/* Adds path-mtu (guint, bytes), 0 while it is not known. */
void tfrc_path_mtu_add_stats (TfrcPathMtu *self, GstStructure *stats);
