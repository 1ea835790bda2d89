/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks the sources of reports for a TfmccSender: how many reports a source may
 * send, whether two receivers share an SSRC, how long an RTT may be, and about how
 * many receivers reported lately (threats of RFC 4654 section 6 and RFC 3550
 * section 8.2).  Memory is bounded: a new SSRC takes the place of the one in its
 * set that has been silent for longest.  Does not check rates. */
#pragma once

#include "tfmcc/sender.h"

#define TFMCC_REPORT_CHECK_SETS \
  64 /* number of sets; an SSRC belongs to one by its hash */
#define TFMCC_REPORT_CHECK_WAYS 4 /* places of a set */
#define TFMCC_REPORT_CHECK_SEEN_BITS 4096

typedef enum
{
  TFMCC_REPORT_PASSED,
  TFMCC_REPORT_LIMITED,   /* too many of this source, or of new ones */
  TFMCC_REPORT_COLLIDING, /* not from the receiver that owns the SSRC */
} TfmccReportVerdict;

typedef struct
{
  uint64_t limited;     /* too many of one source, or of new ones */
  uint64_t colliding;   /* not from the receiver that owns the SSRC */
  uint64_t rtt_bounded; /* passed, but with a shorter RTT */
} TfmccReportCheckCounters;

typedef struct
{
  bool known;
  uint32_t ssrc;
  uint32_t report_time_us; /* tr_r of the newest report that passed */
  TfrcTime passed_at;      /* when that arrived */
  TfrcTime paid_until;     /* each report costs an interval, see pay () */
  TfrcTime clr_until;      /* until then it may still take itself for the CLR */
} TfmccReportSource;

/* Starts zeroed. */
typedef struct
{
  TfmccReportCheckCounters counters;
  uint64_t rounds; /* feedback rounds of the sender */
  TfmccReportSource sources[TFMCC_REPORT_CHECK_SETS * TFMCC_REPORT_CHECK_WAYS];
  uint32_t newcomers; /* sources that took a place in this round */
  /* One bit per hash of an SSRC, for this minute and for the one before. */
  uint64_t seen[2][TFMCC_REPORT_CHECK_SEEN_BITS / 64];
  uint32_t n_seen; /* bits set in either of them */
  TfrcTime minute_began_at;
} TfmccReportCheck;

/* Checks a report and passes it to `sender`, together with whether there are few
 * receivers.  Returns TFRC_STALE if it was refused, and counted; else the result of
 * tfmcc_sender_on_report (). */
TfrcResult tfmcc_report_check_on_report (TfmccReportCheck *self,
    TfmccSender *sender, const TfmccReport *report, TfrcTime now);

/* Judges a report that answers a packet.  `rtt` is R_r, `packet_interval` s/X;
 * `is_clr`: its source is the CLR. */
TfmccReportVerdict tfmcc_report_check_judge (TfmccReportCheck *self,
    const TfmccReport *report, TfrcDuration rtt, TfrcDuration max_rtt,
    TfrcDuration packet_interval, bool is_clr, TfrcTime now);

/* Estimates how many receivers have reported in this minute and the one before:
 * exact for a few, within some percent up to 20,000. */
uint32_t tfmcc_report_check_get_receivers (const TfmccReportCheck *self,
    TfrcTime now);
