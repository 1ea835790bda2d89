/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The statistics under the names that W3C's webrtc-stats has, for programs that read
 * those of WebRTC: what of it is known here, in its units (seconds, bytes). */
#pragma once

#include <gst/gst.h>

/* Of the property "stats" of tfrcsink, and what receivers report to its rtpbin (NULL:
 * none): a structure with "outbound-rtp" and, once a receiver has reported,
 * "remote-inbound-rtp". */
GstStructure *tfrc_w3c_stats_of_sink (const GstStructure *stats,
    GstElement *rtpbin);

/* The same of tfrcsrc: "inbound-rtp". */
GstStructure *tfrc_w3c_stats_of_src (const GstStructure *stats,
    GstElement *rtpbin);
