/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcladdersrc: receives one of several groups that carry the same picture. */
#pragma once

#include <gst/gst.h>

#define GST_TYPE_TFRC_LADDER_SRC (gst_tfrc_ladder_src_get_type ())
G_DECLARE_FINAL_TYPE (GstTfrcLadderSrc, gst_tfrc_ladder_src, GST,
    TFRC_LADDER_SRC, GstBin)

GST_ELEMENT_REGISTER_DECLARE (tfrcladdersrc);
