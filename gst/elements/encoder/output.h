/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the encoder really makes: the mean over the last second, how that
 * compares with its target over the last seconds, and whether it has stayed
 * above the target for so long that it must be ignoring it.
 * Plain arithmetic in buckets of 100 ms; `now` is the owner's clock. */
#pragma once

#include <gst/gst.h>

#define TFRC_ENCODER_OUTPUT_BUCKETS 10

typedef struct
{
  guint64 bytes;
  guint64 target_bitrate; /* the highest in force meanwhile; 0 = none */
} TfrcEncoderBucket;

typedef struct
{
  TfrcEncoderBucket ring[TFRC_ENCODER_OUTPUT_BUCKETS];
  guint64 bucket; /* number of the open one: time / 100 ms */
  TfrcEncoderBucket open;
  guint64 target_bitrate; /* in force [bits/s]; 0 = none */
  guint64 output_bitrate; /* mean of the ring [bits/s] */
  guint64 over_buckets;   /* in a row that ended above the target */
  guint closed_buckets;   /* up to the length of the ring */
  gdouble made;           /* decaying sum of the output [bits] */
  gdouble told;           /* of the targets meanwhile [bits] */
  gboolean started;
} TfrcEncoderOutput;

void tfrc_encoder_output_init (TfrcEncoderOutput *self);
void tfrc_encoder_output_set_target (TfrcEncoderOutput *self, guint64 bitrate);

/* TRUE once in each episode: the mean of a second has been more than 30 %
 * above the target for 3 s.  A target counts when it has been in force for
 * the whole second, so that a step down is not held against bytes from
 * before it; nor is a burst, such as a key frame. */
gboolean tfrc_encoder_output_advance (TfrcEncoderOutput *self,
    GstClockTime now);

/* The part of its target that the encoder has made over the last 3 s or so,
 * within 0.8 and 1.25; 1 when nothing is known. */
gdouble tfrc_encoder_output_get_share (const TfrcEncoderOutput *self);
