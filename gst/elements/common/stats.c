/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TfrcTrace to GstStructure. */

#include "common/stats.h"

void
tfrc_stats_set_trace (GstStructure *stats, const TfrcTrace *trace,
    TfrcTraceSide side)
{
  const guint8 *base = (const guint8 *) trace;
  gsize n_columns, i;
  const TfrcTraceColumn *columns = tfrc_trace_get_columns (&n_columns);

  for (i = 0; i < n_columns; i++) {
    const TfrcTraceColumn *column = &columns[i];

    if (!(column->sides & side))
      continue;
    if (column->type == TFRC_TRACE_DOUBLE)
      gst_structure_set (stats, column->name, G_TYPE_DOUBLE,
          *(const gdouble *) (base + column->offset), NULL);
    else
      gst_structure_set (stats, column->name, G_TYPE_UINT64,
          *(const guint64 *) (base + column->offset), NULL);
  }
}

GstMessage *
tfrc_stats_complete_message (GstMessage *message, TfrcStatsAdd add,
    gpointer bin)
{
  if (!gst_message_has_name (message, TFRC_STATS_NAME))
    return message;
  message = gst_message_make_writable (message);
  add (bin, gst_message_writable_structure (message));
  return message;
}
