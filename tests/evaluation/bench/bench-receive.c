/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU time per packet of the source that reads ECN bits against udpsrc, over
 * loopback.
 *
 *   bench-receive [--rounds N] [--seconds N] [RATE in Mbit/s ...]
 *
 * A process of its own sends packets of 1200 bytes at even distances; here they
 * go from the source to a fakesink.  The sources take turns; prints as JSON the
 * medians of the rounds, in microseconds per packet received, and the median,
 * least and greatest ratio of the two in a round, which bears a busy machine
 * better than the times do. */

#include <gst/gst.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench-time.h"
#include "net/ecn.h"

#define PACKET_SIZE 1200
#define MAX_ROUNDS 32

static const gchar *const sources[] = { "udpsrc", "tfrcecnsrc" };

/* Until somebody ends this process. */
static void
send_packets (guint port, gdouble rate)
{
  struct sockaddr_in to = { .sin_family = AF_INET,
    .sin_port = htons (port),
    .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  guint64 interval_ns = PACKET_SIZE * 8 * 1e9 / rate;
  int fd = socket (AF_INET, SOCK_DGRAM, 0);
  guint8 packet[PACKET_SIZE] = { 0x80, 96 };
  struct timespec at;

  clock_gettime (CLOCK_MONOTONIC, &at);
  while (TRUE) {
    guint64 next_ns = at.tv_nsec + interval_ns;

    at.tv_sec += next_ns / GST_SECOND;
    at.tv_nsec = next_ns % GST_SECOND;
    clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
    sendto (fd, packet, sizeof (packet), 0, (struct sockaddr *) &to,
        sizeof (to));
  }
}

static gint n_received; /* atomic */

static void
count (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer user_data)
{
  g_atomic_int_inc (&n_received);
}

static GstElement *
make_source (const gchar *name, GSocket *socket)
{
  GstCaps *caps = gst_caps_new_empty_simple ("application/x-rtp");
  GstElement *source;

  if (g_str_equal (name, "udpsrc")) {
    source = gst_element_factory_make ("udpsrc", NULL);
    g_object_set (source, "socket", socket, "caps", caps, NULL);
  } else {
    source = gst_tfrc_ecn_src_new (socket, caps, 0);
  }
  gst_caps_unref (caps);
  return source;
}

/* Microseconds of CPU per packet. */
static gdouble
measure (const gchar *name, gdouble rate, guint seconds)
{
  GInetAddress *any = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  GSocketAddress *local = g_inet_socket_address_new (any, 0);
  GSocket *socket = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM,
      G_SOCKET_PROTOCOL_UDP, NULL);
  GstElement *pipeline = gst_pipeline_new (NULL);
  GstElement *source = make_source (name, socket);
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  GSocketAddress *bound;
  gdouble cpu_s;
  gint before, packets;
  pid_t sender;

  g_socket_bind (socket, local, FALSE, NULL);
  bound = g_socket_get_local_address (socket, NULL);
  g_object_set (sink, "signal-handoffs", TRUE, "sync", FALSE, NULL);
  g_signal_connect (sink, "handoff", G_CALLBACK (count), NULL);
  gst_bin_add_many (GST_BIN (pipeline), source, sink, NULL);
  gst_element_link (source, sink);
  sender = fork ();
  if (sender == 0)
    send_packets (
        g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (bound)), rate);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_usleep (G_USEC_PER_SEC / 2);
  before = g_atomic_int_get (&n_received);
  cpu_s = bench_get_seconds ();
  g_usleep (seconds * G_USEC_PER_SEC);
  cpu_s = bench_get_seconds () - cpu_s;
  packets = g_atomic_int_get (&n_received) - before;
  kill (sender, SIGKILL);
  waitpid (sender, NULL, 0);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  g_object_unref (bound);
  g_object_unref (socket);
  g_object_unref (local);
  g_object_unref (any);
  return cpu_s * 1e6 / MAX (1, packets);
}

static void
compare_sources (gdouble rate, guint rounds, guint seconds, gboolean last)
{
  gdouble cpu_us[G_N_ELEMENTS (sources)][MAX_ROUNDS], ratio[MAX_ROUNDS];
  gdouble median;
  guint i, round;

  for (round = 0; round < rounds; round++) {
    for (i = 0; i < G_N_ELEMENTS (sources); i++)
      cpu_us[i][round] = measure (sources[i], rate, seconds);
    ratio[round] = cpu_us[1][round] / cpu_us[0][round];
  }
  g_print ("  {\"mbit_s\": %g", rate / 1e6);
  for (i = 0; i < G_N_ELEMENTS (sources); i++) {
    g_print (", \"%s_us\": %.2f", sources[i],
        bench_get_median (cpu_us[i], rounds));
  }
  median = bench_get_median (ratio, rounds);
  g_print (", \"ratio\": [%.2f, %.2f, %.2f]}%s\n", median, ratio[0],
      ratio[rounds - 1], last ? "" : ",");
}

int
main (int argc, char **argv)
{
  gint rounds = 5, seconds = 3, i;
  const gchar *default_rates[] = { "2", "20", "100", NULL };
  gchar **given = NULL;
  const gchar *const *rates;
  GOptionEntry entries[] = {
    { "rounds", 0, 0, G_OPTION_ARG_INT, &rounds, "runs of each", "N" },
    { "seconds", 0, 0, G_OPTION_ARG_INT, &seconds, "of a run", "N" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &given, NULL,
        "RATE" },
    { NULL }
  };
  GOptionContext *context = g_option_context_new (NULL);

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, NULL) || rounds < 1
      || rounds > MAX_ROUNDS || seconds < 1) {
    g_printerr ("bench-receive: see the head of its source\n");
    return 2;
  }
  rates = given ? (const gchar *const *) given : default_rates;
  g_print ("[\n");
  for (i = 0; rates[i]; i++)
    compare_sources (g_ascii_strtod (rates[i], NULL) * 1e6, rounds, seconds,
        !rates[i + 1]);
  g_print ("]\n");
  g_option_context_free (context);
  return 0;
}
