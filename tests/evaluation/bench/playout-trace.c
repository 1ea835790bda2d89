/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "playout-trace.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define FRAME (S / 30)
#define MAX_PACKETS 400000
#define MAX_MISSING 4096

/* As rtpjitterbuffer has them. */
#define WINDOW 512 /* packets */
#define SMOOTHING 125
#define REQUEST_DELAY (15 * MS)
#define RETRY_DELAY (40 * MS)

#define EPISODE (500 * MS)

typedef struct
{
  uint64_t number;
  TfrcTime due;
  TfrcTime asks_at;    /* next; TFRC_TIME_NONE = no more */
  TfrcTime answers_at; /* TFRC_TIME_NONE = none is on its way */
  bool asked;
} Missing;

typedef struct
{
  const PlayoutTrace *trace;
  TfrcDuration fixed;
  TfrcPlayoutDelay playout_delay;
  TfrcDuration rtt;
  uint64_t highest; /* number that came */
  Missing missing[MAX_MISSING];
  unsigned n_missing;
  unsigned next_answer; /* takes the place of this packet, or a later one */
  TfrcTime failed_at;
  double *delays; /* encoding to playout [s] */
  unsigned n, late, unrepaired, episodes, growths;
  TfrcDuration largest_growth;
} Player;

static double
get_time_on_the_way (const PairPacket *packet)
{
  return tfrc_duration_to_seconds (packet->arrived_at - packet->encoded_at);
}

/* The time line of rtpjitterbuffer: smoothed minimum of the newest packets. */
static double
get_base (const PlayoutTrace *self)
{
  unsigned n = self->n_arrivals;
  double smallest = (double) INFINITY;

  for (unsigned i = n < WINDOW ? 0 : n - WINDOW; i < n; i++)
    smallest = fmin (smallest,
        get_time_on_the_way (&self->sent[self->arrivals[i]]));
  if (n <= WINDOW)
    return smallest;
  return self->bases[n - 2] + (smallest - self->bases[n - 2]) / SMOOTHING;
}

static void
on_fate (void *data, const PairPacket *packet)
{
  PlayoutTrace *self = data;

  assert (packet->number < MAX_PACKETS);
  self->sent[packet->number] = *packet;
  if (packet->number >= self->n_sent)
    self->n_sent = (unsigned) packet->number + 1;
  if (packet->arrived_at == TFRC_TIME_NONE)
    return;
  self->arrivals[self->n_arrivals++] = (unsigned) packet->number;
  self->bases[self->n_arrivals - 1] = get_base (self);
}

PlayoutTrace
playout_trace_new (PairConfig config)
{
  PlayoutTrace self = {
    .sent = calloc (MAX_PACKETS, sizeof *self.sent),
    .arrivals = calloc (MAX_PACKETS, sizeof *self.arrivals),
    .bases = calloc (MAX_PACKETS, sizeof *self.bases),
    .back = config.back.delay,
  };
  VirtualPair *pair;

  config.frame_interval = FRAME;
  config.encoder_max_rate = 8e6 / 8; /* as the demo's scene [bytes/s] */
  config.drain_time = 100 * MS;      /* as with repair */
  config.on_fate = on_fate;
  config.fate_data = &self;
  pair = pair_new (&config);
  pair_run (pair, PLAYOUT_RUN);
  pair_free (pair);
  return self;
}

void
playout_trace_clear (PlayoutTrace *self)
{
  free (self->sent);
  free (self->arrivals);
  free (self->bases);
}

static TfrcDuration
get_delay (const Player *self)
{
  return self->fixed > 0 ? self->fixed : self->playout_delay.delay;
}

static void
play (Player *self, double base, double lateness)
{
  double waits = tfrc_duration_to_seconds (get_delay (self));

  self->late += lateness > waits;
  self->delays[self->n++] = base + fmax (lateness, waits);
}

static void
remove_missing (Player *self, unsigned place)
{
  self->missing[place] = self->missing[--self->n_missing];
}

static void
find_missing (Player *self, const PairPacket *packet, double base)
{
  for (unsigned i = 0; i < self->n_missing; i++)
    if (self->missing[i].number == packet->number) {
      remove_missing (self, i);
      return;
    }
  for (uint64_t i = self->highest + 1; i < packet->number; i++) {
    TfrcTime due = self->trace->sent[i].encoded_at
        + tfrc_duration_from_seconds (base);

    if (self->n_missing == MAX_MISSING)
      break;
    self->missing[self->n_missing++] = (Missing) {
      .number = i,
      .due = due,
      .asks_at = tfrc_time_max (packet->arrived_at, due + REQUEST_DELAY),
      .answers_at = TFRC_TIME_NONE,
    };
  }
  if (packet->number > self->highest)
    self->highest = packet->number;
}

static TfrcTime
get_next (const Missing *missing)
{
  return tfrc_time_min (missing->asks_at, missing->answers_at);
}

static void
send_answer (Player *self, Missing *missing, TfrcTime now)
{
  const PlayoutTrace *trace = self->trace;
  TfrcTime from = now + trace->back;
  unsigned low = self->next_answer, high = trace->n_sent;

  while (low < high) {
    unsigned middle = (low + high) / 2;

    if (trace->sent[middle].sent_at < from)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == trace->n_sent)
    return;
  self->next_answer = low + 1;
  missing->answers_at = tfrc_time_min (missing->answers_at,
      trace->sent[low].arrived_at);
}

static void
fail (Player *self, TfrcTime now)
{
  if (now < PLAYOUT_WARMUP)
    return;
  self->unrepaired++;
  if (self->failed_at == TFRC_TIME_NONE || now > self->failed_at + EPISODE)
    self->episodes++;
  self->failed_at = now;
}

static bool
has_time (Player *self, TfrcDuration lateness)
{
  if (self->fixed == 0 && lateness <= TFRC_PLAYOUT_DELAY_MAX
      && lateness > self->playout_delay.delay)
    tfrc_playout_delay_wait_for (&self->playout_delay, lateness);
  return lateness <= get_delay (self);
}

/* rtpjitterbuffer tells of a missing packet until RETRY_DELAY before it gives it up. */
static void
ask (Player *self, unsigned place, TfrcTime now)
{
  Missing *missing = &self->missing[place];
  TfrcDuration wait = tfrc_time_since (missing->due, now);
  bool fits = has_time (self, wait + self->rtt + 1 * MS);

  if (!missing->asked)
    tfrc_playout_delay_on_request (&self->playout_delay, wait, self->rtt, now);
  missing->asked = true;
  missing->asks_at = TFRC_TIME_NONE;
  if (fits) {
    TfrcTime again = now + self->rtt + RETRY_DELAY;

    if (again + RETRY_DELAY <= missing->due + get_delay (self))
      missing->asks_at = again;
    send_answer (self, missing, now);
  }
  if (get_next (missing) == TFRC_TIME_NONE) {
    fail (self, now);
    remove_missing (self, place);
  }
}

static void
on_answer (Player *self, unsigned place, TfrcTime now)
{
  TfrcDuration lateness = tfrc_time_since (self->missing[place].due, now);

  if (lateness > get_delay (self))
    fail (self, now);
  tfrc_playout_delay_on_packet (&self->playout_delay, lateness, now);
  remove_missing (self, place);
}

static void
repair_until (Player *self, TfrcTime now)
{
  for (;;) {
    unsigned first = 0;
    TfrcTime at;

    for (unsigned i = 1; i < self->n_missing; i++)
      if (get_next (&self->missing[i]) < get_next (&self->missing[first]))
        first = i;
    if (self->n_missing == 0)
      return;
    at = get_next (&self->missing[first]);
    if (at > now)
      return;
    if (self->missing[first].answers_at == at)
      on_answer (self, first, at);
    else
      ask (self, first, at);
  }
}

static void
on_arrival (Player *self, unsigned place)
{
  const PairPacket *packet = &self->trace->sent[self->trace->arrivals[place]];
  double base = self->trace->bases[place];
  double lateness = fmax (get_time_on_the_way (packet) - base, 0.0);
  TfrcDuration before;

  before = get_delay (self);
  repair_until (self, packet->arrived_at);
  self->rtt = packet->rtt;
  if (packet->arrived_at >= PLAYOUT_WARMUP)
    play (self, base, lateness);
  tfrc_playout_delay_on_packet (&self->playout_delay,
      tfrc_duration_from_seconds (lateness), packet->arrived_at);
  if (packet->arrived_at >= PLAYOUT_WARMUP
      && get_delay (self) > before + FRAME) {
    self->growths++;
    self->largest_growth = tfrc_time_max (self->largest_growth,
        get_delay (self) - before);
  }
  find_missing (self, packet, base);
}

static int
compare (const void *one, const void *other)
{
  double a = *(const double *) one, b = *(const double *) other;

  return (a > b) - (a < b);
}

PlayoutFigures
playout_trace_replay (const PlayoutTrace *self, TfrcDuration fixed)
{
  double minutes = tfrc_duration_to_seconds (PLAYOUT_RUN - PLAYOUT_WARMUP)
      / 60.0;
  Player *player = calloc (1, sizeof *player);
  PlayoutFigures figures;

  player->trace = self;
  player->fixed = fixed;
  player->delays = calloc (self->n_arrivals + 1, sizeof *player->delays);
  player->failed_at = TFRC_TIME_NONE;
  tfrc_playout_delay_init (&player->playout_delay);
  for (unsigned i = 0; i < self->n_arrivals; i++)
    on_arrival (player, i);
  qsort (player->delays, player->n, sizeof *player->delays, compare);
  figures = (PlayoutFigures) {
    .late = (double) player->late / player->n,
    .unrepaired = (double) player->unrepaired / player->n,
    .episodes = player->episodes / minutes,
    .p50 = player->delays[player->n / 2],
    .p95 = player->delays[(size_t) (0.95 * player->n)],
    .growths = player->growths / minutes,
    .largest_growth = tfrc_duration_to_seconds (player->largest_growth),
  };
  free (player->delays);
  free (player);
  return figures;
}
