/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU time per packet of tfrcsink -> tfrcsrc against the same chain with a
 * plain queue in the place of rtptfrcsend and rtptfrcreceive, over loopback.
 *
 *   bench-elements [--rounds N] [--seconds N] [--max-ratio X]
 *       [RATE in Mbit/s ...]
 *
 * All variants run in turn in one process, ROUNDS times; the figure is the
 * ratio of the medians.  The third one is the queue again with one packet of
 * the size of a report sent back per frame, and nothing else: what reporting
 * costs whoever does it (RFC 5348 section 6.2 wants a report per RTT with
 * data, and a frame interval is many RTTs here).  Beyond --max-ratio to that
 * one (default: none) the exit code is 1.  A frame of RTP packets of 1200 bytes comes as one
 * list 30 times a second, as a payloader gives it; what making them costs is
 * taken off.  The packets are audio by their caps, so that the pacer waits for
 * no key frame.  Prints JSON; CPU time in microseconds per packet received. */

#define _GNU_SOURCE
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <gst/rtp/rtp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench-time.h"

#define PACKET_SIZE 1200
#define FRAMES_PER_SECOND 30
#define WARM_UP_SECONDS 2
#define MAX_ROUNDS 32
#define REPORT_SIZE 28 /* RTCP of rtptfrcreceive [bytes] */
#define CAPS \
  "application/x-rtp,media=audio,clock-rate=90000," \
  "encoding-name=X-BENCH,payload=96,ssrc=(uint)1234"

typedef struct
{
  GstElement *send; /* pipelines */
  GstElement *receive;
  GstElement *appsrc;
  GstElement *report; /* appsrc of the return path, or NULL */
  guint16 seqnum;
  guint32 timestamp;
  gint received; /* packets; atomic */
} Bench;

enum
{
  TFRC,
  QUEUE,
  QUEUE_AND_REPORT,
  N_VARIANTS
};

#define QUEUE_SEND \
  "rtpbin name=bin appsrc name=in format=time ! rtpfunnel ! " \
  "clocksync sync=false ! queue ! bin.send_rtp_sink_0 " \
  "bin.send_rtp_src_0 ! udpsink host=127.0.0.1 port=%1$u sync=false " \
  "async=false bin.send_rtcp_src_0 ! udpsink host=127.0.0.1 port=%2$u " \
  "sync=false async=false udpsrc port=%3$u caps=application/x-rtcp ! "
#define QUEUE_RECEIVE \
  "rtpbin name=bin latency=300 udpsrc port=%1$u " \
  "buffer-size=2097152 caps=\"" CAPS "\" ! queue ! bin.recv_rtp_sink_0 " \
  "udpsrc port=%2$u caps=application/x-rtcp ! bin.recv_rtcp_sink_0 " \
  "bin.send_rtcp_src_0 ! udpsink host=127.0.0.1 port=%3$u sync=false " \
  "async=false bin. ! fakesink name=out sync=false"

static const gchar *const send_launch[N_VARIANTS] = {
  "appsrc name=in format=time ! tfrcsink port=%1$u sync=false "
  "max-queue-time=2000",
  QUEUE_SEND "bin.recv_rtcp_sink_0",
  QUEUE_SEND "bin.recv_rtcp_sink_0 udpsrc port=%4$u ! "
             "fakesink sync=false async=false",
};

static const gchar *const receive_launch[N_VARIANTS] = {
  "tfrcsrc port=%1$u caps=\"" CAPS "\" ! fakesink name=out sync=false",
  QUEUE_RECEIVE,
  QUEUE_RECEIVE " appsrc name=report ! "
                "udpsink host=127.0.0.1 port=%4$u sync=false async=false",
};

static GstPadProbeReturn
count_packet (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Bench *bench = user_data;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST)
    g_atomic_int_add (&bench->received,
        gst_buffer_list_length (GST_PAD_PROBE_INFO_BUFFER_LIST (info)));
  else
    g_atomic_int_inc (&bench->received);
  return GST_PAD_PROBE_OK;
}

static GstElement *
launch (const gchar *format, guint port)
{
  GError *error = NULL;
  gchar *line = g_strdup_printf (format, port, port + 1, port + 3, port + 2);
  GstElement *pipeline = gst_parse_launch (line, &error);

  if (error) {
    g_printerr ("bench-elements: %s\n", error->message);
    exit (1);
  }
  g_free (line);
  return pipeline;
}

static GstBuffer *
make_packet (Bench *bench, gboolean last)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (PACKET_SIZE - 12, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_WRITE, &rtp);
  gst_rtp_buffer_set_payload_type (&rtp, 96);
  gst_rtp_buffer_set_ssrc (&rtp, 1234);
  gst_rtp_buffer_set_seq (&rtp, bench->seqnum++);
  gst_rtp_buffer_set_timestamp (&rtp, bench->timestamp);
  gst_rtp_buffer_set_marker (&rtp, last);
  memset (gst_rtp_buffer_get_payload (&rtp), 0, PACKET_SIZE - 12);
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

/* Offers `rate` for so long, then gives the packets that have come out. */
static guint
feed (Bench *bench, gdouble rate, guint seconds)
{
  gdouble per_frame = rate / 8 / PACKET_SIZE / FRAMES_PER_SECOND;
  gint64 start = g_get_monotonic_time ();
  gint before = g_atomic_int_get (&bench->received);
  gdouble due = 0;
  guint frame;

  for (frame = 0; frame < seconds * FRAMES_PER_SECOND; frame++) {
    GstBufferList *list = gst_buffer_list_new ();
    gint64 next = start + (gint64) frame * G_USEC_PER_SEC / FRAMES_PER_SECOND;
    gint64 now = g_get_monotonic_time ();

    if (next > now)
      g_usleep (next - now);
    for (due += per_frame; due >= 1; due--)
      gst_buffer_list_add (list, make_packet (bench, due < 2));
    bench->timestamp += 90000 / FRAMES_PER_SECOND;
    gst_app_src_push_buffer_list (GST_APP_SRC (bench->appsrc), list);
    if (bench->report)
      gst_app_src_push_buffer (GST_APP_SRC (bench->report),
          gst_buffer_new_allocate (NULL, REPORT_SIZE, NULL));
  }
  return g_atomic_int_get (&bench->received) - before;
}

static gdouble
cpu_seconds (int who)
{
  struct rusage usage;

  getrusage (who, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
      + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* Microseconds per packet; *share: of the offered packets that came out. */
static gdouble
run (guint variant, gdouble rate, guint seconds, guint port, gdouble *share)
{
  Bench bench = {
    NULL,
  };
  GstCaps *caps = gst_caps_from_string (CAPS);
  GstElement *sink;
  GstPad *pad;
  gdouble used;
  guint packets;

  bench.receive = launch (receive_launch[variant], port);
  bench.send = launch (send_launch[variant], port);
  bench.appsrc = gst_bin_get_by_name (GST_BIN (bench.send), "in");
  bench.report = gst_bin_get_by_name (GST_BIN (bench.receive), "report");
  g_object_set (bench.appsrc, "caps", caps, NULL);
  sink = gst_bin_get_by_name (GST_BIN (bench.receive), "out");
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, count_packet,
      &bench, NULL);
  gst_element_set_state (bench.receive, GST_STATE_PLAYING);
  gst_element_set_state (bench.send, GST_STATE_PLAYING);

  feed (&bench, rate, WARM_UP_SECONDS);
  used = cpu_seconds (RUSAGE_SELF) - cpu_seconds (RUSAGE_THREAD);
  packets = feed (&bench, rate, seconds);
  used = cpu_seconds (RUSAGE_SELF) - cpu_seconds (RUSAGE_THREAD) - used;
  *share = packets * 8.0 * PACKET_SIZE / (rate * seconds);

  gst_element_set_state (bench.send, GST_STATE_NULL);
  gst_element_set_state (bench.receive, GST_STATE_NULL);
  gst_object_unref (pad);
  gst_object_unref (sink);
  gst_object_unref (bench.appsrc);
  gst_clear_object (&bench.report);
  gst_object_unref (bench.send);
  gst_object_unref (bench.receive);
  gst_caps_unref (caps);
  return packets ? used * 1e6 / packets : 0;
}

/* The ratio to the queue with reports. */
static gdouble
compare_variants (gdouble mbit, guint rounds, guint seconds, gboolean last)
{
  gdouble us[N_VARIANTS][MAX_ROUNDS], shares[N_VARIANTS][MAX_ROUNDS];
  gdouble cost[N_VARIANTS], share[N_VARIANTS];
  guint port = 20000 + 4 * g_random_int_range (0, 5000);
  guint round, variant;

  for (round = 0; round < rounds; round++)
    for (variant = 0; variant < N_VARIANTS; variant++)
      us[variant][round] = run (variant, mbit * 1e6, seconds, port,
          &shares[variant][round]);
  for (variant = 0; variant < N_VARIANTS; variant++) {
    cost[variant] = bench_get_median (us[variant], rounds);
    share[variant] = bench_get_median (shares[variant], rounds);
    if (cost[variant] == 0) {
      g_printerr ("bench-elements: nothing was received\n");
      exit (1);
    }
  }
  g_print ("  {\"mbit_s\": %g, \"tfrc_us_per_packet\": %.2f, "
           "\"queue_us_per_packet\": %.2f, "
           "\"queue_and_report_us_per_packet\": %.2f, \"ratio\": %.3f, "
           "\"ratio_with_report\": %.3f, \"tfrc_received\": %.3f, "
           "\"queue_received\": %.3f}%s\n",
      mbit, cost[TFRC], cost[QUEUE], cost[QUEUE_AND_REPORT],
      cost[TFRC] / cost[QUEUE], cost[TFRC] / cost[QUEUE_AND_REPORT],
      share[TFRC], share[QUEUE], last ? "" : ",");
  return cost[TFRC] / cost[QUEUE_AND_REPORT];
}

int
main (int argc, char **argv)
{
  gint rounds = 5, seconds = 5;
  gdouble max_ratio = G_MAXDOUBLE;
  gboolean ok = TRUE;
  gchar **rates = NULL;
  GOptionEntry entries[] = {
    { "rounds", 0, 0, G_OPTION_ARG_INT, &rounds, "Runs of each variant", "N" },
    { "seconds", 0, 0, G_OPTION_ARG_INT, &seconds, "Measured per run", "N" },
    { "max-ratio", 0, 0, G_OPTION_ARG_DOUBLE, &max_ratio,
        "Fail beyond this ratio to a queue with reports", "X" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &rates,
        "Rates in Mbit/s", "RATE..." },
    { NULL }
  };
  GOptionContext *context = g_option_context_new (NULL);
  const gchar *defaults[] = { "2", "100", NULL };
  const gchar *const *wanted;
  GError *error = NULL;
  guint i;

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error) || rounds < 1
      || rounds > MAX_ROUNDS || seconds < 1) {
    g_printerr ("bench-elements: %s\n",
        error ? error->message : "rounds or seconds out of range");
    return 2;
  }
  wanted = rates ? (const gchar *const *) rates : defaults;
  g_print ("[\n");
  for (i = 0; wanted[i]; i++)
    ok &= compare_variants (g_ascii_strtod (wanted[i], NULL), rounds, seconds,
              wanted[i + 1] == NULL)
        <= max_ratio;
  g_print ("]\n");
  g_option_context_free (context);
  g_strfreev (rates);
  return ok ? 0 : 1;
}
