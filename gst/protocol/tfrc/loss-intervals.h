/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the starts of loss events to the loss event rate p, RFC 5348 sections
 * 5.3 to 5.5: intervals, their weighted mean, the open interval that counts
 * when that lowers p, and discounting of the older ones when it is long.
 *
 * Sums over the history are made once per loss event; asking for p costs the
 * same for every n.  Not here: which losses make an event
 * (tfrc/loss-history.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/seq.h"

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

/* An event that starts so early that the interval which it closes is short: that has
 * `losses` losses, and counts for so many intervals (RFC 4828 section 4.4). */
void tfrc_loss_intervals_on_event_after_short (TfrcLossIntervals *self,
    TfrcSeq start, double losses);

/* Another size for the oldest closed interval; at least one event was. */
void tfrc_loss_intervals_replace_oldest (TfrcLossIntervals *self, double size);

/* DF of the open interval that ends at `highest`; 1 before the first event. */
double tfrc_loss_intervals_get_discount (const TfrcLossIntervals *self,
    TfrcSeq highest);

/* p with the open interval that ends at `highest`; 0 before the first event. */
double tfrc_loss_intervals_get_loss_event_rate (const TfrcLossIntervals *self,
    TfrcSeq highest);

/* p without the open interval; 0 before the first event. */
double
tfrc_loss_intervals_get_closed_loss_event_rate (const TfrcLossIntervals *self);
