/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What those agree on that follow one encoder, as senders behind a tee do: it is told the
 * least of their targets.  Who cannot take what min-bitrate asks of the encoder, the
 * largest of theirs, would drag the others below it: it does not count until it can.
 *
 * Any thread; the lock is the last that is taken, and nothing is called with it. */
#pragma once

#include <gst/gst.h>

typedef struct _TfrcSharedEncoder TfrcSharedEncoder;

/* One that follows; guarded by the lock of what it follows. */
typedef struct
{
  TfrcSharedEncoder *shared;
  guint64 wanted;     /* of its flow [bits/s]; 0 = none yet */
  guint64 target;     /* what the encoder should be told for it [bits/s] */
  guint64 floor;      /* min-bitrate [bits/s] */
  GstClockTime since; /* `wanted` is on the other side of the floor */
  gboolean let_go;    /* it does not count */
} TfrcEncoderFollower;

/* What changed for those that follow. */
typedef struct
{
  guint followers;
  guint let_go;    /* of these */
  guint64 bitrate; /* the least [bits/s] */
  guint64 floor;   /* the largest [bits/s] */
  gboolean rules;  /* this one has the least */
  gboolean
      news; /* this one rules for a second, or another was let go or is back */
} TfrcEncoderAgreement;

/* Of the encoder's property `name`. */
TfrcEncoderFollower *tfrc_encoder_follower_new (GstElement *encoder,
    const gchar *name);

/* Follows no more.  TRUE: it was the last, `units` is what was set last, and `own_units`
 * what stood before the first set it. */
gboolean tfrc_encoder_follower_free (TfrcEncoderFollower *self, guint64 *units,
    guint64 *own_units);

/* `wanted` and `target` [bits/s] of one whose min-bitrate is `floor`. */
TfrcEncoderAgreement tfrc_encoder_follower_agree (TfrcEncoderFollower *self,
    guint64 wanted, guint64 target, guint64 floor, GstClockTime now);

/* About to set `units` of the property.  FALSE: they stand. */
gboolean tfrc_encoder_follower_take (TfrcEncoderFollower *self, guint64 units);

/* `units` stood before anybody set one; only the first counts. */
void tfrc_encoder_follower_keep_own (TfrcEncoderFollower *self, guint64 units);
