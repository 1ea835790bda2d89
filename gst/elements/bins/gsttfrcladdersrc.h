/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcladdersrc: receives one of several groups that carry the same picture. */
#pragma once

#include <gst/gst.h>

/* Which of several groups that carry one picture at different rates is listened to:
 * the one below when it is hopeless to keep up, or when nothing comes; the one above
 * from time to time, by trying it beside the other ("join experiments", McCanne,
 * Jacobson and Vetterli 1996, section 3), less often the more of these have failed.
 *
 * Instants are those of one clock.  Rung 0 is the fastest. */
typedef enum
{
  TFRC_RUNG_MOVE_NONE,
  TFRC_RUNG_MOVE_HOPELESS, /* down */
  TFRC_RUNG_MOVE_SILENT,   /* down, or from the lowest to the fastest */
  TFRC_RUNG_MOVE_TRY,      /* the one above is joined as well */
  TFRC_RUNG_MOVE_FAILED,   /* ... and left again */
  TFRC_RUNG_MOVE_UP        /* ... and the other one left */
} TfrcRungMove;

typedef struct
{
  guint n_rungs; /* at least 1 */
  GstClockTime interval;

  guint current;
  gint tried; /* -1: none */
  gboolean climbed;
  GstClockTime since;    /* the current one is listened to */
  GstClockTime heard_at; /* ... and was heard last */
  GstClockTime tried_at;
  gboolean tried_is_heard;
  GstClockTime waits_since, wait; /* for the next try */
} TfrcRungChoice;

/* Begins with the fastest.  `interval` without a reason to go down is waited for
 * before the next is tried; 0 = none is. */
void tfrc_rung_choice_init (TfrcRungChoice *self, guint n_rungs,
    GstClockTime interval);

/* Packets come from now on, for the first time or again. */
void tfrc_rung_choice_begin (TfrcRungChoice *self, GstClockTime now);

/* Whether the rung is to be joined. */
gboolean tfrc_rung_choice_has (const TfrcRungChoice *self, guint rung);

/* Whether a key frame of the rung that is tried would be shown. */
gboolean tfrc_rung_choice_needs_key_frame (const TfrcRungChoice *self,
    GstClockTime now);

/* A packet came in. */
TfrcRungMove tfrc_rung_choice_on_packet (TfrcRungChoice *self, guint rung,
    gboolean starts_key_frame, GstClockTime now);

/* The receiver of that rung can take less than is sent. */
TfrcRungMove tfrc_rung_choice_on_hopeless (TfrcRungChoice *self, guint rung,
    GstClockTime now);

/* So many packets of the rung that is tried have come in, and not, since it was
 * joined.  Before the first of them it means nothing. */
TfrcRungMove tfrc_rung_choice_on_losses (TfrcRungChoice *self, guint64 received,
    guint64 lost, GstClockTime now);

/* Some times a second. */
TfrcRungMove tfrc_rung_choice_on_time (TfrcRungChoice *self, GstClockTime now);

#define GST_TYPE_TFRC_LADDER_SRC (gst_tfrc_ladder_src_get_type ())
G_DECLARE_FINAL_TYPE (GstTfrcLadderSrc, gst_tfrc_ladder_src, GST,
    TFRC_LADDER_SRC, GstBin)

GST_ELEMENT_REGISTER_DECLARE (tfrcladdersrc);
