/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TfrcSender with our checks in front of it: of what receivers report, it gets
 * only what a correct one can have reported just now.  RFC 5348 section 10.
 * Behind it the delay control may bound what is sent below X.
 *
 * What is not here does not need to pass a check: use the TfrcSender itself. */
#pragma once

#include <stdbool.h>

#include "delay/delay-control.h"
#include "delay/loss-tolerance.h"
#include "delay/probing.h"
#include "delay/report-watch.h"
#include "tfrc/byte-log.h"
#include "tfrc/sender.h"
#include "tfrc/packet.h"
#include "base/units.h"

/* Which reports a sender believes: those that a correct receiver can have sent
 * just now.  An echo proves that a packet was received, and the order of echoes
 * that nobody replays an older report.  RFC 5348 section 10. */
typedef struct
{
  uint32_t timestamp_offset_us; /* of send_time_us */
  /* Of the newest report that was accepted: */
  TfrcTime echo; /* send time of the packet, TFRC_TIME_NONE */
  TfrcDuration echo_delay;
  double loss_event_rate;
} TfrcFeedbackCheck;

void tfrc_feedback_check_init (TfrcFeedbackCheck *self,
    uint32_t timestamp_offset_us);

/* TFRC_OK, TFRC_NO_NEWS, or why it is not believed; `sent` has the packets.  `echo`: when
 * the packet was sent that the report echoes, if it is not TFRC_INVALID. */
TfrcResult tfrc_feedback_check_judge (const TfrcFeedbackCheck *self,
    const TfrcFeedback *feedback, const TfrcByteLog *sent, TfrcTime *echo,
    TfrcTime now);

/* The report counts: it is the newest from now on. */
void tfrc_feedback_check_accept (TfrcFeedbackCheck *self,
    const TfrcFeedback *feedback, TfrcTime echo);

/* docs/rules.md has the reasons; all are on by default. */
typedef struct
{
  bool clamp_receive_rate;   /* D18: X_recv by what was sent */
  TfrcDuration delay_target; /* of TfrcDelayControl; default 0: off */
  bool tolerate_loss; /* TfrcLossTolerance, with delay control; default off */
} TfrcSenderChecks;

typedef struct
{
  uint64_t feedback_stale;   /* older than the newest, or replayed */
  uint64_t feedback_invalid; /* echo never sent, impossible RTT, p > 1 */
  uint64_t feedback_clamped; /* X_recv above what was sent */
  uint64_t delay_reports;    /* accepted, with delays */
} TfrcSenderCheckCounters;

typedef struct
{
  TfrcSender sender;
  TfrcSenderChecks checks;
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
  bool arrived; /* as usual, by the newest report */
  TfrcSenderCheckCounters counters;
  TfrcTime now; /* the newest `now`: time never runs back */
} TfrcCheckedSender;

TfrcSenderChecks tfrc_sender_checks_default (void);

void tfrc_checked_sender_init (TfrcCheckedSender *self,
    const TfrcSenderConfig *config, TfrcSenderChecks checks);

/* Packets go another way from now on, or to another receiver: what the old one told
 * is forgotten, and its reports are refused.  Settings, counters but those of
 * delay control, and which report was the newest stay. */
void tfrc_checked_sender_begin_path (TfrcCheckedSender *self);

/* The packet that left last, at the same `now`, ends a frame. */
void tfrc_checked_sender_on_frame_end (TfrcCheckedSender *self, TfrcTime now);

/* As those of tfrc_sender.  A `now` before an earlier one is taken as that. */
TfrcExtension tfrc_checked_sender_on_sent (TfrcCheckedSender *self,
    uint32_t size, bool backlog, TfrcTime now);
/* The same of a packet of a probe, with nothing waiting.  One may leave while
 * tfrc_probing_is_on () and the sender's next_send_at allow. */
TfrcExtension tfrc_checked_sender_on_probe_sent (TfrcCheckedSender *self,
    uint32_t size, TfrcTime now);

/* The nofeedback timer, or what is due earlier of delay control, of a probe or of a
 * report that is overdue. */
TfrcTime tfrc_checked_sender_next_deadline (const TfrcCheckedSender *self);
void tfrc_checked_sender_on_deadline (TfrcCheckedSender *self, TfrcTime now);

/* TFRC_OK: the sender has got it.  TFRC_NO_NEWS: it tells who has the newest packet
 * that was reported, and nothing of the rate.  Anything else is counted and has no
 * other effect. */
TfrcResult tfrc_checked_sender_on_feedback (TfrcCheckedSender *self,
    const TfrcFeedback *feedback, TfrcTime now);

/* After all feedback that was made of a report of arrivals: the newest packet that this
 * told of was sent `newest_sent_at`. */
void tfrc_checked_sender_on_arrivals (TfrcCheckedSender *self,
    TfrcTime newest_sent_at, TfrcTime now);

/* After the report: see tfrc_delay_control_on_marks (). */
void tfrc_checked_sender_on_marks (TfrcCheckedSender *self, uint32_t marked,
    uint32_t unmarked, TfrcTime now);

/* Fills the columns of TFRC_TRACE_SENDER and leaves the others alone. */
void tfrc_checked_sender_get_trace (const TfrcCheckedSender *self,
    TfrcTrace *trace, TfrcTime now);
