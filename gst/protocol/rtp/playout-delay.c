/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtp/playout-delay.h"

/* Above the largest lateness: for the next one that is larger. */
#define MARGIN (10 * TFRC_MILLISECOND)

#define NO_SLICE UINT64_MAX

static bool note (TfrcPlayoutDelay *self, TfrcPlayoutWindow *window,
    TfrcDuration lateness, TfrcTime now);
static bool shrink (TfrcPlayoutDelay *self, TfrcTime now);
static void advance (TfrcPlayoutWindow *self, TfrcTime now);
static TfrcDuration get_largest (const TfrcPlayoutWindow *self);
static TfrcDuration get_needed (TfrcDuration lateness);

void
tfrc_playout_delay_init (TfrcPlayoutDelay *self)
{
  *self = (TfrcPlayoutDelay) {
    .delay = TFRC_PLAYOUT_DELAY_INITIAL,
    .packets = { .length = TFRC_PLAYOUT_DELAY_SLICE, .slice = NO_SLICE },
    .answers = { .length = TFRC_PLAYOUT_DELAY_ANSWER_SLICE, .slice = NO_SLICE },
  };
}

bool
tfrc_playout_delay_on_packet (TfrcPlayoutDelay *self, TfrcDuration lateness,
    TfrcTime now)
{
  return note (self, &self->packets, lateness, now);
}

bool
tfrc_playout_delay_on_answer (TfrcPlayoutDelay *self, TfrcDuration lateness,
    TfrcTime now)
{
  return note (self, &self->answers, lateness, now);
}

static bool
note (TfrcPlayoutDelay *self, TfrcPlayoutWindow *window, TfrcDuration lateness,
    TfrcTime now)
{
  TfrcDuration needed, *largest;
  bool shrunk;

  if (lateness > TFRC_PLAYOUT_DELAY_MAX)
    return false;
  shrunk = shrink (self, now);
  largest = &window->largest[window->slice % TFRC_PLAYOUT_DELAY_N_SLICES];
  *largest = tfrc_time_max (*largest, lateness);
  needed = get_needed (lateness);
  if (needed <= self->delay)
    return shrunk;
  self->delay = needed;
  return true;
}

/* With each slice of packets by a step, if that leaves what is needed. */
static bool
shrink (TfrcPlayoutDelay *self, TfrcTime now)
{
  uint64_t before = self->packets.slice;
  TfrcDuration needed = get_needed (tfrc_time_max (get_largest (&self->packets),
      get_largest (&self->answers)));

  advance (&self->packets, now);
  advance (&self->answers, now);
  if (before == NO_SLICE || self->packets.slice == before
      || needed >= self->delay)
    return false;
  self->delay -= TFRC_PLAYOUT_DELAY_STEP;
  return true;
}

static void
advance (TfrcPlayoutWindow *self, TfrcTime now)
{
  uint64_t slice = now / self->length;

  if (self->slice == NO_SLICE)
    self->slice = slice;
  if (slice > self->slice + TFRC_PLAYOUT_DELAY_N_SLICES)
    self->slice = slice - TFRC_PLAYOUT_DELAY_N_SLICES;
  while (self->slice < slice)
    self->largest[++self->slice % TFRC_PLAYOUT_DELAY_N_SLICES] = 0;
}

static TfrcDuration
get_largest (const TfrcPlayoutWindow *self)
{
  TfrcDuration largest = 0;

  for (int i = 0; i < TFRC_PLAYOUT_DELAY_N_SLICES; i++)
    largest = tfrc_time_max (largest, self->largest[i]);
  return largest;
}

/* In whole steps, so that it does not follow every packet. */
static TfrcDuration
get_needed (TfrcDuration lateness)
{
  TfrcDuration needed = lateness + MARGIN;

  needed += TFRC_PLAYOUT_DELAY_STEP - 1;
  needed -= needed % TFRC_PLAYOUT_DELAY_STEP;
  needed = tfrc_time_max (needed, TFRC_PLAYOUT_DELAY_MIN);
  return tfrc_time_min (needed, TFRC_PLAYOUT_DELAY_MAX);
}
