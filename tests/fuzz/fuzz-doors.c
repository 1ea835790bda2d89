/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Real tfrcsinks and tfrcsrcs of each kind (doors/door.c), and datagrams for
 * them: what their peer would say, mutated, from there and from strangers, while
 * an application disturbs them.  A crash, a critical of GLib's, an error message,
 * a hang, an element that then lets nothing through, and memory or threads that
 * grow are findings; the exit code is 1.
 *
 *   fuzz-doors [--seconds N] [--seed N] [--element tfrcsink|tfrcsrc] [--rate N]
 *       [--kind NAME]... [--calm]
 *
 * It takes fixed ports and groups on the loopback device: run it in a network of
 * its own (tests/support/own_network.py).  What is sent depends on the seed, and
 * on what the elements say; what they make of it, on threads. */
#include <gst/gst.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "doors/cipher.h"
#include "doors/door.h"
#include "doors/mutation.h"
#include "doors/watch.h"

#define N_ATTACKERS 2
#define TICK (20 * 1000)
#define TICKS_PER_SECOND 50
#define FOCUS 2 /* seconds for which an attacker stays at a door, at most */
#define SAMPLE_INTERVAL 10
#define ALIVE_LIMIT 20

static gint seconds = 60, rate = 1000;
static gint64 seed = -1;
static gchar *element_name, **kind_names;
static gboolean calm;

static GOptionEntry options[] = {
  { "seconds", 0, 0, G_OPTION_ARG_INT, &seconds, "how long (60)", "N" },
  { "seed", 0, 0, G_OPTION_ARG_INT64, &seed, "of what is sent (random)", "N" },
  { "element", 0, 0, G_OPTION_ARG_STRING, &element_name,
      "tfrcsink or tfrcsrc (both)", "NAME" },
  { "kind", 0, 0, G_OPTION_ARG_STRING_ARRAY, &kind_names,
      "only what doors/door.c calls so, such as rr; more than once (all)",
      "NAME" },
  { "rate", 0, 0, G_OPTION_ARG_INT, &rate, "packets/s (1000)", "N" },
  { "calm", 0, 0, G_OPTION_ARG_NONE, &calm,
      "packets only: no state changes, flushes and pads", NULL },
  { NULL }
};

/* One of two that go round the doors, each with one that disturbs them. */
typedef struct
{
  guint index;
  GPtrArray *doors; /* of its own */
  GThread *sender, *disturber;
  GRand *rand;
  GByteArray *data, *other;
  Cipher *cipher; /* by the same key as the peers */
  Cipher
      *peer_cipher; /* which must not hear of what is made up under its SSRC */
  gpointer focus;   /* a Door, atomic */
} Attacker;

typedef struct
{
  GPtrArray *doors;
  Attacker attackers[N_ATTACKERS];
  gint quit;
} Fuzz;

static Fuzz fuzz;

static gboolean
one_in (GRand *rand, gint n)
{
  return g_rand_int_range (rand, 0, n) == 0;
}

/* True packets of the peer, so that there is something to attack. */
static void
talk (Attacker *self, Door *door)
{
  gboolean is_rtcp = door_is_sink (door) || one_in (self->rand, 50);
  SeedsTalk said;

  if (door_is_sink (door) && !one_in (self->rand, 3))
    return;
  door_next_packet (door, &said);
  g_byte_array_set_size (self->data, 0);
  if (is_rtcp)
    seeds_make_rtcp (self->data, &said, SEEDS_TRUE, self->rand);
  else
    seeds_make_rtp (self->data, &said, SEEDS_TRUE, self->rand);
  if (door_is_secure (door))
    cipher_protect (self->peer_cipher, self->data, is_rtcp);
  door_send (door, self->data, TRUE, is_rtcp, self->rand);
}

static void
make (GByteArray *data, const SeedsTalk *said, gboolean is_rtcp, GRand *rand)
{
  g_byte_array_set_size (data, 0);
  if (is_rtcp)
    seeds_make_rtcp (data, said, SEEDS_ANY, rand);
  else
    seeds_make_rtp (data, said, SEEDS_ANY, rand);
}

static void
attack (Attacker *self, Door *door)
{
  GRand *rand = self->rand;
  gboolean is_rtcp = door_is_sink (door) ? !one_in (rand, 8) : one_in (rand, 2);
  SeedsTalk said;

  door_get_talk (door, &said);
  make (self->data, &said, is_rtcp, rand);
  if (one_in (rand, 20))
    door_copy_heard (door, self->data, rand);
  if (!one_in (rand, 5)) {
    make (self->other, &said, one_in (rand, 2), rand);
    mutation_apply (self->data, self->other, rand);
  }
  if (door_is_secure (door) && !one_in (rand, 4))
    cipher_protect_any (self->cipher, self->data, is_rtcp);
  if (door_is_secure (door) && one_in (rand, 8))
    mutation_apply (self->data, self->other, rand);
  door_send (door, self->data, one_in (rand, 2),
      one_in (rand, 8) ? !is_rtcp : is_rtcp, rand);
}

/* Each door has its turn in a short run, too. */
static guint
count_ticks (const Attacker *self)
{
  guint fair = (guint) seconds * TICKS_PER_SECOND / self->doors->len;

  return CLAMP (fair, 1, FOCUS * TICKS_PER_SECOND);
}

static gpointer
send_packets (gpointer data)
{
  Attacker *self = data;
  gint per_tick = MAX (1, rate / N_ATTACKERS / TICKS_PER_SECOND);
  guint turn = 0, tick = 0, n_ticks = count_ticks (self);
  gboolean is_alone = FALSE;
  gint i;

  while (!g_atomic_int_get (&fuzz.quit)) {
    Door *door = g_ptr_array_index (self->doors, turn % self->doors->len);

    if (tick++ == 0) {
      g_atomic_pointer_set (&self->focus, door);
      door_set_busy (door, TRUE);
      is_alone = one_in (self->rand, 4);
    }
    if (!is_alone)
      talk (self, door);
    for (i = 0; i < per_tick; i++)
      attack (self, door);
    g_usleep (TICK);
    if (tick == n_ticks) {
      door_set_busy (door, FALSE);
      turn++;
      tick = 0;
    }
  }
  return NULL;
}

static gpointer
disturb (gpointer data)
{
  Attacker *self = data;
  GRand *rand = g_rand_new_with_seed ((guint32) seed + 100 + self->index);

  while (!g_atomic_int_get (&fuzz.quit)) {
    Door *door = g_atomic_pointer_get (&self->focus);

    g_usleep ((gulong) g_rand_int_range (rand, 20000, 300000));
    if (door != NULL && !calm)
      door_disturb (door, rand);
  }
  g_rand_free (rand);
  return NULL;
}

static gpointer
hear (gpointer data)
{
  guint i;

  while (g_atomic_int_get (&fuzz.quit) < 2) {
    for (i = 0; i < fuzz.doors->len; i++)
      door_hear (g_ptr_array_index (fuzz.doors, i));
    g_usleep (TICK / 4);
  }
  return NULL;
}

/* After all that, in a new run, packets go through, with nobody attacking. */
static void
check_alive (Attacker *self, Door *door)
{
  gint64 end;
  gchar *what, *how;
  guint passed;

  door_restart (door);
  end = g_get_monotonic_time () + ALIVE_LIMIT * G_USEC_PER_SEC;
  door_set_busy (door, TRUE);
  passed = door_count_passed (door);
  while (door_count_passed (door) == passed) {
    if (g_get_monotonic_time () > end) {
      how = door_describe (door);
      what = g_strdup_printf ("%s lets nothing through any more: %s",
          door_get_name (door), how);
      watch_fail (what);
    }
    talk (self, door);
    g_usleep (TICK);
  }
  door_set_busy (door, FALSE);
}

static void
open_doors (void)
{
  guint kind, side, n = 0;

  fuzz.doors = g_ptr_array_new ();
  for (kind = 0; kind < door_count_kinds (); kind++) {
    for (side = 0; side < 2; side++) {
      gboolean is_sink = side == 0;
      Door *door;

      if (element_name != NULL
          && strcmp (element_name, is_sink ? "tfrcsink" : "tfrcsrc") != 0)
        continue;
      if (kind_names != NULL && !door_is_kind (kind, kind_names))
        continue;
      door = door_new (is_sink, kind, (guint32) seed + 1000 + n);
      g_ptr_array_add (fuzz.doors, door);
      g_ptr_array_add (fuzz.attackers[n++ % N_ATTACKERS].doors, door);
    }
  }
  if (n < N_ATTACKERS)
    g_ptr_array_add (fuzz.attackers[1].doors,
        g_ptr_array_index (fuzz.doors, 0));
}

static void
begin (Attacker *self, guint index)
{
  self->index = index;
  self->rand = g_rand_new_with_seed ((guint32) seed + index);
  self->data = g_byte_array_new ();
  self->other = g_byte_array_new ();
  self->cipher = cipher_new ();
  self->peer_cipher = cipher_new ();
  self->sender = g_thread_new ("fuzz-send", send_packets, self);
  self->disturber = g_thread_new ("fuzz-disturb", disturb, self);
}

static void
join (Attacker *self)
{
  g_thread_join (self->sender);
  g_thread_join (self->disturber);
}

static void
end (Attacker *self)
{
  cipher_free (self->cipher);
  cipher_free (self->peer_cipher);
  g_byte_array_unref (self->data);
  g_byte_array_unref (self->other);
  g_rand_free (self->rand);
  g_ptr_array_unref (self->doors);
}

static void
run (void)
{
  gint64 start = g_get_monotonic_time (), now = start;
  gint64 end = start + (gint64) seconds * G_USEC_PER_SEC;
  gint64 sample_at = start + SAMPLE_INTERVAL * G_USEC_PER_SEC;

  while (now < end) {
    g_usleep (G_USEC_PER_SEC / 10);
    now = g_get_monotonic_time ();
    if (now >= sample_at) {
      watch_sample ((gdouble) (now - start) / G_USEC_PER_SEC);
      sample_at += SAMPLE_INTERVAL * G_USEC_PER_SEC;
    }
  }
  watch_sample ((gdouble) (now - start) / G_USEC_PER_SEC);
}

static int
fuzz_doors (void)
{
  GThread *listener;
  guint i;

  gst_init (NULL, NULL);
  watch_start ();
  for (i = 0; i < N_ATTACKERS; i++)
    fuzz.attackers[i].doors = g_ptr_array_new ();
  open_doors ();
  listener = g_thread_new ("fuzz-hear", hear, NULL);
  for (i = 0; i < N_ATTACKERS; i++)
    begin (&fuzz.attackers[i], i);
  run ();
  g_atomic_int_set (&fuzz.quit, 1);
  for (i = 0; i < N_ATTACKERS; i++)
    join (&fuzz.attackers[i]);
  for (i = 0; i < fuzz.doors->len; i++)
    check_alive (&fuzz.attackers[0], g_ptr_array_index (fuzz.doors, i));
  g_atomic_int_set (&fuzz.quit, 2);
  g_thread_join (listener);
  for (i = 0; i < fuzz.doors->len; i++)
    door_free (g_ptr_array_index (fuzz.doors, i));
  for (i = 0; i < N_ATTACKERS; i++)
    end (&fuzz.attackers[i]);
  g_ptr_array_unref (fuzz.doors);
  gst_deinit ();
  return watch_judge () ? 0 : 1;
}

/* Says how it went, however it ended. */
static int
report (int status, gint64 start)
{
  gdouble took = (gdouble) (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
  gboolean good = WIFEXITED (status) && WEXITSTATUS (status) == 0;

  if (WIFSIGNALED (status))
    watch_print_packets ();
  printf ("fuzz-doors: seed %" G_GINT64_FORMAT ": %u packets in %.0f s: ", seed,
      watch_count_packets (), took);
  if (WIFSIGNALED (status))
    printf ("FINDING: signal %d\n", WTERMSIG (status));
  else
    printf ("%s\n", good ? "nothing found" : "FINDING, see above");
  return good ? 0 : 1;
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  gint64 start = g_get_monotonic_time ();
  GError *error = NULL;
  int status;
  pid_t child;

  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    fprintf (stderr, "fuzz-doors: %s\n", error->message);
    return 2;
  }
  g_option_context_free (context);
  if (seed < 0)
    seed = g_random_int_range (0, G_MAXINT32);
  printf ("fuzz-doors: seed %" G_GINT64_FORMAT "\n", seed);
  fflush (stdout);
  watch_share ();
  child = fork ();
  if (child == 0) {
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    return fuzz_doors ();
  }
  if (child < 0 || waitpid (child, &status, 0) != child)
    return 2;
  return report (status, start);
}
