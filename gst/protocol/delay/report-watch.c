/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "delay/report-watch.h"

#include <math.h>

#define LEAST_SILENCE (20 * TFRC_MILLISECOND)
/* A receiver follows a sender to another address after three packets within a
 * second. */
#define MOST_SILENCE (300 * TFRC_MILLISECOND)
/* On a reverse path with 20 reports per second that stalls for a second, three or
 * four doublings are enough.  Each report in time takes a hundredth off. */
#define MAX_FACTOR 8.0
#define FACTOR_KEPT 0.99

void
tfrc_report_watch_init (TfrcReportWatch *self)
{
  *self = (TfrcReportWatch) {
    .oldest_at = TFRC_TIME_NONE,
    .overdue_at = TFRC_TIME_NONE,
    .timeout_factor = 1.0,
  };
}

static TfrcTime
get_due_at (const TfrcReportWatch *self, TfrcDuration due)
{
  return tfrc_time_add (self->oldest_at,
      (TfrcDuration) (self->timeout_factor * (double) due));
}

static void
begin (TfrcReportWatch *self, TfrcDuration due, TfrcTime now)
{
  if (self->oldest_at != TFRC_TIME_NONE)
    return;
  self->oldest_at = now;
  self->overdue_at = get_due_at (self, due);
}

void
tfrc_report_watch_on_sent (TfrcReportWatch *self, TfrcDuration due,
    TfrcTime now)
{
  if (!self->by_frames)
    begin (self, due, now);
}

void
tfrc_report_watch_on_frame_end (TfrcReportWatch *self, TfrcDuration due,
    TfrcTime now)
{
  self->ends[self->n_ends++ % TFRC_WATCH_FRAMES] = now;
  if (self->by_frames)
    begin (self, due, now);
}

/* The first end of a frame sent at `at` or later, or TFRC_TIME_NONE. */
static TfrcTime
find_end (const TfrcReportWatch *self, TfrcTime at)
{
  TfrcTime first = TFRC_TIME_NONE;

  for (uint32_t age = 1; age <= self->n_ends && age <= TFRC_WATCH_FRAMES;
      age++) {
    TfrcTime end = self->ends[(self->n_ends - age) % TFRC_WATCH_FRAMES];

    if (end < at)
      break;
    first = end;
  }
  return first;
}

void
tfrc_report_watch_on_newest (TfrcReportWatch *self, TfrcTime newest_at)
{
  self->by_frames = find_end (self, newest_at) == newest_at;
}

void
tfrc_report_watch_on_report (TfrcReportWatch *self, TfrcTime oldest_at,
    TfrcDuration due, TfrcDuration grace, bool arrived, TfrcTime now)
{
  if (!self->overdue)
    self->timeout_factor = fmax (1.0, FACTOR_KEPT * self->timeout_factor);
  else if (arrived)
    self->timeout_factor = fmin (2.0 * self->timeout_factor, MAX_FACTOR);
  self->overdue = false;
  self->reported_at = now;
  self->oldest_at = self->by_frames ? find_end (self, oldest_at) : oldest_at;
  self->overdue_at = self->oldest_at == TFRC_TIME_NONE
      ? TFRC_TIME_NONE
      : tfrc_time_max (get_due_at (self, due), tfrc_time_add (now, grace));
}

/* The next packet may be sent after as long again as the silence so far, within the
 * limits. */
void
tfrc_report_watch_on_deadline (TfrcReportWatch *self, TfrcTime now)
{
  TfrcTime since = tfrc_time_max (self->oldest_at, self->reported_at);

  if (now < self->overdue_at)
    return;
  self->overdue = true;
  self->overdue_at = tfrc_time_add (now,
      tfrc_time_min (MOST_SILENCE,
          tfrc_time_max (tfrc_time_since (since, now), LEAST_SILENCE)));
}

TfrcRate
tfrc_report_watch_get_limit (const TfrcReportWatch *self, double size,
    TfrcTime now)
{
  return self->overdue
      ? tfrc_rate_of (size, tfrc_time_since (now, self->overdue_at))
      : (double) INFINITY;
}
