/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who may join a flow that is alive.  All SSRCs of a sender share one clock, so
 * a stream that nobody has heard of belongs to the flow if its timestamps do;
 * if not, it is somebody else's, and must bring neither losses nor streams.  Where
 * nothing has come for half a second, anybody may begin: a sender that restarted
 * has another SSRC and another clock, and its second packet comes a second after
 * the first.
 *
 * Who does not see the packets cannot know the clock; a guess is right by chance,
 * once in a thousand times.  Each packet is judged by itself: one that is refused
 * keeps nobody out. */
#pragma once

#include "tfrc/packet.h"

typedef struct
{
  bool heard;            /* the flow has a clock: */
  uint32_t send_time_us; /* newest stamp, */
  TfrcTime arrived_at;   /* and when it came */
} TfrcNewcomers;

void tfrc_newcomers_init (TfrcNewcomers *self);

/* The stamp of a packet of the flow. */
void tfrc_newcomers_on_stamp (TfrcNewcomers *self, uint32_t send_time_us,
    TfrcTime now);

/* Something came within the last half second: newcomers have to prove that they
 * belong to it. */
bool tfrc_newcomers_is_alive (const TfrcNewcomers *self, TfrcTime now);

/* Whether a packet of an SSRC that is not known may begin a stream. */
bool tfrc_newcomers_admit (const TfrcNewcomers *self,
    const TfrcDataPacket *packet, TfrcTime now);
