/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TfrcSender with our checks in front of it: of what receivers report, it gets
 * only what a correct one can have reported just now.  RFC 5348 section 10.
 * Behind it the delay control may bound what is sent below X.
 *
 * What is not here does not need to pass a check: use the TfrcSender itself. */
#pragma once

#include <stdbool.h>

#include "delay/delay-control.h"
#include "tfrc/byte-log.h"
#include "tfrc/sender.h"
#include "tfrc/packet.h"
#include "base/rate.h"
#include "base/time.h"

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

/* TFRC_OK, TFRC_NO_NEWS, or why it is not believed; `sent` has the packets, NULL: it need not
 * be one of them, nor in order.  `echo`: when the packet was sent that the report
 * echoes, if it is not TFRC_INVALID. */
TfrcResult tfrc_feedback_check_judge (const TfrcFeedbackCheck *self,
    const TfrcFeedback *feedback, const TfrcByteLog *sent, TfrcTime *echo,
    TfrcTime now);

/* The report counts: it is the newest from now on. */
void tfrc_feedback_check_accept (TfrcFeedbackCheck *self,
    const TfrcFeedback *feedback, TfrcTime echo);

/* Whether a report is overdue: a packet is under way for longer than a path that does
 * not stand lets it be.  Then next to nothing is sent, in ever longer intervals, until
 * one comes: what a path that stands would have to let through later is a queue.
 * RFC 5348's nofeedback timer halves X after 4 R, and each packet that trickles
 * through sets it up again.
 *
 * Where the report that ends such a silence shows that packets arrived all the while,
 * it was the way back that stood; then later reports have more time.  Instants and
 * durations [ns]. */
typedef struct
{
  TfrcTime
      oldest_at; /* sent, of what no report has told of; NONE: there is none */
  TfrcTime overdue_at;  /* its report, or that of the next packet; or NONE */
  TfrcTime reported_at; /* newest report */
  bool overdue;
  double patience; /* 1, or more */
} TfrcReportWatch;

void tfrc_report_watch_init (TfrcReportWatch *self);

/* A packet leaves.  `due`: within which a path that does not stand has it reported. */
void tfrc_report_watch_on_sent (TfrcReportWatch *self, TfrcDuration due,
    TfrcTime now);

/* A report has come.  `oldest_at`: when the first packet was sent that it does not
 * tell of, or TFRC_TIME_NONE; `grace`: for the next report at least; `arrived`: packets
 * arrived since the one before as usual. */
void tfrc_report_watch_on_report (TfrcReportWatch *self, TfrcTime oldest_at,
    TfrcDuration due, TfrcDuration grace, bool arrived, TfrcTime now);

/* At overdue_at. */
void tfrc_report_watch_on_deadline (TfrcReportWatch *self, TfrcTime now);

/* What may be sent in packets of `size` bytes; INFINITY: no bound. */
TfrcRate tfrc_report_watch_get_limit (const TfrcReportWatch *self, double size,
    TfrcTime now);

/* Which part of the losses is congestion, told by the queue: none that comes while
 * the queue is short, where the path was seen to hold a longer one without loss within
 * the last minute.  Behind a policer or a buffer of a few packets nothing is seen to
 * be held, and all losses count.  No part of RFC 5348, which takes p as it is.
 *
 * Instants and durations [ns]. */
typedef struct
{
  double congestive; /* part of p that counts, 1/4 to 1 */
  double seen;       /* mean of the loss events: 1 = at a queue */
  double loss_event_rate;
  TfrcDuration queue; /* of the report before */
  TfrcTime held_at;   /* a longer queue was, without loss, or TFRC_TIME_NONE */
} TfrcLossTolerance;

void tfrc_loss_tolerance_init (TfrcLossTolerance *self);

/* After each report with delays: p as reported, the queue that the newest packets found
 * and the target that is compared with. */
void tfrc_loss_tolerance_on_report (TfrcLossTolerance *self,
    double loss_event_rate, TfrcDuration queue, TfrcDuration target,
    TfrcTime now);

/* When a source that sends less than it may is helped out with packets that nobody
 * needs (probes), so that X and the delay control see what the path carries.  No
 * part of RFC 5348, by which what arrives bounds what may be sent: a scene that
 * does not move, or an encoder that makes nothing below some rate, holds both at
 * what it makes.
 *
 * A probe fills up what may be sent anyway for one and a half RTTs, so that one
 * X_recv is of it alone.  Between the beginnings of two lie twenty times as much,
 * and in all they take a quarter of what the source sent, and what a slow start
 * takes anyway.
 *
 * One call in, then read tfrc_probing_is_on and _next_deadline anew.  Sizes in
 * bytes. */

/* What the sender knows when it has taken a report. */
typedef struct
{
  TfrcRate allowed_rate; /* may be sent now */
  TfrcRate wanted_rate;  /* the source could use; 0 = it is not known to */
  TfrcDuration rtt;
  bool held;  /* what arrives, and nothing else, bounds what may be sent */
  bool clear; /* there is no queue */
} TfrcProbingReport;

typedef struct
{
  uint64_t probes;
  uint64_t bytes;
} TfrcProbingCounters;

typedef struct
{
  TfrcProbingCounters counters;
  double source_bytes; /* of about the last second */
  TfrcTime source_at;  /* of that */
  TfrcTime emptied_at; /* the source had nothing left to send; or NONE */
  TfrcTime busy_at;    /* it was seen to send what it may; or NONE */
  double credit;       /* what probes may take */
  double most_credit;  /* that may be saved */
  double bytes_left;   /* of the probe; not above 0: none is on */
  TfrcTime begun_at;   /* of the probe, or of the last one, as the next two */
  TfrcRate rate;       /* that it fills up */
  TfrcTime until;
  TfrcTime next_at; /* none begins before */
} TfrcProbing;

void tfrc_probing_init (TfrcProbing *self);

/* A packet left, of the source or of a probe.  `backlog`: more is waiting. */
void tfrc_probing_on_source (TfrcProbing *self, uint32_t size, bool backlog,
    TfrcTime now);
void tfrc_probing_on_probe (TfrcProbing *self, uint32_t size);

/* A probe begins, or ends before its time. */
void tfrc_probing_on_report (TfrcProbing *self, const TfrcProbingReport *report,
    TfrcTime now);

/* Whether one was on when a packet was sent, or would have been. */
bool tfrc_probing_was_on (const TfrcProbing *self, TfrcTime sent_at);

/* When a probe ends by itself; TFRC_TIME_NONE: none is on. */
TfrcTime tfrc_probing_next_deadline (const TfrcProbing *self);
void tfrc_probing_on_deadline (TfrcProbing *self, TfrcTime now);

/* Its packets may leave, at the pace of all and behind those of the source. */
bool tfrc_probing_is_on (const TfrcProbing *self);

/* docs/rules.md has the reasons; all are on by default. */
typedef struct
{
  bool check_feedback;     /* D23: only reports that can be true, in order */
  bool clamp_receive_rate; /* D18: X_recv by what was sent */
  bool bound_encoder;      /* delay/bottleneck.h, for who has an encoder */
  TfrcDelayControlConfig delay_control; /* off unless it has a target */
  bool tolerate_loss; /* TfrcLossTolerance, with delay control; off */
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

/* After the report: see tfrc_delay_control_on_marks (). */
void tfrc_checked_sender_on_marks (TfrcCheckedSender *self, uint32_t marked,
    uint32_t unmarked, TfrcTime now);

/* Fills the columns of TFRC_TRACE_SENDER and leaves the others alone. */
void tfrc_checked_sender_get_trace (const TfrcCheckedSender *self,
    TfrcTrace *trace, TfrcTime now);
