/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsrc: receives RTP streams over UDP and reports to their TFRC sender. */
#pragma once

#include "bins/bin.h"

#define GST_TYPE_TFRC_SRC (gst_tfrc_src_get_type ())
G_DECLARE_FINAL_TYPE (GstTfrcSrc, gst_tfrc_src, GST, TFRC_SRC, GstTfrcBin)
GST_ELEMENT_REGISTER_DECLARE (tfrcsrc);
