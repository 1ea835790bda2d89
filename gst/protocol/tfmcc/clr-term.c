/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfmcc/clr-term.h"

/* A CLR that is not called so for this many of the longest rounds has been
 * replaced; the sender names it once a round (RFC 4654 section 3.5). */
#define MAX_ROUNDS 2

void
tfmcc_clr_term_init (TfmccClrTerm *self)
{
  *self = (TfmccClrTerm) { 0 };
}

void
tfmcc_clr_term_on_stamp (TfmccClrTerm *self)
{
  self->news = true;
}

bool
tfmcc_clr_term_on_name (TfmccClrTerm *self, bool us, TfrcTime now)
{
  bool begins = us && !self->serving;

  self->serving = us;
  self->named_at = now;
  return begins;
}

void
tfmcc_clr_term_on_round (TfmccClrTerm *self, TfrcDuration span, TfrcTime now)
{
  if (tfrc_time_since (self->named_at, now) > MAX_ROUNDS * span)
    self->serving = false;
}

void
tfmcc_clr_term_on_report (TfmccClrTerm *self, TfrcTime now)
{
  self->reported_at = now;
  self->news = false;
}

void
tfmcc_clr_term_end (TfmccClrTerm *self)
{
  self->serving = false;
}

/* RFC 4654 section 4.5: the CLR reports once per RTT, whatever others do; on
 * the shortest paths less often (D48).  While no data comes there is nothing new
 * to say. */
TfrcTime
tfmcc_clr_term_next_report (const TfmccClrTerm *self, TfrcDuration rtt)
{
  if (!self->serving || !self->news)
    return TFRC_TIME_NONE;
  return tfrc_time_add (self->reported_at,
      tfrc_time_max (rtt, TFMCC_MIN_CLR_INTERVAL));
}
