/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loss events and intervals, RFC 5348 sections 5.2 to 5.5: from lost packets
 * to the loss event rate p.
 *
 * Losses within one RTT of the start of an event belong to it.  The weighted
 * mean of the last n intervals gives p; the open interval counts when that
 * lowers p, and a long one discounts the older ones.  The newest losses are
 * kept, so that a late packet can take its loss back. */
#pragma once

#include "tfrc-loss-detector.h"

#define TFRC_MIN_HISTORY 2
#define TFRC_MAX_HISTORY 256
#define TFRC_DEFAULT_HISTORY 8  /* n, RFC 5348 section 5.4 */
#define TFRC_DISCOUNT_THRESHOLD 0.25    /* RFC 5348 section 5.5 */
