/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a rule of ours buys: a scenario in virtual time in which it matters,
 * measured as it is and with the rule off. */
#pragma once

#include <stdbool.h>

typedef struct
{
  const char *rule;   /* its name in tests/support/switches.c */
  const char *figure; /* what is measured, with its unit */
  /* Runs the scenario: equal runs give equal figures. */
  double (*measure) (void);
  bool less_is_better;
} Ablation;

/* Both end with one that has no rule. */
extern const Ablation unicast_ablations[];
extern const Ablation group_ablations[];

/* Prints rate [kbit/s] and losses of streams over the links of the live set, with
 * all rules, without each of unicast, and without all. */
void ablation_print_links (void);
