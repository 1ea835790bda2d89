/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The links of the standard set of live streams (tests/live/scenarios.py) in
 * virtual time: the same profiles and lengths, a model of an encoder. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ablation.h"
#include "link-profile.h"
#include "switches.h"
#include "virtual-pair.h"

#define SEEDS 5
#define CELL_SIZE 32

typedef struct
{
  const char *link;
  unsigned seconds;
  bool video; /* of up to 3 Mbit/s at 30 frames/s; else greedy */
} Stream;

static const Stream streams[] = {
  { "steady", 40, true },
  { "loss2-10m", 44, false },
  { "loss1", 40, false },
  { "steps", 40, true },
  { "outage", 32, true },
  { "outage30", 56, true },
  { "lan", 70, true },
  { "dialup", 40, true },
};

#define N_STREAMS (sizeof streams / sizeof streams[0])

typedef char Row[N_STREAMS][CELL_SIZE];

/* Mean rate of what arrives, and part of the packets that the link loses. */
static void
measure (const Stream *stream, char cell[CELL_SIZE])
{
  char path[256], error[LINK_PROFILE_ERROR_SIZE];
  PairConfig config = pair_config_default ();
  double bytes = 0.0, packets = 0.0, losses = 0.0;
  LinkProfile profile;

  snprintf (path, sizeof path, "%s/%s.link", LINKS, stream->link);
  if (!link_profile_load (&profile, path, stream->seconds, error)) {
    fprintf (stderr, "%s\n", error);
    exit (2);
  }
  config.forward = profile.forward;
  config.back = profile.back;
  if (stream->video) {
    config.frame_interval = TFRC_SECOND / 30;
    config.encoder_max_rate = 375000.0;
  }
  for (config.seed = 1; config.seed <= SEEDS; config.seed++) {
    VirtualPair *pair = pair_new (&config);
    PairCounters counters;

    pair_run (pair, stream->seconds * TFRC_SECOND);
    counters = pair_get_counters (pair);
    bytes += (double) counters.received_bytes;
    packets += (double) counters.packets;
    losses += (double) counters.link_losses;
    pair_free (pair);
  }
  link_profile_clear (&profile);
  snprintf (cell, CELL_SIZE, "%.0f, %.2f %%",
      bytes * 8 / 1000 / SEEDS / stream->seconds, 100 * losses / packets);
}

/* A cell that is as with all rules is left empty. */
static void
print_row (const char *without, Row with)
{
  char cell[CELL_SIZE];

  printf ("| %s |", *without != '\0' ? without : "nothing");
  switches_turn_off (*without != '\0' ? without : NULL);
  for (size_t i = 0; i < N_STREAMS; i++) {
    measure (&streams[i], cell);
    if (*without == '\0')
      strcpy (with[i], cell);
    else if (strcmp (cell, with[i]) == 0)
      cell[0] = '\0';
    printf (" %s |", cell);
  }
  puts ("");
  fflush (stdout);
}

void
ablation_print_links (void)
{
  Row with;

  printf ("| without |");
  for (size_t i = 0; i < N_STREAMS; i++)
    printf (" %s |", streams[i].link);
  printf ("\n|---|");
  for (size_t i = 0; i < N_STREAMS; i++)
    printf ("--:|");
  puts ("");
  print_row ("", with);
  for (const Ablation *one = unicast_ablations; one->rule != NULL; one++)
    print_row (one->rule, with);
  print_row ("all", with);
}
