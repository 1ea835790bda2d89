/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "encoder/target.h"

#include <math.h>

#include "common/properties.h"

/* To be used where `klass`, `offset` and `id` are defined. */
#define INSTALL(field, type, ...) \
  tfrc_properties_install (klass, id, \
      offset + G_STRUCT_OFFSET (TfrcEncoderSettings, field), \
      g_param_spec_##type (__VA_ARGS__))

void
tfrc_encoder_settings_install (GObjectClass *klass, guint id, gsize offset)
{
  INSTALL (control, boolean, "encoder-control", "Encoder control",
      "Set the bitrates of the video encoders upstream, and restore them when"
      " they are released (default: true)",
      TRUE, TFRC_PROPERTY_ANY_STATE);
  INSTALL (element, string, "encoder", "Encoder",
      "Name of the only encoder element to set (default: NULL = the "
      "nearest video encoder upstream of each pad)",
      NULL, TFRC_PROPERTY_ANY_STATE);
  INSTALL (property, string, "encoder-bitrate-property",
      "Encoder bitrate property",
      "The encoder's property that takes its bitrate (default: NULL = "
      "known for common encoders, else guessed)",
      NULL, TFRC_PROPERTY_ANY_STATE);
  INSTALL (unit, uint, "encoder-bitrate-unit", "Encoder bitrate unit",
      "Unit of encoder-bitrate-property, 1000 for kbit/s (bits/s, "
      "default: 0 = known for common encoders, else guessed)",
      0, 1000000, 0, TFRC_PROPERTY_ANY_STATE);
  INSTALL (tuning, boolean, "encoder-tuning", "Encoder tuning",
      "Also set properties that let the encoder follow a new bitrate at once,"
      " such as the VBV of x264enc, if they have their defaults (default: "
      "true)",
      TRUE, TFRC_PROPERTY_ANY_STATE);
}

TfrcEncoderSettings
tfrc_encoder_settings_copy (const TfrcEncoderSettings *self)
{
  TfrcEncoderSettings copy = *self;

  copy.element = g_strdup (self->element);
  copy.property = g_strdup (self->property);
  return copy;
}

void
tfrc_encoder_settings_clear (TfrcEncoderSettings *self)
{
  g_clear_pointer (&self->element, g_free);
  g_clear_pointer (&self->property, g_free);
}

/* Time constant: about a frame, so that a burst of reports counts as one.  It is no
 * longer because the bottleneck's queue fills and drains while the encoder lags: at
 * 2 Mbit/s and 50 ms, the send rate then oscillates with a period of four times the lag. */
#define SMOOTHING_TIME (30 * TFRC_MILLISECOND)

void
tfrc_encoder_rate_init (TfrcEncoderRate *self)
{
  self->rate = 0;
  self->damping = 1.0;
  self->at = 0;
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
  if (self->rate != 0)
    return;
  self->rate = tfrc_sender_get_send_rate (sender);
  self->damping = 1.0;
  self->at = now;
}

TfrcRate
tfrc_encoder_rate_get (const TfrcEncoderRate *self)
{
  return self->rate * MIN (self->damping, 1.0);
}

/* Least change that is worth its cost, and least interval.  A key frame has the size of
 * five to ten other frames.  Until the change the pacer limits the rate, so a decrease
 * cannot wait as long as an increase; and a larger increase is worth more, and waits less
 * in proportion. */
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
tfrc_encoder_backlog_update (TfrcEncoderBacklog *self, guint64 bytes,
    GstClockTime now)
{
  if (now < self->since || now - self->since >= TFRC_ENCODER_STANDING_TIME) {
    self->least[0] = self->least[1];
    self->least[1] = bytes;
    self->since = now;
  }
  self->least[1] = MIN (self->least[1], bytes);
  return MIN (self->least[0], self->least[1]);
}

guint64
tfrc_encoder_target_from_flow (const TfrcEncoderFlow *flow)
{
  /* The newest frame is sent within its frame time, and is no backlog. */
  guint64 usual = gst_util_uint64_scale (flow->allowed_bitrate,
      TFRC_ENCODER_FRAME_TIME, 8 * GST_SECOND);
  /* The queue has packets with overhead, so draining is subtracted before the overhead is
   * divided off. */
  guint64 drain = gst_util_uint64_scale (flow->queued_bytes
          - MIN (flow->queued_bytes, usual),
      8 * GST_SECOND,
      flow->repaired ? TFRC_ENCODER_REPAIRED_DRAIN_TIME
                     : TFRC_ENCODER_DRAIN_TIME);
  guint64 left = flow->allowed_bitrate;

  left -= MIN (left, flow->other_bitrate);
  left -= MIN (left, drain);
  /* Stays in range when converted from a double. */
  left = MIN (left, G_MAXINT64);
  return (guint64) (left / MAX (flow->overhead, 1.0));
}

guint64
tfrc_encoder_target_request (const TfrcEncoderSettings *settings,
    guint64 wanted, gdouble share)
{
  gdouble request = MAX (wanted / share, settings->min_bitrate);

  if (settings->max_bitrate != 0)
    request = MIN (request, settings->max_bitrate / share);
  return (guint64) request;
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
  guint64 least = gst_util_uint64_scale (self->bitrate,
      rules[self->cost].percent, 100);
  GstClockTime wait = rules[self->cost].down;

  if (bitrate > self->bitrate)
    wait = MAX (wait,
        gst_util_uint64_scale (rules[self->cost].up, least, difference));
  if (self->bitrate != 0) {
    /* The first call after a reset, or another clock. */
    if (self->changed_at == GST_CLOCK_TIME_NONE || now < self->changed_at)
      self->changed_at = now;
    if (difference == 0 || difference < least || now - self->changed_at < wait)
      return FALSE;
  }
  self->bitrate = bitrate;
  self->changed_at = now;
  return TRUE;
}

#define BUCKET_TIME (GST_SECOND / TFRC_ENCODER_OUTPUT_BUCKETS)
#define OVER_PERCENT 130
#define OVER_BUCKETS 30 /* 3 s */

/* Decay of the sums per bucket: a time constant of 3 s. */
#define SHARE_KEPT 0.967
#define MIN_SHARE 0.8
#define MAX_SHARE 1.25

void
tfrc_encoder_output_set_target (TfrcEncoderOutput *self, guint64 bitrate)
{
  self->target_bitrate = bitrate;
  /* Starts with a second at the target, against the noise of the first frames. */
  if (self->requested == 0.0)
    self->made = self->requested = bitrate;
  self->open.target_bitrate = MAX (self->open.target_bitrate, bitrate);
}

/* Takes the mean of a second, as a key frame fills a bucket or two.  An encoder that
 * makes less than half of its target has nothing to encode, and one far above it ignores
 * it; neither shows what it makes of another target. */
static void
learn_share (TfrcEncoderOutput *self)
{
  if (self->closed_buckets < TFRC_ENCODER_OUTPUT_BUCKETS)
    self->closed_buckets++;
  if (self->closed_buckets < TFRC_ENCODER_OUTPUT_BUCKETS
      || self->output_bitrate < self->target_bitrate / 2
      || self->output_bitrate * 100 > self->target_bitrate * OVER_PERCENT)
    return;
  self->made = self->made * SHARE_KEPT
      + (gdouble) self->output_bitrate / TFRC_ENCODER_OUTPUT_BUCKETS;
  self->requested = self->requested * SHARE_KEPT
      + (gdouble) self->target_bitrate / TFRC_ENCODER_OUTPUT_BUCKETS;
}

static void
close_bucket (TfrcEncoderOutput *self)
{
  guint64 bytes = 0;
  guint64 target = 0;

  self->ring[self->bucket % TFRC_ENCODER_OUTPUT_BUCKETS] = self->open;
  self->bucket++;
  self->open.bytes = 0;
  self->open.target_bitrate = self->target_bitrate;
  for (guint i = 0; i < TFRC_ENCODER_OUTPUT_BUCKETS; i++) {
    bytes += self->ring[i].bytes;
    target = MAX (target, self->ring[i].target_bitrate);
  }
  self->output_bitrate = bytes * 8; /* the ring is one second */
  if (target != 0 && self->output_bitrate * 100 > target * OVER_PERCENT)
    self->over_buckets++;
  else
    self->over_buckets = 0;
  learn_share (self);
}

gboolean
tfrc_encoder_output_advance (TfrcEncoderOutput *self, GstClockTime now)
{
  guint64 bucket = now / BUCKET_TIME;
  gboolean was_over = self->over_buckets >= OVER_BUCKETS;

  if (!self->started) {
    self->started = TRUE;
    self->bucket = bucket;
  }
  if (bucket <= self->bucket)
    return FALSE;
  /* After a silence longer than the ring, its length does not matter. */
  for (guint i = 0; i <= TFRC_ENCODER_OUTPUT_BUCKETS && self->bucket < bucket;
      i++)
    close_bucket (self);
  self->bucket = bucket;
  return !was_over && self->over_buckets >= OVER_BUCKETS;
}

gdouble
tfrc_encoder_output_get_share (const TfrcEncoderOutput *self)
{
  return self->requested > 0.0
      ? CLAMP (self->made / self->requested, MIN_SHARE, MAX_SHARE)
      : 1.0;
}

/* Bisection steps: more precise than any property in bits/s. */
#define STEPS 48

/* Sets the targets, and returns the sum of what is used. */
static gdouble
set_targets (TfrcEncoderShare *shares, guint n, gdouble per_weight)
{
  gdouble sum = 0;

  for (guint i = 0; i < n; i++) {
    TfrcEncoderShare *share = &shares[i];

    share->target = MIN (MAX (per_weight * share->weight, share->least),
        share->most);
    sum += MAX (share->target, share->taken);
  }
  return sum;
}

/* Searches for the rate per weight at which all of `rate` is used. */
void
tfrc_encoder_shares_divide (TfrcEncoderShare *shares, guint n, gdouble rate)
{
  gdouble low = 0, high = rate, middle;

  for (guint i = 0; i < STEPS; i++) {
    middle = (low + high) / 2;
    if (set_targets (shares, n, middle) <= rate)
      low = middle;
    else
      high = middle;
  }
  set_targets (shares, n, low);
}
