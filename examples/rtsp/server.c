/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An RTSP server that sends at the rate that the network allows: pay0, the payloader of
 * the stream for gst-rtsp-server, is an rtptfrcsend after the actual payloader.
 *
 *     rtsp-server [PORT [SOURCE]]
 *
 * serves rtsp://127.0.0.1:PORT/live (default: 8554) until Ctrl-C, with the video of
 * SOURCE, a launch line such as v4l2src (default: a test picture).  Each client has its
 * own encoder, at the rate of its path.  With gst_rtsp_media_factory_set_shared () all
 * clients share one encoder, at the rate of the slowest client. */
#include <glib-unix.h>
#include <gst/rtsp-server/rtsp-server.h>

#define LAUNCH \
  "( %s ! videoconvert ! x264enc tune=zerolatency ! rtph264pay pt=96 ! " \
  "rtptfrcsend name=pay0 feedback=rr )"

/* Interval of a client's RTCP reports [ms]; rtspsrc applies it, others keep 5 s. */
#define REPORT_INTERVAL "500"

static void
ask_for_reports (GstRTSPClient *client, GstRTSPContext *context,
    GstRTSPMessage *message, gpointer data)
{
  if (context->method == GST_RTSP_PLAY)
    gst_rtsp_message_add_header (message, GST_RTSP_HDR_RTCP_INTERVAL,
        REPORT_INTERVAL);
}

static void
on_client (GstRTSPServer *server, GstRTSPClient *client, gpointer data)
{
  g_signal_connect (client, "send-message", G_CALLBACK (ask_for_reports), NULL);
}

static gboolean
stop (gpointer loop)
{
  g_main_loop_quit (loop);
  return G_SOURCE_REMOVE;
}

int
main (int argc, char **argv)
{
  GMainLoop *loop = g_main_loop_new (NULL, FALSE);
  GstRTSPMediaFactory *factory;
  GstRTSPMountPoints *mounts;
  GstRTSPServer *server;
  gchar *launch;

  gst_init (&argc, &argv);
  launch = g_strdup_printf (LAUNCH,
      argc > 2 ? argv[2] : "videotestsrc is-live=true pattern=ball");
  factory = gst_rtsp_media_factory_new ();
  gst_rtsp_media_factory_set_launch (factory, launch);
  g_free (launch);

  server = gst_rtsp_server_new ();
  gst_rtsp_server_set_address (server, "127.0.0.1");
  gst_rtsp_server_set_service (server, argc > 1 ? argv[1] : "8554");
  g_signal_connect (server, "client-connected", G_CALLBACK (on_client), NULL);
  mounts = gst_rtsp_server_get_mount_points (server);
  gst_rtsp_mount_points_add_factory (mounts, "/live", factory);
  g_object_unref (mounts);

  if (gst_rtsp_server_attach (server, NULL) == 0) {
    g_printerr ("rtsp-server: the port cannot be had\n");
    return 1;
  }
  g_print ("rtsp://127.0.0.1:%d/live\n",
      gst_rtsp_server_get_bound_port (server));
  g_unix_signal_add (SIGINT, stop, loop);
  g_unix_signal_add (SIGTERM, stop, loop);
  g_main_loop_run (loop);
  g_object_unref (server);
  g_main_loop_unref (loop);
  return 0;
}
