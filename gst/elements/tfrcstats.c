/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TfrcTrace to GstStructure. */

#include "tfrcstats.h"

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
