/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcladdersrc: receives one of several multicast groups with the same video. */
#pragma once

#include <gst/gst.h>

/* Selects one of several groups (rungs) with the same video at different rates: the
 * next slower one if the receiver cannot keep up or receives nothing; the next faster
 * one after a trial in which both are received ("join experiments", McCanne, Jacobson
 * and Vetterli 1996, section 3), with longer intervals the more trials have failed.
 *
 * All times are of one clock.  Rung 0 is the fastest. */
typedef enum
{
  TFRC_RUNG_MOVE_NONE,
  TFRC_RUNG_MOVE_HOPELESS, /* to the next slower rung */
  TFRC_RUNG_MOVE_SILENT,   /* the same, or from the slowest to the fastest */
  TFRC_RUNG_MOVE_TRY,      /* a trial begins: joins the next faster one, too */
  TFRC_RUNG_MOVE_FAILED,   /* the trial failed: leaves the faster one */
  TFRC_RUNG_MOVE_UP        /* the trial succeeded: leaves the slower one */
} TfrcRungMove;

typedef struct
{
  guint n_rungs; /* at least 1 */
  GstClockTime interval;

  guint current;
  gint tried;             /* rung in a trial; -1: none */
  gboolean climbed;       /* the current rung was reached by a trial */
  GstClockTime since;     /* start of the current rung */
  GstClockTime newest_at; /* newest packet of it */
  GstClockTime tried_at;  /* start of the trial */
  gboolean tried_has_packets;
  GstClockTime waits_since, wait; /* start and length of the wait for a trial */
} TfrcRungChoice;

/* Starts with the fastest rung.  `interval`: time without a reason to go down before a
 * trial of the next faster rung; 0 = no trials. */
void tfrc_rung_choice_init (TfrcRungChoice *self, guint n_rungs,
    GstClockTime interval);

/* Reception starts, or resumes. */
void tfrc_rung_choice_begin (TfrcRungChoice *self, GstClockTime now);

/* Whether to be joined to the rung: it is the current one, or in a trial. */
gboolean tfrc_rung_choice_has (const TfrcRungChoice *self, guint rung);

/* Whether the trial lasted long enough to end with the next key frame of its rung. */
gboolean tfrc_rung_choice_needs_key_frame (const TfrcRungChoice *self,
    GstClockTime now);

/* A packet of the rung was received. */
TfrcRungMove tfrc_rung_choice_on_packet (TfrcRungChoice *self, guint rung,
    gboolean starts_key_frame, GstClockTime now);

/* The receiver of the rung can receive less than is sent. */
TfrcRungMove tfrc_rung_choice_on_hopeless (TfrcRungChoice *self, guint rung,
    GstClockTime now);

/* Packets of the rung in a trial received and lost since it was joined; ignored before
 * its first packet. */
TfrcRungMove tfrc_rung_choice_on_losses (TfrcRungChoice *self, guint64 received,
    guint64 lost, GstClockTime now);

/* Call a few times per second. */
TfrcRungMove tfrc_rung_choice_on_time (TfrcRungChoice *self, GstClockTime now);

#define GST_TYPE_TFRC_LADDER_SRC (gst_tfrc_ladder_src_get_type ())
G_DECLARE_FINAL_TYPE (GstTfrcLadderSrc, gst_tfrc_ladder_src, GST,
    TFRC_LADDER_SRC, GstBin)

GST_ELEMENT_REGISTER_DECLARE (tfrcladdersrc);
