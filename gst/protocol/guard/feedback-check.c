/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "guard/feedback-check.h"

#include <math.h>
#include <stddef.h>

/* An older echo says nothing of the path as it is now. */
#define MAX_ECHO_AGE (60 * TFRC_SECOND)

void
tfrc_feedback_check_init (TfrcFeedbackCheck *self, uint32_t timestamp_offset_us)
{
  *self = (TfrcFeedbackCheck) {
    .timestamp_offset_us = timestamp_offset_us,
    .echo = TFRC_TIME_NONE,
  };
}

/* The same stamp once more: a new report has held it for longer, or comes from a
 * later packet of one burst and tells of a loss event.  A replayed one does
 * neither; and one that has held it for longer and got nothing since has no news. */
static TfrcResult
check_order (const TfrcFeedbackCheck *self, const TfrcFeedback *feedback,
    TfrcTime echo)
{
  if (self->echo == TFRC_TIME_NONE || echo > self->echo)
    return TFRC_OK;
  if (echo < self->echo)
    return TFRC_STALE;
  if (feedback->echo_delay > self->echo_delay)
    return feedback->receive_rate > 0.0 ? TFRC_OK : TFRC_NO_NEWS;
  if (feedback->echo_delay < self->echo_delay)
    return TFRC_STALE;
  return feedback->loss_event_rate > self->loss_event_rate
      ? TFRC_OK
      : TFRC_DUPLICATE;
}

TfrcResult
tfrc_feedback_check_judge (const TfrcFeedbackCheck *self,
    const TfrcFeedback *feedback, const TfrcByteLog *sent, TfrcTime *echo,
    TfrcTime now)
{
  TfrcTime now_us = now / TFRC_MICROSECOND;
  uint32_t age_us = (uint32_t) now_us + self->timestamp_offset_us
      - feedback->echo_time_us;
  double p = feedback->loss_event_rate;
  TfrcResult order = TFRC_OK;

  if (!(p >= 0.0 && p <= 1.0) || !(feedback->receive_rate >= 0.0)
      || isinf (feedback->receive_rate))
    return TFRC_INVALID;
  /* From the future, or before the clock started. */
  if (age_us > UINT32_MAX / 2 || age_us > now_us)
    return TFRC_INVALID;
  *echo = (now_us - age_us) * TFRC_MICROSECOND;
  if (age_us > MAX_ECHO_AGE / TFRC_MICROSECOND)
    return TFRC_STALE;
  if (sent != NULL) {
    order = check_order (self, feedback, *echo);
    if (order != TFRC_OK && order != TFRC_NO_NEWS)
      return order;
    if (order == TFRC_OK
        && !tfrc_byte_log_covers (sent, *echo, TFRC_MICROSECOND))
      return TFRC_INVALID;
  }
  /* R_sample <= 0. */
  if (feedback->echo_delay >= now - *echo)
    return TFRC_INVALID;
  return order;
}

void
tfrc_feedback_check_accept (TfrcFeedbackCheck *self,
    const TfrcFeedback *feedback, TfrcTime echo)
{
  self->echo = echo;
  self->echo_delay = feedback->echo_delay;
  self->loss_event_rate = feedback->loss_event_rate;
}
