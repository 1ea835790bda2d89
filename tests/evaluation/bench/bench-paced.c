/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One end of the paced benchmark: a pipeline of one of the variants, or many
 * of them, in a process of its own, and what it has used so far.  run.py starts
 * both ends and puts a link with a delay between them.
 *
 *   bench-paced ROLE VARIANT --port PORT --back PORT [--rate MBIT/S]
 *       [--streams N] [--lateness]
 *
 * ROLE is send, receive or start; VARIANT a row of the table below.  RTP goes
 * to, or comes to, --port and its RTCP the next one; `queue` reports to --back, each
 * further stream 8 ports higher.  Frames of RTP packets of 1200 bytes come as
 * one list 30 times a second, as a payloader gives them.  The packets are audio by
 * their caps, so that the pacer waits for no key frame.
 *
 * `send` and `receive` answer each line on stdin with a line of JSON: packets
 * so far (handed in; received), CPU time, voluntary context switches, resident
 * memory and the threads that count, without the one that makes the
 * packets and the one that reads stdin; with --lateness also how late packets
 * were pushed since the last answer, by the log of rtptfrcsend, which costs time.  `start` takes one packet from NULL to
 * a socket, and prints how long that took from gst_element_set_state on. */

#define _GNU_SOURCE
#include <gio/gio.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <gst/rtp/rtp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define PACKET_SIZE 1200
#define FRAMES_PER_SECOND 30
#define MAX_STREAMS 1024
#define PORTS_PER_STREAM 8
#define SOCKET_BUFFER 2097152 /* what tfrcsrc asks for [bytes] */
#define START_TIMEOUT 5       /* s */
#define MAX_LATENESSES 100000

/* A payload type that rtpsrc knows. */
#define STREAM \
  "media=audio,clock-rate=90000,encoding-name=MPA,payload=14,ssrc=(uint)1234"
#define CAPS "application/x-rtp," STREAM
#define KEY "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d"
#define SRTP_CAPS \
  "application/x-srtp," STREAM ",srtp-key=(buffer)" KEY \
  ",srtp-cipher=aes-128-icm,srtp-auth=hmac-sha1-80," \
  "srtcp-cipher=aes-128-icm,srtcp-auth=hmac-sha1-80"

/* 1: RTP, 2: RTCP, 3: RTCP back. */
#define UDPSINK(n) \
  "udpsink host=127.0.0.1 port=%" #n "$u sync=false async=false "
#define SEND_QUEUE(protect) \
  "rtpbin name=bin appsrc name=in format=time ! rtpfunnel ! " \
  "queue ! bin.send_rtp_sink_0 " \
  "bin.send_rtp_src_0 ! " protect \
      UDPSINK (1) "bin.send_rtcp_src_0 ! " UDPSINK ( \
          2) "udpsrc port=%3$u caps=application/x-rtcp ! " \
             "bin.recv_rtcp_sink_0"
#define RECEIVE_QUEUE(source) \
  "rtpbin name=bin latency=300 " source " ! queue ! bin.recv_rtp_sink_0 " \
  "udpsrc port=%2$u caps=application/x-rtcp ! bin.recv_rtcp_sink_0 " \
  "bin.send_rtcp_src_0 ! " UDPSINK ( \
      3) "bin. ! fakesink name=out sync=false async=false"

typedef struct
{
  const gchar *name;
  gboolean spaced; /* packets come one by one, evenly, and not in frames */
  const gchar *send;
  const gchar *receive;
} Variant;

static const Variant variants[] = {
  { "tfrc", FALSE,
      "appsrc name=in format=time ! tfrcsink port=%1$u sync=false "
      "max-queue-time=2000",
      "tfrcsrc port=%1$u caps=\"" CAPS "\" ! "
      "fakesink name=out sync=false async=false" },
  { "queue", FALSE, SEND_QUEUE (""),
      RECEIVE_QUEUE ("udpsrc port=%1$u caps=\"" CAPS "\"") },
  { "queue_spaced", TRUE, SEND_QUEUE (""),
      RECEIVE_QUEUE ("udpsrc port=%1$u caps=\"" CAPS "\"") },
  { "rtp", FALSE,
      "appsrc name=in format=time ! rtpsink uri=rtp://127.0.0.1:%1$u",
      "rtpsrc uri=rtp://127.0.0.1:%1$u latency=300 ! "
      "fakesink name=out sync=false async=false" },
  { "udp", FALSE, "appsrc name=in format=time ! " UDPSINK (1),
      "udpsrc port=%1$u ! fakesink name=out sync=false async=false" },
  { "tfrc_srtp", FALSE,
      "appsrc name=in format=time ! tfrcsink port=%1$u sync=false "
      "max-queue-time=2000 srtp-key=" KEY,
      "tfrcsrc port=%1$u srtp-key=" KEY " caps=\"" CAPS "\" ! "
      "fakesink name=out sync=false async=false" },
  { "queue_srtp", FALSE, SEND_QUEUE ("srtpenc key=" KEY " ! "),
      RECEIVE_QUEUE ("udpsrc port=%1$u caps=\"" SRTP_CAPS "\" ! srtpdec") },
};

typedef struct
{
  GstElement *pipeline;
  GstElement *appsrc;
  guint16 seqnum;
} Stream;

typedef struct
{
  const Variant *variant;
  Stream streams[MAX_STREAMS];
  gint n_streams;
  gint port;
  gint back;
  gdouble rate; /* of each stream [bits/s]; 0 = idle */
  gint packets; /* atomic */
  gint feeder;  /* id of the thread that makes packets; 0: none */
  clockid_t feeder_clock;
} Bench;

/* How late packets were; of rtptfrcsend's task, which logs. */
typedef struct
{
  GMutex lock; /* of all below */
  gint64 ns[MAX_LATENESSES];
  guint n;
} Latenesses;

static Latenesses latenesses;

static GstPadProbeReturn
count_packet (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Bench *self = user_data;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST)
    g_atomic_int_add (&self->packets,
        gst_buffer_list_length (GST_PAD_PROBE_INFO_BUFFER_LIST (info)));
  else
    g_atomic_int_inc (&self->packets);
  return GST_PAD_PROBE_OK;
}

static void
fail (const gchar *what)
{
  g_printerr ("bench-paced: %s\n", what);
  exit (1);
}

/* Else a burst is lost where nothing asked for more than the default. */
static void
enlarge_socket_buffer (GstBin *bin, GstElement *element, gpointer unused)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  if (factory != NULL && g_str_equal (GST_OBJECT_NAME (factory), "udpsrc"))
    g_object_set (element, "buffer-size", SOCKET_BUFFER, NULL);
}

static void
enlarge_child (const GValue *item, gpointer bin)
{
  enlarge_socket_buffer (bin, g_value_get_object (item), NULL);
}

static void
enlarge_socket_buffers (GstBin *bin)
{
  GstIterator *children = gst_bin_iterate_recurse (bin);

  gst_iterator_foreach (children, enlarge_child, bin);
  gst_iterator_free (children);
  g_signal_connect (bin, "deep-element-added",
      G_CALLBACK (enlarge_socket_buffer), NULL);
}

static GstElement *
launch (const gchar *format, guint port, guint back)
{
  GError *error = NULL;
  gchar *line = g_strdup_printf (format, port, port + 1, back);
  GstElement *pipeline = gst_parse_launch (line, &error);

  if (error)
    fail (error->message);
  g_free (line);
  return pipeline;
}

/* For a port that somebody else has, for instance. */
static void
fail_to_start (GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  GError *error = NULL;

  if (message == NULL)
    fail ("a pipeline does not start");
  gst_message_parse_error (message, &error, NULL);
  fail (error->message);
}

static void
open_streams (Bench *self, gboolean sends)
{
  for (gint i = 0; i < self->n_streams; i++) {
    Stream *stream = &self->streams[i];
    GstElement *sink;
    GstCaps *caps;
    GstPad *pad;

    stream->pipeline = launch (sends ? self->variant->send
                                     : self->variant->receive,
        self->port + i * PORTS_PER_STREAM, self->back + i * PORTS_PER_STREAM);
    if (sends) {
      stream->appsrc = gst_bin_get_by_name (GST_BIN (stream->pipeline), "in");
      caps = gst_caps_from_string (CAPS);
      g_object_set (stream->appsrc, "caps", caps, NULL);
      gst_caps_unref (caps);
    } else {
      enlarge_socket_buffers (GST_BIN (stream->pipeline));
      sink = gst_bin_get_by_name (GST_BIN (stream->pipeline), "out");
      pad = gst_element_get_static_pad (sink, "sink");
      gst_pad_add_probe (pad,
          GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST,
          count_packet, self, NULL);
      gst_object_unref (pad);
      gst_object_unref (sink);
    }
    if (gst_element_set_state (stream->pipeline, GST_STATE_PLAYING)
        == GST_STATE_CHANGE_FAILURE)
      fail_to_start (stream->pipeline);
  }
}

static void
close_streams (Bench *self)
{
  for (gint i = 0; i < self->n_streams; i++) {
    gst_element_set_state (self->streams[i].pipeline, GST_STATE_NULL);
    gst_clear_object (&self->streams[i].appsrc);
    gst_object_unref (self->streams[i].pipeline);
  }
}

static GstBuffer *
make_packet (Stream *stream, guint32 timestamp, gboolean last)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (PACKET_SIZE - 12, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_WRITE, &rtp);
  gst_rtp_buffer_set_payload_type (&rtp, 14);
  gst_rtp_buffer_set_ssrc (&rtp, 1234);
  gst_rtp_buffer_set_seq (&rtp, stream->seqnum++);
  gst_rtp_buffer_set_timestamp (&rtp, timestamp);
  gst_rtp_buffer_set_marker (&rtp, last);
  memset (gst_rtp_buffer_get_payload (&rtp), 0, PACKET_SIZE - 12);
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

static void
push_packets (Bench *self, Stream *stream, guint n, guint32 timestamp)
{
  GstBufferList *list;

  g_atomic_int_add (&self->packets, (gint) n);
  if (n == 1) {
    gst_app_src_push_buffer (GST_APP_SRC (stream->appsrc),
        make_packet (stream, timestamp, TRUE));
    return;
  }
  list = gst_buffer_list_new_sized (n);
  for (guint i = 0; i < n; i++)
    gst_buffer_list_add (list, make_packet (stream, timestamp, i == n - 1));
  gst_app_src_push_buffer_list (GST_APP_SRC (stream->appsrc), list);
}

/* The thread that makes packets, for ever. */
static gpointer
feed (gpointer user_data)
{
  Bench *self = user_data;
  gdouble per_second = self->rate / 8 / PACKET_SIZE;
  gdouble steps = self->variant->spaced ? per_second : FRAMES_PER_SECOND;
  gint64 start = g_get_monotonic_time ();
  gdouble due = 0;

  pthread_getcpuclockid (pthread_self (), &self->feeder_clock);
  g_atomic_int_set (&self->feeder, gettid ());
  for (guint64 step = 0;; step++) {
    gint64 next = start + (gint64) ((gdouble) step * G_USEC_PER_SEC / steps);
    gint64 now = g_get_monotonic_time ();
    guint n;

    if (next > now)
      g_usleep ((gulong) (next - now));
    due += per_second / steps;
    n = (guint) (due + 1e-9);
    due -= n;
    for (gint i = 0; i < self->n_streams && n > 0; i++)
      push_packets (self, &self->streams[i], n,
          (guint32) ((gdouble) step * 90000 / steps));
  }
  return NULL;
}

static gdouble
get_seconds (clockid_t clock)
{
  struct timespec time;

  clock_gettime (clock, &time);
  return (gdouble) time.tv_sec + (gdouble) time.tv_nsec / 1e9;
}

/* A number of the kernel's in such a file, or 0. */
static glong
read_status (const gchar *path, const gchar *field)
{
  gchar *text = NULL;
  const gchar *at;
  glong value = 0;

  if (g_file_get_contents (path, &text, NULL, NULL)) {
    at = strstr (text, field);
    if (at != NULL)
      value = strtol (at + strlen (field), NULL, 10);
  }
  g_free (text);
  return value;
}

static void
note_lateness (GstDebugCategory *category, GstDebugLevel level,
    const gchar *file, const gchar *function, gint line, GObject *object,
    GstDebugMessage *message, gpointer user_data)
{
  static const gchar field[] = "send_at_ns=";
  gint64 now = (gint64) gst_util_get_timestamp ();
  const gchar *at;

  if (!g_str_equal (gst_debug_category_get_name (category), "rtptfrcsend"))
    return;
  at = strstr (gst_debug_message_get (message), field);
  if (at == NULL)
    return;
  g_mutex_lock (&latenesses.lock);
  if (latenesses.n < MAX_LATENESSES)
    latenesses.ns[latenesses.n++] = now
        - g_ascii_strtoll (at + strlen (field), NULL, 10);
  g_mutex_unlock (&latenesses.lock);
}

static void
log_latenesses (void)
{
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_add_log_function (note_lateness, NULL, NULL);
  gst_debug_set_threshold_for_name ("rtptfrcsend", GST_LEVEL_LOG);
}

static gint
compare_ns (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

/* Prints two of its quantiles, and empties it. */
static void
print_latenesses (void)
{
  g_mutex_lock (&latenesses.lock);
  if (latenesses.n > 0) {
    qsort (latenesses.ns, latenesses.n, sizeof latenesses.ns[0], compare_ns);
    printf ("\"late_p50_us\": %.1f, \"late_p99_us\": %.1f, ",
        (gdouble) latenesses.ns[latenesses.n / 2] / 1e3,
        (gdouble) latenesses.ns[latenesses.n * 99 / 100] / 1e3);
  }
  latenesses.n = 0;
  g_mutex_unlock (&latenesses.lock);
}

static glong
count_wakes (const gchar *thread)
{
  gchar *path = g_strdup_printf ("/proc/self/task/%s/status", thread);
  glong wakes = read_status (path, "\nvoluntary_ctxt_switches:");

  g_free (path);
  return wakes;
}

/* Of all threads, those that have ended included, but for the excepted ones. */
static void
print_usage (Bench *self)
{
  GDir *tasks = g_dir_open ("/proc/self/task", 0, NULL);
  GString *threads = g_string_new (NULL);
  gdouble seconds = get_seconds (CLOCK_PROCESS_CPUTIME_ID)
      - get_seconds (CLOCK_THREAD_CPUTIME_ID);
  gint feeder = g_atomic_int_get (&self->feeder);
  struct rusage usage;
  const gchar *name;
  glong wakes;
  gint id;

  getrusage (RUSAGE_SELF, &usage);
  wakes = usage.ru_nvcsw;
  if (feeder != 0)
    seconds -= get_seconds (self->feeder_clock);
  while ((name = g_dir_read_name (tasks)) != NULL) {
    id = atoi (name);
    if (id == feeder || id == gettid ())
      wakes -= count_wakes (name);
    else
      g_string_append_printf (threads, "%s%s", threads->len ? ", " : "", name);
  }
  printf ("{");
  print_latenesses ();
  printf ("\"packets\": %d, \"cpu_us\": %.0f, \"wakes\": %ld, "
          "\"rss_kib\": %ld, \"threads\": [%s]}\n",
      g_atomic_int_get (&self->packets), seconds * 1e6, wakes,
      read_status ("/proc/self/status", "\nVmRSS:"), threads->str);
  fflush (stdout);
  g_string_free (threads, TRUE);
  g_dir_close (tasks);
}

static void
serve (Bench *self, gboolean sends)
{
  gchar line[64];

  open_streams (self, sends);
  if (sends && self->rate > 0)
    g_thread_new ("feeder", feed, self);
  while (fgets (line, sizeof line, stdin) != NULL)
    print_usage (self);
  /* The feeder has no end. */
  if (!sends)
    close_streams (self);
}

/* One packet to a socket of our own. */
static void
time_start (Bench *self)
{
  GInetAddress *loopback = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  GSocketAddress *address = g_inet_socket_address_new (loopback, 0);
  GSocket *socket = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM,
      G_SOCKET_PROTOCOL_DEFAULT, NULL);
  gchar bytes[2048];
  gint64 began_at;

  g_socket_set_timeout (socket, START_TIMEOUT);
  if (!g_socket_bind (socket, address, FALSE, NULL))
    fail ("no socket");
  g_object_unref (address);
  address = g_socket_get_local_address (socket, NULL);
  self->port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (address));
  self->streams[0].pipeline = launch (self->variant->send, self->port,
      self->back);
  self->streams[0].appsrc =
      gst_bin_get_by_name (GST_BIN (self->streams[0].pipeline), "in");
  gst_util_set_object_arg (G_OBJECT (self->streams[0].appsrc), "caps", CAPS);
  push_packets (self, &self->streams[0], 1, 0);

  began_at = g_get_monotonic_time ();
  gst_element_set_state (self->streams[0].pipeline, GST_STATE_PLAYING);
  if (g_socket_receive (socket, bytes, sizeof bytes, NULL, NULL) < PACKET_SIZE)
    fail ("no packet came");
  printf ("{\"start_us\": %" G_GINT64_FORMAT "}\n",
      g_get_monotonic_time () - began_at);
  close_streams (self);
  g_object_unref (socket);
  g_object_unref (address);
  g_object_unref (loopback);
}

static const Variant *
find_variant (const gchar *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (variants); i++) {
    if (g_str_equal (variants[i].name, name))
      return &variants[i];
  }
  return NULL;
}

int
main (int argc, char **argv)
{
  static Bench bench = { .n_streams = 1, .rate = 2 };
  gboolean lateness = FALSE;
  const GOptionEntry entries[] = {
    { "port", 0, 0, G_OPTION_ARG_INT, &bench.port, "Of RTP", "PORT" },
    { "back", 0, 0, G_OPTION_ARG_INT, &bench.back, "Of RTCP back", "PORT" },
    { "rate", 0, 0, G_OPTION_ARG_DOUBLE, &bench.rate,
        "Of each stream in Mbit/s (default 2; 0 = idle)", "RATE" },
    { "streams", 0, 0, G_OPTION_ARG_INT, &bench.n_streams,
        "In this process (default 1)", "N" },
    { "lateness", 0, 0, G_OPTION_ARG_NONE, &lateness,
        "Of packets against their nominal times", NULL },
    { NULL }
  };
  GOptionContext *context = g_option_context_new ("ROLE VARIANT");
  GError *error = NULL;
  const gchar *role;

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc != 3
      || bench.n_streams < 1 || bench.n_streams > MAX_STREAMS
      || (bench.variant = find_variant (argv[2])) == NULL) {
    g_printerr ("bench-paced: %s\n", error ? error->message : "see its header");
    return 2;
  }
  g_option_context_free (context);
  bench.rate *= 1e6;
  if (lateness)
    log_latenesses ();
  role = argv[1];
  if (g_str_equal (role, "send") || g_str_equal (role, "receive"))
    serve (&bench, g_str_equal (role, "send"));
  else if (g_str_equal (role, "start"))
    time_start (&bench);
  else
    fail ("no such role");
  return 0;
}
