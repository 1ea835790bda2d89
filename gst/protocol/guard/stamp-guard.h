/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver believes of the stamps of data packets: whether they are by
 * the sender that it follows, whose SSRCs all share one clock, and how far its
 * R_max and its round number may jump.  Somebody who has the group's key can
 * forge what is consistent; what is not has no effect. */
#pragma once

#include "tfmcc/packet.h"

typedef enum
{
  TFMCC_STAMP_OURS,
  TFMCC_STAMP_FOREIGN,   /* of another clock */
  TFMCC_STAMP_RESTARTED, /* the other clock has taken over */
} TfmccStampVerdict;

typedef struct
{
  bool bound;
  bool doubted; /* a jump of the round waits for a second */
  uint8_t doubted_round;
  uint8_t round;               /* newest believed, */
  TfrcTime round_began_at;     /* and since when */
  TfrcDuration round_max_rtt;  /* R_max as that round began */
  TfrcDuration max_rtt;        /* R_max, newest believed */
  uint32_t send_time_us;       /* newest of our sender, */
  uint32_t other_send_time_us; /* and of another clock */
  TfrcTime arrived_at;
  TfrcTime other_arrived_at;
  uint32_t n_others; /* in a row, consistent */
} TfmccStampGuard;

void tfmcc_stamp_guard_init (TfmccStampGuard *self);

/* Any packet's stamp, before all else. */
TfmccStampVerdict tfmcc_stamp_guard_check (TfmccStampGuard *self,
    const TfmccStamp *stamp, TfrcTime now);

/* The newest packet's stamp, of our sender: puts what is believed in the place
 * of what is not.  True if it had to. */
bool tfmcc_stamp_guard_correct (TfmccStampGuard *self, TfmccStamp *stamp,
    TfrcTime now);
