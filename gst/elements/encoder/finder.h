/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the video encoder whose stream arrives at a pad.  Takes and returns
 * references, holds no lock while it calls out; may be called while the
 * pipeline changes and then finds what was there at some moment. */
#pragma once

#include <gst/gst.h>

/* The nearest video encoder upstream of `sinkpad`, breadth first: through
 * queues, filters, payloaders, tees, all inputs of funnels, ghost pads and
 * bins, but not through a decoder.  NULL or a new reference. */
GstElement *tfrc_encoder_find_upstream (GstPad *sinkpad);

/* The element called `name` in the pipeline `element` is in. */
GstElement *tfrc_encoder_find_by_name (GstElement *element, const gchar *name);

/* The name of its factory; "" for an element made without one. */
const gchar *tfrc_encoder_get_factory_name (GstElement *element);
