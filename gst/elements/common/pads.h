/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pads that know their partner: what comes in at one leaves by the other. */
#pragma once

#include <gst/gst.h>

/* Adds a pad, named as its template, to an element, which owns it. */
GstPad *tfrc_pads_add (GstElement *element, GstStaticPadTemplate *template);

/* From here on each is the other's element_private and its one internal link;
 * a pad without a partner has none. */
void tfrc_pads_join (GstPad *sink, GstPad *src);

/* Of a pad that is not added by the above. */
GstIterator *tfrc_pads_iterate_partner (GstPad *pad, GstObject *parent);

/* Sends what goes in front of the first RTCP packet (stream-start, caps,
 * segment) from a source pad, or into a sink pad, unless it has been sent.
 * `owner` is the element that makes the stream; NULL = of none of ours. */
void tfrc_pads_start_rtcp (GstPad *pad, GstElement *owner);
