/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pads that know their partner: what comes in at one leaves by the other; and a
 * probe that no packet passes by. */
#pragma once

#include <gst/gst.h>

/* Adds a pad, named as its template, to an element, which owns it. */
GstPad *tfrc_pads_add (GstElement *element, GstStaticPadTemplate *template);

/* From here on each is the other's element_private and its one internal link;
 * a pad without a partner has none. */
void tfrc_pads_join (GstPad *sink, GstPad *src);

/* Of a pad that is not added by the above. */
GstIterator *tfrc_pads_iterate_partner (GstPad *pad, GstObject *parent);

/* Sends what goes in front of the first packet (stream-start, caps of that type,
 * segment) from a source pad, or into a sink pad. */
void tfrc_pads_begin_stream (GstPad *pad, const gchar *id, const gchar *type);

/* In front of the first RTCP packet, unless it has been sent.
 * `owner` is the element that makes the stream; NULL = of none of ours. */
void tfrc_pads_start_rtcp (GstPad *pad, GstElement *owner);

/* Whether its caps say so: "audio", "video". */
gboolean tfrc_pads_is_media (GstPad *pad, const gchar *media);

/* A pad probe that no packet passes by: each meets it once, whether it comes
 * alone or in a list.  A list goes on as its packets, one after the other, so
 * that what is done with one holds for that one alone; GStreamer does the same
 * in front of an element that takes no lists.  The flow of the first packet
 * that is not OK ends the list and is the list's.
 *
 * `on_packet` gets a buffer, and may do and return what the callback of a probe
 * for GST_PAD_PROBE_TYPE_BUFFER may.  The id is that of the probe. */
gulong tfrc_packet_probe_add (GstPad *pad, GstPadProbeCallback on_packet,
    gpointer user_data, GDestroyNotify notify);
