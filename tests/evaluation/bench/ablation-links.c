/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The links of the standard set of live streams (tests/live/scenarios.py) in
 * virtual time: the same profiles and lengths, a model of an encoder.  And links
 * that are unlike them. */
#include <stdio.h>

#include "ablation.h"
#include "virtual-pair.h"

#define SEEDS 5

typedef struct
{
  const char *name; /* of the profile, where no rate is given */
  unsigned seconds;
  TfrcRate video; /* what an encoder makes at most; 0 = greedy */
  TfrcRate rate;
  TfrcDuration rtt;
  uint32_t packet_size; /* 0 = 1200 bytes */
  unsigned frames;      /* per second; 0 = 30 */
  unsigned pause;       /* each so many seconds, for as long; 0 = never */
  double reorder;       /* overtaken by six */
} Stream;

static const Stream streams[] = {
  { "steady", 40, 3 * MBIT },
  { "loss2-10m", 44 },
  { "loss1", 40 },
  { "steps", 40, 3 * MBIT },
  { "outage", 32, 3 * MBIT },
  { "outage30", 56, 3 * MBIT },
  { "lan", 70, 3 * MBIT },
  { "dialup", 40, 3 * MBIT },
  { "1 ms", 60, 3 * MBIT, 2 * MBIT, MS },
  { "300 ms", 60, 3 * MBIT, 2 * MBIT, 300 * MS },
  { "0.3 Mbit/s", 60, 0.45 * MBIT, 0.3 * MBIT, 50 * MS },
  { "100 Mbit/s", 60, 150 * MBIT, 100 * MBIT, 50 * MS },
  { "overtaken", 60, 30 * MBIT, 20 * MBIT, 50 * MS, .reorder = 0.05 },
  { "200 bytes", 60, 3 * MBIT, 2 * MBIT, 50 * MS, .packet_size = 200 },
  { "pauses", 60, 3 * MBIT, 2 * MBIT, 50 * MS, .pause = 3 },
  { "2 frames/s", 60, 3 * MBIT, 2 * MBIT, 50 * MS, .frames = 2 },
};

#define LIVE 8 /* so many of them are of the live set */

static const char *
get_heading (size_t column)
{
  return streams[column].name;
}

static const char *
get_unlike_heading (size_t column)
{
  return streams[LIVE + column].name;
}

static PairConfig
config_of (const Stream *stream, const LinkProfile *profile)
{
  PairConfig config = pair_config_default ();

  if (stream->rate > 0.0) {
    config.forward.rate = stream->rate;
    config.forward.queue_limit = 100 * MS;
    config.forward.delay = config.back.delay = stream->rtt / 2;
    config.forward.reorder = stream->reorder;
    config.forward.reorder_packets = stream->reorder > 0.0 ? 6 : 0;
  } else {
    config.forward = profile->forward;
    config.back = profile->back;
  }
  if (stream->packet_size != 0)
    config.packet_size = stream->packet_size;
  if (stream->video > 0.0) {
    config.frame_interval = TFRC_SECOND
        / (stream->frames != 0 ? stream->frames : 30);
    config.encoder_max_rate = stream->video;
  }
  return config;
}

static void
run (VirtualPair *pair, const Stream *stream)
{
  for (unsigned i = 1; i <= stream->seconds; i++) {
    pair_run (pair, i * TFRC_SECOND);
    if (stream->pause != 0)
      pair_set_paused (pair, i / stream->pause % 2 == 1);
  }
}

/* Mean rate of what arrives, and part of the packets that the link loses. */
static void
measure (size_t column, char cell[ABLATION_CELL])
{
  const Stream *stream = &streams[column];
  double bytes = 0.0, packets = 0.0, losses = 0.0;
  LinkProfile profile = { 0 };
  PairConfig config;

  if (stream->rate == 0.0)
    ablation_load_link (&profile, stream->name, stream->seconds);
  config = config_of (stream, &profile);
  for (config.seed = 1; config.seed <= SEEDS; config.seed++) {
    VirtualPair *pair = pair_new (&config);
    PairCounters counters;

    run (pair, stream);
    counters = pair_get_counters (pair);
    bytes += (double) counters.received_bytes;
    packets += (double) counters.packets;
    losses += (double) counters.link_losses;
    pair_free (pair);
  }
  link_profile_clear (&profile);
  snprintf (cell, ABLATION_CELL, "%.0f, %.2f %%",
      bytes * 8 / 1000 / SEEDS / stream->seconds, 100 * losses / packets);
}

static void
measure_unlike (size_t column, char cell[ABLATION_CELL])
{
  measure (LIVE + column, cell);
}

const AblationTable ablation_links = { "Tfrc", LIVE, get_heading, measure };
const AblationTable ablation_networks = { "Tfrc",
  sizeof streams / sizeof streams[0] - LIVE, get_unlike_heading,
  measure_unlike };
