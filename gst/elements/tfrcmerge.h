/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The requested sink pads of tfrcsink: several RTP streams into one flow.
 * rtpfunnel merges the packets; what it does not do for events is here. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _TfrcMerge TfrcMerge;

/* `bin` has the pads and is not referenced; `funnel` is in it, linked to
 * `next`. */
TfrcMerge *tfrc_merge_new (GstElement * bin, GstElement * funnel,
    GstElement * next);
void tfrc_merge_free (TfrcMerge * self);

/* For GstElementClass.request_new_pad and release_pad. */
GstPad *tfrc_merge_request_pad (TfrcMerge * self, GstPadTemplate * template,
    const gchar * name);
void tfrc_merge_release_pad (TfrcMerge * self, GstPad * pad);

/* The caps of the stream with this payload type, or NULL; the caller unrefs. */
GstCaps *tfrc_merge_get_caps (TfrcMerge * self, guint payload_type);

/* The caps of all streams that have any, a structure for each; the caller
 * unrefs. */
GstCaps *tfrc_merge_get_all_caps (TfrcMerge * self);

G_END_DECLS
