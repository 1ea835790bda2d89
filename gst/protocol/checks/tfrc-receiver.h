/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TfrcReceiver that also measures one-way delays (delay/delay-meter.h), with a
 * check of which packets may join a live flow (D20).  All SSRCs of a sender share
 * one clock, so an unknown stream belongs to the flow if its timestamps do.
 * Otherwise it is from somebody else and must contribute neither losses nor
 * streams.  After half a second of silence anybody may start: a sender that
 * restarted has another SSRC and another clock, and sends its second packet a
 * second after the first.
 *
 * An attacker who does not see the packets cannot know the clock; a guess is right
 * once in a thousand times.  Each packet is judged by itself: one that is refused
 * does not keep others out.
 *
 * Everything that needs no check is called on the TfrcReceiver itself. */
#pragma once

#include "delay/delay-meter.h"
#include "tfrc/receiver.h"

typedef struct
{
  bool report_delays; /* after the feedback packet; default true */
  /* Random offset of reported delays and arrival times. */
  uint32_t clock_offset_us;
} TfrcReceiverChecks;

typedef struct
{
  TfrcReceiver receiver;
  TfrcReceiverChecks checks;
  TfrcDelayMeter delay_meter;
  uint64_t packets_foreign; /* refused */
  /* Echoes older than this are from a flow that has ended. */
  TfrcTime last_left_at;
} TfrcCheckedReceiver;

TfrcReceiverChecks tfrc_receiver_checks_default (void);

void tfrc_checked_receiver_init (TfrcCheckedReceiver *self,
    const TfrcReceiverConfig *config, TfrcReceiverChecks checks);

/* See tfrc_receiver_on_packet ().  TFRC_FOREIGN: a stream of another sender,
 * counted and without any other effect. */
TfrcResult tfrc_checked_receiver_on_packet (TfrcCheckedReceiver *self,
    const TfrcDataPacket *packet, TfrcTime now);

/* See tfrc_receiver_forget (). */
void tfrc_checked_receiver_forget (TfrcCheckedReceiver *self);

/* Feedback from tfrc_receiver_poll_feedback () is sent now: adds the one-way
 * delays. */
void tfrc_checked_receiver_add_delay (TfrcCheckedReceiver *self,
    TfrcFeedback *feedback);

/* See tfrc_receiver_remove_stream ().  Once all streams have left, anybody may
 * start. */
void tfrc_checked_receiver_remove_stream (TfrcCheckedReceiver *self,
    uint32_t ssrc);

/* Whether packets of that SSRC need not prove anything: it is known, or nothing has
 * arrived for a while. */
bool tfrc_checked_receiver_accepts_stream (const TfrcCheckedReceiver *self,
    uint32_t ssrc, TfrcTime now);
