/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Links as networks have them, drawn at random: for tests that want to meet
 * what nobody thought of. */
#pragma once

#include "link-model.h"
#include "base/rng.h"

/* Between 64 kbit/s and 1 Mbit/s with 1 to 100 ms of delay; mostly with some
 * impairment, seldom with all. */
void random_link_draw (LinkConfig *config, TfrcRng *rng);

/* Takes the losses away, and leaves what else is wrong with it. */
void random_link_mend (LinkConfig *config);

/* `low` to `high`; small ones as likely as large ones by the second. */
double random_between (TfrcRng *rng, double low, double high);
double random_scale (TfrcRng *rng, double low, double high);

/* True with this probability. */
bool random_chance (TfrcRng *rng, double probability);
