/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The walk upstream from a pad, and what it finds there besides the encoder:
 * caps that a funnel does not hand on, and the payloaders.
 *
 * It goes over pads that are linked now, through queues, filters, tees, all
 * inputs of funnels, ghost pads and bins, and holds no lock while it calls out.
 * While the pipeline changes it sees what was there at some moment. */
#pragma once

#include <gst/gst.h>

typedef enum
{
  TFRC_UPSTREAM_ON,   /* see what feeds this pad */
  TFRC_UPSTREAM_SKIP, /* only what feeds others */
  TFRC_UPSTREAM_STOP,
} TfrcUpstreamNext;

typedef TfrcUpstreamNext (*TfrcUpstreamVisit) (GstPad *srcpad,
    gpointer user_data);

/* Visits each source pad upstream of `sinkpad` once, the nearest first.  Of a source
 * pad of ours: upstream of the sink pads that it is linked with inside. */
void tfrc_upstream_walk (GstPad *sinkpad, TfrcUpstreamVisit visit,
    gpointer user_data);

/* The `pt` of the nearest payloader; -1 = there is none. */
gint tfrc_upstream_find_payload_type (GstPad *sinkpad);

typedef void (*TfrcUpstreamCapsVisit) (const GstCaps *caps, gpointer user_data);

/* Visits the caps of each stream that is known. */
void tfrc_upstream_visit_caps (GstPad *sinkpad, TfrcUpstreamCapsVisit visit,
    gpointer user_data);

/* Payloaders whose `mtu` is at its default and above `mtu` are set to it. */
void tfrc_upstream_set_mtu (GstPad *sinkpad, guint mtu);
