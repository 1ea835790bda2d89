/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the elements decide with, for C++: the pacer's queue and the encoder's
 * target.  Neither needs gst_init() nor a clock.  Includes protocol.h first,
 * because the core's headers do not know of C++. */
#pragma once

#include "protocol.h"

#include "encoder/output.h"
#include "encoder/rate.h"
#include "encoder/target.h"
#include "send/queue.h"
