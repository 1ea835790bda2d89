/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A ring of what is missing. */

#include "receive/nacks.h"

#include <string.h>

#include "common/repair-types.h"

/* What is found missing together is asked for together. */
#define GATHER_TIME (1 * TFRC_MILLISECOND)

/* Who has answered none of so many requests repeats nothing. */
#define MAX_UNANSWERED 8

void
tfrc_nacks_init (TfrcNacks *self)
{
  memset (self, 0, sizeof (*self));
  self->due_at = TFRC_TIME_NONE;
}

void
tfrc_nacks_forget (TfrcNacks *self)
{
  memset (self->missing, 0, sizeof (self->missing));
  self->pending = 0;
  self->due_at = TFRC_TIME_NONE;
}

/* Later its number stands for another packet: numbers wrap within seconds, and the
 * sender has none that old. */
static gboolean
is_current (const TfrcMissing *missing, TfrcTime now)
{
  return missing->used
      && tfrc_time_since (missing->needed_at, now) < TFRC_RTX_TIME;
}

static TfrcMissing *
find_missing (TfrcNacks *self, guint32 ssrc, guint16 seq, TfrcTime now)
{
  for (guint i = 0; i < TFRC_NACKS_REMEMBERED; i++) {
    TfrcMissing *missing = &self->missing[i];

    if (is_current (missing, now) && missing->ssrc == ssrc
        && missing->seq == seq)
      return missing;
  }
  return NULL;
}

/* It need not be asked for. */
static void
settle (TfrcNacks *self, TfrcMissing *missing)
{
  if (missing->pending)
    self->pending--;
  missing->pending = FALSE;
}

static TfrcMissing *
add_missing (TfrcNacks *self, guint32 ssrc, guint16 seq)
{
  TfrcMissing *missing = &self->missing[self->next];

  settle (self, missing);
  *missing = (TfrcMissing) {
    .used = TRUE,
    .ssrc = ssrc,
    .seq = seq,
    .asked_at = TFRC_TIME_NONE,
  };
  self->next = (self->next + 1) % TFRC_NACKS_REMEMBERED;
  return missing;
}

gboolean
tfrc_nacks_want (TfrcNacks *self, guint32 ssrc, guint16 seq,
    TfrcDuration time_left, TfrcDuration rtt, TfrcTime now)
{
  TfrcMissing *missing = find_missing (self, ssrc, seq, now);

  if (missing
      && (missing->pending || missing->recovered
          || tfrc_time_since (missing->asked_at, now) < rtt))
    return TRUE;
  if (time_left < rtt + GATHER_TIME) {
    /* An earlier answer may be on its way. */
    if (missing)
      return TRUE;
    self->late++;
    return FALSE;
  }
  if (!missing)
    missing = add_missing (self, ssrc, seq);
  if (!missing->pending)
    self->pending++;
  missing->pending = TRUE;
  missing->needed_at = tfrc_time_add (now, time_left);
  self->due_at = tfrc_time_min (self->due_at, tfrc_time_add (now, GATHER_TIME));
  return TRUE;
}

guint32
tfrc_nacks_on_repair (TfrcNacks *self, guint16 seq, TfrcTime now)
{
  for (guint i = 0; i < TFRC_NACKS_REMEMBERED; i++) {
    TfrcMissing *missing = &self->missing[i];

    if (!is_current (missing, now) || missing->seq != seq || missing->recovered)
      continue;
    settle (self, missing);
    missing->recovered = TRUE;
    self->answered = TRUE;
    if (now > missing->needed_at)
      self->late++;
    else
      self->recovered++;
    return missing->ssrc;
  }
  return 0;
}

gboolean
tfrc_nacks_expect_answers (const TfrcNacks *self)
{
  return self->answered || self->asked < MAX_UNANSWERED;
}

guint
tfrc_nacks_poll (TfrcNacks *self, guint32 *ssrc, guint16 seqs[TFRC_NACKS_MAX],
    TfrcTime now)
{
  guint n = 0;

  if (now < self->due_at)
    return 0;
  for (guint i = 0;
      i < TFRC_NACKS_REMEMBERED && self->pending > 0 && n < TFRC_NACKS_MAX;
      i++) {
    TfrcMissing *missing =
        &self->missing[(self->next + i) % TFRC_NACKS_REMEMBERED];

    if (!missing->pending || (n > 0 && missing->ssrc != *ssrc))
      continue;
    settle (self, missing);
    if (now >= missing->needed_at)
      continue;
    missing->asked_at = now;
    *ssrc = missing->ssrc;
    seqs[n++] = missing->seq;
    self->asked++;
  }
  if (self->pending == 0)
    self->due_at = TFRC_TIME_NONE;
  return n;
}
