/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flow -> target bitrate -> few changes. */

#include "encoder/target.h"

/* How large a change is worth its cost, and how long after the last.  A key frame is
 * five to ten others: until then the pacer holds the rate, and a target that falls
 * cannot wait as long as one that rises. */
static const struct
{
  guint percent;
  GstClockTime down, up;
} rules[] = {
  [TFRC_ENCODER_FREE] = { 1, TFRC_ENCODER_CHANGE_INTERVAL,
      TFRC_ENCODER_CHANGE_INTERVAL },
  [TFRC_ENCODER_KEY_FRAME] = { 15, 500 * GST_MSECOND, 3 * GST_SECOND },
  [TFRC_ENCODER_RESTART] = { 15, GST_SECOND, 5 * GST_SECOND },
};

guint64
tfrc_encoder_target_from_flow (const TfrcEncoderFlow *flow)
{
  /* The frame that has just come leaves within its time and is no backlog. */
  guint64 usual = gst_util_uint64_scale (flow->allowed_bitrate,
      TFRC_ENCODER_FRAME_TIME, 8 * GST_SECOND);
  /* The queue holds packets as they are sent, so what drains it comes off
   * before the overhead. */
  guint64 drain = gst_util_uint64_scale (flow->queued_bytes
          - MIN (flow->queued_bytes, usual),
      8 * GST_SECOND,
      flow->repaired ? TFRC_ENCODER_REPAIRED_DRAIN_TIME
                     : TFRC_ENCODER_DRAIN_TIME);
  guint64 left = flow->allowed_bitrate;

  left -= MIN (left, flow->other_bitrate);
  left -= MIN (left, drain);
  /* So that it survives being a double. */
  left = MIN (left, G_MAXINT64);
  return (guint64) (left / MAX (flow->overhead, 1.0));
}

guint64
tfrc_encoder_target_tell (const TfrcEncoderSettings *settings, guint64 wanted,
    gdouble share)
{
  gdouble told = MAX (wanted / share, settings->min_bitrate);

  if (settings->max_bitrate != 0)
    told = MIN (told, settings->max_bitrate / share);
  return (guint64) told;
}

void
tfrc_encoder_target_limiter_reset (TfrcEncoderTargetLimiter *self,
    guint64 bitrate)
{
  self->bitrate = bitrate;
  self->changed_at = GST_CLOCK_TIME_NONE;
}

gboolean
tfrc_encoder_target_limiter_pass (TfrcEncoderTargetLimiter *self,
    guint64 bitrate, GstClockTime now)
{
  guint64 difference = MAX (bitrate, self->bitrate)
      - MIN (bitrate, self->bitrate);

  if (self->bitrate != 0) {
    /* The first look at the clock after a reset, or another clock. */
    if (self->changed_at == GST_CLOCK_TIME_NONE || now < self->changed_at)
      self->changed_at = now;
    if (difference == 0
        || difference < gst_util_uint64_scale (self->bitrate,
               rules[self->cost].percent, 100)
        || now - self->changed_at < (bitrate < self->bitrate
                   ? rules[self->cost].down
                   : rules[self->cost].up))
      return FALSE;
  }
  self->bitrate = bitrate;
  self->changed_at = now;
  return TRUE;
}
