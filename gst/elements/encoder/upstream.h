/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is upstream of the sender: caps that a funnel does not hand on, and
 * the payloaders.  Walks over pads that are linked now, through funnels and
 * bins; to be called from the streaming thread. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* The caps of the stream with this SSRC; NULL = nobody upstream has them. */
GstCaps *tfrc_upstream_find_caps (GstPad *sinkpad, guint32 ssrc);

/* The `pt` of the nearest payloader; -1 = there is none. */
gint tfrc_upstream_find_payload_type (GstPad *sinkpad);

typedef void (*TfrcUpstreamVisitor) (const GstCaps *caps, gpointer user_data);

/* Visits the caps of each stream that is known. */
void tfrc_upstream_visit_caps (GstPad *sinkpad, TfrcUpstreamVisitor visit,
    gpointer user_data);

/* Payloaders whose `mtu` is at its default and above `mtu` are set to it. */
void tfrc_upstream_set_mtu (GstPad *sinkpad, guint mtu);

G_END_DECLS
