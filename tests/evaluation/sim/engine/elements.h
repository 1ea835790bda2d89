/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the elements decide with, for C++: the pacer's queue and the encoder's
 * target.  Neither needs gst_init() nor a clock.  GStreamer's headers come first,
 * because they know of C++ themselves. */
#pragma once

#include <gst/gst.h>

#include "protocol.h"

extern "C" {
#include "encoder/target.h"
#include "send/queue.h"
}
