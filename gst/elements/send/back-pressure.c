/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/back-pressure.h"

#include <math.h>

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_send_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_send_debug

/* An interval begins and ends when a push that had to wait returns: downstream buffers
 * are full at both times, so what was pushed in between is what the sink accepted. */
#define INTERVAL TFRC_SECOND
#define LONGEST_INTERVAL (10 * TFRC_SECOND)
/* Shorter delays are due to scheduling. */
#define MIN_WAIT (20 * TFRC_MILLISECOND)
/* A pad blocked once, as for a client that has not sent PLAY yet, is not a full
 * connection. */
#define MIN_WAITS 3
/* Tolerates the burst of a key frame. */
#define MORE 1.15
#define DECREASE 0.9
#define INCREASE 1.15 /* per second */
#define NO_LIMIT 4.0

void
tfrc_back_pressure_init (TfrcBackPressure *self)
{
  *self = (TfrcBackPressure) { .limit = INFINITY };
}

static void
begin_interval (TfrcBackPressure *self, TfrcTime now)
{
  self->begun_at = now;
  self->came_in = self->went_out = 0;
  self->n_waits = 0;
}

static void
grow (TfrcBackPressure *self, TfrcTime now)
{
  if (!isinf (self->limit))
    self->limit *= pow (INCREASE,
        tfrc_duration_to_seconds (tfrc_time_since (self->grown_at, now)));
  if (self->limit >= NO_LIMIT * self->taken)
    self->limit = INFINITY;
  self->grown_at = now;
}

static void
judge (TfrcBackPressure *self, TfrcDuration elapsed)
{
  if ((gdouble) self->came_in <= MORE * (gdouble) self->went_out)
    return;
  self->taken = tfrc_rate_of ((gdouble) self->went_out, elapsed);
  self->limit = DECREASE * self->taken;
  GST_INFO ("what leaves is taken slowly: rate_bytes_s=%.0f "
            "came_in=%" G_GUINT64_FORMAT " went_out=%" G_GUINT64_FORMAT,
      self->taken, self->came_in, self->went_out);
}

void
tfrc_back_pressure_on_pushed (TfrcBackPressure *self, gsize bytes,
    TfrcTime began, TfrcTime now)
{
  TfrcDuration elapsed = tfrc_time_since (self->begun_at, now);

  grow (self, now);
  self->went_out += bytes;
  if (tfrc_time_since (began, now) < MIN_WAIT)
    return;
  self->n_waits++;
  if (self->begun_at == 0 || elapsed > LONGEST_INTERVAL) {
    begin_interval (self, now);
    return;
  }
  if (elapsed < INTERVAL || self->n_waits < MIN_WAITS)
    return;
  judge (self, elapsed);
  begin_interval (self, now);
}
