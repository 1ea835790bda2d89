/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What encoders should make of the rate the flow may send, how often each is told,
 * and what it really makes.  Plain arithmetic; `now` is the owner's clock. */
#pragma once

#include <gst/gst.h>

#include "encoder/property.h"
#include "tfrc/sender.h"

/* What a user may set about the control of the encoder. */
typedef struct
{
  gboolean control;          /* FALSE: leave the encoder alone */
  gboolean tuning;           /* FALSE: touch nothing but the bitrate */
  gboolean delay_controlled; /* what the encoder makes is to leave soon */
  gchar *element;            /* name in the pipeline; NULL = nearest upstream */
  gchar *property;           /* bitrate property; NULL = from the table */
  guint unit;                /* bits/s per unit of it; 0 = from the table */
  guint min_bitrate;         /* [bits/s] */
  guint start_bitrate;       /* until the first update [bits/s] */
  guint max_bitrate;         /* [bits/s]; 0 = none */
} TfrcEncoderSettings;

/* Installs the properties but for the bitrates, of settings that are at `offset`
 * of those of the element; see common/properties.h. */
void tfrc_encoder_settings_install (GObjectClass *klass, guint id,
    gsize offset);

/* With strings of its own. */
TfrcEncoderSettings
tfrc_encoder_settings_copy (const TfrcEncoderSettings *self);
void tfrc_encoder_settings_clear (TfrcEncoderSettings *self);

/* The rate that an encoder may follow: the lower of X and X_inst [bytes/s],
 * each smoothed.
 *
 * X alone sees a growing queue a second late, and an encoder that follows it
 * swings around the rate of the link.  Above X the encoder has no business: a
 * queue that shrinks is no reason to fill it again.  The jitter of single RTT
 * samples must not count as a growing queue, so the damping is smoothed before
 * the two are compared. */
typedef struct
{
  TfrcRate rate;   /* mean of X; 0 = no report yet */
  gdouble damping; /* mean of X_inst / X */
  TfrcTime at;     /* of these means */
} TfrcEncoderRate;

void tfrc_encoder_rate_init (TfrcEncoderRate *self);

/* Carries the means up to `now` with the rates of `sender` as they are: to be
 * called before anything that may change them. */
void tfrc_encoder_rate_advance (TfrcEncoderRate *self, const TfrcSender *sender,
    TfrcTime now);

/* The sender took a report.  The first one starts the means. */
void tfrc_encoder_rate_on_report (TfrcEncoderRate *self,
    const TfrcSender *sender, TfrcTime now);

/* 0: no report yet. */
TfrcRate tfrc_encoder_rate_get (const TfrcEncoderRate *self);

/* Where it is free: 10 changes a second, none under 1 %. */
#define TFRC_ENCODER_CHANGE_INTERVAL (100 * GST_MSECOND)

/* What waits in the pacer's queue for longer than a frame at 25 frames/s is
 * drained within this time. */
#define TFRC_ENCODER_DRAIN_TIME (500 * GST_MSECOND)
/* Where losses are repaired, a frame that waits for too long and is dropped is what
 * is left to break the picture. */
#define TFRC_ENCODER_REPAIRED_DRAIN_TIME (100 * GST_MSECOND)
#define TFRC_ENCODER_FRAME_TIME (40 * GST_MSECOND)

/* What the owner knows of the flow, in bits/s unless said otherwise. */
typedef struct
{
  guint64 allowed_bitrate; /* what the flow may send */
  guint64 other_bitrate;   /* measured, of streams without this encoder */
  gdouble overhead;        /* measured: bytes sent per encoded byte, >= 1 */
  guint64 queued_bytes;    /* in the pacer now */
  gboolean repaired;       /* losses are */
} TfrcEncoderFlow;

typedef struct
{
  guint64 bitrate;         /* the last one that passed; 0 = none */
  GstClockTime changed_at; /* NONE: not known when */
  TfrcEncoderCost cost;    /* of a change; the owner sets it */
} TfrcEncoderTargetLimiter;

/* [bits/s]; 0 when the flow has nothing left for this encoder. */
guint64 tfrc_encoder_target_from_flow (const TfrcEncoderFlow *flow);

/* What to tell an encoder that makes `share` (0.8 to 1.25) of what it is told,
 * so that it makes `wanted`.  Within min_bitrate and max_bitrate, the latter
 * having the last word: it bounds what the encoder makes, not what it is told. */
guint64 tfrc_encoder_target_request (const TfrcEncoderSettings *settings,
    guint64 wanted, gdouble share);

/* Starts from `bitrate` (0 = none yet), set at a time not known. */
void tfrc_encoder_target_limiter_reset (TfrcEncoderTargetLimiter *self,
    guint64 bitrate);

/* TRUE: set `bitrate` now; it becomes what the next one is compared to. */
gboolean tfrc_encoder_target_limiter_pass (TfrcEncoderTargetLimiter *self,
    guint64 bitrate, GstClockTime now);

/* What the encoder really makes, in buckets of 100 ms: the mean over the last
 * second, how that compares with its target over the last seconds, and whether it
 * has stayed above the target for so long that it must be ignoring it. */
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
  gdouble requested;      /* of the targets meanwhile [bits] */
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

/* How several encoders share what their flow may send.  All rates in one unit. */
typedef struct
{
  guint weight;
  gdouble least, most; /* that it can be told; most has the last word */
  gdouble taken;       /* that the others cannot have, whatever it is told */
  gdouble target;      /* the result */
} TfrcEncoderShare;

/* Each is told a part of `rate` by its weight.  What one cannot be told, or does not
 * take, is for the others; together they are told no more than `rate`, unless that
 * is less than they can be told. */
void tfrc_encoder_shares_divide (TfrcEncoderShare *shares, guint n,
    gdouble rate);
