/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* In front of a TfmccReceiver: what is believed of the stamps of data packets.
 * Whether they are by the sender that it follows, whose SSRCs all share one
 * clock, and how far its R_max and its round number may jump.  Somebody who has the group's key can
 * forge what is consistent; what is not has no effect. */
#pragma once

#include "tfmcc/receiver.h"

/* Ours, docs/deviations.md; default true, false: RFC 4654. */
typedef struct
{
  bool one_sender;   /* packets of another clock are dropped */
  bool stamp_bounds; /* R_max and the round do not jump */
  bool own_echoes;   /* an echo to our SSRC is ours only if it can be */
} TfmccStampGuardConfig;

typedef enum
{
  TFMCC_STAMP_OURS,
  TFMCC_STAMP_FOREIGN,   /* of another clock */
  TFMCC_STAMP_RESTARTED, /* the other clock has taken over */
} TfmccStampCheck;

typedef struct
{
  uint64_t packets_foreign;  /* not by the sender we follow, dropped */
  uint64_t sender_restarts;  /* another one took over */
  uint64_t stamps_corrected; /* R_max or round not believed */
  uint64_t ssrc_collisions;  /* echoes of somebody else under our SSRC */
} TfmccStampGuardCounters;

/* What is known of the sender. */
typedef struct
{
  bool bound;
  bool doubted; /* a jump of the round waits for a second */
  uint8_t doubted_round;
  uint8_t round;               /* newest believed */
  uint32_t n_others;           /* packets of another clock in a row */
  TfrcTime round_began_at;     /* when it was first believed */
  TfrcDuration round_max_rtt;  /* R_max as that round began */
  TfrcDuration max_rtt;        /* R_max, newest believed */
  uint32_t send_time_us;       /* newest of our sender, */
  uint32_t other_send_time_us; /* and of another clock */
  TfrcTime arrived_at;
  TfrcTime other_arrived_at;
} TfmccKnownSender;

typedef struct
{
  TfmccStampGuardConfig config;
  TfmccKnownSender sender;
  TfmccStampGuardCounters counters;
} TfmccStampGuard;

TfmccStampGuardConfig tfmcc_stamp_guard_config_default (void);
void tfmcc_stamp_guard_init (TfmccStampGuard *self,
    const TfmccStampGuardConfig *config);

/* Another sender, with tfmcc_receiver_forget (): forgets all but the counters. */
void tfmcc_stamp_guard_forget (TfmccStampGuard *self);

/* Any packet's stamp, before all else. */
TfmccStampCheck tfmcc_stamp_guard_check (TfmccStampGuard *self,
    const TfmccStamp *stamp, TfrcTime now);

/* The newest packet's stamp, of our sender: puts what is believed in the place
 * of what is not.  True if it had to. */
bool tfmcc_stamp_guard_correct (TfmccStampGuard *self, TfmccStamp *stamp,
    TfrcTime now);

/* Hands `receiver` what is believed of a data packet; `stamp` is NULL if it has
 * none.  TFRC_INVALID: nothing, since it is not by our sender; else what
 * tfmcc_receiver_on_packet () returned. */
TfrcResult tfmcc_stamp_guard_on_packet (TfmccStampGuard *self,
    TfmccReceiver *receiver, const TfrcDataPacket *packet,
    const TfmccStamp *stamp, TfrcTime now);
