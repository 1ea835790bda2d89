/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtptfrcreceive as a member of a TFMCC group, at a time that only the test
 * moves.  With feedback-bias=1 nothing of its timer is random. */
#pragma once

#include "receive/fixture.h"
#include "tfmcc-wire.h"
#include "units.h"

#define OUR_SSRC 0xAABBCCDD
#define OTHER_SSRC 0x77777777
/* 500 ms, rounded up to a code. */
#define MAX_RTT (512 * MS)
/* b R_max: with feedback-bias=1 nothing of the timer is random, and who could
 * take what is sent waits for all of it. */
#define SPAN (6 * MAX_RTT)
#define SPACING (100 * MS)

typedef struct
{
  Fixture base;
  TfmccExtension extension; /* of the next packet */
  guint32 offset_us;        /* of report times, once one was seen */
} Group;

/* Playing, at 1 s, with these caps on the sink pad, round 7. */
void group_init (Group *self, const gchar *caps);
void group_clear (Group *self);

void group_push (Group *self);

/* Packets at intervals of SPACING, until and at `until`. */
void group_push_until (Group *self, TfrcTime until);

/* The next packet echoes a report of `ssrc` as if it had left `rtt` ago. */
void group_echo (Group *self, guint32 ssrc, gboolean is_clr, TfrcDuration rtt);

void group_read_report (GstBuffer *buffer, gsize prefix_size,
    TfmccReport *report);
void group_pull_report (Group *self, TfmccReport *report);

/* Packets from 1 s on, until the first round's report at 1 s + SPAN = 4.072 s
 * has come. */
void group_report_once (Group *self, TfmccReport *report);

/* And has been echoed at 4.1 s: the RTT is 100 ms, we are the CLR. */
void group_become_clr (Group *self);
