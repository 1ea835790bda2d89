/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcvideoscale: smaller or fewer pictures where the bitrate is too low for all. */
#pragma once

#include <gst/gst.h>

#define GST_TYPE_TFRC_VIDEO_SCALE (gst_tfrc_video_scale_get_type ())
G_DECLARE_FINAL_TYPE (GstTfrcVideoScale, gst_tfrc_video_scale, GST,
    TFRC_VIDEO_SCALE, GstBin)

GST_ELEMENT_REGISTER_DECLARE (tfrcvideoscale);
