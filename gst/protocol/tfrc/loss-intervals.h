/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Computes the loss event rate p from the starts of loss events, RFC 5348 sections
 * 5.3 to 5.5: loss intervals, their weighted mean, the open interval if it lowers
 * p, and discounting of older intervals if the open one is long.
 *
 * The sums over the history are updated once per loss event, so reading p takes the
 * same time for every n.  Which losses form a loss event is decided below. */
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
  uint32_t length;           /* n */
  double discount_threshold; /* least DF; 1 = no discounting */

  uint64_t events; /* loss events so far; fewer after a repair */
  /* Position of the first loss of the newest event, where I_0 starts. */
  TfrcSeq event_start;
  uint32_t n_closed; /* k, at most n */
  uint32_t losses;   /* losses of the newest event, set by the owner */
  double sizes[TFRC_MAX_HISTORY];     /* I_1 ... I_k [packets] */
  double discounts[TFRC_MAX_HISTORY]; /* DF_1 ... DF_k */
  /* Sums of DF_i w, of sizes and of weights alone: with the weights shifted by the
   * open interval (w_1 on I_1), and not shifted. */
  double shifted_size, shifted_weight;
  double closed_size, closed_weight;
} TfrcLossIntervals;

/* `length` is within the limits above, 0 < `discount_threshold` <= 1. */
void tfrc_loss_intervals_init (TfrcLossIntervals *self, uint32_t length,
    double discount_threshold);

/* A loss event starts at the flow position `start`, not before the previous one.
 * The first event closes an interval of `first_interval` >= 1 packets (RFC 5348
 * section 6.3.1); later ones ignore it. */
void tfrc_loss_intervals_on_event (TfrcLossIntervals *self, TfrcSeq start,
    double first_interval);

/* DF for an open interval that ends at `highest`; 1 before the first event. */
double tfrc_loss_intervals_get_discount (const TfrcLossIntervals *self,
    TfrcSeq highest);

/* p with an open interval that ends at `highest`; 0 before the first event. */
double tfrc_loss_intervals_get_loss_event_rate (const TfrcLossIntervals *self,
    TfrcSeq highest);

/* p without the open interval; 0 before the first event. */
double
tfrc_loss_intervals_get_closed_loss_event_rate (const TfrcLossIntervals *self);

/* Groups losses into loss events, RFC 5348 section 5.2: losses within one RTT of
 * the start of an event belong to it.
 *
 * The newest losses are kept, together with the intervals as they were before them.
 * So a late packet can take its loss back, and an earlier loss can be detected
 * late: both regroup the losses that are kept. */

#ifndef TFRC_MAX_LOSS_RUNS
#define TFRC_MAX_LOSS_RUNS 64 /* that can be taken back */
#endif
#define TFRC_MAX_LOSS_EVENTS 128 /* in these runs, unless one run is longer */

/* Intervals, and the newest loss event. */
typedef struct
{
  TfrcLossIntervals intervals;
  TfrcTime event_at; /* T_old: nominal arrival of its first loss */
} TfrcLossEvents;

typedef struct
{
  TfrcLossRun run;
  TfrcDuration rtt; /* R when the loss was detected */
} TfrcLossRecord;

typedef struct
{
  TfrcLossEvents before; /* without the records */
  TfrcLossEvents now;    /* with all records; gives p and DF */
  bool small_packets; /* RFC 4828 section 4.4; applies from the next loss on */
  uint32_t n_records; /* ordered by position */
  TfrcLossRecord records[TFRC_MAX_LOSS_RUNS + 1];
  /* Size of the interval before the first event [packets]. */
  double first_interval;
} TfrcLossHistory;

/* See tfrc_loss_intervals_init (). */
void tfrc_loss_history_init (TfrcLossHistory *self, uint32_t length,
    double discount_threshold);

/* Sets the interval before the first loss event, RFC 5348 section 6.3.1; has an
 * effect only until there is one. */
void tfrc_loss_history_set_first_interval (TfrcLossHistory *self,
    double packets);

/* Adds lost or marked packets; `rtt` is R, 0 while not known. */
void tfrc_loss_history_on_loss (TfrcLossHistory *self, const TfrcLossRun *run,
    TfrcDuration rtt);

/* The packet at `position` arrived after it was declared lost.  Returns false if
 * its loss is too old to be taken back. */
bool tfrc_loss_history_on_repair (TfrcLossHistory *self, TfrcSeq position);

/* Replaces an assumed R, as a receiver of TFMCC uses until it has measured one, by
 * the true one, `rtt`.  The losses that are kept are regrouped, and the interval
 * before the first event, if it still counts, is multiplied by `first_factor`
 * (Widmer and Handley 2001 appendices A and B). */
void tfrc_loss_history_remodel (TfrcLossHistory *self, TfrcDuration rtt,
    double first_factor);

/* Whether the open interval is still short: two RTTs or less, RFC 4828 section 4.4.
 * False before the first event. */
bool tfrc_loss_history_is_short (const TfrcLossHistory *self, TfrcDuration rtt,
    TfrcTime now);
