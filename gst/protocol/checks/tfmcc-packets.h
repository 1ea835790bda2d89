/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* In front of a TfmccReceiver: what is believed of the extensions of data packets.
 * Whether they are by the sender that it follows, whose SSRCs all share one
 * clock, and how far its R_max and its round number may jump.  Somebody who has the group's key can
 * forge what is consistent; what is not has no effect. */
#pragma once

#include "tfmcc/receiver.h"
#include "base/units.h"

typedef enum
{
  TFMCC_PACKET_OURS,
  TFMCC_PACKET_FOREIGN,   /* of another clock */
  TFMCC_PACKET_RESTARTED, /* the other clock has taken over */
} TfmccPacketVerdict;

typedef struct
{
  uint64_t packets_foreign;      /* not by the sender we follow, dropped */
  uint64_t sender_restarts;      /* another one took over */
  uint64_t extensions_corrected; /* R_max or round not believed */
  uint64_t ssrc_collisions;      /* echoes of somebody else under our SSRC */
} TfmccPacketCheckCounters;

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

/* Begins as zero. */
typedef struct
{
  TfmccKnownSender sender;
  TfmccPacketCheckCounters counters;
} TfmccPacketCheck;

/* Another sender, with tfmcc_receiver_forget (): forgets all but the counters. */
void tfmcc_packet_check_forget (TfmccPacketCheck *self);

/* Any packet's extension, before all else. */
TfmccPacketVerdict tfmcc_packet_check_judge (TfmccPacketCheck *self,
    const TfmccExtension *extension, TfrcTime now);

/* The newest packet's extension, of our sender: puts what is believed in the place
 * of what is not.  True if it had to. */
bool tfmcc_packet_check_correct (TfmccPacketCheck *self,
    TfmccExtension *extension, TfrcTime now);

/* Hands `receiver` what is believed of a data packet; `extension` is NULL if it has
 * none.  TFRC_INVALID: nothing, since it is not by our sender; else what
 * tfmcc_receiver_on_packet () returned. */
TfrcResult tfmcc_packet_check_on_packet (TfmccPacketCheck *self,
    TfmccReceiver *receiver, const TfrcDataPacket *packet,
    const TfmccExtension *extension, TfrcTime now);

/* Whether a receiver of TFMCC should leave a group that is too fast for it.  A
 * sender with a lower bound, or one that does not hear the receiver, sends more
 * than the receiver could take for ever; RFC 4654 section 4.4 has it leave then,
 * after 120 s of what is less than a packet in 8 s.
 *
 * Rates are compared as means over an eighth of the timeout: a single loss
 * event halves a calculated rate, and a long interval without loss raises it,
 * and neither says anything for longer than that.  The sender goes by the
 * current limiting receiver, so the means of that one's rate and of what is sent
 * are the same, give or take a few percent; another receiver may be a tenth lower
 * and suppressed all the same (theta).  So a group is too fast while the
 * mean is below 0.7 of the other, until it is above 0.8.  While nothing
 * is sent nothing is too fast.  Rates that follow from an RTT that is only
 * assumed say nothing: do not hand them in. */

/* So long nobody wants to see a broken picture. */
#define TFMCC_LEAVE_TIMEOUT (10 * TFRC_SECOND)

typedef struct
{
  TfrcDuration timeout;    /* 0 = it never leaves */
  TfrcRate rate;           /* mean of X_r [bytes/s] */
  TfrcRate sending_rate;   /* mean of what is sent [bytes/s] */
  TfrcTime updated_at;     /* TFRC_TIME_NONE: no means yet */
  TfrcTime too_fast_since; /* TFRC_TIME_NONE: it is not */
  bool hopeless;           /* for longer than the timeout */
} TfmccLeaveCheck;

void tfmcc_leave_check_init (TfmccLeaveCheck *self, TfrcDuration timeout);

/* Another sender: no means. */
void tfmcc_leave_check_forget (TfmccLeaveCheck *self);

/* Since the last call the receiver could have taken `rate`, and `sending_rate`
 * was sent [bytes/s].  True if that has just become hopeless, once until it has
 * not been so. */
bool tfmcc_leave_check_on_rates (TfmccLeaveCheck *self, TfrcRate rate,
    TfrcRate sending_rate, TfrcTime now);
