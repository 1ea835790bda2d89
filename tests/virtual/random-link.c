/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "random-link.h"

#include <math.h>

#define MS ((double) TFRC_MILLISECOND)

static void
draw_queue (LinkConfig *config, TfrcRng *rng)
{
  config->queue_limit = (TfrcDuration) random_scale (rng, 20.0 * MS,
      500.0 * MS);
  if (!random_chance (rng, 0.25))
    return;
  config->red.min = config->queue_limit / 4;
  config->red.max = 3 * config->red.min;
}

static void
draw_losses (LinkConfig *config, TfrcRng *rng)
{
  if (random_chance (rng, 0.3))
    config->loss = random_scale (rng, 1e-4, 0.1);
  if (random_chance (rng, 0.15)) {
    config->ge_enter = random_scale (rng, 1e-4, 0.02);
    config->ge_leave = random_between (rng, 0.1, 0.5);
    config->ge_loss = random_between (rng, 0.2, 1.0);
  }
}

void
random_link_draw (LinkConfig *config, TfrcRng *rng)
{
  link_config_init (config);
  config->rate = random_scale (rng, 8000.0, 125000.0);
  config->delay = (TfrcDuration) random_scale (rng, MS, 100.0 * MS);
  draw_queue (config, rng);
  draw_losses (config, rng);
  if (random_chance (rng, 0.5)) {
    config->jitter = (TfrcDuration) random_between (rng, 0.0, 30.0 * MS);
    config->jitter_reorders = random_chance (rng, 0.3);
  }
  if (random_chance (rng, 0.25))
    config->duplicate = random_between (rng, 0.0, 0.2);
  if (random_chance (rng, 0.25)) {
    config->reorder = random_between (rng, 0.0, 0.05);
    config->reorder_delay = (TfrcDuration) random_between (rng, 0.0, 50.0 * MS);
  }
}

void
random_link_mend (LinkConfig *config)
{
  config->loss = config->ge_loss = config->ge_enter = 0.0;
}

double
random_between (TfrcRng *rng, double low, double high)
{
  return low + (high - low) * tfrc_rng_uniform (rng);
}

double
random_scale (TfrcRng *rng, double low, double high)
{
  return low * pow (high / low, tfrc_rng_uniform (rng));
}

bool
random_chance (TfrcRng *rng, double probability)
{
  return tfrc_rng_uniform (rng) <= probability;
}
