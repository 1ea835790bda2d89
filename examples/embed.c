/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An application with sender and receiver: it sends a test video with tfrcsink, receives
 * it with tfrcsrc over loopback, sets the encoder's bitrate itself, prints the statistics
 * once per second, and shuts down cleanly.
 *
 *   embed [SECONDS [VIDEO-SINK]]     e.g. embed 10 autovideosink
 *
 * Needs the plugin in GST_PLUGIN_PATH.  If tfrcsink is to control the encoder, leave out
 * encoder-control=false and on_bitrate(). */

#include <stdlib.h>

#include <gst/gst.h>

/* The encoder has the VBV buffer that encoder-control would choose: 133 ms. */
#define SENDER \
  "videotestsrc is-live=true pattern=smpte ! " \
  "video/x-raw,width=640,height=360,framerate=30/1 ! " \
  "x264enc name=encoder tune=zerolatency speed-preset=ultrafast " \
  "    key-int-max=300 vbv-buf-capacity=133 bitrate=300 ! " \
  "rtph264pay ! " \
  "tfrcsink name=network host=127.0.0.1 port=5020 " \
  "    encoder-control=false max-bitrate=2000000 stats-interval=1000"
#define RECEIVER \
  "tfrcsrc name=network port=5020 encoding-name=H264 stats-interval=1000 ! " \
  "rtph264depay ! avdec_h264 name=decoder ! videoconvert ! %s"

#define DEFAULT_SECONDS 10
/* A tenth of the rate is reserved for RTP headers and for draining the queue. */
#define ENCODER_SHARE 0.9
#define MIN_ENCODER_KBIT_S 50

typedef struct
{
  GMainLoop *loop;
  GstElement *sender;
  GstElement *receiver;
  GstElement *network; /* the tfrcsink */
  GstElement *encoder;
  gint frames; /* decoded; atomic */
  gboolean failed;
} App;

/* Called in the main loop, as setting a property of an encoder may block for a frame. */
static gboolean
set_encoder_bitrate (gpointer user_data)
{
  App *app = user_data;
  guint bitrate, kbit_s;

  g_object_get (app->network, "bitrate", &bitrate, NULL);
  kbit_s = (guint) (bitrate * ENCODER_SHARE / 1000);
  g_object_set (app->encoder, "bitrate", MAX (kbit_s, MIN_ENCODER_KBIT_S),
      NULL);
  return G_SOURCE_REMOVE;
}

/* Called in a streaming thread, which must not block. */
static void
on_bitrate (GstElement *network, GParamSpec *pspec, gpointer user_data)
{
  g_idle_add (set_encoder_bitrate, user_data);
}

static GstPadProbeReturn
on_frame (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  App *app = user_data;

  g_atomic_int_inc (&app->frames);
  return GST_PAD_PROBE_OK;
}

/* The messages of both ends have the same name; only the sender's has allowed-rate. */
static void
print_stats (const GstStructure *stats)
{
  gdouble rate, p;
  guint64 rtt, packets;

  if (!gst_structure_get (stats, "loss-event-rate", G_TYPE_DOUBLE, &p,
          "rtt-ns", G_TYPE_UINT64, &rtt, "packets", G_TYPE_UINT64, &packets,
          NULL))
    return;
  if (gst_structure_get_double (stats, "allowed-rate", &rate))
    gst_print ("sender:   %6" G_GUINT64_FORMAT " packets, allowed %8.0f kbit/s,"
               " RTT %.1f ms, p %.4f\n",
        packets, rate * 8 / 1000, rtt / 1e6, p);
  else
    gst_print ("receiver: %6" G_GUINT64_FORMAT " packets, p %f\n", packets, p);
}

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer user_data)
{
  App *app = user_data;
  GError *error = NULL;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ELEMENT:
      if (gst_message_has_name (message, "tfrc-stats"))
        print_stats (gst_message_get_structure (message));
      break;
    case GST_MESSAGE_WARNING:
      gst_message_parse_warning (message, &error, NULL);
      gst_printerr ("warning: %s\n", error->message);
      g_error_free (error);
      break;
    case GST_MESSAGE_ERROR:
      gst_message_parse_error (message, &error, NULL);
      gst_printerr ("error: %s\n", error->message);
      g_error_free (error);
      app->failed = TRUE;
      g_main_loop_quit (app->loop);
      break;
    case GST_MESSAGE_LATENCY:
      /* The latency of the jitter buffer has changed. */
      gst_bin_recalculate_latency (GST_BIN (app->receiver));
      break;
    case GST_MESSAGE_EOS:
      /* From the sender, after its last packet; a receiver posts no EOS. */
      g_main_loop_quit (app->loop);
      break;
    default:
      break;
  }
  return G_SOURCE_CONTINUE;
}

static gboolean
on_time_is_up (gpointer user_data)
{
  App *app = user_data;

  gst_element_send_event (app->sender, gst_event_new_eos ());
  return G_SOURCE_REMOVE;
}

static GstElement *
make_pipeline (const gchar *description, App *app)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch_full (description, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, &error);
  GstBus *bus;

  if (!pipeline) {
    gst_printerr ("error: %s\n", error->message);
    exit (EXIT_FAILURE);
  }
  bus = gst_element_get_bus (pipeline);
  gst_bus_add_watch (bus, on_message, app);
  gst_object_unref (bus);
  return pipeline;
}

static void
free_pipeline (GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);

  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_bus_remove_watch (bus);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
}

/* Of the first argument; 0: it is no number of seconds. */
static guint
parse_seconds (const gchar *text)
{
  guint64 seconds = 0;

  g_ascii_string_to_unsigned (text, 10, 1, G_MAXUINT / 1000, &seconds, NULL);
  return (guint) seconds;
}

int
main (int argc, char **argv)
{
  App app = {
    NULL,
  };
  gchar *receiver;
  guint seconds;
  GstElement *decoder;
  GstPad *pad;

  gst_init (&argc, &argv);
  seconds = argc > 1 ? parse_seconds (argv[1]) : DEFAULT_SECONDS;
  if (seconds == 0) {
    gst_printerr (
        "error: SECONDS is '%s', and must be a whole number above 0\n",
        argv[1]);
    return 2;
  }
  app.loop = g_main_loop_new (NULL, FALSE);
  receiver = g_strdup_printf (RECEIVER, argc > 2 ? argv[2] : "fakesink");
  app.receiver = make_pipeline (receiver, &app);
  g_free (receiver);
  app.sender = make_pipeline (SENDER, &app);
  app.network = gst_bin_get_by_name (GST_BIN (app.sender), "network");
  app.encoder = gst_bin_get_by_name (GST_BIN (app.sender), "encoder");
  decoder = gst_bin_get_by_name (GST_BIN (app.receiver), "decoder");
  pad = gst_element_get_static_pad (decoder, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame, &app, NULL);
  gst_object_unref (pad);
  gst_object_unref (decoder);
  g_signal_connect (app.network, "notify::bitrate", G_CALLBACK (on_bitrate),
      &app);

  gst_element_set_state (app.receiver, GST_STATE_PLAYING);
  gst_element_set_state (app.sender, GST_STATE_PLAYING);
  g_timeout_add_seconds (seconds, on_time_is_up, &app);
  g_main_loop_run (app.loop);
  free_pipeline (app.sender);
  free_pipeline (app.receiver);
  gst_print ("decoded %d frames\n", g_atomic_int_get (&app.frames));
  gst_object_unref (app.network);
  gst_object_unref (app.encoder);
  g_main_loop_unref (app.loop);
  return app.failed || app.frames == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
