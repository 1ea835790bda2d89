/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the statistics of the elements consist of: GstStructures whose fields,
 * with their types, units and meanings, stand in lists. */
#pragma once

#include <gst/gst.h>

#include "base/trace.h"

/* The name of the stats property's structure and of the element message. */
#define TFRC_STATS_NAME "tfrc-stats"

typedef enum
{
  TFRC_STATS_SEND,       /* of rtptfrcsend and tfrcsink */
  TFRC_STATS_SEND_GROUP, /* of these in a group besides */
  TFRC_STATS_RECEIVE,    /* of rtptfrcreceive and tfrcsrc */
  TFRC_STATS_BIN,        /* of both bins besides */
  TFRC_STATS_SINK,       /* of tfrcsink besides */
  TFRC_STATS_SRC,        /* of tfrcsrc besides */
  TFRC_STATS_N_LISTS,
} TfrcStatsList;

typedef struct
{
  const gchar *name;
  GType type;        /* G_TYPE_NONE: GST_TYPE_ARRAY, which is no constant */
  const gchar *unit; /* "" for none */
  const gchar *meaning;
} TfrcStatsField;

typedef void (*TfrcStatsFunc) (const TfrcStatsField *field, gpointer user_data);

/* Calls func for every field of a list, those of the core's trace first. */
void tfrc_stats_foreach (TfrcStatsList list, TfrcStatsFunc func,
    gpointer user_data);

/* Statistics with the fields of the list, all of them 0, FALSE or NULL. */
GstStructure *tfrc_stats_new (TfrcStatsList list);

/* Adds the fields of another list to them. */
void tfrc_stats_add (GstStructure *stats, TfrcStatsList list);

/* Sets a field that is there; g_critical() if it is not, or if the list says
 * another type than the value has. */
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

/* Sets the columns of `side`. */
void tfrc_stats_set_trace (GstStructure *stats, const TfrcTrace *trace,
    TfrcTraceSide side);

/* Posts those of an element. */
void tfrc_stats_post (GstElement *element);
