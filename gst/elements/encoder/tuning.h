/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets what an encoder's rate control needs besides the bitrate, where the
 * user left it at its default. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Logs as `owner`.  May wait for the frame being encoded.  A property that
 * was set to its default on purpose cannot be told from one left alone. */
void tfrc_encoder_tune (GstElement *encoder, GstElement *owner);

G_END_DECLS
