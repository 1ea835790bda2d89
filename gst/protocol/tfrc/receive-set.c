/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* X_recv_set, RFC 5348 section 4.3, with the bound of section 8.2.2 on its
 * size.  What it means for the rate is the sender's part. */
#include "tfrc/receive-set.h"

#include <assert.h>
#include <math.h>

void
tfrc_receive_set_init (TfrcReceiveSet *self, TfrcTime now)
{
  tfrc_receive_set_reset (self, INFINITY, now);
}

static void
add (TfrcReceiveSet *self, TfrcRate receive_rate, TfrcTime now)
{
  uint32_t i;

  if (self->length < TFRC_RECEIVE_SET_SIZE)
    self->length++;
  for (i = self->length - 1; i > 0; i--) {
    self->rate[i] = self->rate[i - 1];
    self->at[i] = self->at[i - 1];
  }
  self->rate[0] = receive_rate;
  self->at[0] = now;
}

void
tfrc_receive_set_update (TfrcReceiveSet *self, TfrcRate receive_rate,
    TfrcDuration rtt, TfrcTime now)
{
  assert (receive_rate >= 0.0);
  add (self, receive_rate, now);
  /* Newest first, so the old ones are at the end; the one just added stays. */
  while (tfrc_time_since (self->at[self->length - 1], now) > 2 * rtt)
    self->length--;
}

void
tfrc_receive_set_maximize (TfrcReceiveSet *self, TfrcRate receive_rate,
    TfrcTime now)
{
  TfrcRate largest = receive_rate;
  uint32_t i;

  assert (receive_rate >= 0.0);
  for (i = 0; i < self->length; i++)
    if (!isinf (self->rate[i]))
      largest = fmax (largest, self->rate[i]);
  tfrc_receive_set_reset (self, largest, now);
}

void
tfrc_receive_set_halve (TfrcReceiveSet *self)
{
  uint32_t i;

  for (i = 0; i < self->length; i++)
    self->rate[i] /= 2.0;
}

void
tfrc_receive_set_reset (TfrcReceiveSet *self, TfrcRate rate, TfrcTime now)
{
  self->rate[0] = rate;
  self->at[0] = now;
  self->length = 1;
}

TfrcRate
tfrc_receive_set_max (const TfrcReceiveSet *self)
{
  TfrcRate largest = 0.0;
  uint32_t i;

  for (i = 0; i < self->length; i++)
    largest = fmax (largest, self->rate[i]);
  return largest;
}
