/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfrc/loss-intervals.h"

#include <assert.h>
#include <string.h>

static_assert (TFRC_MAX_HISTORY >= TFRC_DEFAULT_HISTORY,
    "no place for the default history");

void
tfrc_loss_intervals_init (TfrcLossIntervals *self, uint32_t length,
    double discount_threshold)
{
  assert (length >= TFRC_MIN_HISTORY && length <= TFRC_MAX_HISTORY);
  assert (discount_threshold > 0.0 && discount_threshold <= 1.0);

  memset (self, 0, sizeof *self);
  self->length = length;
  self->discount_threshold = discount_threshold;
}

/* RFC 5348 section 5.5: the open interval becomes I_1 with DF_1 = 1, all
 * older ones move on and keep what it discounted them by. */
static void
shift (TfrcLossIntervals *self, double size, double discount)
{
  uint32_t kept = self->n_closed;

  if (kept == self->length)
    kept--;
  for (uint32_t i = kept; i > 0; i--) {
    self->sizes[i] = self->sizes[i - 1];
    self->discounts[i] = self->discounts[i - 1] * discount;
  }
  self->sizes[0] = size;
  self->discounts[0] = 1.0;
  self->n_closed = kept + 1;
}

/* w_i of RFC 5348 section 5.4 for any n: 1 for the newer half, from there
 * down to 2 / (n + 2) in equal steps. */
static double
weight (const TfrcLossIntervals *self, uint32_t i)
{
  uint32_t n = self->length;

  if (2 * i < n)
    return 1.0;
  return i < n ? 2.0 * (n - i) / (n + 2.0) : 0.0;
}

static void
update_sums (TfrcLossIntervals *self)
{
  double w = weight (self, 0);

  self->shifted_size = self->shifted_weight = 0.0;
  self->closed_size = self->closed_weight = 0.0;
  for (uint32_t i = 0; i < self->n_closed; i++) {
    double plain = self->discounts[i] * w;

    self->closed_size += plain * self->sizes[i];
    self->closed_weight += plain;
    w = weight (self, i + 1);
    /* The open interval pushes the oldest of k intervals out. */
    if (i + 1 < self->n_closed) {
      double shifted = self->discounts[i] * w;

      self->shifted_size += shifted * self->sizes[i];
      self->shifted_weight += shifted;
    }
  }
}

static void
start_event (TfrcLossIntervals *self, TfrcSeq start, double size,
    double discount)
{
  shift (self, size, discount);
  self->event_start = start;
  self->events++;
  update_sums (self);
}

/* RFC 5348 section 5.5: DF = max (THRESHOLD, 2 I_mean / I_0) once I_0 is
 * longer than twice the mean of the closed intervals. */
static double
discount_of (const TfrcLossIntervals *self, double open)
{
  double twice_mean, discount;

  if (self->discount_threshold >= 1.0 || !(self->closed_weight > 0.0))
    return 1.0;
  twice_mean = 2.0 * self->closed_size / self->closed_weight;
  if (open <= twice_mean)
    return 1.0;
  discount = twice_mean / open;
  return discount > self->discount_threshold
      ? discount
      : self->discount_threshold;
}

/* RFC 5348 section 5.5 takes the DF that the newest packet gave.  Here the
 * interval decides that is closed now, without the packets that made the loss
 * known: so the history depends on the losses alone, and taking one back
 * leaves no trace. */
void
tfrc_loss_intervals_on_event (TfrcLossIntervals *self, TfrcSeq start,
    double first_interval)
{
  double size;

  if (self->events == 0) {
    start_event (self, start, first_interval, 1.0);
    return;
  }
  /* RFC 5348 section 5.3: from the first loss of one event to the first loss of
   * the next. */
  size = (double) (start - self->event_start);
  start_event (self, start, size, discount_of (self, size));
}

void
tfrc_loss_intervals_on_event_after_short (TfrcLossIntervals *self,
    TfrcSeq start, double losses)
{
  double size = (double) (start - self->event_start) / losses;

  assert (self->events > 0 && losses >= 1.0);
  start_event (self, start, size, discount_of (self, size));
}

void
tfrc_loss_intervals_replace_oldest (TfrcLossIntervals *self, double size)
{
  assert (self->n_closed > 0);
  self->sizes[self->n_closed - 1] = size;
  update_sums (self);
}

double
tfrc_loss_intervals_get_discount (const TfrcLossIntervals *self,
    TfrcSeq highest)
{
  if (self->events == 0)
    return 1.0;
  return discount_of (self, (double) (highest - self->event_start + 1));
}

/* RFC 5348 section 5.4: "max (I_tot0, I_tot1) / W_tot", and with discounting
 * (5.5) "p = min (W_tot0/I_tot0, W_tot1/I_tot1)", which is the same when all
 * factors are 1.  w_0 is 1 for every n. */
double
tfrc_loss_intervals_get_loss_event_rate (const TfrcLossIntervals *self,
    TfrcSeq highest)
{
  double open, discount, with_open, without;

  if (self->events == 0)
    return 0.0;
  /* RFC 5348 section 5.3: I_0 = S_highest - S_A + 1. */
  open = (double) (highest - self->event_start + 1);
  discount = discount_of (self, open);
  /* I_0 is at least 1, so neither total is 0. */
  with_open = (1.0 + discount * self->shifted_weight)
      / (open + discount * self->shifted_size);
  if (!(self->closed_size > 0.0))
    return with_open < 1.0 ? with_open : 1.0;
  without = self->closed_weight / self->closed_size;
  if (without < with_open)
    with_open = without;
  return with_open < 1.0 ? with_open : 1.0;
}

double
tfrc_loss_intervals_get_closed_loss_event_rate (const TfrcLossIntervals *self)
{
  if (!(self->closed_size > 0.0))
    return 0.0;
  return self->closed_weight < self->closed_size
      ? self->closed_weight / self->closed_size
      : 1.0;
}
