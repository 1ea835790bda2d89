/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiver's term as the current limiting receiver (CLR): when it begins and
 * ends, and when the CLR reports.  RFC 4654 section 4.5.  The sender's view of
 * the CLR is in tfmcc/clr.h. */
#pragma once

#include "tfmcc/packet.h"

typedef struct
{
  TfrcTime named_at;    /* newest packet that calls us the CLR */
  TfrcTime reported_at; /* newest report, of the CLR or not */
  bool serving;         /* we are the CLR */
  bool news;            /* a stamp since the newest report */
} TfmccClrTerm;

void tfmcc_clr_term_init (TfmccClrTerm *self);

/* A data packet with a stamp. */
void tfmcc_clr_term_on_stamp (TfmccClrTerm *self);

/* A data packet names the CLR, `us` or another; true if our term begins. */
bool tfmcc_clr_term_on_name (TfmccClrTerm *self, bool us, TfrcTime now);

/* A feedback round has begun, which takes `span` at most: a CLR that is not
 * called so any more has been replaced. */
void tfmcc_clr_term_on_round (TfmccClrTerm *self, TfrcDuration span,
    TfrcTime now);

/* A report is handed out. */
void tfmcc_clr_term_on_report (TfmccClrTerm *self, TfrcTime now);

/* Not the CLR until it is named again. */
void tfmcc_clr_term_end (TfmccClrTerm *self);

/* When the CLR reports next; TFRC_TIME_NONE while it is not us, or there is
 * nothing new to say. */
TfrcTime tfmcc_clr_term_next_report (const TfmccClrTerm *self,
    TfrcDuration rtt);
