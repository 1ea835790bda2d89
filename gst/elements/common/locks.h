/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Locks that are released at the end of the block, as GLib 2.80 and GStreamer 1.24 have
 * them. */
#pragma once

#include <gst/gst.h>

#ifndef G_MUTEX_AUTO_LOCK
#define G_MUTEX_AUTO_LOCK(mutex, var) \
  g_autoptr (GMutexLocker) G_GNUC_UNUSED var = g_mutex_locker_new (mutex)
#endif

#ifndef GST_OBJECT_AUTO_LOCK
#define GST_OBJECT_AUTO_LOCK(object, var) \
  G_MUTEX_AUTO_LOCK (GST_OBJECT_GET_LOCK (object), var)
#endif
