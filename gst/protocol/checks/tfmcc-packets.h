/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks the header extensions of data packets for a TfmccReceiver: whether they
 * are from the sender that it follows, all of whose SSRCs share one clock, and how
 * far R_max and the round number may jump.  An attacker who has the group's key can
 * forge consistent packets; inconsistent ones have no effect. */
#pragma once

#include "tfmcc/receiver.h"
#include "base/units.h"

typedef enum
{
  TFMCC_PACKET_OURS,
  TFMCC_PACKET_FOREIGN,   /* with another clock */
  TFMCC_PACKET_RESTARTED, /* another clock has taken over */
} TfmccPacketVerdict;

typedef struct
{
  uint64_t packets_foreign;      /* not from the sender we follow, dropped */
  uint64_t sender_restarts;      /* another sender took over */
  uint64_t extensions_corrected; /* whose R_max or round was not accepted */
  uint64_t ssrc_collisions;      /* echoes for another receiver with our SSRC */
} TfmccPacketCheckCounters;

/* State of the sender. */
typedef struct
{
  bool bound;
  bool doubted; /* a jump of the round number needs to be confirmed */
  uint8_t doubted_round;
  uint8_t round;               /* newest round accepted */
  uint32_t n_others;           /* packets with another clock in a row */
  TfrcTime round_began_at;     /* when its first packet was accepted */
  TfrcDuration round_max_rtt;  /* R_max when that round began */
  TfrcDuration max_rtt;        /* newest R_max accepted */
  uint32_t send_time_us;       /* newest one of our sender */
  uint32_t other_send_time_us; /* newest one with another clock */
  TfrcTime arrived_at;
  TfrcTime other_arrived_at;
} TfmccKnownSender;

/* Starts zeroed. */
typedef struct
{
  TfmccKnownSender sender;
  TfmccPacketCheckCounters counters;
} TfmccPacketCheck;

/* Forgets everything but the counters, for another sender; see
 * tfmcc_receiver_forget (). */
void tfmcc_packet_check_forget (TfmccPacketCheck *self);

/* Decides whose packet it is by its extension, before anything else. */
TfmccPacketVerdict tfmcc_packet_check_judge (TfmccPacketCheck *self,
    const TfmccExtension *extension, TfrcTime now);

/* Replaces what is not plausible in the extension of the newest packet of our
 * sender.  Returns true if it had to. */
bool tfmcc_packet_check_correct (TfmccPacketCheck *self,
    TfmccExtension *extension, TfrcTime now);

/* Checks a data packet and passes it to `receiver`; `extension` is NULL if it has
 * none.  Returns TFRC_INVALID if it is not from our sender and was not passed on;
 * else the result of tfmcc_receiver_on_packet (). */
TfrcResult tfmcc_packet_check_on_packet (TfmccPacketCheck *self,
    TfmccReceiver *receiver, const TfrcDataPacket *packet,
    const TfmccExtension *extension, TfrcTime now);

/* Decides whether a TFMCC receiver should leave a group that is too fast for it.  A
 * sender with a minimum rate, or one that does not hear the receiver, may send more
 * than the receiver can take for ever.  RFC 4654 section 4.4 lets the receiver
 * leave after 120 s below one packet per 8 s.
 *
 * Compares mean rates over an eighth of the timeout: a single loss event halves a
 * calculated rate, and a long interval without loss raises it, but neither means
 * anything for longer.  The sender follows the current limiting receiver, so that
 * one's mean rate and the mean sending rate agree within a few percent; the rate of
 * another receiver may be a tenth lower and still be suppressed (theta).  So the
 * group is too fast from when the receiver's mean is below 0.7 of the sending rate,
 * until it is above 0.8.  A group that sends nothing is not too fast.  Rates based
 * on an assumed RTT mean nothing and must not be passed in. */

/* How long a broken picture is tolerated. */
#define TFMCC_LEAVE_TIMEOUT (10 * TFRC_SECOND)

typedef struct
{
  TfrcDuration timeout;    /* 0 = never leave */
  TfrcRate rate;           /* mean of X_r [bytes/s] */
  TfrcRate sending_rate;   /* mean sending rate [bytes/s] */
  TfrcTime updated_at;     /* TFRC_TIME_NONE: no samples yet */
  TfrcTime too_fast_since; /* TFRC_TIME_NONE: it is not too fast */
  bool hopeless;           /* too fast for longer than the timeout */
} TfmccLeaveCheck;

void tfmcc_leave_check_init (TfmccLeaveCheck *self, TfrcDuration timeout);

/* Forgets the means, for another sender. */
void tfmcc_leave_check_forget (TfmccLeaveCheck *self);

/* Since the last call the receiver could have taken `rate`, and `sending_rate` was
 * sent [bytes/s].  Returns true when it should leave, once until the group has been
 * slow enough again. */
bool tfmcc_leave_check_on_rates (TfmccLeaveCheck *self, TfrcRate rate,
    TfrcRate sending_rate, TfrcTime now);
