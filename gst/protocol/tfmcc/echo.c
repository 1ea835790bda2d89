/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfmcc/echo.h"

void
tfmcc_echoes_init (TfmccEchoes *self)
{
  *self = (TfmccEchoes) { 0 };
}

/* RFC 4654 section 3.5: by class, the oldest round first, ties to the lowest
 * rate. */
static bool
goes_before (const TfmccPendingEcho *a, const TfmccPendingEcho *b,
    uint8_t round)
{
  uint8_t age_a = (uint8_t) (round - a->round);
  uint8_t age_b = (uint8_t) (round - b->round);

  if (a->priority != b->priority)
    return a->priority < b->priority;
  if (a->priority != TFMCC_ECHO_NEW_CLR && age_a != age_b)
    return age_a > age_b;
  return a->rate < b->rate;
}

static void
remove_at (TfmccEchoes *self, uint32_t i)
{
  self->pending[i] = self->pending[--self->n_pending];
}

static void
remove_receiver (TfmccEchoes *self, uint32_t ssrc)
{
  for (uint32_t i = 0; i < self->n_pending; i++) {
    if (self->pending[i].ssrc == ssrc) {
      remove_at (self, i);
      return;
    }
  }
}

static void
add (TfmccEchoes *self, TfmccPendingEcho added, uint8_t round)
{
  uint32_t last = 0;

  remove_receiver (self, added.ssrc);
  if (self->n_pending < TFMCC_MAX_ECHOES) {
    self->pending[self->n_pending++] = added;
    return;
  }
  self->dropped++;
  for (uint32_t i = 1; i < self->n_pending; i++) {
    if (goes_before (&self->pending[last], &self->pending[i], round))
      last = i;
  }
  if (goes_before (&added, &self->pending[last], round))
    self->pending[last] = added;
}

static TfmccPendingEcho
pending_of (const TfmccReport *report, TfmccEchoClass priority, TfrcTime now)
{
  return (TfmccPendingEcho) {
    .priority = priority,
    .ssrc = report->ssrc,
    .report_time_us = report->report_time_us,
    .received_at = now,
    .round = report->round,
    .rate = report->rate,
  };
}

void
tfmcc_echoes_add (TfmccEchoes *self, const TfmccReport *report,
    TfmccEchoClass priority, uint8_t round, TfrcTime now)
{
  add (self, pending_of (report, priority, now), round);
}

void
tfmcc_echoes_set_clr (TfmccEchoes *self, const TfmccReport *report,
    TfrcTime now)
{
  if (!self->has_clr || self->clr.ssrc != report->ssrc)
    self->clr_owed = true;
  self->has_clr = true;
  self->clr = pending_of (report, TFMCC_ECHO_OTHER, now);
}

void
tfmcc_echoes_on_round (TfmccEchoes *self)
{
  self->clr_owed = true;
}

/* "tr_r' = tr_r + ts_d", RFC 4654 section 2.2.1. */
static void
fill (TfmccEcho *echo, const TfmccPendingEcho *pending, bool is_clr,
    TfrcTime now)
{
  *echo = (TfmccEcho) {
    .ssrc = pending->ssrc,
    .report_time_us = pending->report_time_us
        + (uint32_t) (tfrc_time_since (pending->received_at, now)
            / TFRC_MICROSECOND),
    .is_clr = is_clr,
  };
}

bool
tfmcc_echoes_next (TfmccEchoes *self, bool clr_is_due, uint8_t round,
    TfmccEcho *echo, TfrcTime now)
{
  uint32_t first = 0;

  for (uint32_t i = 1; i < self->n_pending; i++) {
    if (goes_before (&self->pending[i], &self->pending[first], round))
      first = i;
  }
  if (self->n_pending > 0
      && (self->pending[first].priority == TFMCC_ECHO_NEW_CLR
          || !(self->has_clr && self->clr_owed && clr_is_due))) {
    TfmccPendingEcho chosen = self->pending[first];
    bool is_clr = self->has_clr && chosen.ssrc == self->clr.ssrc;

    remove_at (self, first);
    fill (echo, &chosen, is_clr, now);
    if (is_clr)
      self->clr_owed = false;
    return true;
  }
  if (!self->has_clr)
    return false;
  fill (echo, &self->clr, true, now);
  self->clr_owed = false;
  return true;
}
