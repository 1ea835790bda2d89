/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfmcc/clr-role.h"

void
tfmcc_clr_role_init (TfmccClrRole *self)
{
  *self = (TfmccClrRole) { 0 };
}

bool
tfmcc_clr_role_on_name (TfmccClrRole *self, bool us)
{
  bool begins = us && !self->is_clr;

  self->is_clr = us;
  return begins;
}

void
tfmcc_clr_role_on_report (TfmccClrRole *self, TfrcTime now)
{
  self->reported_at = now;
  self->unreported = false;
}

/* RFC 4654 section 4.5: the CLR reports once per RTT, whatever others do; on
 * the shortest paths less often (D48).  While no data comes there is nothing new
 * to say. */
TfrcTime
tfmcc_clr_role_next_report (const TfmccClrRole *self, TfrcDuration interval)
{
  if (!self->is_clr || !self->unreported)
    return TFRC_TIME_NONE;
  return tfrc_time_add (self->reported_at, interval);
}
