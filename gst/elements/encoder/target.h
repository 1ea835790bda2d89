/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The targets of encoders, from the rate that the flow may send: how large, how often
 * they are set, and what an encoder really makes.  Plain arithmetic; `now` is time of the
 * owner's clock. */
#pragma once

#include <gst/gst.h>

#include "encoder/property.h"
#include "tfrc/sender.h"

/* The settings of encoder control. */
typedef struct
{
  gboolean control;          /* FALSE: does not touch the encoder */
  gboolean tuning;           /* FALSE: sets only the bitrate */
  gboolean delay_controlled; /* delay control is on */
  gchar *element;            /* name in the pipeline; NULL = nearest upstream */
  gchar *property;           /* bitrate property; NULL = from the table */
  guint unit;                /* bits/s per unit of it; 0 = from the table */
  guint min_bitrate;         /* [bits/s] */
  guint start_bitrate;       /* until the first update [bits/s] */
  guint max_bitrate;         /* [bits/s]; 0 = none */
} TfrcEncoderSettings;

/* Installs the properties except the bitrates; the settings are at `offset` in those of
 * the element, see common/properties.h. */
void tfrc_encoder_settings_install (GObjectClass *klass, guint id,
    gsize offset);

/* Returns a copy, to be cleared by tfrc_encoder_settings_clear. */
TfrcEncoderSettings
tfrc_encoder_settings_copy (const TfrcEncoderSettings *self);
void tfrc_encoder_settings_clear (TfrcEncoderSettings *self);

/* The rate that an encoder may follow: the lower of X and X_inst [bytes/s], each
 * smoothed.
 *
 * By X alone, a growing queue is seen a second late, and an encoder that follows X
 * oscillates around the link's rate.  Above X the encoder must not go: when a queue
 * shrinks, that is no reason to fill it again.  The jitter of single RTT samples must not
 * count as a growing queue, so the damping is smoothed before the two are compared. */
typedef struct
{
  TfrcRate rate;   /* mean of X; 0 = no report yet */
  gdouble damping; /* mean of X_inst / X */
  TfrcTime at;     /* of these means */
} TfrcEncoderRate;

void tfrc_encoder_rate_init (TfrcEncoderRate *self);

/* Updates the means to `now` by the present rates of `sender`; call it before anything
 * that may change these. */
void tfrc_encoder_rate_advance (TfrcEncoderRate *self, const TfrcSender *sender,
    TfrcTime now);

/* The sender accepted a report.  The first one starts the means. */
void tfrc_encoder_rate_on_report (TfrcEncoderRate *self,
    const TfrcSender *sender, TfrcTime now);

/* 0 = no report yet. */
TfrcRate tfrc_encoder_rate_get (const TfrcEncoderRate *self);

/* If a change is free: 10 changes per second, and none below 1 %. */
#define TFRC_ENCODER_CHANGE_INTERVAL (100 * GST_MSECOND)

/* The part of the pacer's queue beyond one frame, at 25 frames/s, is drained within this
 * time. */
#define TFRC_ENCODER_DRAIN_TIME (500 * GST_MSECOND)
/* The same if losses are repaired: then a frame dropped by the queue is what still breaks
 * the picture. */
#define TFRC_ENCODER_REPAIRED_DRAIN_TIME (100 * GST_MSECOND)
#define TFRC_ENCODER_FRAME_TIME (40 * GST_MSECOND)

/* The state of the flow, in bits/s unless noted. */
typedef struct
{
  guint64 allowed_bitrate; /* what the flow may send */
  guint64 other_bitrate;   /* measured, of streams of no such encoder */
  gdouble overhead;        /* measured: bytes sent per encoded byte, >= 1 */
  guint64 queued_bytes;    /* in the pacer now */
  gboolean repaired;       /* lost packets are repaired */
} TfrcEncoderFlow;

typedef struct
{
  guint64 bitrate;         /* the last one set; 0 = none */
  GstClockTime changed_at; /* NONE = not known */
  TfrcEncoderCost cost;    /* of a change; set by the owner */
} TfrcEncoderTargetLimiter;

/* What stands in the pacer's queue, as the key frame does not that an encoder pays for a
 * new bitrate with: it leaves sooner, and a lower target would cost another one. */
#define TFRC_ENCODER_STANDING_TIME (300 * GST_MSECOND)

typedef struct
{
  guint64 least[2]; /* in the last such time, and in this one [bytes] */
  GstClockTime since;
} TfrcEncoderBacklog;

/* `bytes` are in the queue `now`.  Returns the least of the last one or two times. */
guint64 tfrc_encoder_backlog_update (TfrcEncoderBacklog *self, guint64 bytes,
    GstClockTime now);

/* The target by the flow [bits/s]; 0 = the flow has nothing left for this encoder. */
guint64 tfrc_encoder_target_from_flow (const TfrcEncoderFlow *flow);

/* What to set on an encoder that makes `share` (0.8 to 1.25) of its target, so that it
 * makes `wanted`.  Within min_bitrate and max_bitrate; the latter takes precedence, and
 * bounds what the encoder makes, not what is set. */
guint64 tfrc_encoder_target_request (const TfrcEncoderSettings *settings,
    guint64 wanted, gdouble share);

/* Starts from `bitrate` (0 = none yet), set at an unknown time. */
void tfrc_encoder_target_limiter_reset (TfrcEncoderTargetLimiter *self,
    guint64 bitrate);

/* TRUE: set `bitrate` now; later ones are compared to it. */
gboolean tfrc_encoder_target_limiter_pass (TfrcEncoderTargetLimiter *self,
    guint64 bitrate, GstClockTime now);

/* Measures what the encoder makes, in buckets of 100 ms: the mean of the last second, its
 * ratio to the target over the last seconds, and whether it was above the target for so
 * long that the encoder must be ignoring it. */
#define TFRC_ENCODER_OUTPUT_BUCKETS 10

typedef struct
{
  guint64 bytes;
  guint64 target_bitrate; /* highest in that time; 0 = none */
} TfrcEncoderBucket;

typedef struct
{
  TfrcEncoderBucket ring[TFRC_ENCODER_OUTPUT_BUCKETS];
  guint64 bucket; /* number of the open bucket: time / 100 ms */
  TfrcEncoderBucket open;
  guint64 target_bitrate; /* present one [bits/s]; 0 = none */
  guint64 output_bitrate; /* mean of the ring [bits/s] */
  guint64 over_buckets;   /* consecutive buckets above the target */
  guint closed_buckets;   /* at most the length of the ring */
  gdouble made;           /* decaying sum of the output [bits] */
  gdouble requested;      /* decaying sum of the targets [bits] */
  gboolean started;
} TfrcEncoderOutput;

void tfrc_encoder_output_set_target (TfrcEncoderOutput *self, guint64 bitrate);

/* TRUE, once per episode: the mean of a second has been more than 30 % above the target
 * for 3 s.  The highest target of that second counts, so that bytes from before a step
 * down do not count as excess; nor does a burst such as a key frame. */
gboolean tfrc_encoder_output_advance (TfrcEncoderOutput *self,
    GstClockTime now);

/* The part of its target that the encoder made in the last 3 s or so, within 0.8 and
 * 1.25; 1 = nothing is known. */
gdouble tfrc_encoder_output_get_share (const TfrcEncoderOutput *self);

/* How several encoders share the rate of their flow.  All rates have the same unit. */
typedef struct
{
  guint weight;
  gdouble least, most; /* of its target; `most` takes precedence */
  gdouble taken;       /* not available to others, whatever the target */
  gdouble target;      /* the result */
} TfrcEncoderShare;

/* Gives each a part of `rate` by its weight.  What one cannot be given, or does not use,
 * goes to the others.  The targets sum up to `rate` at most, unless the least ones exceed
 * that. */
void tfrc_encoder_shares_divide (TfrcEncoderShare *shares, guint n,
    gdouble rate);
