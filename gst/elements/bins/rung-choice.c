/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bins/rung-choice.h"

/* A group that has a sender sends more often than that. */
#define SILENCE (3 * GST_SECOND)

/* As long as it takes to see that one is hopeless, twice. */
#define TRIAL (4 * GST_SECOND)

/* More is the link's limit, not its nature; a tenth of so many packets is no
 * accident. */
#define MAX_LOSS 0.1
#define FEWEST_PACKETS 30

#define MAX_DOUBLINGS 4

/* Once stayed so long a rung was worth the climb. */
#define STAY (60 * GST_SECOND)

static void
listen_to (TfrcRungChoice *self, guint rung, GstClockTime now)
{
  self->current = rung;
  self->since = self->heard_at = self->waits_since = now;
  self->climbed = FALSE;
  self->tried = -1;
}

static void
wait_longer (TfrcRungChoice *self)
{
  self->wait = MIN (self->wait * 2, self->interval << MAX_DOUBLINGS);
}

void
tfrc_rung_choice_init (TfrcRungChoice *self, guint n_rungs,
    GstClockTime interval)
{
  *self = (TfrcRungChoice) {
    .n_rungs = n_rungs,
    .interval = interval,
    .tried = -1,
    .wait = interval,
  };
}

void
tfrc_rung_choice_begin (TfrcRungChoice *self, GstClockTime now)
{
  listen_to (self, self->current, now);
}

gboolean
tfrc_rung_choice_has (const TfrcRungChoice *self, guint rung)
{
  return rung == self->current || (gint) rung == self->tried;
}

gboolean
tfrc_rung_choice_needs_key_frame (const TfrcRungChoice *self, GstClockTime now)
{
  return self->tried >= 0 && self->tried_is_heard
      && now - self->tried_at >= TRIAL;
}

TfrcRungMove
tfrc_rung_choice_on_packet (TfrcRungChoice *self, guint rung,
    gboolean starts_key_frame, GstClockTime now)
{
  if (rung == self->current)
    self->heard_at = now;
  if ((gint) rung != self->tried)
    return TFRC_RUNG_MOVE_NONE;
  self->tried_is_heard = TRUE;
  if (!starts_key_frame || !tfrc_rung_choice_needs_key_frame (self, now))
    return TFRC_RUNG_MOVE_NONE;
  listen_to (self, rung, now);
  self->climbed = TRUE;
  return TFRC_RUNG_MOVE_UP;
}

static TfrcRungMove
give_up (TfrcRungChoice *self, GstClockTime now)
{
  self->tried = -1;
  self->waits_since = now;
  wait_longer (self);
  return TFRC_RUNG_MOVE_FAILED;
}

TfrcRungMove
tfrc_rung_choice_on_hopeless (TfrcRungChoice *self, guint rung,
    GstClockTime now)
{
  /* Two rungs at once are more than either: it is not the lower one's fault. */
  if (self->tried >= 0)
    return tfrc_rung_choice_has (self, rung)
        ? give_up (self, now)
        : TFRC_RUNG_MOVE_NONE;
  if (rung != self->current || rung + 1 == self->n_rungs)
    return TFRC_RUNG_MOVE_NONE;
  if (self->climbed && now - self->since < STAY)
    wait_longer (self);
  listen_to (self, rung + 1, now);
  return TFRC_RUNG_MOVE_HOPELESS;
}

TfrcRungMove
tfrc_rung_choice_on_losses (TfrcRungChoice *self, guint64 received,
    guint64 lost, GstClockTime now)
{
  if (self->tried < 0 || !self->tried_is_heard
      || received + lost < FEWEST_PACKETS
      || (gdouble) lost <= MAX_LOSS * (gdouble) (received + lost))
    return TFRC_RUNG_MOVE_NONE;
  return give_up (self, now);
}

static TfrcRungMove
try_next (TfrcRungChoice *self, GstClockTime now)
{
  self->tried = (gint) self->current - 1;
  self->tried_at = now;
  self->tried_is_heard = FALSE;
  return TFRC_RUNG_MOVE_TRY;
}

TfrcRungMove
tfrc_rung_choice_on_time (TfrcRungChoice *self, GstClockTime now)
{
  if (self->n_rungs == 1)
    return TFRC_RUNG_MOVE_NONE;
  if (now - self->heard_at >= SILENCE) {
    listen_to (self, (self->current + 1) % self->n_rungs, now);
    return TFRC_RUNG_MOVE_SILENT;
  }
  if (self->tried >= 0)
    return now - self->tried_at >= TRIAL + SILENCE
        ? give_up (self, now)
        : TFRC_RUNG_MOVE_NONE;
  if (now - self->since >= STAY && self->climbed)
    self->wait = self->interval;
  if (self->current == 0 || self->interval == 0
      || now - self->waits_since < self->wait)
    return TFRC_RUNG_MOVE_NONE;
  return try_next (self, now);
}
