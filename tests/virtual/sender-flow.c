/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sender-flow.h"

void
sender_flow_send (TfrcCheckedSender *checked, uint32_t size, bool backlog,
    TfrcRate rate, TfrcTime from, TfrcTime until)
{
  TfrcDuration interval = tfrc_rate_time_for (rate, (double) size);

  for (; from < until; from += interval)
    tfrc_checked_sender_on_sent (checked, size, backlog, from);
}

TfrcFeedback
sender_flow_make_report (const TfrcCheckedSender *checked, TfrcTime echo,
    TfrcDuration delay, TfrcRate receive_rate, double p)
{
  return (TfrcFeedback) {
    .media_ssrc = 1,
    .echo_time_us = (uint32_t) (echo / TFRC_MICROSECOND)
        + checked->sender.config.timestamp_offset_us,
    .echo_delay = delay,
    .receive_rate = receive_rate,
    .loss_event_rate = p,
  };
}

TfrcResult
sender_flow_report (TfrcCheckedSender *checked, TfrcTime echo,
    TfrcRate receive_rate, double p, TfrcTime now)
{
  TfrcFeedback report = sender_flow_make_report (checked, echo, 0, receive_rate,
      p);

  return tfrc_checked_sender_on_feedback (checked, &report, now);
}
