/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A requested pad of tfrcsink: a ghost pad that has a priority, that of the pad
 * of rtptfrcsend behind it. */
#pragma once

#include <gst/gst.h>

#define GST_TYPE_TFRC_SINK_PAD (gst_tfrc_sink_pad_get_type ())
G_DECLARE_FINAL_TYPE (GstTfrcSinkPad, gst_tfrc_sink_pad, GST, TFRC_SINK_PAD,
    GstGhostPad)

/* NULL: `target` cannot be linked. */
GstPad *gst_tfrc_sink_pad_new (const gchar *name, GstPad *target, GstPad *inner,
    GstPadTemplate *template);
