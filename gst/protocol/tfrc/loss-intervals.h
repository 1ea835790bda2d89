/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the starts of loss events to the loss event rate p, RFC 5348 sections
 * 5.3 to 5.5: intervals, their weighted mean, the open interval that counts
 * when that lowers p, and discounting of the older ones when it is long.
 *
 * Sums over the history are made once per loss event; asking for p costs the
 * same for every n.  In front of them, below: which losses make an event. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/units.h"
#include "tfrc/loss-detector.h"

#define TFRC_MIN_HISTORY 2
#define TFRC_DEFAULT_HISTORY 8 /* n, RFC 5348 section 5.4 */
#ifndef TFRC_MAX_HISTORY
#define TFRC_MAX_HISTORY 256
#endif
#define TFRC_DISCOUNT_THRESHOLD 0.25 /* RFC 5348 section 5.5 */

typedef struct
{
  uint32_t length;           /* n, weights in use */
  double discount_threshold; /* least DF; 1 = no discounting */

  uint64_t events;                /* so far; less after a repair */
  TfrcSeq event_start;            /* S of the newest event, where I_0 begins */
  uint32_t n_closed;              /* k, at most n */
  uint32_t losses;                /* of the newest event, as its owner counts */
  double sizes[TFRC_MAX_HISTORY]; /* I_1 ... I_k [packets] */
  double discounts[TFRC_MAX_HISTORY]; /* DF_1 ... DF_k */
  /* Sums over DF_i times weight, of sizes and of weights alone: with the
   * weights shifted by the open interval (w_1 on I_1), and without. */
  double shifted_size, shifted_weight;
  double closed_size, closed_weight;
} TfrcLossIntervals;

/* `length` between the limits above, 0 < `discount_threshold` <= 1. */
void tfrc_loss_intervals_init (TfrcLossIntervals *self, uint32_t length,
    double discount_threshold);

/* A loss event starts at the flow position `start`, not before the event
 * before.  The first one is given the interval in front of it, >= 1
 * (RFC 5348 section 6.3.1); later ones ignore `first_interval`. */
void tfrc_loss_intervals_on_event (TfrcLossIntervals *self, TfrcSeq start,
    double first_interval);

/* DF of the open interval that ends at `highest`; 1 before the first event. */
double tfrc_loss_intervals_get_discount (const TfrcLossIntervals *self,
    TfrcSeq highest);

/* p with the open interval that ends at `highest`; 0 before the first event. */
double tfrc_loss_intervals_get_loss_event_rate (const TfrcLossIntervals *self,
    TfrcSeq highest);

/* p without the open interval; 0 before the first event. */
double
tfrc_loss_intervals_get_closed_loss_event_rate (const TfrcLossIntervals *self);

/* From losses to loss events, RFC 5348 section 5.2: losses within one RTT of
 * the start of an event belong to it.
 *
 * The newest losses are kept together with the intervals as they were before
 * them, so that a late packet can take its loss back, and an earlier loss that
 * becomes known later can take its place: both regroup what is kept. */

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
  TfrcLossEvents now;    /* with all of them: for p and DF */
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
