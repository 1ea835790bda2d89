/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a group with losses, a bottleneck, a pause, a leave and a crash does in four
 * minutes, run by two builds of the core (tests/virtual/meson.build).  Contains no
 * type whose size differs between them. */
#pragma once

#include <stddef.h>

#include "base/units.h"

#define HISTORY_RECEIVERS 8
#define HISTORY_SAMPLES 2400 /* every 100 ms */

typedef struct
{
  TfrcRate rate; /* X */
  int clr;
  uint8_t round;
  TfrcRate rates[HISTORY_RECEIVERS]; /* X_r */
  TfrcDuration rtts[HISTORY_RECEIVERS];
  double loss_event_rates[HISTORY_RECEIVERS];
  uint64_t reports[HISTORY_RECEIVERS];
} GroupSample;

typedef struct
{
  GroupSample samples[HISTORY_SAMPLES];
  size_t receiver_bytes; /* size of a receiver in this build */
} GroupHistory;

void large_group_history (GroupHistory *history);
void small_group_history (GroupHistory *history);
