/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CoDel (RFC 8289): drops from when the least wait of an interval is above the target,
 * faster and faster until it is below.  Decided when a packet comes, as in a queue of
 * one flow its wait is known then; a dropped one takes no time of the link. */
#pragma once

#include <stdbool.h>

#include "base/units.h"

typedef struct
{
  TfrcDuration target;   /* 5 ms in the RFC; 0 = no CoDel */
  TfrcDuration interval; /* 100 ms in the RFC */
} LinkCodelConfig;

typedef struct
{
  TfrcTime above_until; /* first_above_time; 0 = the wait is below the target */
  TfrcTime drop_at;     /* drop_next */
  unsigned count;       /* drops since it began to */
  unsigned last_count;
  bool dropping;
} LinkCodel;

/* Of a packet that leaves the queue at `at`, having waited for `wait`. */
bool link_codel_drops (LinkCodel *self, const LinkCodelConfig *config,
    TfrcDuration wait, TfrcTime at);
