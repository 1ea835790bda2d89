/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Enumerations as values of properties. */
#pragma once

#include <gst/gst.h>

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
