/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The type of the property "mode". */

#include "common/mode.h"

GType
gst_tfrc_mode_get_type (void)
{
  static const GEnumValue modes[] = {
    { GST_TFRC_MODE_AUTO, "By the address or the caps", "auto" },
    { GST_TFRC_MODE_TFRC, "TFRC, one receiver (RFC 5348)", "tfrc" },
    { GST_TFRC_MODE_TFMCC, "TFMCC, a group of receivers (RFC 4654)", "tfmcc" },
    { 0, NULL, NULL }
  };
  static gsize type;

  if (g_once_init_enter (&type)) {
    GType registered = g_enum_register_static ("GstTfrcMode", modes);

    gst_type_mark_as_plugin_api (registered, 0);
    g_once_init_leave (&type, registered);
  }
  return type;
}
