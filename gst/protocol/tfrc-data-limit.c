/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Data-limited intervals, RFC 5348 section 8.2.1.  The names of the RFC are in
 * the header.  The instants start at TFRC_TIME_NONE ("never") where the RFC
 * has 0, because our clock may start there. */
#include "tfrc-data-limit.h"

static bool is_within (TfrcTime t, TfrcTime after, TfrcTime until);
static bool is_not_after (TfrcTime mark, TfrcTime instant);

void
tfrc_data_limit_init (TfrcDataLimit *self)
{
  self->not_limited_1 = TFRC_TIME_NONE;
  self->not_limited_2 = TFRC_TIME_NONE;
  self->newest_report_at = TFRC_TIME_NONE;
  self->newest_echo = TFRC_TIME_NONE;
}

void
tfrc_data_limit_on_rate_limited (TfrcDataLimit *self, TfrcTime now)
{
  /* The first such instant since the newest packet known to have arrived, and
   * the first since the newest report: enough to tell for any interval that
   * the next report can cover. */
  if (is_not_after (self->not_limited_1, self->newest_echo))
    self->not_limited_1 = now;
  else if (is_not_after (self->not_limited_2, self->newest_report_at))
    self->not_limited_2 = now;
}

bool
tfrc_data_limit_on_feedback (TfrcDataLimit *self, TfrcTime echo,
    TfrcDuration rtt, TfrcTime now)
{
  bool whole = echo < rtt;      /* the interval starts before the clock */
  TfrcTime old = whole ? 0 : echo - rtt;
  bool not_limited = is_within (self->not_limited_1, old, echo)
      || is_within (self->not_limited_2, old, echo)
      || (whole && (self->not_limited_1 == 0 || self->not_limited_2 == 0));

  self->newest_echo = echo;
  self->newest_report_at = now;
  if (is_not_after (self->not_limited_1, echo)
      && !is_not_after (self->not_limited_2, echo))
    self->not_limited_1 = self->not_limited_2;
  return !not_limited;
}

static bool
is_within (TfrcTime t, TfrcTime after, TfrcTime until)
{
  return t != TFRC_TIME_NONE && t > after && t <= until;
}

/* RFC 5348: "if (NotLimited1 <= t_new)", where a mark or an instant that never
 * was is older than every other. */
static bool
is_not_after (TfrcTime mark, TfrcTime instant)
{
  return mark == TFRC_TIME_NONE
      || (instant != TFRC_TIME_NONE && mark <= instant);
}
