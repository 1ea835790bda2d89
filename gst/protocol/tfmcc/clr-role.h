/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiver's role as the current limiting receiver (CLR): when it begins and
 * ends, and when the CLR reports.  RFC 4654 section 4.5.  The sender's view of
 * the CLR is in tfmcc/clr-choice.h. */
#pragma once

#include "tfmcc/packet.h"

typedef struct
{
  TfrcTime reported_at; /* newest report, of the CLR or not */
  bool is_clr;          /* we are the CLR */
  bool unreported;      /* a stamp since the newest report */
} TfmccClrRole;

void tfmcc_clr_role_init (TfmccClrRole *self);

/* A data packet names the CLR, `us` or another; true if it becomes us. */
bool tfmcc_clr_role_on_name (TfmccClrRole *self, bool us);

/* A report is handed out. */
void tfmcc_clr_role_on_report (TfmccClrRole *self, TfrcTime now);

/* When the CLR reports next, `interval` after its last report; TFRC_TIME_NONE
 * while it is not us, or there is nothing new to say. */
TfrcTime tfmcc_clr_role_next_report (const TfmccClrRole *self,
    TfrcDuration interval);
