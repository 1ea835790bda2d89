/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtp/playout-delay.h"

/* Above the largest lateness: for the next one that is larger. */
#define MARGIN (10 * TFRC_MILLISECOND)

#define NO_SLICE UINT64_MAX

static bool begin_slice (TfrcPlayoutDelay *self, uint64_t slice);
static TfrcDuration get_largest (const TfrcPlayoutDelay *self);
static TfrcDuration get_needed (TfrcDuration lateness);

void
tfrc_playout_delay_init (TfrcPlayoutDelay *self)
{
  *self = (TfrcPlayoutDelay) {
    .delay = TFRC_PLAYOUT_DELAY_INITIAL,
    .slice = NO_SLICE,
  };
}

bool
tfrc_playout_delay_on_packet (TfrcPlayoutDelay *self, TfrcDuration lateness,
    TfrcTime now)
{
  TfrcDuration needed, *largest;
  bool shrunk;

  if (lateness > TFRC_PLAYOUT_DELAY_MAX)
    return false;
  shrunk = begin_slice (self, now / TFRC_PLAYOUT_DELAY_SLICE);
  largest = &self->largest[self->slice % TFRC_PLAYOUT_DELAY_N_SLICES];
  *largest = tfrc_time_max (*largest, lateness);
  needed = get_needed (lateness);
  if (needed <= self->delay)
    return shrunk;
  self->delay = needed;
  return true;
}

/* Whether the delay has shrunk. */
static bool
begin_slice (TfrcPlayoutDelay *self, uint64_t slice)
{
  TfrcDuration needed;

  if (self->slice == NO_SLICE)
    self->slice = slice;
  if (slice <= self->slice)
    return false;
  needed = get_needed (get_largest (self));
  if (slice - self->slice >= TFRC_PLAYOUT_DELAY_N_SLICES)
    self->slice = slice - TFRC_PLAYOUT_DELAY_N_SLICES;
  while (self->slice < slice)
    self->largest[++self->slice % TFRC_PLAYOUT_DELAY_N_SLICES] = 0;
  if (needed >= self->delay)
    return false;
  self->delay -= TFRC_PLAYOUT_DELAY_STEP;
  return true;
}

static TfrcDuration
get_largest (const TfrcPlayoutDelay *self)
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
