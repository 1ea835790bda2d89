/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What those agree on that follow one encoder, as senders behind a tee do: it is told the
 * least of their targets.  Who cannot take what min-bitrate asks of the encoder, the
 * largest of theirs, would drag the others below it: it does not count until it can.  Nor
 * does who gets nothing of the encoder while others do: it is unlinked, or paused.
 *
 * Any thread; the lock is the last that is taken, and nothing is called with it. */
#pragma once

#include <gst/gst.h>

#include "encoder/target.h"

typedef struct _TfrcSharedEncoder TfrcSharedEncoder;

/* Of one that follows. */
typedef struct
{
  guint unit;     /* of the property [bits/s] */
  guint64 wanted; /* of its flow [bits/s] */
  guint64 target; /* what to tell the encoder for it [bits/s]; 0 = nothing */
  guint64 floor;  /* min-bitrate [bits/s] */
  TfrcEncoderCost cost; /* of another target, now */
  gboolean at_once;     /* however soon after the last */
} TfrcEncoderWish;

/* Guarded by the lock of what it follows. */
typedef struct
{
  TfrcSharedEncoder *shared;
  TfrcEncoderWish wish;
  GstClockTime since;    /* `wanted` is on the other side of the floor */
  GstClockTime heard_at; /* got something of the encoder, or came */
  gboolean let_go;       /* it does not count */
} TfrcEncoderFollower;

/* What is so for those that follow. */
typedef struct
{
  guint followers;
  guint let_go;    /* of these */
  guint64 bitrate; /* to tell the encoder, the least [bits/s]; 0 = none yet */
  gboolean stands; /* it was told that last */
  guint64 floor;   /* the largest [bits/s] */
  gboolean rules;  /* this one has the least */
  gboolean news;   /* this one rules for a second, was let go or is back */
} TfrcEncoderAgreement;

/* Of the encoder's property `name`. */
TfrcEncoderFollower *tfrc_encoder_follower_new (GstElement *encoder,
    const gchar *name);

/* For who is about to set the property, or to follow no more: one after the other, since
 * what one sets another may have to set back.  A worker's; to be ended by
 * tfrc_shared_encoder_unlock (). */
TfrcSharedEncoder *tfrc_encoder_follower_lock (TfrcEncoderFollower *self);
void tfrc_shared_encoder_unlock (TfrcSharedEncoder *self);

/* Follows no more.  TRUE: it was the last, `units` is what was set last, and
 * `own_units` what stood before the first set it. */
gboolean tfrc_encoder_follower_free (TfrcEncoderFollower *self, guint64 *units,
    guint64 *own_units);

/* Those that follow have one clock; `now` is 0 where it is not known yet. */
TfrcEncoderAgreement tfrc_encoder_follower_agree (TfrcEncoderFollower *self,
    const TfrcEncoderWish *wish, GstClockTime now);

/* Something of the encoder came. */
void tfrc_encoder_follower_on_output (TfrcEncoderFollower *self,
    GstClockTime now);

/* `bitrate` is what is to be set now, where `own_units` stand (NULL: none); those that
 * stood before the first are kept.  FALSE: it was set before. */
gboolean tfrc_encoder_follower_take (TfrcEncoderFollower *self,
    const guint64 *own_units, guint64 *bitrate);

/* What was set last [bits/s]; 0 = none. */
guint64 tfrc_encoder_follower_get_set (TfrcEncoderFollower *self);
