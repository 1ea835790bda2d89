/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two threads that count under GLib's lock, which is no race; with an
 * argument they count beside it too, which is one.  So a build for the thread
 * sanitizer shows that glib-sync.c tells it of the lock, and that it still
 * finds what no lock orders. */

#include <glib.h>

static GMutex lock;
static guint under_lock;
static guint beside_lock;

static gpointer
count (gpointer beside)
{
  guint i;

  for (i = 0; i < 1000; i++) {
    g_mutex_lock (&lock);
    under_lock++;
    g_mutex_unlock (&lock);
    if (beside)
      beside_lock++;
  }
  return NULL;
}

int
main (int argc, char **argv)
{
  gpointer beside = argc > 1 ? argv[1] : NULL;
  GThread *first = g_thread_new ("first", count, beside);
  GThread *second = g_thread_new ("second", count, beside);

  g_thread_join (first);
  g_thread_join (second);
  return 0;
}
