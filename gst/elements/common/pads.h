/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pads with a partner, to which everything is passed on; and a pad probe that gets each
 * packet once. */
#pragma once

#include <gst/gst.h>

/* Makes a pad, named as its template, and adds it to the element, which owns it. */
GstPad *tfrc_pads_add (GstElement *element, GstStaticPadTemplate *template);

/* Makes each pad the other's element_private and its only internal link.  A pad without
 * partner has none. */
void tfrc_pads_join (GstPad *sink, GstPad *src);

/* The internal links function of pads that tfrc_pads_add did not make. */
GstIterator *tfrc_pads_iterate_partner (GstPad *pad, GstObject *parent);

/* Sends the events that precede the first packet (stream-start, caps of that type,
 * segment) from a source pad, or into a sink pad. */
void tfrc_pads_begin_stream (GstPad *pad, const gchar *id, const gchar *type);

/* Sends these events before the first RTCP packet, once.  `owner`: the element that makes
 * the stream; NULL = none of ours. */
void tfrc_pads_start_rtcp (GstPad *pad, GstElement *owner);

/* Whether the pad's caps have this `media`: "audio" or "video". */
gboolean tfrc_pads_is_media (GstPad *pad, const gchar *media);

/* Adds a pad probe that is called once for each packet, whether that comes alone or in a
 * list.  A list is passed on as single packets, so that what is done with one only
 * affects that one; GStreamer does the same before an element that does not take lists.
 * The first flow return that is not OK ends the list, and is returned for it.
 *
 * `on_packet` gets a buffer, and may do and return what the callback of a probe for
 * GST_PAD_PROBE_TYPE_BUFFER may. */
void tfrc_packet_probe_add (GstPad *pad, GstPadProbeCallback on_packet,
    gpointer user_data, GDestroyNotify notify);
