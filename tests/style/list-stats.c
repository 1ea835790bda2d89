/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints every field of the elements' statistics in lines of
 * "LIST<tab>NAME<tab>TYPE<tab>UNIT<tab>MEANING", for write_reference.py. */
#include <stdlib.h>

#include "common/stats.h"

static void
print_field (const TfrcStatsField *field, gpointer list)
{
  g_print ("%s\t%s\t%s\t%s\t%s\n", (const gchar *) list, field->name,
      field->type == G_TYPE_NONE ? "GstValueArray" : g_type_name (field->type),
      field->unit, field->meaning);
}

int
main (void)
{
  static const gchar *const names[TFRC_STATS_N_LISTS] = {
    [TFRC_STATS_SEND] = "send",
    [TFRC_STATS_SEND_GROUP] = "send-group",
    [TFRC_STATS_RECEIVE] = "receive",
    [TFRC_STATS_BIN] = "bin",
    [TFRC_STATS_SINK] = "sink",
    [TFRC_STATS_SRC] = "src",
  };

  for (guint i = 0; i < TFRC_STATS_N_LISTS; i++)
    tfrc_stats_foreach (i, print_field, (gpointer) names[i]);
  return EXIT_SUCCESS;
}
