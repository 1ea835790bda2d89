/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* X and X_inst, smoothed, within what the bottleneck leaves. */

#include "encoder/rate.h"

#include <math.h>

/* Time constant: a frame, so that bursts of reports count as one.  No longer,
 * because the bottleneck's queue fills and drains while the encoder lags: at
 * 2 Mbit/s and 50 ms the sent rate then swings with a period of four times the
 * lag. */
#define SMOOTHING_TIME (30 * TFRC_MILLISECOND)

void
tfrc_encoder_rate_init (TfrcEncoderRate *self, bool bounded)
{
  self->rate = 0;
  self->damping = 1.0;
  self->at = 0;
  self->bounded = bounded;
  tfrc_bottleneck_init (&self->bottleneck);
}

void
tfrc_encoder_rate_advance (TfrcEncoderRate *self, const TfrcSender *sender,
    TfrcTime now)
{
  TfrcDuration elapsed = tfrc_time_since (self->at, now);
  gdouble weight = -expm1 (-(gdouble) elapsed / SMOOTHING_TIME);

  if (self->rate == 0 || elapsed == 0)
    return;
  self->rate += weight * (tfrc_sender_get_send_rate (sender) - self->rate);
  self->damping += weight * (tfrc_sender_get_damping (sender) - self->damping);
  self->at = now;
}

void
tfrc_encoder_rate_on_report (TfrcEncoderRate *self, const TfrcSender *sender,
    TfrcTime now)
{
  TfrcBottleneckReport report = {
    .rtt_sample = sender->rtt.sample,
    .receive_rate = sender->receive_rate,
    .loss_event_rate = sender->loss_event_rate,
    .segment_size = tfrc_segment_size_get (&sender->segment_size),
  };

  tfrc_bottleneck_on_report (&self->bottleneck, &report, now);
  if (self->rate != 0)
    return;
  self->rate = tfrc_sender_get_send_rate (sender);
  self->damping = 1.0;
  self->at = now;
}

TfrcRate
tfrc_encoder_rate_get (const TfrcEncoderRate *self)
{
  TfrcRate rate = self->rate * MIN (self->damping, 1.0);

  return self->bounded ? tfrc_bottleneck_limit (&self->bottleneck, rate) : rate;
}
