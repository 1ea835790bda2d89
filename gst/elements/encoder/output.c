/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The encoder's output against its target. */

#include "encoder/output.h"

#include <string.h>

#define BUCKET_TIME (GST_SECOND / TFRC_ENCODER_OUTPUT_BUCKETS)
#define OVER_PERCENT 130
#define OVER_BUCKETS 30 /* 3 s */

/* Of the sums that a bucket leaves: a time constant of 3 s. */
#define SHARE_KEPT 0.967
#define MIN_SHARE 0.8
#define MAX_SHARE 1.25

void
tfrc_encoder_output_init (TfrcEncoderOutput *self)
{
  memset (self, 0, sizeof (*self));
}

void
tfrc_encoder_output_set_target (TfrcEncoderOutput *self, guint64 bitrate)
{
  self->target_bitrate = bitrate;
  /* A second at the target weighs against the noise of the first frames. */
  if (self->told == 0.0)
    self->made = self->told = bitrate;
  self->open.target_bitrate = MAX (self->open.target_bitrate, bitrate);
}

/* From the mean of a second, because a key frame fills a bucket or two.  An
 * encoder that makes less than half of its target has nothing to encode, and
 * one that is far above ignores it: neither says what it makes of another
 * target. */
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
  self->told = self->told * SHARE_KEPT
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
  /* After a longer silence the ring is empty however long it was. */
  for (guint i = 0; i <= TFRC_ENCODER_OUTPUT_BUCKETS && self->bucket < bucket;
      i++)
    close_bucket (self);
  self->bucket = bucket;
  return !was_over && self->over_buckets >= OVER_BUCKETS;
}

gdouble
tfrc_encoder_output_get_share (const TfrcEncoderOutput *self)
{
  return self->told > 0.0
      ? CLAMP (self->made / self->told, MIN_SHARE, MAX_SHARE)
      : 1.0;
}
