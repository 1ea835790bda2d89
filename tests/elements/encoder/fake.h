/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fake video encoders for the tests of encoder control: elements that pass
 * nothing, with bitrate properties of several types and units, that note how
 * often and to what they were set.
 *
 *   fakekbitenc     bitrate         uint, "in kbit/sec", 1 to 2048000; 2048
 *   fakebitenc      target-bitrate  int64, "(bits per second)"
 *   vafakeenc       the same; each that is set is a key frame
 *   fakereadyenc    bitrate         uint, changeable up to READY
 *   fakeblockedenc  bitrate         uint, waits until it is let go
 *   fakenobitenc    none
 *   fakedecoder     a filter with klass Codec/Decoder/Video */
#pragma once

#include <gst/gst.h>

void tfrc_fake_encoders_register (void);

/* Values that were set, and their number. */
guint64 tfrc_fake_encoder_get (GstElement *encoder, guint *count);

/* Holds up or lets go all set_property of fakeblockedenc. */
void tfrc_fake_encoder_block (gboolean block);
