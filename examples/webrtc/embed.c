/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An application with two webrtcbins: one sends a test video at the rate that rtptfrcsend
 * allows, the other receives it.  Prints the allowed rate once per second, and ends after
 * some seconds.
 *
 *   embed-webrtc [SECONDS]
 *
 * Needs the plugin in GST_PLUGIN_PATH.  What another application needs of it are the caps
 * of the sender and add_congestion_control(). */

#include <stdlib.h>

#include <gst/gst.h>

/* The header extension of transport-wide sequence numbers: in the caps of the
 * payloader, so that its packets have space for it, and of the transceiver, so that it
 * is negotiated. */
#define RTP_CAPS \
  "application/x-rtp,media=video,encoding-name=H264,clock-rate=90000," \
  "payload=96,extmap-1=(string)http://www.ietf.org/id/" \
  "draft-holmer-rmcat-transport-wide-cc-extensions-01"
#define SENDER \
  "videotestsrc is-live=true pattern=smpte ! " \
  "video/x-raw,width=640,height=360,framerate=30/1 ! " \
  "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=300 aud=false " \
  "! " \
  "video/x-h264,profile=constrained-baseline ! " \
  "rtph264pay config-interval=-1 aggregate-mode=zero-latency mtu=1200 " \
  "! " RTP_CAPS " ! webrtcbin name=webrtc"
#define DECODE \
  "rtph264depay ! avdec_h264 ! fakesink name=frames sync=false async=false"

#define RECEIVE_ONLY 3 /* GST_WEBRTC_RTP_TRANSCEIVER_DIRECTION_RECVONLY */
#define FEEDBACK_INTERVAL (60 * GST_MSECOND)
#define DEFAULT_SECONDS 10

typedef struct
{
  GMainLoop *loop;
  GstElement *sender; /* webrtcbin */
  GstElement *receiver;
  GstElement *controller; /* rtptfrcsend; NULL = not created yet */
  gint frames;            /* decoded; atomic */
  gboolean failed;
} App;

static GstElement *
on_request_aux_sender (GstElement *webrtc, GObject *transport, App *app)
{
  app->controller = gst_element_factory_make ("rtptfrcsend", NULL);
  gst_util_set_object_arg (G_OBJECT (app->controller), "feedback", "twcc");
  return gst_object_ref (app->controller);
}

static void
add_congestion_control (GstElement *webrtc, App *app)
{
  GstCaps *caps = gst_caps_from_string (RTP_CAPS);
  GObject *transceiver;

  g_signal_emit_by_name (webrtc, "get-transceiver", 0, &transceiver);
  g_object_set (transceiver, "codec-preferences", caps, NULL);
  g_object_unref (transceiver);
  gst_caps_unref (caps);
  /* One transport, and so one flow, for all streams. */
  gst_util_set_object_arg (G_OBJECT (webrtc), "bundle-policy", "max-bundle");
  g_signal_connect (webrtc, "request-aux-sender",
      G_CALLBACK (on_request_aux_sender), app);
}

/* Sets the description in the reply, an offer or an answer of `own`, at both webrtcbins.
 * The reply owns the description. */
static void
describe (GstPromise *promise, const gchar *what, GstElement *own,
    GstElement *other, GstPromise *other_done)
{
  const GValue *description =
      gst_structure_get_value (gst_promise_get_reply (promise), what);

  if (description == NULL)
    g_error ("no %s was made", what);
  g_signal_emit_by_name (own, "set-local-description",
      g_value_get_boxed (description), NULL);
  g_signal_emit_by_name (other, "set-remote-description",
      g_value_get_boxed (description), other_done);
}

/* Sets a feedback interval, as browsers have.  Otherwise an rtpsession reports at the
 * end of each frame, and the first frame, sent before the rate of the path is known,
 * takes seconds. */
static void
report_often (GstPromise *promise, gpointer user_data)
{
  App *app = user_data;
  GstElement *rtpbin = gst_bin_get_by_name (GST_BIN (app->receiver), "rtpbin");
  GObject *session = NULL;

  gst_promise_unref (promise);
  g_signal_emit_by_name (rtpbin, "get-internal-session", 0, &session);
  g_object_set (session, "twcc-feedback-interval", FEEDBACK_INTERVAL, NULL);
  g_object_unref (session);
  gst_object_unref (rtpbin);
}

static void
on_answer (GstPromise *promise, gpointer user_data)
{
  App *app = user_data;

  describe (promise, "answer", app->sender, app->receiver,
      gst_promise_new_with_change_func (report_often, app, NULL));
  gst_promise_unref (promise);
}

static void
on_offer (GstPromise *promise, gpointer user_data)
{
  App *app = user_data;

  describe (promise, "offer", app->receiver, app->sender, NULL);
  gst_promise_unref (promise);
  g_signal_emit_by_name (app->sender, "create-answer", NULL,
      gst_promise_new_with_change_func (on_answer, app, NULL));
}

static void
on_negotiation_needed (GstElement *webrtc, App *app)
{
  g_signal_emit_by_name (webrtc, "create-offer", NULL,
      gst_promise_new_with_change_func (on_offer, app, NULL));
}

static void
on_ice_candidate (GstElement *webrtc, guint line, const gchar *candidate,
    GstElement *other)
{
  g_signal_emit_by_name (other, "add-ice-candidate", line, candidate);
}

static GstPadProbeReturn
on_frame (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  App *app = user_data;

  g_atomic_int_inc (&app->frames);
  return GST_PAD_PROBE_OK;
}

static void
on_pad_added (GstElement *webrtc, GstPad *pad, App *app)
{
  GstElement *parent, *decode, *frames;
  GstPad *sink;

  if (GST_PAD_DIRECTION (pad) != GST_PAD_SRC)
    return;
  parent = GST_ELEMENT (gst_element_get_parent (webrtc));
  decode = gst_parse_bin_from_description (DECODE, TRUE, NULL);
  frames = gst_bin_get_by_name (GST_BIN (decode), "frames");
  sink = gst_element_get_static_pad (frames, "sink");
  gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_BUFFER, on_frame, app, NULL);
  gst_object_unref (sink);
  gst_object_unref (frames);
  gst_bin_add (GST_BIN (parent), decode);
  gst_element_sync_state_with_parent (decode);
  sink = gst_element_get_static_pad (decode, "sink");
  gst_pad_link (pad, sink);
  gst_object_unref (sink);
  gst_object_unref (parent);
}

static gboolean
print_stats (gpointer user_data)
{
  App *app = user_data;
  GstStructure *stats;
  gdouble rate;
  guint64 rtt;

  if (app->controller == NULL)
    return G_SOURCE_CONTINUE;
  g_object_get (app->controller, "stats", &stats, NULL);
  if (gst_structure_get (stats, "allowed-rate", G_TYPE_DOUBLE, &rate, "rtt-ns",
          G_TYPE_UINT64, &rtt, NULL))
    gst_print ("allowed %8.0f kbit/s, RTT %.1f ms\n", rate * 8 / 1000,
        rtt / 1e6);
  gst_structure_free (stats);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer user_data)
{
  App *app = user_data;
  GError *error = NULL;

  switch (GST_MESSAGE_TYPE (message)) {
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
    default:
      break;
  }
  return G_SOURCE_CONTINUE;
}

static gboolean
on_time_is_up (gpointer user_data)
{
  App *app = user_data;

  g_main_loop_quit (app->loop);
  return G_SOURCE_REMOVE;
}

/* A pipeline from `description`, which contains a webrtcbin named "webrtc". */
static GstElement *
make_pipeline (const gchar *description, App *app, GstElement **webrtc)
{
  GError *error = NULL;
  GstElement *pipeline = gst_pipeline_new (NULL);
  GstElement *bin = gst_parse_launch_full (description, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS | GST_PARSE_FLAG_PLACE_IN_BIN, &error);
  GstBus *bus;

  if (bin == NULL) {
    gst_printerr ("error: %s\n", error->message);
    exit (EXIT_FAILURE);
  }
  gst_bin_add (GST_BIN (pipeline), bin);
  *webrtc = gst_bin_get_by_name (GST_BIN (pipeline), "webrtc");
  bus = gst_element_get_bus (pipeline);
  gst_bus_add_watch (bus, on_message, app);
  gst_object_unref (bus);
  return pipeline;
}

/* Disables the UPnP search of libnice for a router, which prints an error to stderr if
 * another program uses its port. */
static void
look_for_no_router (GstElement *webrtc)
{
  GObject *ice, *agent;

  g_object_get (webrtc, "ice-agent", &ice, NULL);
  g_object_get (ice, "agent", &agent, NULL);
  g_object_set (agent, "upnp", FALSE, NULL);
  g_object_unref (agent);
  g_object_unref (ice);
}

static void
free_pipeline (GstElement *pipeline, GstElement *webrtc)
{
  GstBus *bus = gst_element_get_bus (pipeline);

  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_bus_remove_watch (bus);
  gst_object_unref (bus);
  gst_object_unref (webrtc);
  gst_object_unref (pipeline);
}

int
main (int argc, char **argv)
{
  App app = {
    NULL,
  };
  GstElement *sending, *receiving;
  GstCaps *caps;
  GObject *transceiver;

  gst_init (&argc, &argv);
  app.loop = g_main_loop_new (NULL, FALSE);
  sending = make_pipeline (SENDER, &app, &app.sender);
  receiving = make_pipeline ("webrtcbin name=webrtc bundle-policy=max-bundle",
      &app, &app.receiver);
  look_for_no_router (app.sender);
  look_for_no_router (app.receiver);
  add_congestion_control (app.sender, &app);
  /* The receiver makes the offer, like a browser that requests a stream. */
  caps = gst_caps_from_string (RTP_CAPS);
  g_signal_emit_by_name (app.receiver, "add-transceiver", RECEIVE_ONLY, caps,
      &transceiver);
  g_object_unref (transceiver);
  gst_caps_unref (caps);
  g_signal_connect (app.receiver, "on-negotiation-needed",
      G_CALLBACK (on_negotiation_needed), &app);
  g_signal_connect (app.sender, "on-ice-candidate",
      G_CALLBACK (on_ice_candidate), app.receiver);
  g_signal_connect (app.receiver, "on-ice-candidate",
      G_CALLBACK (on_ice_candidate), app.sender);
  g_signal_connect (app.receiver, "pad-added", G_CALLBACK (on_pad_added), &app);

  gst_element_set_state (receiving, GST_STATE_PLAYING);
  gst_element_set_state (sending, GST_STATE_PLAYING);
  g_timeout_add_seconds (1, print_stats, &app);
  g_timeout_add_seconds (argc > 1 ? (guint) atoi (argv[1]) : DEFAULT_SECONDS,
      on_time_is_up, &app);
  g_main_loop_run (app.loop);
  free_pipeline (sending, app.sender);
  free_pipeline (receiving, app.receiver);
  gst_clear_object (&app.controller);
  gst_print ("decoded %d frames\n", g_atomic_int_get (&app.frames));
  g_main_loop_unref (app.loop);
  return app.failed || app.frames == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
