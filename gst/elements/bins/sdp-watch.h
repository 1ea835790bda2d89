/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Notifies of a bin's property "sdp" when its text has changed: with the caps
 * of a stream, with a stream that goes, with the header extension of what is
 * sent, or with a setting.  No lock is held then. */
#pragma once

#include <gst/gst.h>

/* No run: the text that was told stands until another is. */
typedef struct _TfrcSdpWatch TfrcSdpWatch;

/* `sent`: the pad whose caps name the header extension; referenced, `bin` is
 * not. */
TfrcSdpWatch *tfrc_sdp_watch_new (GstElement *bin, GstPad *sent);

/* While `bin` still has its pads: before it is disposed of. */
void tfrc_sdp_watch_free (TfrcSdpWatch *self);
