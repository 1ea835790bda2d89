/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* T, the longest that a receiver waits with its report: the sender ends its
 * rounds by it and the receivers draw their timers in it, so both must get the
 * same from the same R_max.  Widmer and Handley 2001 section 2.5.3, RFC 4654
 * section 3.4. */
#pragma once

#include <stdbool.h>

#include "base/rate.h"

/* What the sender's rate does, for T. */
typedef enum
{
  TFMCC_STEADY,
  TFMCC_SLOW_START,  /* nobody has lost a packet: c = 0 */
  TFMCC_FIRST_ROUND, /* of it: nor is anybody behind: no bias, 3/4 of b */
} TfmccPhase;

/* Of feedback round `round`, which every stamp has. */
TfmccPhase tfmcc_phase (bool slow_start, uint8_t round);

/* "b max (R_max, (c + 1) s/X)": b is `rtts`, c `packets`, s/X
 * `packet_interval`. */
TfrcDuration tfmcc_feedback_delay (double rtts, double packets,
    TfmccPhase phase, TfrcDuration max_rtt, TfrcDuration packet_interval);

/* b, c and their like as they may be: at least `low`, at most `high`;
 * `otherwise` for NaN. */
double tfmcc_feedback_delay_clamp_setting (double value, double low,
    double high, double otherwise);
