/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several RTP streams into one flow: rtpfunnel merges the packets; what it does
 * not do for events is here.  It holds the streaming threads of all pads while
 * one of them pushes, so what waits belongs in front of this. */
#pragma once

#include <gst/gst.h>

typedef struct _TfrcMerge TfrcMerge;

/* NULL: rtpfunnel is missing. */
TfrcMerge *tfrc_merge_new (void);
void tfrc_merge_free (TfrcMerge *self);

/* The element, with a pad `src`, that has the pads; not referenced. */
GstElement *tfrc_merge_get_element (const TfrcMerge *self);

/* A sink pad of the element, which owns it. */
GstPad *tfrc_merge_add_pad (TfrcMerge *self);

/* Nobody pushes into it any more; waits until a thread that did is out of it. */
void tfrc_merge_remove_pad (TfrcMerge *self, GstPad *pad);
