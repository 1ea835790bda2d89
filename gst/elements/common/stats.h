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
  _Generic ((value), \
      bool: tfrc_stats_set_boolean, \
      gboolean: tfrc_stats_set_boolean, \
      guint: tfrc_stats_set_uint, \
      guint64: tfrc_stats_set_uint64, \
      gdouble: tfrc_stats_set_double, \
      gchar *: tfrc_stats_set_string, \
      const gchar *: tfrc_stats_set_string) (stats, name, value)

void tfrc_stats_set_boolean (GstStructure *stats, const gchar *name,
    gboolean value);
void tfrc_stats_set_uint (GstStructure *stats, const gchar *name, guint value);
void tfrc_stats_set_uint64 (GstStructure *stats, const gchar *name,
    guint64 value);
void tfrc_stats_set_double (GstStructure *stats, const gchar *name,
    gdouble value);
void tfrc_stats_set_string (GstStructure *stats, const gchar *name,
    const gchar *value);

/* Sets the columns of `side`. */
void tfrc_stats_set_trace (GstStructure *stats, const TfrcTrace *trace,
    TfrcTraceSide side);

/* Posts those of an element. */
void tfrc_stats_post (GstElement *element);
