/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the sender's task has to do, and when: packets that may leave, packets
 * that are too old to, and all that is periodical.  RFC 5348 section 8.
 *
 * Neither waits nor locks: that is send/pacer.h's. */
#pragma once

#include <gst/gst.h>

#include "encoder/feed.h"
#include "send/flow.h"
#include "send/queue.h"
#include "send/breaker.h"
#include "send/turn.h"
#include "send/feedback-watch.h"
#include "common/stopwatch.h"

G_BEGIN_DECLS

typedef struct
{
  TfrcFlow *flow;
  TfrcQueue *queue;
  const TfrcStopwatch *stopwatch; /* shows queue time */
  TfrcSendBreaker *breaker;
  TfrcSendWatch *watch;

  TfrcDuration max_queue_time;
  TfrcTime drain_until;        /* queue time; TFRC_TIME_NONE = no EOS */
  TfrcTime release_at;         /* next tick of the coarse timer */
  TfrcDuration pacer_delay;    /* of the packet that left last */
  TfrcDuration stats_interval; /* 0 = never */
  TfrcTime stats_at;           /* TFRC_TIME_NONE = never */
  TfrcEncoderFeed feed;
  guint bitrate; /* the last of a turn [bits/s]; 0 = stopped */
} TfrcSendSchedule;

/* Keeps the pointers and takes no reference. */
void tfrc_send_schedule_init (TfrcSendSchedule *self, TfrcFlow *flow,
    TfrcQueue *queue, const TfrcStopwatch *stopwatch, TfrcSendBreaker *breaker,
    TfrcSendWatch *watch);

/* A new flow. */
void tfrc_send_schedule_start (TfrcSendSchedule *self, TfrcTime now);
void tfrc_send_schedule_stop (TfrcSendSchedule *self);

/* stats_interval 0 = never. */
void tfrc_send_schedule_set_limits (TfrcSendSchedule *self,
    TfrcDuration max_queue_time, TfrcDuration stats_interval, TfrcTime now);

/* EOS came in: what does not leave soon is dropped. */
void tfrc_send_schedule_start_draining (TfrcSendSchedule *self, TfrcTime now);
void tfrc_send_schedule_end_draining (TfrcSendSchedule *self);

/* Drops what is too old. */
void tfrc_send_schedule_trim (TfrcSendSchedule *self, TfrcTime now);

/* Takes what is due at turn->now.  FALSE: nothing is. */
gboolean tfrc_send_schedule_fill_turn (TfrcSendSchedule *self,
    TfrcSendTurn *turn);

/* When something is due if nothing comes in. */
TfrcTime tfrc_send_schedule_next_deadline (const TfrcSendSchedule *self);

G_END_DECLS
