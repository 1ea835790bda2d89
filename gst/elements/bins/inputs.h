/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The requested sink pads of tfrcsink.  Behind each is a clocksync of its own:
 * one stream that is early does not hold the others.  Payloaders that were not
 * told a payload type get one that no other stream has. */
#pragma once

#include <gst/gst.h>

#include "bins/sink-pads.h"

G_BEGIN_DECLS

typedef struct _TfrcInputs TfrcInputs;

/* `bin` has the pads, `merge` in it, and a property `sync` that the clocksyncs
 * follow.  It is not referenced. */
TfrcInputs *tfrc_inputs_new (GstElement *bin, TfrcMerge *merge);
void tfrc_inputs_free (TfrcInputs *self);

/* For GstElementClass.request_new_pad and release_pad. */
GstPad *tfrc_inputs_request_pad (TfrcInputs *self, GstPadTemplate *template,
    const gchar *name);
void tfrc_inputs_release_pad (TfrcInputs *self, GstPad *pad);

/* The caps of the stream with this payload type, or NULL; the caller unrefs. */
GstCaps *tfrc_inputs_get_caps (TfrcInputs *self, guint payload_type);

/* The caps of all streams that have any, a structure for each; the caller
 * unrefs. */
GstCaps *tfrc_inputs_get_all_caps (TfrcInputs *self);

G_END_DECLS
