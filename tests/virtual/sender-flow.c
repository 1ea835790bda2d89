/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sender-flow.h"

void
sender_flow_send (TfrcGuardedSender *guarded, uint32_t size, bool backlog,
    TfrcRate rate, TfrcTime from, TfrcTime until)
{
  TfrcDuration interval = tfrc_rate_time_for (rate, (double) size);

  for (; from < until; from += interval)
    tfrc_guarded_sender_on_sent (guarded, size, backlog, from);
}

TfrcFeedback
sender_flow_make_report (const TfrcGuardedSender *guarded, TfrcTime echo,
    TfrcDuration delay, TfrcRate receive_rate, double p)
{
  return (TfrcFeedback) {
    .media_ssrc = 1,
    .echo_time_us = (uint32_t) (echo / TFRC_MICROSECOND)
        + guarded->sender.config.timestamp_offset_us,
    .echo_delay = delay,
    .receive_rate = receive_rate,
    .loss_event_rate = p,
  };
}

TfrcResult
sender_flow_report (TfrcGuardedSender *guarded, TfrcTime echo,
    TfrcRate receive_rate, double p, TfrcTime now)
{
  TfrcFeedback report = sender_flow_make_report (guarded, echo, 0, receive_rate,
      p);

  return tfrc_guarded_sender_on_feedback (guarded, &report, now);
}
