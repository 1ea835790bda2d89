/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The debug category of what both bins have around their elements: settings,
 * sockets, SRTP. */
#pragma once

#include <gst/gst.h>

/* "tfrcnet"; for GST_CAT_DEFAULT. */
GstDebugCategory *tfrc_net_debug_get_category (void);
