/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which missing packets the sender is asked for (RTCP NACK, RFC 4585 section
 * 6.2.1), and what became of them.  Whoever misses one says so as often as it
 * likes: a packet is asked for once per RTT, and only while an answer can
 * arrive in time.
 *
 * No clock, no locks: the owner has both. */
#pragma once

#include <gst/gst.h>

#include "base/time.h"

/* Remembered, those that were answered included; the oldest make room. */
#define TFRC_NACKS_REMEMBERED 512

/* Named in one RTCP packet. */
#define TFRC_NACKS_MAX 32

typedef struct
{
  gboolean used;
  guint32 ssrc;
  guint16 seq;
  gboolean pending;   /* to be asked for */
  gboolean recovered; /* an answer came */
  TfrcTime asked_at;  /* TFRC_TIME_NONE = not yet */
  TfrcTime needed_at; /* when it is given up */
} TfrcMissing;

typedef struct
{
  TfrcMissing missing[TFRC_NACKS_REMEMBERED]; /* the newest at next - 1 */
  guint next;
  guint pending; /* of these */
  TfrcTime
      due_at;    /* when the next are to be asked for; TFRC_TIME_NONE = none */
  guint64 asked; /* packets, once for each time */
  guint64 recovered; /* packets that came in time */
  guint64 late;      /* packets whose answer would come, or came, too late */
  gboolean answered; /* one came, in time or not */
} TfrcNacks;

void tfrc_nacks_init (TfrcNacks *self);

/* Forgets what is missing; the counters go on. */
void tfrc_nacks_forget (TfrcNacks *self);

/* A packet is missing that is of use for another `time_left`.  FALSE: no answer
 * would come in time.   `rtt`: 0 = not known. */
gboolean tfrc_nacks_want (TfrcNacks *self, guint32 ssrc, guint16 seq,
    TfrcDuration time_left, TfrcDuration rtt, TfrcTime now);

/* A repetition of a packet with the sequence number `seq` came.  Returns the
 * stream that misses it; 0 = none, or it has come before. */
guint32 tfrc_nacks_on_repair (TfrcNacks *self, guint16 seq, TfrcTime now);

/* Whether it is worth while to wait for answers: there was one, or few have been
 * asked for yet. */
gboolean tfrc_nacks_expect_answers (const TfrcNacks *self);

/* What to ask one stream for now, from old to new; returns how many, 0 when
 * there is nothing more. */
guint tfrc_nacks_poll (TfrcNacks *self, guint32 *ssrc,
    guint16 seqs[TFRC_NACKS_MAX], TfrcTime now);
