/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bins/freezes.h"

/* An interval of three times the mean, or of so much more than it. */
#define FACTOR 3
#define MORE (150 * GST_MSECOND)

static GstClockTime
get_mean (const TfrcFreezes *self, guint n)
{
  GstClockTime sum = 0;

  for (guint i = 0; i < n; i++)
    sum += self->intervals[i];
  return sum / n;
}

void
tfrc_freezes_on_frame (TfrcFreezes *self, GstClockTime now)
{
  guint64 intervals = self->frames > 0 ? self->frames - 1 : 0;
  guint n = (guint) MIN (intervals, TFRC_FREEZES_FRAMES);
  GstClockTime interval = now - self->last_at;
  GstClockTime mean;

  if (n > 0) {
    mean = get_mean (self, n);
    if (interval >= MAX (FACTOR * mean, mean + MORE)) {
      self->freezes++;
      self->time += interval;
    }
  }
  if (self->frames > 0)
    self->intervals[intervals % TFRC_FREEZES_FRAMES] = interval;
  self->last_at = now;
  self->frames++;
}
