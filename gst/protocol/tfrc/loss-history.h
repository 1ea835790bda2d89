/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From losses to loss events, RFC 5348 section 5.2: losses within one RTT of
 * the start of an event belong to it.
 *
 * The newest losses are kept together with the intervals as they were before
 * them, so that a late packet can take its loss back, and an earlier loss that
 * becomes known later can take its place: both regroup what is kept. */
#pragma once

#include "tfrc/loss-intervals.h"
#include "tfrc/stream.h"

#ifndef TFRC_MAX_LOSS_RUNS
#define TFRC_MAX_LOSS_RUNS 64 /* that can be taken back */
#endif
#define TFRC_MAX_LOSS_EVENTS 128 /* of these, but for one long run */

/* The loss event that is being grown. */
typedef struct
{
  TfrcLossIntervals intervals;
  TfrcTime event_at; /* T_old: nominal arrival of its first loss */
} TfrcLossEvents;

typedef struct
{
  TfrcLossRun run;
  TfrcDuration rtt; /* R when it became known */
} TfrcLossRecord;

typedef struct
{
  TfrcLossEvents before; /* the records */
  TfrcLossEvents now;    /* with all of them */
  bool small_packets;    /* from the next loss on; RFC 4828 section 4.4 */
  uint32_t n_records;    /* in the order of their positions */
  TfrcLossRecord records[TFRC_MAX_LOSS_RUNS + 1];
  double first_interval; /* in front of the first event [packets] */
} TfrcLossHistory;

/* As tfrc_loss_intervals_init (). */
void tfrc_loss_history_init (TfrcLossHistory *self, uint32_t length,
    double discount_threshold);

/* The interval in front of the first loss event, RFC 5348 section 6.3.1;
 * matters while there is none. */
void tfrc_loss_history_set_first_interval (TfrcLossHistory *self,
    double packets);

/* Takes lost or marked packets; `rtt` is R, 0 while not known. */
void tfrc_loss_history_on_loss (TfrcLossHistory *self, const TfrcLossRun *run,
    TfrcDuration rtt);

/* The packet at `position` arrived after all.  False: its loss is too old to
 * be taken back. */
bool tfrc_loss_history_on_repair (TfrcLossHistory *self, TfrcSeq position);

/* R was assumed so far, as by a receiver of TFMCC that has not measured it:
 * `rtt` is the true one.  Losses that are still kept are grouped anew by it, and
 * the interval in front of the first event, if it still counts, is multiplied
 * by `first_factor` (Widmer and Handley 2001 appendices A and B). */
void tfrc_loss_history_remodel (TfrcLossHistory *self, TfrcDuration rtt,
    double first_factor);

/* Whether the open interval is short by now: two RTTs or less, RFC 4828 section 4.4.
 * False before the first event. */
bool tfrc_loss_history_is_short (const TfrcLossHistory *self, TfrcDuration rtt,
    TfrcTime now);

/* p, and DF, when `highest` is the newest flow position. */
double tfrc_loss_history_get_loss_event_rate (const TfrcLossHistory *self,
    TfrcSeq highest);
double tfrc_loss_history_get_discount (const TfrcLossHistory *self,
    TfrcSeq highest);
