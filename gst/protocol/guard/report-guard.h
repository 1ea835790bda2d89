/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the sender believes of the sources of reports: how many reports one of
 * them may send, whether two receivers share an SSRC, and about how many have
 * been heard lately (RFC 4654 section 6 and RFC 3550 section 8.2 have the
 * threats).  Bounded: an SSRC that finds no place pushes the longest silent one
 * of its few out.  Does not know what a report says of rates. */
#pragma once

#include "tfmcc/packet.h"

#define TFMCC_GUARD_SETS 64 /* SSRCs of one set share the places of it, */
#define TFMCC_GUARD_WAYS 4  /* which are so many */
#define TFMCC_GUARD_SEEN_BITS 4096

typedef enum
{
  TFMCC_GUARD_PASSED,
  TFMCC_GUARD_LIMITED,   /* too many by this source, or of new ones */
  TFMCC_GUARD_COLLIDING, /* not by the receiver that had the SSRC */
} TfmccGuardVerdict;

typedef struct
{
  bool known;
  uint32_t ssrc;
  uint32_t report_time_us; /* tr_r of the newest report that passed */
  TfrcTime passed_at;      /* and when it came */
  TfrcTime paid_until;     /* each report costs an interval */
  TfrcTime clr_until;      /* it may believe to be the CLR */
} TfmccSource;

typedef struct
{
  TfmccSource sources[TFMCC_GUARD_SETS * TFMCC_GUARD_WAYS];
  uint32_t newcomers; /* that took a place in this round */
  /* One bit for each hash of an SSRC, in this minute and in the one before. */
  uint64_t seen[2][TFMCC_GUARD_SEEN_BITS / 64];
  TfrcTime minute_began_at;
} TfmccGuard;

void tfmcc_guard_init (TfmccGuard *self);

/* A feedback round has begun. */
void tfmcc_guard_on_round (TfmccGuard *self);

/* A report that answers what was sent.  `rtt` is R_r, `packet_interval` s/X;
 * `is_clr`: its source is the CLR. */
TfmccGuardVerdict tfmcc_guard_on_report (TfmccGuard *self,
    const TfmccReport *report, TfrcDuration rtt, TfrcDuration max_rtt,
    TfrcDuration packet_interval, bool is_clr, TfrcTime now);

/* About how many receivers have reported in this minute and the one before:
 * exact for a few, within some percent up to 20,000. */
uint32_t tfmcc_guard_get_receivers (const TfmccGuard *self, TfrcTime now);
