/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TfrcSender with checks of what receivers report: it gets only what a correct
 * receiver can have reported just now (RFC 5348 section 10).  Delay control may
 * limit the sending rate below X.
 *
 * Everything that needs no check is called on the TfrcSender itself. */
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

/* Which reports are accepted: those that a correct receiver can have sent just now.
 * An echo proves that a packet arrived, and the order of echoes that no older
 * report is replayed.  RFC 5348 section 10. */
typedef struct
{
  uint32_t timestamp_offset_us; /* offset of send_time_us */
  /* The newest report accepted: */
  TfrcTime echo; /* when the echoed packet was sent, or TFRC_TIME_NONE */
  TfrcDuration echo_delay;
  double loss_event_rate;
} TfrcFeedbackCheck;

void tfrc_feedback_check_init (TfrcFeedbackCheck *self,
    uint32_t timestamp_offset_us);

/* Returns TFRC_OK, TFRC_NO_ARRIVALS, or why the report is refused; `sent` logs the
 * packets.  Sets *echo to when the echoed packet was sent, unless that is invalid. */
TfrcResult tfrc_feedback_check_judge (const TfrcFeedbackCheck *self,
    const TfrcFeedback *feedback, const TfrcByteLog *sent, TfrcTime *echo,
    TfrcTime now);

/* Makes the report the newest one. */
void tfrc_feedback_check_accept (TfrcFeedbackCheck *self,
    const TfrcFeedback *feedback, TfrcTime echo);

/* See docs/rules.md for the reasons. */
typedef struct
{
  /* D18: X_recv is limited by what was sent; default true. */
  bool clamp_receive_rate;
  TfrcDuration delay_target; /* target of TfrcDelayControl; default 0: off */
  /* TfrcLossTolerance, needs delay control; default false. */
  bool tolerate_loss;
} TfrcSenderChecks;

typedef struct
{
  uint64_t feedback_stale; /* older than the newest, or replayed */
  /* Echo never sent, impossible RTT, p or X_recv out of range. */
  uint64_t feedback_invalid;
  uint64_t feedback_clamped; /* X_recv was above what was sent */
  uint64_t delay_reports;    /* accepted, with one-way delays */
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
  /* Rate that the source would send at if it were allowed to; INFINITY: any rate.
   * 0, the initial value: the source would not use more, so there are no probes.
   * Set by the owner. */
  TfrcRate wanted_rate;
  TfrcReportWatch report_watch; /* with delay control only */
  bool is_watched;
  bool arrived; /* the newest report shows about the usual receive rate */
  TfrcSenderCheckCounters counters;
  TfrcTime now; /* latest `now` */
} TfrcCheckedSender;

TfrcSenderChecks tfrc_sender_checks_default (void);

void tfrc_checked_sender_init (TfrcCheckedSender *self,
    const TfrcSenderConfig *config, TfrcSenderChecks checks);

/* Packets take another path from now on, or go to another receiver: forgets the
 * state of the old path and refuses its reports.  Keeps the settings, the counters
 * except those of delay control, and which report was the newest. */
void tfrc_checked_sender_begin_path (TfrcCheckedSender *self);

/* The last packet, sent at the same `now`, was the end of a frame. */
void tfrc_checked_sender_on_frame_end (TfrcCheckedSender *self, TfrcTime now);

/* Like the functions of tfrc_sender.  A `now` before an earlier one is taken as
 * that. */
TfrcExtension tfrc_checked_sender_on_sent (TfrcCheckedSender *self,
    uint32_t size, bool backlog, TfrcTime now);
/* Like tfrc_checked_sender_on_sent, for a packet of a probe, without a backlog.  It
 * may be sent while tfrc_probing_is_on () and the sender's next_send_at allow. */
TfrcExtension tfrc_checked_sender_on_probe_sent (TfrcCheckedSender *self,
    uint32_t size, TfrcTime now);

/* When the nofeedback timer expires, or what is due earlier: delay control, a
 * probe, or an overdue report. */
TfrcTime tfrc_checked_sender_next_deadline (const TfrcCheckedSender *self);
void tfrc_checked_sender_on_deadline (TfrcCheckedSender *self, TfrcTime now);

/* TFRC_OK: the report was passed to the sender.  TFRC_NO_ARRIVALS: it only shows which
 * receiver has the newest packet.  Anything else is counted and has no other
 * effect. */
TfrcResult tfrc_checked_sender_on_feedback (TfrcCheckedSender *self,
    const TfrcFeedback *feedback, TfrcTime now);

/* To be called after all feedback made from one packet report: the newest packet
 * covered by that was sent at `newest_sent_at`. */
void tfrc_checked_sender_on_arrivals (TfrcCheckedSender *self,
    TfrcTime newest_sent_at, TfrcTime now);

/* To be called after the report: see tfrc_delay_control_on_marks (). */
void tfrc_checked_sender_on_marks (TfrcCheckedSender *self, uint32_t marked,
    uint32_t unmarked, TfrcTime now);

/* Fills the trace columns of TFRC_TRACE_SENDER and no others. */
void tfrc_checked_sender_get_trace (const TfrcCheckedSender *self,
    TfrcTrace *trace, TfrcTime now);
