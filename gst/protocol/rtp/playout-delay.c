/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtp/playout-delay.h"

/* Above the largest lateness: for the next one that is larger. */
#define MARGIN (10 * TFRC_MILLISECOND)

#define NO_SLICE UINT64_MAX

void
tfrc_playout_delay_init (TfrcPlayoutDelay *self,
    const TfrcRepairTimeConfig *repair)
{
  *self = (TfrcPlayoutDelay) {
    .delay = TFRC_PLAYOUT_DELAY_INITIAL,
    .slice = NO_SLICE,
  };
  tfrc_repair_time_init (&self->repair, repair, TFRC_PLAYOUT_DELAY_MAX);
}

/* Whether that begins another slice. */
static bool
advance (TfrcPlayoutDelay *self, TfrcTime now)
{
  uint64_t slice = now / TFRC_PLAYOUT_DELAY_SLICE;
  uint64_t before = self->slice;

  if (before == NO_SLICE)
    self->slice = slice;
  if (slice > self->slice + TFRC_PLAYOUT_DELAY_N_SLICES)
    self->slice = slice - TFRC_PLAYOUT_DELAY_N_SLICES;
  while (self->slice < slice)
    self->largest[++self->slice % TFRC_PLAYOUT_DELAY_N_SLICES] = 0;
  return before != NO_SLICE && before != self->slice;
}

/* In whole steps, so that it does not follow every packet. */
static TfrcDuration
get_needed (const TfrcPlayoutDelay *self)
{
  TfrcDuration needed = tfrc_repair_time_get (&self->repair);

  for (int i = 0; i < TFRC_PLAYOUT_DELAY_N_SLICES; i++)
    needed = tfrc_time_max (needed, self->largest[i]);
  needed += MARGIN + TFRC_PLAYOUT_DELAY_STEP - 1;
  needed -= needed % TFRC_PLAYOUT_DELAY_STEP;
  needed = tfrc_time_max (needed, TFRC_PLAYOUT_DELAY_MIN);
  return tfrc_time_min (needed, TFRC_PLAYOUT_DELAY_MAX);
}

/* Grows at once; shrinks by a step with each slice. */
static bool
follow (TfrcPlayoutDelay *self, bool may_shrink)
{
  TfrcDuration needed = get_needed (self);

  if (needed > self->delay)
    self->delay = needed;
  else if (needed < self->delay && may_shrink)
    self->delay -= TFRC_PLAYOUT_DELAY_STEP;
  else
    return false;
  return true;
}

bool
tfrc_playout_delay_on_packet (TfrcPlayoutDelay *self, TfrcDuration lateness,
    TfrcTime now)
{
  bool in_new_slice;
  TfrcDuration *largest;

  if (lateness > TFRC_PLAYOUT_DELAY_MAX)
    return false;
  in_new_slice = advance (self, now);
  largest = &self->largest[self->slice % TFRC_PLAYOUT_DELAY_N_SLICES];
  *largest = tfrc_time_max (*largest, lateness);
  tfrc_repair_time_on_packet (&self->repair, now);
  return follow (self, in_new_slice);
}

bool
tfrc_playout_delay_on_request (TfrcPlayoutDelay *self, TfrcDuration wait,
    TfrcDuration rtt, TfrcTime now)
{
  tfrc_repair_time_on_request (&self->repair, wait, rtt, now);
  return follow (self, false);
}
