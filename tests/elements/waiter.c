/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE /* RTLD_NEXT */

#include "waiter.h"

#include <dlfcn.h>
#include <gmodule.h>

#define LONGEST (20 * G_TIME_SPAN_SECOND)

static GPrivate current; /* Waiter */
static GMutex lock;      /* of their numbers of waits */
static GCond changed;

static void
note_wait (void)
{
  Waiter *self = g_private_get (&current);

  if (!self)
    return;
  g_mutex_lock (&lock);
  self->n_waits++;
  g_cond_broadcast (&changed);
  g_mutex_unlock (&lock);
}

/* These stand before those of GLib.  Who waits holds its lock until it does. */
G_MODULE_EXPORT void
g_cond_wait (GCond *cond, GMutex *mutex)
{
  __typeof__ (&g_cond_wait) real = (__typeof__ (real)) dlsym (RTLD_NEXT,
      "g_cond_wait");

  note_wait ();
  real (cond, mutex);
}

G_MODULE_EXPORT gboolean
g_cond_wait_until (GCond *cond, GMutex *mutex, gint64 end_time)
{
  __typeof__ (&g_cond_wait_until) real = (__typeof__ (real)) dlsym (RTLD_NEXT,
      "g_cond_wait_until");

  note_wait ();
  return real (cond, mutex, end_time);
}

static gpointer
run (gpointer data)
{
  Waiter *self = data;

  g_private_set (&current, self);
  return self->function (self->data);
}

void
waiter_start (Waiter *self, GThreadFunc function, gpointer data)
{
  *self = (Waiter) { .function = function, .data = data };
  self->thread = g_thread_new ("waiter", run, self);
}

gboolean
waiter_waits (Waiter *self, guint n)
{
  const gint64 end = g_get_monotonic_time () + LONGEST;
  gboolean waits;

  g_mutex_lock (&lock);
  while (self->n_waits < n && g_cond_wait_until (&changed, &lock, end))
    ;
  waits = self->n_waits >= n;
  g_mutex_unlock (&lock);
  return waits;
}

void
waiter_join (Waiter *self)
{
  g_thread_join (self->thread);
}
