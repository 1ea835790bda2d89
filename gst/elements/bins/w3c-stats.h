/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The statistics under the names that W3C's webrtc-stats has, for programs that read
 * those of WebRTC: what of it is known here, in its units (seconds, bytes). */
#pragma once

#include <gst/gst.h>

/* Takes the property "stats" of tfrcsink; `rtpbin`, which may be NULL, has what receivers
 * report.  Gives a structure with the structures "outbound-rtp" and, once a receiver has
 * been heard, "remote-inbound-rtp". */
GstStructure *tfrc_w3c_stats_of_sink (GstStructure *stats, GstElement *rtpbin);

/* The same of tfrcsrc, and "inbound-rtp". */
GstStructure *tfrc_w3c_stats_of_src (GstStructure *stats, GstElement *rtpbin);
