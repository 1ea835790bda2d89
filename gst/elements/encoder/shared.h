/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What those agree on that follow one encoder, as senders behind a tee do: it is told the
 * least of their targets.  Who cannot take what min-bitrate asks of the encoder, the
 * largest of theirs, would drag the others below it: it does not count until it can.  Nor
 * does who gets nothing of the encoder while others do: it is unlinked, or paused.
 *
 * Any thread; the lock is the last that is taken, and nothing is called with it. */
#pragma once

#include <gst/gst.h>

#include "encoder/property.h"

/* Of one that follows. */
typedef struct
{
  guint64 wanted; /* of its flow [bits/s] */
  guint64 target; /* what to tell the encoder for it [bits/s]; 0 = nothing */
  guint64 floor;  /* min-bitrate [bits/s] */
  TfrcEncoderCost cost; /* of another target, now */
  gboolean at_once;     /* however soon after the last */
} TfrcEncoderWish;

/* What is so for those that follow. */
typedef struct
{
  guint followers;
  guint let_go;    /* of these */
  guint64 bitrate; /* to tell the encoder, the least [bits/s]; 0 = none yet */
  gboolean stands; /* it was told that last, or a worker is at it */
  guint64 floor;   /* the largest [bits/s] */
  gboolean rules;  /* this one has the least */
  gboolean news;   /* this one rules for a second, was let go or is back */
} TfrcEncoderAgreement;

typedef struct _TfrcEncoderFollower TfrcEncoderFollower;

/* Of the encoder's `property`, which has to outlive it. */
TfrcEncoderFollower *tfrc_encoder_follower_new (GstElement *encoder,
    const TfrcEncoderProperty *property);

/* Follows no more.  TRUE: it was the last, `units` is what was set last, and `own_units`
 * what stood before the first set it: the caller sets these back, and nobody else sets
 * any until tfrc_encoder_follower_on_restored (). */
gboolean tfrc_encoder_follower_leave (TfrcEncoderFollower *self, guint64 *units,
    guint64 *own_units);

/* They were set back. */
void tfrc_encoder_follower_on_restored (TfrcEncoderFollower *self);

/* What was set stays, unless it has left before. */
void tfrc_encoder_follower_free (TfrcEncoderFollower *self);

/* Those that follow have one clock; `now` is 0 where it is not known yet. */
TfrcEncoderAgreement tfrc_encoder_follower_agree (TfrcEncoderFollower *self,
    const TfrcEncoderWish *wish, GstClockTime now);

/* Something of the encoder came. */
void tfrc_encoder_follower_on_output (TfrcEncoderFollower *self,
    GstClockTime now);

/* TRUE: the caller is to set `bitrate`, and then to end and to begin again, as another
 * may be agreed on meanwhile.  FALSE: it stands, or another worker is at it. */
gboolean tfrc_encoder_follower_begin (TfrcEncoderFollower *self,
    guint64 *bitrate);

/* Between the two: `units` stood before; only the first count. */
void tfrc_encoder_follower_keep_own (TfrcEncoderFollower *self, guint64 units);

/* FALSE `set`: it could not be. */
void tfrc_encoder_follower_end (TfrcEncoderFollower *self, gboolean set);

/* What was set last [bits/s]; 0 = none. */
guint64 tfrc_encoder_follower_get_set (TfrcEncoderFollower *self);
