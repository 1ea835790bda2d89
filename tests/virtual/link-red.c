/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names as in the paper: figure 2 of Floyd and Jacobson 1993. */
#include "link-red.h"

#include <math.h>

/* While the link was idle, as many packets found an empty queue as could have
 * been sent. */
static void
update_average (LinkRed *self, const LinkRedConfig *config, TfrcDuration wait,
    TfrcDuration idle, TfrcDuration packet_time)
{
  double n_missed = 0.0;

  if (idle > 0)
    n_missed = packet_time > 0 ? (double) idle / (double) packet_time
                               : INFINITY;
  self->average *= pow (1.0 - config->weight, n_missed);
  self->average += config->weight * ((double) wait - self->average);
}

LinkRedOutcome
link_red_judge (LinkRed *self, const LinkRedConfig *config, TfrcDuration wait,
    TfrcDuration idle, TfrcDuration packet_time, TfrcRng *rng)
{
  double min = (double) config->min, max = (double) config->max;
  double p_b, spread;

  update_average (self, config, wait, idle, packet_time);
  if (self->average < min || config->max == 0) {
    self->passed = 0;
    return LINK_RED_PASSES;
  }
  if (self->average >= 2.0 * max) {
    self->passed = 0;
    return LINK_RED_FORCED;
  }
  if (self->average < max)
    p_b = config->share * (self->average - min) / (max - min);
  else
    p_b = config->share + (1.0 - config->share) * (self->average - max) / max;
  /* p_a: the gaps between early ones are uniform, not geometric. */
  spread = 1.0 - self->passed * p_b;
  self->passed++;
  if (spread > 0.0 && tfrc_rng_uniform (rng) > p_b / spread)
    return LINK_RED_PASSES;
  self->passed = 0;
  return LINK_RED_EARLY;
}
