/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A table of what is measured without each rule of a protocol. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ablation.h"
#include "switches.h"

#define MAX_COLUMNS 16

typedef char Row[MAX_COLUMNS][ABLATION_CELL];

/* A cell that is as with all rules is left empty.  False: all of them are, and
 * nothing is printed. */
static bool
print_row (const AblationTable *table, const char *without, Row with)
{
  bool differs = without == NULL;
  Row row;

  switches_turn_off (without);
  for (size_t i = 0; i < table->n_columns; i++) {
    table->measure (i, row[i]);
    if (without == NULL)
      strcpy (with[i], row[i]);
    else if (strcmp (row[i], with[i]) == 0)
      row[i][0] = '\0';
    else
      differs = true;
  }
  if (differs) {
    printf ("| %s |", without != NULL ? without : "nothing");
    for (size_t i = 0; i < table->n_columns; i++)
      printf (" %s |", row[i]);
    puts ("");
    fflush (stdout);
  }
  return differs;
}

void
ablation_print_table (const AblationTable *table)
{
  const char *rule, *unchanged[64];
  size_t n_unchanged = 0;
  Row with;

  printf ("| without |");
  for (size_t i = 0; i < table->n_columns; i++)
    printf (" %s |", table->get_heading (i));
  printf ("\n|---|");
  for (size_t i = 0; i < table->n_columns; i++)
    printf ("--:|");
  puts ("");
  print_row (table, NULL, with);
  for (size_t i = 0; (rule = switches_get_name (i)) != NULL; i++) {
    if (switches_is_of (rule, table->protocol)
        && !print_row (table, rule, with))
      unchanged[n_unchanged++] = rule;
  }
  print_row (table, "all", with);
  printf ("\nNothing changes without:");
  for (size_t i = 0; i < n_unchanged; i++)
    printf (" %s", unchanged[i]);
  puts ("\n");
}

void
ablation_load_link (LinkProfile *profile, const char *name, unsigned seconds)
{
  char path[256], error[LINK_PROFILE_ERROR_SIZE];

  snprintf (path, sizeof path, "%s/%s.link", LINKS, name);
  if (!link_profile_load (profile, path, seconds, error)) {
    fprintf (stderr, "%s\n", error);
    exit (2);
  }
}
