/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties of an object that are the fields of a struct: name, range, default
 * and text are those of the specification, and the value is in the struct.
 *
 * A field has the type of its property: gboolean, gint, guint, guint64, gdouble,
 * an enum, or a gchar * or boxed pointer that the struct owns.  No lock: the
 * owner holds one around set and get. */
#pragma once

#include <gst/gst.h>

/* When a property may be set: in any state, in READY, or in NULL. */
#define TFRC_PROPERTY_ANY_STATE \
  (TFRC_PROPERTY_BEFORE_READY | GST_PARAM_MUTABLE_PLAYING)
#define TFRC_PROPERTY_BEFORE_PAUSED \
  (TFRC_PROPERTY_BEFORE_READY | GST_PARAM_MUTABLE_READY)
#define TFRC_PROPERTY_BEFORE_READY (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)

/* Installs the property whose value is at `offset` of the struct.  All of a
 * class may have the same `id`: what tells them apart is the specification. */
void tfrc_properties_install (GObjectClass *klass, guint id, gsize offset,
    GParamSpec *pspec);

/* Sets the fields of all properties of the class to their defaults. */
void tfrc_properties_init (gpointer fields, GObjectClass *klass);

/* Frees what the fields own. */
void tfrc_properties_clear (gpointer fields, GObjectClass *klass);

/* FALSE: the property is none of the fields. */
gboolean tfrc_properties_set (gpointer fields, GParamSpec *pspec,
    const GValue *value);
gboolean tfrc_properties_get (gconstpointer fields, GParamSpec *pspec,
    GValue *value);

/* Whether `value` comes too late, by the flags above: then it is not to be set, and a
 * warning on the bus says when it may.  What changes nothing never does.  No lock may be
 * held. */
gboolean tfrc_properties_refuse_late (GstElement *element, GParamSpec *pspec,
    const GValue *value);

/* Defines name_get_type (), the type of an enumeration of the plugin's API.
 * After the names come its GEnumValues: value, text, nick.  A semicolon ends
 * it. */
#define TFRC_DEFINE_ENUM_TYPE(TypeName, name, ...) \
  GType name##_get_type (void) \
  { \
    static const GEnumValue values[] = { __VA_ARGS__, { 0, NULL, NULL } }; \
    static gsize type; \
\
    if (g_once_init_enter (&type)) { \
      GType registered = g_enum_register_static (#TypeName, values); \
\
      gst_type_mark_as_plugin_api (registered, 0); \
      g_once_init_leave (&type, registered); \
    } \
    return type; \
  } \
  GType name##_get_type (void)
