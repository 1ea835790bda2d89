/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rules of unicast. */
#include <stddef.h>

#include "ablation.h"
#include "virtual-pair.h"

#define MS TFRC_MILLISECOND
#define S TFRC_SECOND
#define MBIT 125000.0 /* bytes/s of 1 Mbit/s */

/* A link of 2 Mbit/s is gone for three minutes. */
static double
return_after_outage (void)
{
  PairConfig config = pair_config_default ();
  VirtualPair *pair;
  LinkConfig dead;
  TfrcDuration back;

  config.forward.rate = 2.0 * MBIT;
  config.forward.queue_limit = 100 * MS;
  dead = config.forward;
  dead.rate = 0.0;
  pair = pair_new (&config);
  pair_run (pair, 20 * S);
  pair_set_forward (pair, &dead);
  pair_run (pair, 200 * S);
  pair_set_forward (pair, &config.forward);
  back = pair_run_until_above (pair, MBIT, S, 200 * S);
  pair_free (pair);
  return back == TFRC_TIME_NONE ? 200.0 : tfrc_duration_to_seconds (back);
}

/* 20 Mbit/s, 300 ms, one packet in 20 is overtaken by six. */
static double
start_on_reordering_path (void)
{
  PairConfig config = pair_config_default ();
  VirtualPair *pair;
  TfrcDuration start;

  config.sender.max_rate = 20.0 * MBIT;
  config.forward.delay = config.back.delay = 150 * MS;
  config.forward.reorder = 0.05;
  config.forward.reorder_packets = 6;
  pair = pair_new (&config);
  start = pair_run_until_above (pair, 18.0 * MBIT, 500 * MS, 120 * S);
  pair_free (pair);
  return start == TFRC_TIME_NONE ? 120.0 : tfrc_duration_to_seconds (start);
}

const Ablation unicast_ablations[] = {
  { "probes", "half of 2 Mbit/s again after 3 min without a link [s]",
      return_after_outage, true },
  { "reordering", "start to 18 Mbit/s, 300 ms, overtaken by 6 [s]",
      start_on_reordering_path, true },
  { NULL, NULL, NULL, false, false },
};
