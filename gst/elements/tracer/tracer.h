/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GST_TRACERS="tfrc(interval=MS,socket=PATH)": what each flow of a process does,
 * without the application.  At each interval (1000 ms) the property "stats" of
 * each tfrcsink and tfrcsrc, and of each rtptfrcsend and rtptfrcreceive that
 * stands by itself, is written as text (gst_structure_to_string), with the field
 * "element" in front of all: a datagram to a Unix socket, or without `socket` a
 * line of the debug category GST_TRACER at level TRACE, as GStreamer's own
 * tracers write. */
#pragma once

#include <gst/gst.h>
#include <gst/gsttracer.h>

#define TFRC_TYPE_TRACER (tfrc_tracer_get_type ())
G_DECLARE_FINAL_TYPE (TfrcTracer, tfrc_tracer, TFRC, TRACER, GstTracer)
