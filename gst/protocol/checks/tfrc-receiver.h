/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TfrcReceiver that measures delays, too (delay/delay-meter.h), with a check in
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

#include "delay/delay-meter.h"
#include "tfrc/receiver.h"

typedef struct
{
  bool report_delays;       /* behind the feedback; default true */
  uint32_t clock_offset_us; /* random, of the delays and arrivals told */
} TfrcReceiverChecks;

typedef struct
{
  TfrcReceiver receiver;
  TfrcReceiverChecks checks;
  TfrcDelayMeter delay_meter;
  uint64_t packets_foreign; /* refused */
  TfrcTime last_left_at;    /* an older echo is of a flow that has ended */
} TfrcCheckedReceiver;

TfrcReceiverChecks tfrc_receiver_checks_default (void);

void tfrc_checked_receiver_init (TfrcCheckedReceiver *self,
    const TfrcReceiverConfig *config, TfrcReceiverChecks checks);

/* As tfrc_receiver_on_packet (); TFRC_FOREIGN: of a stream that is not this
 * sender's, counted and of no other effect. */
TfrcResult tfrc_checked_receiver_on_packet (TfrcCheckedReceiver *self,
    const TfrcDataPacket *packet, TfrcTime now);

/* As tfrc_receiver_forget (). */
void tfrc_checked_receiver_forget (TfrcCheckedReceiver *self);

/* Feedback of tfrc_receiver_poll_feedback () leaves now: adds the delays. */
void tfrc_checked_receiver_add_delay (TfrcCheckedReceiver *self,
    TfrcFeedback *feedback);

/* As tfrc_receiver_remove_stream (): once all streams have left, anybody may
 * begin. */
void tfrc_checked_receiver_remove_stream (TfrcCheckedReceiver *self,
    uint32_t ssrc);

/* Whether nothing need be proven by a packet of that SSRC: it is known, or
 * nothing has come for a while. */
bool tfrc_checked_receiver_accepts_stream (const TfrcCheckedReceiver *self,
    uint32_t ssrc, TfrcTime now);
