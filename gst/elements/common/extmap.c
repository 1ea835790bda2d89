/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/extmap.h"

#include <string.h>

#define PREFIX "extmap-"

guint
tfrc_extmap_parse_id (const gchar *field)
{
  guint64 id;

  if (!g_str_has_prefix (field, PREFIX)
      || !g_ascii_string_to_unsigned (field + strlen (PREFIX), 10, 1,
          TFRC_EXTMAP_MAX_ID, &id, NULL))
    return 0;
  return (guint) id;
}

gboolean
tfrc_extmap_names (const gchar *field, const GValue *value, const gchar *uri)
{
  if (!g_str_has_prefix (field, PREFIX))
    return FALSE;
  if (GST_VALUE_HOLDS_ARRAY (value)) {
    if (gst_value_array_get_size (value) < 2)
      return FALSE;
    value = gst_value_array_get_value (value, 1);
  }
  return G_VALUE_HOLDS_STRING (value)
      && g_strcmp0 (g_value_get_string (value), uri) == 0;
}

guint
tfrc_extmap_find_id (const GstStructure *caps, const gchar *uri)
{
  for (gint i = 0; i < gst_structure_n_fields (caps); i++) {
    const gchar *field = gst_structure_nth_field_name (caps, i);

    if (tfrc_extmap_names (field, gst_structure_get_value (caps, field), uri))
      return tfrc_extmap_parse_id (field);
  }
  return 0;
}
