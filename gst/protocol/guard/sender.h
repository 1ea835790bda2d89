/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TfrcSender with our checks in front of it: of what receivers report, it gets
 * only what a correct one can have reported just now.  RFC 5348 section 10.
 * Behind it the delay control may bound what is sent below X.
 *
 * What is not here does not need to pass a check: use the TfrcSender itself. */
#pragma once

#include "guard/delay-control.h"
#include "guard/feedback-check.h"
#include "guard/loss-tolerance.h"
#include "guard/probing.h"
#include "guard/report-watch.h"
#include "tfrc/byte-log.h"
#include "tfrc/sender.h"

/* docs/deviations.md has the reasons; all are on by default. */
typedef struct
{
  bool check_feedback;     /* D23: only reports that can be true, in order */
  bool clamp_receive_rate; /* D18: X_recv by what was sent */
  bool bound_encoder;      /* guard/bottleneck.h, for who has an encoder */
  TfrcDelayControlConfig delay_control; /* off unless it has a target */
  bool tolerate_loss; /* guard/loss-tolerance.h, with delay control; off */
} TfrcSenderGuards;

typedef struct
{
  uint64_t feedback_stale;   /* older than the newest, or replayed */
  uint64_t feedback_invalid; /* echo never sent, impossible RTT, p > 1 */
  uint64_t feedback_clamped; /* X_recv above what was sent */
  uint64_t delay_reports;    /* accepted, with delays */
} TfrcSenderGuardCounters;

typedef struct
{
  TfrcSender sender;
  TfrcSenderGuards guards;
  TfrcByteLog sent;
  TfrcFeedbackCheck feedback_check;
  TfrcDelayControl delay_control;
  TfrcLossTolerance loss_tolerance;
  TfrcProbing probing;
  /* What the source would send if it were allowed to; INFINITY: any rate.  0, and so
   * from the start: nothing gains by probes, and there are none.  Anybody may set it. */
  TfrcRate wanted_rate;
  TfrcReportWatch report_watch; /* with delay control alone */
  bool is_watched;
  TfrcSenderGuardCounters counters;
  TfrcTime now; /* the newest `now`: time never runs back */
} TfrcGuardedSender;

TfrcSenderGuards tfrc_sender_guards_default (void);

void tfrc_guarded_sender_init (TfrcGuardedSender *self,
    const TfrcSenderConfig *config, TfrcSenderGuards guards);

/* Packets go another way from now on, or to another receiver: what the old one told
 * is forgotten, and its reports are refused.  Settings, counters but those of
 * delay control, and which report was the newest stay. */
void tfrc_guarded_sender_begin_path (TfrcGuardedSender *self);

/* As those of tfrc_sender.  A `now` before an earlier one is taken as that. */
TfrcStamp tfrc_guarded_sender_on_sent (TfrcGuardedSender *self, uint32_t size,
    bool backlog, TfrcTime now);
/* The same of a packet of a probe, with nothing waiting.  One may leave while
 * tfrc_probing_is_on () and the sender's next_send_at allow. */
TfrcStamp tfrc_guarded_sender_on_probe_sent (TfrcGuardedSender *self,
    uint32_t size, TfrcTime now);

TfrcTime tfrc_guarded_sender_next_deadline (const TfrcGuardedSender *self);
void tfrc_guarded_sender_on_deadline (TfrcGuardedSender *self, TfrcTime now);

/* TFRC_OK: the sender has got it.  TFRC_NO_NEWS: it tells who has the newest packet
 * that was reported, and nothing of the rate.  Anything else is counted and has no
 * other effect. */
TfrcResult tfrc_guarded_sender_on_feedback (TfrcGuardedSender *self,
    const TfrcFeedback *feedback, TfrcTime now);

/* After the report: see tfrc_delay_control_on_marks (). */
void tfrc_guarded_sender_on_marks (TfrcGuardedSender *self, uint32_t marked,
    uint32_t unmarked, TfrcTime now);

/* Fills the columns of TFRC_TRACE_SENDER and leaves the others alone. */
void tfrc_guarded_sender_get_trace (const TfrcGuardedSender *self,
    TfrcTrace *trace, TfrcTime now);
