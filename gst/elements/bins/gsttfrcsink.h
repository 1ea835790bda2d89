/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsink: sends RTP streams over UDP at the rate that TFRC allows. */
#pragma once

#include "bins/bin.h"

#define GST_TYPE_TFRC_SINK (gst_tfrc_sink_get_type ())
G_DECLARE_FINAL_TYPE (GstTfrcSink, gst_tfrc_sink, GST, TFRC_SINK, GstTfrcBin)
GST_ELEMENT_REGISTER_DECLARE (tfrcsink);
