/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Registers the category when it is first used, as these files have no class
 * of their own. */

#include "net/debug.h"

GST_DEBUG_CATEGORY_STATIC (tfrc_net_debug);

GstDebugCategory *
tfrc_net_debug_get_category (void)
{
  static gsize done;

  if (g_once_init_enter (&done)) {
    GST_DEBUG_CATEGORY_INIT (tfrc_net_debug, "tfrcnet", 0,
        "Sockets and SRTP of tfrcsink and tfrcsrc");
    g_once_init_leave (&done, 1);
  }
  return tfrc_net_debug;
}
