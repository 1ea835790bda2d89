/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints what each rule of ours buys, see ablation.h and docs/rules.md:
 *
 *   bench-ablation [--list | RULE...]
 *   bench-ablation --links | --networks | --beside | --groups
 *
 * Fails where a rule buys less than a tenth of its figure, or has none. */
#include "ablation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "switches.h"

#define LEAST_GAIN 1.1

static const struct
{
  const char *option;
  const AblationTable *table;
} tables[] = {
  { "--links", &ablation_links },
  { "--networks", &ablation_networks },
  { "--beside", &ablation_beside },
  { "--groups", &ablation_groups },
};

/* Whether it buys what it should. */
static bool
run (const Ablation *ablation)
{
  double with, without;
  bool buys;

  switches_turn_off (NULL);
  with = ablation->measure ();
  if (!switches_turn_off (ablation->rule)) {
    printf ("%s: not in tests/support/switches.c\n", ablation->rule);
    return false;
  }
  without = ablation->measure ();
  buys = with != without
      && (ablation->less_is_better ? without >= LEAST_GAIN * with
                                   : with >= LEAST_GAIN * without);
  printf ("%-22s %-54s %9.3f %9.3f%s\n", ablation->rule, ablation->figure, with,
      without, buys ? "" : "  <- nothing");
  fflush (stdout);
  return buys;
}

/* True if no rule of that name fails, and there is one. */
static bool
run_rule (const char *rule)
{
  const Ablation *lists[] = { unicast_ablations, group_ablations };
  unsigned n_run = 0, n_good = 0;

  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    for (const Ablation *one = lists[i]; one->rule != NULL; one++) {
      if (strcmp (one->rule, rule) != 0)
        continue;
      n_run++;
      n_good += run (one);
    }
  }
  if (n_run == 0)
    printf ("%s: no such ablation, see --list\n", rule);
  return n_run > 0 && n_good == n_run;
}

int
main (int argc, char **argv)
{
  bool list = argc == 2 && strcmp (argv[1], "--list") == 0;
  bool good = true;
  const char *rule;

  for (size_t i = 0; argc == 2 && i < sizeof tables / sizeof tables[0]; i++) {
    if (strcmp (argv[1], tables[i].option) == 0) {
      ablation_print_table (tables[i].table);
      return EXIT_SUCCESS;
    }
  }

  if (!list)
    printf ("%-22s %-54s %9s %9s\n", "rule", "figure", "with", "without");
  for (size_t i = 0; argc < 2 && (rule = switches_get_name (i)) != NULL; i++)
    good &= run_rule (rule);
  for (size_t i = 0; list && (rule = switches_get_name (i)) != NULL; i++)
    puts (rule);
  for (int i = 1; !list && i < argc; i++)
    good &= run_rule (argv[i]);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
