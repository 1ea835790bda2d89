/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "rtp/playout-delay.h"

#include <string.h>

#define N_SLICES TFRC_REPAIR_TIME_N_SLICES
/* Added to the largest lateness, for packets that are still later. */
#define MARGIN (10 * TFRC_MILLISECOND)

#define NO_SLICE UINT64_MAX

/* A lateness that recurs this many slices later is expected to recur again, as on a
 * path that fades.  One that does not was a single event, such as a step of the
 * path's rate. */
#define APART_SLICES 40

/* Losses at least this many slices apart are recurring, and all slices count.
 * Otherwise only this many of the newest slices count. */
#define RECURRING_SLICES 2

/* The second request is sent this much later than one RTT after the first: the
 * jitter buffer adds its jitter, and the first answer has to wait for the sender's
 * pacer. */
#define SECOND_REQUEST_MARGIN (40 * TFRC_MILLISECOND)

/* A hole is noticed when the packet after it arrives, and the packet is requested
 * within this time of that, or within the longest such time seen.  Longer waits of
 * a time when the path was slower are not expected again. */
#define ASK_MARGIN (40 * TFRC_MILLISECOND)

/* How long recurring losses are remembered, and how many lost answers within that
 * time justify waiting for a second answer. */
#define MINUTE (60 * TFRC_SECOND)
#define LOST_ANSWERS 0.5

void
tfrc_repair_time_init (TfrcRepairTime *self, TfrcDuration longest)
{
  *self = (TfrcRepairTime) {
    .longest = longest,
    .started_at = TFRC_TIME_NONE,
    .event_at = TFRC_TIME_NONE,
  };
}

static void
advance_repair (TfrcRepairTime *self, TfrcTime now)
{
  uint64_t slice = now / (MINUTE / N_SLICES);

  if (self->started_at == TFRC_TIME_NONE) {
    self->started_at = now;
    self->slice = slice;
  }
  self->now = tfrc_time_max (self->now, now);
  if (slice > self->slice + N_SLICES)
    self->slice = slice - N_SLICES;
  while (self->slice < slice)
    self->slices[++self->slice % N_SLICES] = (TfrcRepairTimeSlice) { 0 };
}

void
tfrc_repair_time_on_packet (TfrcRepairTime *self, TfrcTime now)
{
  advance_repair (self, now);
  self->slices[self->slice % N_SLICES].packets++;
}

void
tfrc_repair_time_on_request (TfrcRepairTime *self, TfrcDuration wait,
    TfrcDuration rtt, TfrcDuration lateness, TfrcTime now)
{
  TfrcRepairTimeSlice *slice;

  if (tfrc_time_add (wait, rtt) > self->longest)
    return;
  advance_repair (self, now);
  slice = &self->slices[self->slice % N_SLICES];
  slice->wait = tfrc_time_max (slice->wait, wait);
  slice->behind = tfrc_time_max (slice->behind,
      tfrc_time_since (lateness, wait));
  slice->requests++;
  if (self->event_at == TFRC_TIME_NONE
      || tfrc_time_since (self->event_at, now) > rtt) {
    slice->loss_events++;
    self->event_at = now;
  }
  self->rtt = rtt;
}

/* Sum of the slices that count. */
static TfrcRepairTimeSlice
sum_up (const TfrcRepairTime *self, bool *keeps_coming)
{
  TfrcRepairTimeSlice sum = { 0 }, recent = { 0 };
  uint64_t newest = N_SLICES, oldest = 0;

  for (uint64_t age = 0; age < N_SLICES; age++) {
    const TfrcRepairTimeSlice *slice =
        &self->slices[(self->slice + N_SLICES - age) % N_SLICES];

    sum.wait = tfrc_time_max (sum.wait, slice->wait);
    sum.behind = tfrc_time_max (sum.behind, slice->behind);
    sum.packets += slice->packets;
    sum.requests += slice->requests;
    sum.loss_events += slice->loss_events;
    if (slice->requests > 0) {
      newest = newest < N_SLICES ? newest : age;
      oldest = age;
    }
    if (age + 1 == RECURRING_SLICES)
      recent = sum;
  }
  *keeps_coming = oldest >= newest + RECURRING_SLICES;
  return *keeps_coming ? sum : recent;
}

static bool
needs_second (const TfrcRepairTime *self, const TfrcRepairTimeSlice *sum,
    bool keeps_coming)
{
  TfrcDuration sampled = tfrc_time_min (MINUTE,
      tfrc_time_since (self->started_at, self->now));
  double lost = (double) sum->loss_events * sum->requests
      / (sum->requests + sum->packets);

  return keeps_coming
      && lost * (double) MINUTE >= LOST_ANSWERS * (double) sampled;
}

TfrcDuration
tfrc_repair_time_get (const TfrcRepairTime *self, TfrcDuration lateness)
{
  TfrcDuration wait, one, two;
  TfrcRepairTimeSlice sum;
  bool keeps_coming;

  if (self->event_at == TFRC_TIME_NONE)
    return 0;
  sum = sum_up (self, &keeps_coming);
  if (sum.requests == 0)
    return 0;
  wait = tfrc_time_min (sum.wait,
      tfrc_time_add (lateness, tfrc_time_max (sum.behind, ASK_MARGIN)));
  one = wait + self->rtt;
  two = one + self->rtt + SECOND_REQUEST_MARGIN;
  return two <= self->longest && needs_second (self, &sum, keeps_coming)
      ? two
      : tfrc_time_min (one, self->longest);
}

void
tfrc_playout_delay_init (TfrcPlayoutDelay *self)
{
  *self = (TfrcPlayoutDelay) {
    .delay = TFRC_PLAYOUT_DELAY_INITIAL,
    .slice = NO_SLICE,
  };
  tfrc_repair_time_init (&self->repair, TFRC_PLAYOUT_DELAY_MAX);
}

static TfrcDuration
get_slice (const TfrcPlayoutDelay *self, uint64_t age)
{
  return self->largest[(self->slice + TFRC_PLAYOUT_DELAY_N_SLICES - age)
      % TFRC_PLAYOUT_DELAY_N_SLICES];
}

/* The largest lateness of the newest APART_SLICES slices, and of older ones what
 * had occurred APART_SLICES or more before already. */
static TfrcDuration
get_remembered (const TfrcPlayoutDelay *self)
{
  const size_t n_before = self->slice % TFRC_PLAYOUT_DELAY_N_SLICES + 1;
  const size_t n_behind = TFRC_PLAYOUT_DELAY_N_SLICES - n_before;
  TfrcDuration slices[TFRC_PLAYOUT_DELAY_N_SLICES]; /* the oldest first */
  TfrcDuration longest = 0, before = 0;

  memcpy (slices, self->largest + n_before, n_behind * sizeof slices[0]);
  memcpy (slices + n_behind, self->largest, n_before * sizeof slices[0]);
  for (size_t i = 0; i < TFRC_PLAYOUT_DELAY_N_SLICES; i++) {
    if (i >= APART_SLICES)
      before = tfrc_time_max (before, slices[i - APART_SLICES]);
    longest = tfrc_time_max (longest,
        i >= TFRC_PLAYOUT_DELAY_N_SLICES - APART_SLICES
            ? slices[i]
            : tfrc_time_min (slices[i], before));
  }
  return longest;
}

/* Returns whether a new slice begins. */
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
  if (before == self->slice)
    return false;
  self->remembered = get_remembered (self);
  return before != NO_SLICE;
}

/* Rounded up to whole steps, so that the delay does not change with every packet. */
static TfrcDuration
get_delay_for (TfrcDuration lateness)
{
  TfrcDuration needed = lateness + MARGIN + TFRC_PLAYOUT_DELAY_STEP - 1;

  needed -= needed % TFRC_PLAYOUT_DELAY_STEP;
  needed = tfrc_time_max (needed, TFRC_PLAYOUT_DELAY_MIN);
  return tfrc_time_min (needed, TFRC_PLAYOUT_DELAY_MAX);
}

static TfrcDuration
get_needed (const TfrcPlayoutDelay *self)
{
  TfrcDuration lateness = tfrc_time_max (self->remembered, get_slice (self, 0));

  return get_delay_for (tfrc_time_max (lateness,
      tfrc_repair_time_get (&self->repair, lateness)));
}

/* The delay grows at once and shrinks by a step per slice. */
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
  tfrc_repair_time_on_request (&self->repair, wait, rtt,
      tfrc_time_max (get_slice (self, 0), get_slice (self, 1)), now);
  return follow (self, false);
}

bool
tfrc_playout_delay_wait_for (TfrcPlayoutDelay *self, TfrcDuration lateness)
{
  const TfrcDuration before = self->delay;

  self->delay = tfrc_time_max (before, get_delay_for (lateness));
  return self->delay != before;
}
