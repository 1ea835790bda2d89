/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Groups without trouble: the links of the standard set of live streams in front of
 * one of three receivers, and groups in networks unlike them. */
#include <stdio.h>

#include "ablation.h"
#include "virtual-group.h"

#define SEEDS 5
#define SECONDS 120

typedef struct
{
  const char *name; /* of the first one's profile, where no rate is given */
  unsigned receivers;
  TfrcRate rate; /* of the first one's link; each other has 10 times as much */
  TfrcDuration rtt;
  double loss;          /* of each */
  uint32_t packet_size; /* 0 = 1200 bytes */
  int drift;            /* of the others' clocks [ppm] */
  double reorder;       /* overtaken by six */
} Group;

static const Group groups[] = {
  { "steady", 3 },
  { "loss1", 3 },
  { "steps", 3 },
  { "outage", 3 },
  { "60 receivers, 1 %", 60, MBIT, 50 * MS, 0.01 },
  { "1 ms", 3, 2 * MBIT, MS },
  { "300 ms", 3, 2 * MBIT, 300 * MS },
  { "0.3 Mbit/s", 3, 0.3 * MBIT, 50 * MS },
  { "100 Mbit/s", 3, 100 * MBIT, 50 * MS },
  { "overtaken", 3, 20 * MBIT, 50 * MS, .reorder = 0.05 },
  { "200 bytes", 3, 2 * MBIT, 50 * MS, .packet_size = 200 },
  { "200 ppm", 3, 2 * MBIT, 50 * MS, .drift = 200 },
};

static const char *
get_heading (size_t column)
{
  return groups[column].name;
}

/* Where the first one is behind a profile, the others' links are 10 Mbit/s. */
static GroupPath
path_of (const Group *group, unsigned receiver, const LinkProfile *profile)
{
  GroupPath path = group_path_default ();
  TfrcRate rate = group->rate > 0.0 ? group->rate : MBIT;

  if (group->rate == 0.0 && receiver == 0) {
    path.forward = profile->forward;
    path.back = profile->back;
    return path;
  }
  path.forward.rate = receiver == 0 ? rate : 10.0 * rate;
  path.forward.queue_limit = 100 * MS;
  path.forward.loss = group->loss;
  path.forward.reorder = group->reorder;
  path.forward.reorder_packets = group->reorder > 0.0 ? 6 : 0;
  if (group->rate > 0.0)
    path.forward.delay = path.back.delay = group->rtt / 2;
  return path;
}

static VirtualGroup *
begin (const Group *group, const LinkProfile *profile, uint64_t seed)
{
  GroupConfig config = group_config_default ();
  VirtualGroup *self;

  config.packet_size = group->packet_size != 0 ? group->packet_size : 1200;
  config.sender.max_segment_size = 1200;
  config.seed = seed;
  self = group_new (&config);
  for (unsigned i = 0; i < group->receivers; i++) {
    GroupPath path = path_of (group, i, profile);

    group_join (self, &path);
    if (i > 0)
      group_set_drift (self, i, group->drift);
  }
  return self;
}

static void
measure (size_t column, char cell[ABLATION_CELL])
{
  const Group *group = &groups[column];
  double rate = 0.0, got = 0.0, lost = 0.0;
  LinkProfile profile = { 0 };

  if (group->rate == 0.0)
    ablation_load_link (&profile, group->name, SECONDS);
  for (unsigned seed = 1; seed <= SEEDS; seed++) {
    VirtualGroup *self = begin (group, &profile, seed);
    TfrcReceiverCounters counters;

    rate += group_run_rate (self, SECONDS * TFRC_SECOND) / SEEDS;
    counters = tfmcc_receiver_get_counters (group_get_receiver (self, 0));
    got += (double) counters.packets;
    lost += (double) counters.packets_lost;
    group_free (self);
  }
  link_profile_clear (&profile);
  snprintf (cell, ABLATION_CELL, "%.0f, %.2f %%", rate * 8 / 1000,
      100 * lost / (got + lost));
}

const AblationTable ablation_groups = { "Tfmcc",
  sizeof groups / sizeof groups[0], get_heading, measure };
