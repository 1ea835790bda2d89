/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a playout delay that follows the packets (rtp/playout-delay.h) buys, and
 * costs, beside a fixed one of 300 ms, on the same arrivals: video of 30 frames/s
 * over link profiles, in virtual time, so that equal runs print equal figures.
 *
 *   bench-playout PROFILE...
 *
 * For both: packets that come too late [%], and the time from encoding to
 * playout, median and 95th percentile over packets [ms].  Of the one that
 * follows also how often in a minute it grew by more than a frame, which is
 * seen as a short stop, and by how much at most [ms].  The first 10 of 120 s are
 * left out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link-profile.h"
#include "rtp/playout-delay.h"
#include "virtual-pair.h"

#define MS TFRC_MILLISECOND
#define S TFRC_SECOND
#define FIXED (300 * MS)
#define FRAME (S / 30)
#define WARMUP (10 * S)
#define RUN (120 * S)
#define WINDOW 512 /* packets, as rtpjitterbuffer has it */
#define SMOOTHING 125
#define MAX_PACKETS 400000

/* Of one way to choose the delay. */
typedef struct
{
  double *delays; /* encoding to playout [s] */
  unsigned n;
  unsigned late;
} Playout;

/* The receiver: a time line as that of rtpjitterbuffer. */
typedef struct
{
  double window[WINDOW]; /* times on the way [s] */
  unsigned n;
  double base; /* smoothed minimum of these */
  TfrcPlayoutDelay playout_delay;
  Playout fixed;
  Playout following;
  unsigned growths; /* of more than a frame at once */
  TfrcDuration largest_growth;
} Receiver;

static void
follow_base (Receiver *self, double delay)
{
  unsigned filled;
  double smallest = delay;

  self->window[self->n++ % WINDOW] = delay;
  filled = self->n < WINDOW ? self->n : WINDOW;
  for (unsigned i = 0; i < filled; i++)
    smallest = fmin (smallest, self->window[i]);
  if (self->n < WINDOW)
    self->base = smallest;
  else
    self->base += (smallest - self->base) / SMOOTHING;
}

static void
play (Playout *self, double base, double lateness, TfrcDuration delay)
{
  double waits = tfrc_duration_to_seconds (delay);

  if (self->n == MAX_PACKETS)
    return;
  self->late += lateness > waits;
  self->delays[self->n++] = base + fmax (lateness, waits);
}

static void
on_arrival (void *data, TfrcTime encoded_at, TfrcTime now)
{
  Receiver *self = data;
  double delay = tfrc_duration_to_seconds (now - encoded_at);
  double lateness;
  TfrcDuration before = self->playout_delay.delay;

  follow_base (self, delay);
  lateness = delay - self->base;
  tfrc_playout_delay_on_packet (&self->playout_delay,
      tfrc_duration_from_seconds (lateness), now);
  if (now < WARMUP)
    return;
  if (self->playout_delay.delay > before + FRAME) {
    self->growths++;
    self->largest_growth = tfrc_time_max (self->largest_growth,
        self->playout_delay.delay - before);
  }
  play (&self->fixed, self->base, lateness, FIXED);
  play (&self->following, self->base, lateness, before);
}

static int
compare (const void *one, const void *other)
{
  double a = *(const double *) one, b = *(const double *) other;

  return (a > b) - (a < b);
}

static void
print_playout (Playout *self)
{
  qsort (self->delays, self->n, sizeof *self->delays, compare);
  printf (" | %.2f | %.0f | %.0f", 100.0 * self->late / self->n,
      1000 * self->delays[self->n / 2],
      1000 * self->delays[(size_t) (0.95 * self->n)]);
}

static void
run (const char *path)
{
  char error[LINK_PROFILE_ERROR_SIZE];
  const char *name = strrchr (path, '/');
  PairConfig config = pair_config_default ();
  Receiver receiver = { .n = 0 };
  LinkProfile profile;
  VirtualPair *pair;

  if (!link_profile_load (&profile, path, tfrc_duration_to_seconds (RUN),
          error)) {
    fprintf (stderr, "%s\n", error);
    exit (1);
  }
  tfrc_playout_delay_init (&receiver.playout_delay);
  receiver.fixed.delays = calloc (MAX_PACKETS, sizeof (double));
  receiver.following.delays = calloc (MAX_PACKETS, sizeof (double));
  config.forward = profile.forward;
  config.back = profile.back;
  config.frame_interval = FRAME;
  config.encoder_max_rate = 8e6 / 8; /* as the demo's scene [bytes/s] */
  config.on_arrival = on_arrival;
  config.arrival_data = &receiver;
  pair = pair_new (&config);
  pair_run (pair, RUN);
  printf ("| %.*s", (int) strcspn (name ? name + 1 : path, "."),
      name ? name + 1 : path);
  print_playout (&receiver.fixed);
  print_playout (&receiver.following);
  printf (" | %.1f | %.0f |\n",
      receiver.growths * 60 / tfrc_duration_to_seconds (RUN - WARMUP),
      1000 * tfrc_duration_to_seconds (receiver.largest_growth));
  pair_free (pair);
  link_profile_clear (&profile);
  free (receiver.fixed.delays);
  free (receiver.following.delays);
}

int
main (int argc, char **argv)
{
  printf ("| link | 300 ms: late %% | p50 | p95 | following: late %% | p50 | "
          "p95 | growths | largest |\n"
          "|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  for (int i = 1; i < argc; i++)
    run (argv[i]);
  return argc > 1 ? 0 : 2;
}
