/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TfrcReceiver that measures delays, too (guard/delay-meter.h), with a check in
 * front of it (D20): whose packets may join a flow
 * that is alive.  All SSRCs of a sender share one clock, so a stream that nobody
 * has heard of belongs to the flow if its timestamps do; if not, it is somebody
 * else's, and must bring neither losses nor streams.  Where nothing has come for
 * half a second, anybody may begin: a sender that restarted has another SSRC and
 * another clock, and its second packet comes a second after the first.
 *
 * Who does not see the packets cannot know the clock; a guess is right by chance,
 * once in a thousand times.  Each packet is judged by itself: one that is refused
 * keeps nobody out.
 *
 * What is not here does not need to pass the check: use the TfrcReceiver itself. */
#pragma once

#include "guard/delay-meter.h"
#include "tfrc/receiver.h"

typedef struct
{
  bool check_ssrcs;         /* D20; false: anybody may join; default true */
  bool report_delays;       /* behind the feedback; default true */
  uint32_t clock_offset_us; /* random, of the delays and arrivals told */
} TfrcReceiverGuards;

typedef struct
{
  TfrcReceiver receiver;
  TfrcReceiverGuards guards;
  TfrcDelayMeter delay_meter;
  uint64_t packets_foreign; /* refused */
  TfrcTime last_left_at;    /* an older echo is of a flow that has ended */
} TfrcGuardedReceiver;

TfrcReceiverGuards tfrc_receiver_guards_default (void);

void tfrc_guarded_receiver_init (TfrcGuardedReceiver *self,
    const TfrcReceiverConfig *config, TfrcReceiverGuards guards);

/* As tfrc_receiver_on_packet (); TFRC_FOREIGN: of a stream that is not this
 * sender's, counted and of no other effect. */
TfrcResult tfrc_guarded_receiver_on_packet (TfrcGuardedReceiver *self,
    const TfrcDataPacket *packet, TfrcTime now);

/* As tfrc_receiver_forget (). */
void tfrc_guarded_receiver_forget (TfrcGuardedReceiver *self);

/* Feedback of tfrc_receiver_poll_feedback () leaves now: adds the delays. */
void tfrc_guarded_receiver_add_delay (TfrcGuardedReceiver *self,
    TfrcFeedback *feedback);

/* As tfrc_receiver_remove_stream (): once all streams have left, anybody may
 * begin. */
void tfrc_guarded_receiver_remove_stream (TfrcGuardedReceiver *self,
    uint32_t ssrc);

/* Whether nothing need be proven by a packet of that SSRC: it is known, or
 * nothing has come for a while. */
bool tfrc_guarded_receiver_accepts_stream (const TfrcGuardedReceiver *self,
    uint32_t ssrc, TfrcTime now);
