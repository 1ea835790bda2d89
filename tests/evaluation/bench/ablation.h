/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a rule of ours buys: a scenario in virtual time in which it matters,
 * measured as it is and with the rule off. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "link-profile.h"

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

/* What each rule of a protocol does where it is not meant to. */
#define ABLATION_CELL 32

typedef struct
{
  const char *protocol; /* "Tfrc" or "Tfmcc" */
  size_t n_columns;
  const char *(*get_heading) (size_t column);
  void (*measure) (size_t column, char cell[ABLATION_CELL]);
} AblationTable;

/* Rate of what arrives [kbit/s] and losses of a stream on the links of the live
 * set, and in networks unlike them. */
extern const AblationTable ablation_links;
extern const AblationTable ablation_networks;
/* A stream's rate by the mean of the TCP flows beside it. */
extern const AblationTable ablation_beside;
/* Rate [kbit/s] of a group, and losses of its slowest receiver. */
extern const AblationTable ablation_groups;

/* As it is, without each rule, and without all. */
void ablation_print_table (const AblationTable *table);

/* data/links/NAME.link; ends the program if it is not there. */
void ablation_load_link (LinkProfile *profile, const char *name,
    unsigned seconds);
