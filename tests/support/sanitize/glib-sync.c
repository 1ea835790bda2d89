/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tells the thread sanitizer what orders threads in a GLib and GStreamer that
 * are built without it: their mutexes and conditions are futexes, and their
 * reference counts and queues are atomic operations, none of which it sees.
 * Preloaded after its library; each function here has the name of the one
 * that it stands before, and calls that one. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <gst/gst.h>
#include <sanitizer/tsan_interface.h>

/* Not in every version of the header. */
void __tsan_acquire (void *address);
void __tsan_release (void *address);
void __tsan_func_entry (void *caller);
void __tsan_func_exit (void);

/* The function of that name in the library behind this one, looked up once. */
#define REAL(name) \
  static __typeof__ (&name) real_##name; \
  if (__atomic_load_n (&real_##name, __ATOMIC_ACQUIRE) == NULL) \
  __atomic_store_n (&real_##name, \
      (__typeof__ (&name)) dlsym (RTLD_NEXT, #name), __ATOMIC_RELEASE)

#define EXPORT __attribute__ ((visibility ("default")))

/* So that who called a function of this file is in the sanitizer's stack. */
#define ENTER() __tsan_func_entry (__builtin_return_address (0))
#define LEAVE() __tsan_func_exit ()

/* Has what its caller did seen by all who come later, and the other way. */
static void
exchange (gpointer address)
{
  __tsan_release (address);
  __tsan_acquire (address);
}

/* Mutexes and conditions */

EXPORT void
g_mutex_clear (GMutex *mutex)
{
  REAL (g_mutex_clear);
  ENTER ();
  __tsan_mutex_destroy (mutex, 0);
  real_g_mutex_clear (mutex);
  LEAVE ();
}

EXPORT void
g_mutex_lock (GMutex *mutex)
{
  REAL (g_mutex_lock);
  ENTER ();
  __tsan_mutex_pre_lock (mutex, 0);
  real_g_mutex_lock (mutex);
  __tsan_mutex_post_lock (mutex, 0, 0);
  LEAVE ();
}

EXPORT gboolean
g_mutex_trylock (GMutex *mutex)
{
  gboolean locked;

  REAL (g_mutex_trylock);
  ENTER ();
  __tsan_mutex_pre_lock (mutex, __tsan_mutex_try_lock);
  locked = real_g_mutex_trylock (mutex);
  __tsan_mutex_post_lock (mutex,
      locked ? __tsan_mutex_try_lock
             : __tsan_mutex_try_lock | __tsan_mutex_try_lock_failed,
      0);
  LEAVE ();
  return locked;
}

EXPORT void
g_mutex_unlock (GMutex *mutex)
{
  REAL (g_mutex_unlock);
  ENTER ();
  __tsan_mutex_pre_unlock (mutex, 0);
  real_g_mutex_unlock (mutex);
  __tsan_mutex_post_unlock (mutex, 0);
  LEAVE ();
}

static void
leave_mutex (GMutex *mutex)
{
  __tsan_mutex_pre_unlock (mutex, 0);
  __tsan_mutex_post_unlock (mutex, 0);
}

static void
enter_mutex (GMutex *mutex)
{
  __tsan_mutex_pre_lock (mutex, 0);
  __tsan_mutex_post_lock (mutex, 0, 0);
}

EXPORT void
g_cond_wait (GCond *cond, GMutex *mutex)
{
  REAL (g_cond_wait);
  ENTER ();
  leave_mutex (mutex);
  real_g_cond_wait (cond, mutex);
  enter_mutex (mutex);
  LEAVE ();
}

EXPORT gboolean
g_cond_wait_until (GCond *cond, GMutex *mutex, gint64 end_time)
{
  gboolean signalled;

  REAL (g_cond_wait_until);
  ENTER ();
  leave_mutex (mutex);
  signalled = real_g_cond_wait_until (cond, mutex, end_time);
  enter_mutex (mutex);
  LEAVE ();
  return signalled;
}

EXPORT
gboolean (g_once_init_enter) (volatile void *location)
{
  gboolean first;

  REAL (g_once_init_enter);
  first = real_g_once_init_enter (location);
  __tsan_acquire ((gpointer) location);
  return first;
}

EXPORT void (g_once_init_leave) (volatile void *location, gsize result)
{
  REAL (g_once_init_leave);
  __tsan_release ((gpointer) location);
  real_g_once_init_leave (location, result);
}

/* Reference counts: who gives the last one back sees what all did before. */

EXPORT void
g_object_unref (gpointer object)
{
  REAL (g_object_unref);
  exchange (object);
  real_g_object_unref (object);
}

EXPORT void
gst_object_unref (gpointer object)
{
  REAL (gst_object_unref);
  exchange (object);
  real_gst_object_unref (object);
}

EXPORT void
gst_mini_object_unref (GstMiniObject *object)
{
  REAL (gst_mini_object_unref);
  exchange (object);
  real_gst_mini_object_unref (object);
}

EXPORT void
g_atomic_rc_box_release_full (gpointer box, GDestroyNotify clear)
{
  REAL (g_atomic_rc_box_release_full);
  exchange (box);
  real_g_atomic_rc_box_release_full (box, clear);
}

/* Queues, and the threads of a pool */

EXPORT void
g_async_queue_push (GAsyncQueue *queue, gpointer data)
{
  REAL (g_async_queue_push);
  __tsan_release (queue);
  real_g_async_queue_push (queue, data);
}

EXPORT gpointer
g_async_queue_pop (GAsyncQueue *queue)
{
  gpointer data;

  REAL (g_async_queue_pop);
  data = real_g_async_queue_pop (queue);
  __tsan_acquire (queue);
  return data;
}

EXPORT gpointer
g_async_queue_try_pop (GAsyncQueue *queue)
{
  gpointer data;

  REAL (g_async_queue_try_pop);
  data = real_g_async_queue_try_pop (queue);
  __tsan_acquire (queue);
  return data;
}

EXPORT gpointer
g_async_queue_timeout_pop (GAsyncQueue *queue, guint64 timeout)
{
  gpointer data;

  REAL (g_async_queue_timeout_pop);
  data = real_g_async_queue_timeout_pop (queue, timeout);
  __tsan_acquire (queue);
  return data;
}

typedef struct
{
  GFunc function;
  gpointer data;
} Pool;

static void
run_in_pool (gpointer task, gpointer data)
{
  Pool *pool = data;

  __tsan_acquire (task);
  pool->function (task, pool->data);
}

/* What it allocates is never freed: there are few pools, and no function that
 * sees all of them end. */
EXPORT GThreadPool *
g_thread_pool_new (GFunc function, gpointer data, gint max_threads,
    gboolean exclusive, GError **error)
{
  Pool *pool = g_new (Pool, 1);

  REAL (g_thread_pool_new);
  *pool = (Pool) { function, data };
  return real_g_thread_pool_new (run_in_pool, pool, max_threads, exclusive,
      error);
}

EXPORT gboolean
g_thread_pool_push (GThreadPool *pool, gpointer task, GError **error)
{
  REAL (g_thread_pool_push);
  __tsan_release (task);
  return real_g_thread_pool_push (pool, task, error);
}
