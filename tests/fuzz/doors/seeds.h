/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Valid packets of every kind that an element may get, from and about SSRCs
 * that it knows and others. */
#pragma once

#include <glib.h>

#define SEEDS_N_SSRCS 8

/* What was heard of an element, and what its true peer has said to it. */
typedef struct
{
  guint32 ssrcs[SEEDS_N_SSRCS]; /* under which it sends */
  guint n_ssrcs;
  guint32 media_ssrc; /* of its newest RTP packet */
  guint16 seq;
  guint32 send_time_us; /* its extension */
  guint8 round;
  guint32 sender_report; /* middle of the NTP time of its newest SR */
  guint32 own_ssrc;      /* of its peer */
  guint32 receiver_ssrc; /* ... that echoes are for */
  guint16 own_seq;
  guint32 own_timestamp;
  gboolean is_group;
  gboolean greets; /* one end says hello, and the other one waits for it */
  guint64 cookie;  /* in the newest hello */
} SeedsTalk;

typedef enum
{
  SEEDS_ANY,  /* whatever there is */
  SEEDS_TRUE, /* what the peer would say now */
} SeedsChoice;

/* A packet or, rarely, two hundred of RTCP in a row. */
void seeds_make_rtcp (GByteArray *data, const SeedsTalk *talk,
    SeedsChoice choice, GRand *rand);
void seeds_make_rtp (GByteArray *data, const SeedsTalk *talk,
    SeedsChoice choice, GRand *rand);
