/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender's binding to the encoder that it has found, and the bitrate that all senders
 * agree on that are bound to the same one, as behind a tee: the least of their targets.  A
 * sender that cannot send min-bitrate (the largest of all) would force the others below
 * it, so it does not count until it can.  Nor does a sender count that gets nothing from
 * the encoder while others do, as it is unlinked or paused.
 *
 * A lock that the bindings share is taken last, and nothing is called with it held. */
#pragma once

#include <gst/gst.h>

#include "encoder/property.h"

/* The event sent upstream through the encoder with each bitrate that is set: "bitrate"
 * (guint64, bits/s) and "media-type" (of the encoder's output; may be NULL). */
#define TFRC_ENCODER_BITRATE_EVENT "tfrc-encoder-bitrate"

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

/* Holds no reference to the encoder, and does nothing once that is gone. */
typedef struct
{
  /* Constant, may be read by any thread. */
  GWeakRef encoder;
  gchar *path;
  TfrcEncoderProperty property;
  struct Shared *shared; /* with all that are bound to it */

  gboolean late; /* the worker has logged that it cannot be set any more */

  /* Under the lock of `shared`. */
  TfrcEncoderWish wish;
  GstClockTime since;     /* since when a change of `ignored` is due */
  GstClockTime output_at; /* total time with output, when it got some */
  gboolean ignored;       /* not counted */
} TfrcEncoderBinding;

/* `property` and `unit`: NULL and 0 = known, or guessed.  NULL: the encoder has no bitrate
 * property.  Logs as `owner`, as the others do. */
TfrcEncoderBinding *tfrc_encoder_binding_new (GstElement *encoder,
    const gchar *property, guint unit, GstElement *owner);

/* With the last reference the sender stops to count; the encoder keeps what was set. */
TfrcEncoderBinding *tfrc_encoder_binding_ref (TfrcEncoderBinding *self);
void tfrc_encoder_binding_unref (TfrcEncoderBinding *self);

/* The sender stops to count.  If it was the last one, restores the value from before the
 * first was set, unless somebody else has changed it since.  Called, as the next one,
 * with no lock held, as both may wait for the frame that is being encoded. */
void tfrc_encoder_binding_restore (TfrcEncoderBinding *self, GstElement *owner);

/* Sets the bitrate that the senders have agreed on, and what they agree on meanwhile.
 * Returns how often it was set; 0: it is set already, another worker does so, or it cannot
 * be set. */
guint tfrc_encoder_binding_set (TfrcEncoderBinding *self, GstElement *owner);

/* Gives the sender's new wish, and returns what all agree on.  All senders use the same
 * clock; `now`: 0 = not known yet. */
TfrcEncoderAgreement tfrc_encoder_binding_agree (TfrcEncoderBinding *self,
    const TfrcEncoderWish *wish, GstClockTime now);

/* The sender got output of the encoder. */
void tfrc_encoder_binding_on_output (TfrcEncoderBinding *self,
    GstClockTime now);

/* The bitrate set last [bits/s]; 0 = none. */
guint64 tfrc_encoder_binding_get_bitrate (TfrcEncoderBinding *self);
