/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfrc/feedback-share.h"

void
tfrc_feedback_share_init (TfrcFeedbackShare *self, double share,
    uint32_t report_size)
{
  *self = (TfrcFeedbackShare) { .share = share, .report_size = report_size };
}

/* Never so long that the sender's nofeedback timer, max (4 R, 2 s/X), comes
 * near: it would halve the rate for ever. */
TfrcDuration
tfrc_feedback_share_get_interval (const TfrcFeedbackShare *self,
    TfrcDuration rtt, TfrcRate rate, double size)
{
  TfrcDuration wanted, limit;

  if (!(self->share > 0.0) || !(rate > 0.0))
    return rtt;
  wanted = tfrc_rate_time_for (self->share * rate, self->report_size);
  limit = tfrc_time_min (2 * rtt, tfrc_rate_time_for (rate, size));
  return tfrc_time_max (rtt, tfrc_time_min (wanted, limit));
}

bool
tfrc_feedback_share_on_report (TfrcFeedbackShare *self, uint64_t bytes)
{
  double since = (double) (bytes - self->bytes_reported);

  self->bytes_reported = bytes;
  return self->share > 0.0 && self->report_size > self->share * since;
}
