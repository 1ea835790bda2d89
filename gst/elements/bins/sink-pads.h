/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The requested sink pads of tfrcsink.  Payloaders that were not told a payload type get
 * one that no other stream has. */
#pragma once

#include <gst/gst.h>

/* Has a priority, that of the pad of rtptfrcsend behind it. */
#define GST_TYPE_TFRC_SINK_PAD (gst_tfrc_sink_pad_get_type ())
G_DECLARE_FINAL_TYPE (GstTfrcSinkPad, gst_tfrc_sink_pad, GST, TFRC_SINK_PAD,
    GstGhostPad)

typedef struct _TfrcSinkPads TfrcSinkPads;

/* `bin` has the pads, and `send`, an rtptfrcsend, in it.  Neither is referenced. */
TfrcSinkPads *tfrc_sink_pads_new (GstElement *bin, GstElement *send);
void tfrc_sink_pads_free (TfrcSinkPads *self);
/* While nothing streams: no pad has a payload type. */
void tfrc_sink_pads_begin_run (TfrcSinkPads *self);

/* For GstElementClass.request_new_pad and release_pad. */
GstPad *tfrc_sink_pads_request_pad (TfrcSinkPads *self,
    GstPadTemplate *template, const gchar *name);
void tfrc_sink_pads_release_pad (TfrcSinkPads *self, GstPad *pad);

/* The caps of the stream with this payload type, or NULL; the caller unrefs. */
GstCaps *tfrc_sink_pads_get_caps (TfrcSinkPads *self, guint payload_type);

/* The caps of all streams that have any, a structure for each; the caller
 * unrefs. */
GstCaps *tfrc_sink_pads_get_all_caps (TfrcSinkPads *self);

/* Payload types for streams of one RTP session, which a receiver tells apart by
 * them: all payloaders are at 96 by default. */
typedef struct
{
  gint fixed;  /* of the caps of the stream; -1 = none yet */
  gint wanted; /* of its payloader, below 128; -1 = not known */
} TfrcPayloadChoice;

/* The type to offer stream `index` of n, 96 to 127: where the one that it wants
 * is that of another stream already, or of one before it.  What is fixed stays,
 * and the outcome does not depend on who asks first.  -1: it may have what it
 * wants, or nothing is free. */
gint tfrc_payload_choice_make (const TfrcPayloadChoice *streams, gint n,
    gint index);
