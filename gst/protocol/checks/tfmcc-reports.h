/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* In front of a TfmccSender: what is believed of the sources of reports.  How
 * many reports one of them may send, whether two receivers share an SSRC, how
 * long an RTT may be, and about how many have been heard lately (RFC 4654 section
 * 6 and RFC 3550 section 8.2 have the threats).  Bounded: an SSRC that finds no
 * place pushes the longest silent one of its few out.  Does not look at rates. */
#pragma once

#include "tfmcc/sender.h"

#define TFMCC_REPORT_CHECK_SETS \
  64                              /* SSRCs of one set share the places of it, */
#define TFMCC_REPORT_CHECK_WAYS 4 /* which are so many */
#define TFMCC_REPORT_CHECK_SEEN_BITS 4096

typedef enum
{
  TFMCC_REPORT_PASSED,
  TFMCC_REPORT_LIMITED,   /* too many by this source, or of new ones */
  TFMCC_REPORT_COLLIDING, /* not by the receiver that had the SSRC */
} TfmccReportVerdict;

typedef struct
{
  uint64_t limited;     /* too many by one source, or of new ones */
  uint64_t colliding;   /* not by the receiver that had the SSRC */
  uint64_t rtt_bounded; /* passed with another RTT */
} TfmccReportCheckCounters;

typedef struct
{
  bool known;
  uint32_t ssrc;
  uint32_t report_time_us; /* tr_r of the newest report that passed */
  TfrcTime passed_at;      /* and when it came */
  TfrcTime paid_until;     /* each report costs an interval */
  TfrcTime clr_until;      /* it may believe to be the CLR */
} TfmccReportSource;

/* Begins as zero. */
typedef struct
{
  TfmccReportCheckCounters counters;
  uint64_t rounds; /* of the sender */
  TfmccReportSource sources[TFMCC_REPORT_CHECK_SETS * TFMCC_REPORT_CHECK_WAYS];
  uint32_t newcomers; /* that took a place in this round */
  /* One bit for each hash of an SSRC, in this minute and in the one before. */
  uint64_t seen[2][TFMCC_REPORT_CHECK_SEEN_BITS / 64];
  uint32_t n_seen; /* bits that are set in one of them */
  TfrcTime minute_began_at;
} TfmccReportCheck;

/* Hands `sender` what is believed of a report, and whether receivers are few.
 * TFRC_STALE: nothing, and it is counted why; else what tfmcc_sender_on_report ()
 * returned. */
TfrcResult tfmcc_report_check_on_report (TfmccReportCheck *self,
    TfmccSender *sender, const TfmccReport *report, TfrcTime now);

/* What becomes of a report that answers what was sent.  `rtt` is R_r,
 * `packet_interval` s/X; `is_clr`: its source is the CLR. */
TfmccReportVerdict tfmcc_report_check_judge (TfmccReportCheck *self,
    const TfmccReport *report, TfrcDuration rtt, TfrcDuration max_rtt,
    TfrcDuration packet_interval, bool is_clr, TfrcTime now);

/* About how many receivers have reported in this minute and the one before:
 * exact for a few, within some percent up to 20,000. */
uint32_t tfmcc_report_check_get_receivers (const TfmccReportCheck *self,
    TfrcTime now);
