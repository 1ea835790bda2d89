/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The walk upstream from a pad, and what it finds there: the video encoder, caps
 * that a funnel does not hand on, and the payloaders.
 *
 * It goes over pads that are linked now, through queues, filters, tees, all
 * inputs of funnels, ghost pads and bins, and holds no lock while it calls out.
 * While the pipeline changes it sees what was there at some moment. */
#pragma once

#include <gst/gst.h>

/* The `pt` of the nearest payloader; -1 = there is none. */
gint tfrc_upstream_find_payload_type (GstPad *sinkpad);

/* The GstCaps of each stream that is known, those of none where a funnel hands on; the
 * caller unrefs the array. */
GPtrArray *tfrc_upstream_find_caps (GstPad *sinkpad);

/* Payloaders whose `mtu` is at its default, or was set by this, and above `mtu` are set
 * to it. */
void tfrc_upstream_set_mtu (GstPad *sinkpad, guint mtu);

/* The nearest video encoder upstream of `sinkpad`, breadth first: through
 * queues, filters, payloaders, tees, all inputs of funnels, ghost pads and
 * bins, but not through a decoder.  NULL or a new reference. */
GstElement *tfrc_encoder_find_upstream (GstPad *sinkpad);

/* The element called `name` in the pipeline `element` is in. */
GstElement *tfrc_encoder_find_by_name (GstElement *element, const gchar *name);
