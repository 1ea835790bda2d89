/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long a path may hold a packet back before it counts as lost: learnt from
 * the packets that came behind three later ones or more, as RACK learns it
 * (RFC 8985 section 6.2).  RFC 5348 section 5.1 leaves it to later versions.
 *
 * Time and not packets, since what holds a packet back does not know how many
 * others overtake it, and since it is time that a loss may take to be known.
 * While nothing has come so late the tolerance is 0, and NDUPACK alone decides. */
#pragma once

#include <stdbool.h>

#include "base/time.h"

typedef struct
{
  bool adaptive;          /* false: the tolerance stays 0 */
  TfrcDuration tolerance; /* without the bound of an RTT */
  TfrcDuration newest;    /* the same by what was seen since `losses` */
  uint32_t losses;        /* was 0 */
} TfrcReordering;

void tfrc_reordering_init (TfrcReordering *self, bool adaptive);

/* NDUPACK later packets had come when this one came, `lateness` behind the first
 * of them; `rtt` is R, 0 while not known.  Who is later than an RTT would not be
 * waited for, and teaches nothing. */
void tfrc_reordering_on_late (TfrcReordering *self, TfrcDuration lateness,
    TfrcDuration rtt);

/* Packets were declared lost.  What was seen is forgotten after 16 times without
 * being seen again, 32 at most. */
void tfrc_reordering_on_loss (TfrcReordering *self);

/* How long to wait behind the first later packet: never longer than `rtt`. */
TfrcDuration tfrc_reordering_get_tolerance (const TfrcReordering *self,
    TfrcDuration rtt);
