/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TFRC-SP, the variant for flows of small packets, RFC 4828: such a flow may have the
 * bytes per second of a TCP flow with large packets that sees as many losses.  Both
 * ends have to do their part. */
#pragma once

#include "base/time.h"

/* s of the equation, section 4.1, unless the path's packets are smaller. */
#define TFRC_SMALL_PACKETS_SEGMENT_SIZE 1460
/* H, section 4.2: what TCP's headers take, and are taken to take here. */
#define TFRC_SMALL_PACKETS_HEADER_SIZE 40
/* Between two packets, section 4.3. */
#define TFRC_SMALL_PACKETS_MIN_INTERVAL (10 * TFRC_MILLISECOND)

/* The part of the rate that is left for packets of `size` > 0 bytes without their
 * headers, section 4.2. */
static inline double
tfrc_small_packets_get_payload_share (double size)
{
  return size / (size + TFRC_SMALL_PACKETS_HEADER_SIZE);
}
