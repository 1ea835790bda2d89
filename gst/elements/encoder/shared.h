/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bitrate of one encoder that several senders follow, as behind a tee: the least of
 * their targets.  A sender that cannot send min-bitrate (the largest of all) would force
 * the others below it, so it does not count until it can.  Nor does a sender count that
 * gets nothing from the encoder while others do, as it is unlinked or paused.
 *
 * May be called from any thread.  The lock is taken last, and nothing is called with it
 * held. */
#pragma once

#include <gst/gst.h>

#include "encoder/property.h"

/* What one sender wants. */
typedef struct
{
  guint64 wanted; /* what its flow may send [bits/s] */
  /* what it would set on the encoder [bits/s]; 0 = no target */
  guint64 target;
  guint64 floor;        /* min-bitrate [bits/s] */
  TfrcEncoderCost cost; /* of setting another target now */
  gboolean at_once;     /* without the least interval */
} TfrcEncoderWish;

/* What all senders together have agreed on. */
typedef struct
{
  guint followers;
  guint ignored; /* of these, not counted */
  /* the least target, to be set on the encoder [bits/s]; 0 = none yet */
  guint64 bitrate;
  gboolean stands;     /* it is set already, or being set */
  guint64 floor;       /* the largest floor [bits/s] */
  gboolean is_slowest; /* this sender has the least target */
  /* to be posted: this sender has had the least target for a second, or stops or starts
   * to count */
  gboolean message_due;
} TfrcEncoderAgreement;

typedef struct _TfrcEncoderFollower TfrcEncoderFollower;

/* Adds a sender that follows the encoder by `property`, which has to outlive it. */
TfrcEncoderFollower *tfrc_encoder_follower_new (GstElement *encoder,
    const TfrcEncoderProperty *property);

/* Removes the sender.  TRUE: it was the last one; `units` is what it had last, and `own_units`
 * was the value before the first was set.  The caller restores that, and calls
 * tfrc_encoder_follower_on_restored (), until when nobody else sets the property. */
gboolean tfrc_encoder_follower_leave (TfrcEncoderFollower *self, guint64 *units,
    guint64 *own_units);

/* The value was restored. */
void tfrc_encoder_follower_on_restored (TfrcEncoderFollower *self);

/* The encoder keeps what was set, unless the sender was removed before. */
void tfrc_encoder_follower_free (TfrcEncoderFollower *self);

/* Gives the sender's new wish, and returns what all agree on.  All senders use the same
 * clock; `now`: 0 = not known yet. */
TfrcEncoderAgreement tfrc_encoder_follower_agree (TfrcEncoderFollower *self,
    const TfrcEncoderWish *wish, GstClockTime now);

/* The sender got output of the encoder. */
void tfrc_encoder_follower_on_output (TfrcEncoderFollower *self,
    GstClockTime now);

/* TRUE: the caller must set `bitrate`, then call _end and _begin again, as another one
 * may be agreed on meanwhile.  FALSE: it is set already, or another worker does so. */
gboolean tfrc_encoder_follower_begin (TfrcEncoderFollower *self,
    guint64 *bitrate);

/* Between _begin and _end: `units` was the value before; only the first call counts. */
void tfrc_encoder_follower_keep_own (TfrcEncoderFollower *self, guint64 units);

/* Between them, after setting: `units` is the value now, which may be rounded. */
void tfrc_encoder_follower_note_kept (TfrcEncoderFollower *self, guint64 units);

/* `set` FALSE: it could not be set. */
void tfrc_encoder_follower_end (TfrcEncoderFollower *self, gboolean set);

/* The bitrate set last [bits/s]; 0 = none. */
guint64 tfrc_encoder_follower_get_set (TfrcEncoderFollower *self);
