/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which reports a sender believes: those that a correct receiver can have sent
 * just now.  An echo proves that a packet was received, and the order of echoes
 * that nobody replays an older report.  RFC 5348 section 10. */
#pragma once

#include "tfrc/byte-log.h"
#include "tfrc/packet.h"

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
