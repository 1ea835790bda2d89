/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The search upstream of a pad for the video encoder, caps that a funnel does not pass
 * on, and payloaders.
 *
 * It follows the present links, through queues, filters, tees, all inputs of funnels,
 * ghost pads and bins, and holds no lock while it calls other objects.  If the pipeline
 * changes meanwhile, the result is that of some moment. */
#pragma once

#include <gst/gst.h>

/* The nearest payloader; NULL = there is none, or it has no property `pt`. */
GstElement *tfrc_upstream_find_payloader (GstPad *sinkpad);

/* Its property `pt`; -1 = there is none. */
gint tfrc_upstream_find_payload_type (GstPad *sinkpad);

/* The GstCaps of each stream that has some, and not those of a funnel; the caller unrefs
 * the array. */
GPtrArray *tfrc_upstream_find_caps (GstPad *sinkpad);

/* Sets `mtu` of payloaders [bytes], if theirs is larger and is the default or was set by
 * this function.  `raises`: also if theirs is smaller and was set by it, up to the
 * default. */
void tfrc_upstream_set_mtu (GstPad *sinkpad, guint mtu, gboolean raises);

/* The nearest video encoder upstream of `sinkpad`, breadth first: through queues,
 * filters, payloaders, tees, all inputs of funnels, ghost pads and bins, but not through
 * a decoder.  Returns a new reference, or NULL. */
GstElement *tfrc_encoder_find_upstream (GstPad *sinkpad);

/* The element called `name` in the pipeline of `element`.  Returns a new reference, or
 * NULL. */
GstElement *tfrc_encoder_find_by_name (GstElement *element, const gchar *name);
