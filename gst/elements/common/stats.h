/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples of the core as fields of a GstStructure, under the names and in the
 * units of tfrc_trace_get_columns: gdouble for rates and ratios, guint64 for
 * counters, instants and durations. */
#pragma once

#include <gst/gst.h>

#include "base/trace.h"

G_BEGIN_DECLS

/* The name of the stats property's structure and of the element message. */
#define TFRC_STATS_NAME "tfrc-stats"

/* Sets the columns of `side`. */
void tfrc_stats_set_trace (GstStructure *stats, const TfrcTrace *trace,
    TfrcTraceSide side);

/* Adds what a bin has besides the element inside to its message with
 * statistics.  Takes the message and returns it. */
typedef void (*TfrcStatsAdd) (gpointer bin, GstStructure *stats);
GstMessage *tfrc_stats_complete_message (GstMessage *message, TfrcStatsAdd add,
    gpointer bin);

G_END_DECLS
