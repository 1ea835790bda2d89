/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "watch.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define N_SLOTS 64
/* Seconds: of those in which nobody here waited for a CPU all the time, and of all. */
#define LIMIT 60
#define BUSY_LIMIT 600
#define N_PACKETS 128
#define KEPT 512 /* bytes of a packet */
#define N_PRINTED 24
#define MAX_SAMPLES 100000
#define GROWTH 1.1

typedef struct
{
  gchar where[24], kind[24];
  gsize size;
  guint8 data[KEPT];
} Packet;

typedef struct
{
  gint n_packets;
  Packet packets[N_PACKETS];
} Shared;

typedef struct
{
  gdouble elapsed, mib; /* allocated */
  guint threads;
} Sample;

typedef struct
{
  const gchar *what, *where; /* NULL: unused */
  guint seconds, busy_seconds;
} Slot;

static Shared *shared;
static GMutex lock;
static Slot slots[N_SLOTS];
static Sample samples[MAX_SAMPLES];
static guint n_samples;

void
watch_share (void)
{
  shared = mmap (NULL, sizeof *shared, PROT_READ | PROT_WRITE,
      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    abort ();
}

static void
print_stacks (void)
{
  gchar *pid = g_strdup_printf ("%d", (int) getpid ());
  gchar *arguments[] = { (gchar *) "gdb", (gchar *) "-p", pid,
    (gchar *) "-batch", (gchar *) "-ex", (gchar *) "thread apply all bt 30",
    NULL };

  if (!g_spawn_sync (NULL, arguments, NULL,
          G_SPAWN_SEARCH_PATH | G_SPAWN_CHILD_INHERITS_STDIN
              | G_SPAWN_STDERR_TO_DEV_NULL,
          NULL, NULL, NULL, NULL, NULL, NULL))
    fprintf (stderr, "fuzz-doors: no gdb, no stacks\n");
  g_free (pid);
}

void
watch_fail (const gchar *what)
{
  static gint failing;

  if (g_atomic_int_add (&failing, 1) == 0) {
    fprintf (stderr, "fuzz-doors: FINDING: %s\n", what);
    print_stacks ();
    abort ();
  }
  for (;;)
    g_usleep (G_USEC_PER_SEC);
}

guint
watch_begin (const gchar *what, const gchar *where)
{
  guint i;

  g_mutex_lock (&lock);
  for (i = 0; i < N_SLOTS - 1 && slots[i].what != NULL; i++)
    ;
  slots[i] = (Slot) { what, where, 0, 0 };
  g_mutex_unlock (&lock);
  return i;
}

void
watch_end (guint slot)
{
  g_mutex_lock (&lock);
  slots[slot].what = NULL;
  g_mutex_unlock (&lock);
}

/* For how long the threads that there are have waited for a CPU [ns]. */
static guint64
count_waiting (void)
{
  GDir *tasks = g_dir_open ("/proc/self/task", 0, NULL);
  const gchar *name;
  guint64 sum = 0;

  while (tasks != NULL && (name = g_dir_read_name (tasks)) != NULL) {
    gchar *path = g_build_filename ("/proc/self/task", name, "schedstat", NULL);
    gchar *text = NULL, *rest;

    if (g_file_get_contents (path, &text, NULL, NULL)) {
      g_ascii_strtoull (text, &rest, 10);
      sum += g_ascii_strtoull (rest, NULL, 10);
    }
    g_free (text);
    g_free (path);
  }
  if (tasks != NULL)
    g_dir_close (tasks);
  return sum;
}

/* What is late after one more second. */
static gchar *
find_late (gboolean busy)
{
  gchar *late = NULL;
  guint i;

  g_mutex_lock (&lock);
  for (i = 0; i < N_SLOTS; i++) {
    Slot *slot = &slots[i];

    if (slot->what == NULL)
      continue;
    *(busy ? &slot->busy_seconds : &slot->seconds) += 1;
    if (slot->seconds > LIMIT || slot->busy_seconds > BUSY_LIMIT)
      late = g_strdup_printf ("'%s' of %s hangs for %u s, and %u busy ones",
          slot->what, slot->where, slot->seconds, slot->busy_seconds);
  }
  g_mutex_unlock (&lock);
  return late;
}

static gpointer
watch (gpointer data)
{
  guint64 waited = 0, before;
  gchar *late = NULL;

  while (late == NULL) {
    g_usleep (G_USEC_PER_SEC);
    before = waited;
    waited = count_waiting ();
    late = find_late (waited > before + G_USEC_PER_SEC * 1000);
  }
  watch_fail (late);
  return NULL;
}

/* An rtpsession (1.22) gives its lock up while it goes over its sources for RTCP, and
 * leaves the others out when one comes in meanwhile. */
static gboolean
is_of_rtpsession (const gchar *message)
{
  return g_str_has_prefix (message,
      "g_hash_table_foreach: assertion 'version ==");
}

static void
on_log (const gchar *domain, GLogLevelFlags level, const gchar *message,
    gpointer data)
{
  if (level & (G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_ERROR)
      && !is_of_rtpsession (message))
    watch_fail (message);
  g_log_default_handler (domain, level, message, data);
}

void
watch_start (void)
{
  g_log_set_default_handler (on_log, NULL);
  g_thread_unref (g_thread_new ("fuzz-watch", watch, NULL));
}

void
watch_note_packet (const gchar *where, const gchar *kind, const guint8 *data,
    gsize size)
{
  guint n = (guint) g_atomic_int_add (&shared->n_packets, 1);
  Packet *packet = &shared->packets[n % N_PACKETS];

  g_strlcpy (packet->where, where, sizeof packet->where);
  g_strlcpy (packet->kind, kind, sizeof packet->kind);
  packet->size = size;
  memcpy (packet->data, data, MIN (size, KEPT));
}

guint
watch_count_packets (void)
{
  return (guint) g_atomic_int_get (&shared->n_packets);
}

void
watch_print_packets (void)
{
  guint n = watch_count_packets (), i, j;

  fprintf (stderr, "fuzz-doors: the newest packets, oldest first:\n");
  for (i = n - MIN (n, N_PRINTED); i < n; i++) {
    const Packet *packet = &shared->packets[i % N_PACKETS];

    fprintf (stderr, "%s %s, %u bytes: ", packet->where, packet->kind,
        (guint) packet->size);
    for (j = 0; j < MIN (packet->size, KEPT); j++)
      fprintf (stderr, "%02x", packet->data[j]);
    fprintf (stderr, "\n");
  }
}

/* The number behind `name` in /proc/self/status. */
static guint
read_status (const gchar *name)
{
  gchar *text = NULL;
  const gchar *found;
  guint value = 0;

  if (g_file_get_contents ("/proc/self/status", &text, NULL, NULL)) {
    found = strstr (text, name);
    if (found != NULL)
      value = (guint) strtoul (found + strlen (name), NULL, 10);
  }
  g_free (text);
  return value;
}

size_t __sanitizer_get_current_allocated_bytes (void) __attribute__ ((weak));

/* What is in use.  What an allocator keeps of what was freed, and a sanitizer of
 * who allocated it, grows for hours and says nothing. */
static gdouble
count_allocated (void)
{
  struct mallinfo2 info;

  if (__sanitizer_get_current_allocated_bytes)
    return (gdouble) __sanitizer_get_current_allocated_bytes ();
  info = mallinfo2 ();
  return (gdouble) (info.uordblks + info.hblkhd);
}

void
watch_sample (gdouble elapsed)
{
  Sample sample = { elapsed, count_allocated () / 1048576.0,
    read_status ("Threads:") };

  printf ("%6.0f s: %u packets, %u threads, %.1f MiB, %u resident\n",
      sample.elapsed, watch_count_packets (), sample.threads, sample.mib,
      read_status ("VmRSS:") / 1024);
  fflush (stdout);
  if (n_samples < MAX_SAMPLES)
    samples[n_samples++] = sample;
}

static Sample
mean_of (gdouble from, gdouble to)
{
  Sample sum = { 0 };
  gdouble threads = 0.0;
  guint n = 0, i;

  for (i = 0; i < n_samples; i++) {
    if (samples[i].elapsed < from || samples[i].elapsed >= to)
      continue;
    sum.mib += samples[i].mib;
    threads += samples[i].threads;
    n++;
  }
  return (Sample) { from, sum.mib / n, (guint) (threads / n + 0.5) };
}

gboolean
watch_judge (void)
{
  gdouble end = n_samples == 0 ? 0.0 : samples[n_samples - 1].elapsed;
  Sample before, after;
  gboolean flat;

  if (end <= 180.0)
    return TRUE;
  /* What is bounded is full by then, and a minute is less even. */
  before = mean_of (0.25 * end, 0.5 * end);
  after = mean_of (0.75 * end, end + 1.0);
  flat = after.mib <= GROWTH * before.mib
      && after.threads <= GROWTH * before.threads;
  printf ("%s: in the second quarter %.1f MiB and %u threads, in the last one "
          "%.1f MiB and %u threads\n",
      flat ? "flat" : "FINDING: growth", before.mib, before.threads, after.mib,
      after.threads);
  /* The leak sanitizer may end the program. */
  fflush (stdout);
  return flat;
}
