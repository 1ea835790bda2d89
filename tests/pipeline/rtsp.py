#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""rtptfrcsend as pay0 of a media of gst-rtsp-server, with rtspsrc as its client: it
hears the RTCP of the rtpsession behind it, and needs no probe for that."""

import sys
import threading
import unittest

import gi

from loopback import GLib, Gst, Pipeline, wait_for
from watched import PipelineTest

try:
    gi.require_version("GstRtspServer", "1.0")
    from gi.repository import GstRtspServer
except ValueError:
    GstRtspServer = None

SOURCE = ("videotestsrc is-live=true pattern=snow ! "
          "video/x-raw,width=320,height=240,framerate=30/1 ! "
          "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=30 ! "
          "rtph264pay pt=96")


class Server:
    """Serves the source at `uri`; `send` is the rtptfrcsend of the newest client."""

    def __init__(self, properties):
        self.send = None
        self.context = GLib.MainContext.new()
        self.loop = GLib.MainLoop.new(self.context, False)
        self.server = GstRtspServer.RTSPServer(service="0", address="127.0.0.1")
        factory = GstRtspServer.RTSPMediaFactory()
        factory.set_launch(f"( {SOURCE} ! rtptfrcsend name=pay0 {properties} )")
        factory.connect("media-configure", self._on_media)
        self.server.get_mount_points().add_factory("/live", factory)
        self.server.attach(self.context)
        self.uri = f"rtsp://127.0.0.1:{self.server.get_bound_port()}/live"
        self.thread = threading.Thread(target=self.loop.run, daemon=True)
        self.thread.start()

    def _on_media(self, _factory, media):
        self.send = media.get_element().get_by_name("pay0")

    def stats(self):
        return self.send.get_property("stats")

    def stop(self):
        self.loop.quit()
        self.thread.join()


@unittest.skipIf(GstRtspServer is None, "gir1.2-gst-rtsp-server-1.0 is not there")
class Rtsp(PipelineTest):
    def serve(self, properties, client="protocols=udp"):
        server = Server(properties)
        self.addCleanup(server.stop)
        there = Pipeline(f"rtspsrc location={server.uri} {client} latency=50 ! "
                         "rtph264depay ! avdec_h264 ! fakesink name=frames sync=false")
        there.count("frames")
        self.start(there)
        self.assertTrue(wait_for(lambda: there.counts["frames"] >= 30))
        return server, there

    def check_reports_count(self, properties, client="protocols=udp"):
        server, there = self.serve(properties, client)
        self.assertTrue(wait_for(
            lambda: server.stats()["reception-reports"] >= 2))
        sent = server.stats()
        self.assertEqual(sent["feedback-malformed"], 0)
        self.assertEqual(sent["feedback-state"], "working")
        self.assertEqual(there.errors(), [])

    def test_reception_reports_over_udp_count(self):
        self.check_reports_count("feedback=rr")

    def test_reception_reports_inside_tcp_count(self):
        self.check_reports_count("feedback=rr", "protocols=tcp")


if __name__ == "__main__":
    if GstRtspServer is None:
        print("skipped: gir1.2-gst-rtsp-server-1.0 is not there", file=sys.stderr)
    unittest.main()
