/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The requested sink pads of tfrcsink.  They offer payloaders without a fixed payload
 * type one that no other stream has. */
#pragma once

#include <gst/gst.h>

/* A ghost pad with the property "priority" of its target, the pad of rtptfrcsend. */
#define GST_TYPE_TFRC_SINK_PAD (gst_tfrc_sink_pad_get_type ())
G_DECLARE_FINAL_TYPE (GstTfrcSinkPad, gst_tfrc_sink_pad, GST, TFRC_SINK_PAD,
    GstGhostPad)

/* For GstElementClass.request_new_pad and release_pad of `bin`, which contains `send`, an
 * rtptfrcsend. */
GstPad *tfrc_sink_pads_request_pad (GstElement *bin, GstElement *send,
    GstPadTemplate *template, const gchar *name);
void tfrc_sink_pads_release_pad (GstElement *bin, GstPad *pad);

/* While nothing streams: forgets the payload types. */
void tfrc_sink_pads_begin_run (GstElement *bin);

/* The caps of the stream with this payload type, or NULL; the caller unrefs. */
GstCaps *tfrc_sink_pads_get_caps (GstElement *bin, guint payload_type);

/* The caps of all streams, a structure for each with caps; the caller unrefs. */
GstCaps *tfrc_sink_pads_get_all_caps (GstElement *bin);

/* Payload types for the streams of one RTP session, by which a receiver distinguishes
 * them; by default all payloaders use 96. */
typedef struct
{
  gint fixed;  /* in the caps of the stream; -1 = none yet */
  gint wanted; /* set at its payloader, below 128; -1 = unknown */
} TfrcPayloadChoice;

/* The type to offer stream `index` of n, 96 to 127, if the one that it wants is fixed for
 * another stream, or wanted by one before it.  Fixed types do not change, and the result
 * does not depend on the order of calls.  -1: the stream may use the type that it wants,
 * or none is free. */
gint tfrc_payload_choice_make (const TfrcPayloadChoice *streams, gint n,
    gint index);
