/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* UDP segmentation offload (UDP_SEGMENT, Linux 4.18): packets of one size that
 * leave together go through the kernel as one, up to the device.  It is for lists
 * of packets in front of a udpsink, which sends all else, and everything where
 * the kernel or the device says no. */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

G_BEGIN_DECLS

/* To `remote` through the socket that `udpsink` sends from. */
void tfrc_segmentation_add (GstElement *udpsink, GSocket *socket,
    GInetSocketAddress *remote);

G_END_DECLS
