/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The statistics of the elements: GstStructures, whose fields are listed with their
 * types, units and meanings. */
#pragma once

#include <gst/gst.h>

#include "base/trace.h"

/* Name of the structure in the property `stats`, and of the element message. */
#define TFRC_STATS_NAME "tfrc-stats"

typedef enum
{
  TFRC_STATS_SEND,       /* of rtptfrcsend and tfrcsink */
  TFRC_STATS_SEND_GROUP, /* additional ones with a group */
  TFRC_STATS_RECEIVE,    /* of rtptfrcreceive and tfrcsrc */
  TFRC_STATS_BIN,        /* additional ones of both bins */
  TFRC_STATS_SINK,       /* additional ones of tfrcsink */
  TFRC_STATS_SRC,        /* additional ones of tfrcsrc */
  TFRC_STATS_N_LISTS,
} TfrcStatsList;

typedef struct
{
  const gchar *name;
  /* G_TYPE_NONE means GST_TYPE_ARRAY, which is not a constant */
  GType type;
  const gchar *unit; /* "" = none */
  const gchar *meaning;
} TfrcStatsField;

typedef void (*TfrcStatsFunc) (const TfrcStatsField *field, gpointer user_data);

/* Calls `func` for each field of a list, first for those of the core's trace. */
void tfrc_stats_foreach (TfrcStatsList list, TfrcStatsFunc func,
    gpointer user_data);

/* Makes statistics with the fields of the list, all 0, FALSE or NULL.  The caller owns
 * them. */
GstStructure *tfrc_stats_new (TfrcStatsList list);

/* Adds the fields of another list. */
void tfrc_stats_add (GstStructure *stats, TfrcStatsList list);

/* Sets a field; g_critical() if the statistics do not have it, or the list has another
 * type for it. */
#define tfrc_stats_set(stats, name, value) \
  tfrc_stats_set_field (stats, name, \
      _Generic ((value), \
          bool: G_TYPE_BOOLEAN, \
          gboolean: G_TYPE_BOOLEAN, \
          guint: G_TYPE_UINT, \
          guint64: G_TYPE_UINT64, \
          gdouble: G_TYPE_DOUBLE, \
          gchar *: G_TYPE_STRING, \
          const gchar *: G_TYPE_STRING), \
      value)

void tfrc_stats_set_field (GstStructure *stats, const gchar *name, GType type,
    ...);

/* Sets the fields of the trace that belong to `side`. */
void tfrc_stats_set_trace (GstStructure *stats, const TfrcTrace *trace,
    TfrcTraceSide side);

/* Posts the statistics of an element.  Call it without locks. */
void tfrc_stats_post (GstElement *element);
