#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Serves pictures by RTSP.  What gst-rtsp-server calls the payloader is
rtptfrcsend: all else of a server is as ever.

    server.py JSON

with the fields source, file and encoder as live/sender.py has them, address, port
(0: any), shared (true: one encoder for all clients), send, the properties of
rtptfrcsend, and reference (true: tell what the encoder's frames are).  It tells
what happens as live/endpoint.py does, of a media that is shared or of the newest
client's."""

import json
import pathlib
import signal
import sys
import threading
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import gi  # noqa: E402

gi.require_version("GstRtsp", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, GstRtsp, GstRtspServer  # noqa: E402

from live.endpoint import (  # noqa: E402
    STATS_INTERVAL_MS, Gst, cpu_s, launch_properties, structure_fields, tell)
from live.sender import Sender, encoded  # noqa: E402


# The payloader leaves room for the numbers that transport-wide feedback names.
TRANSPORT_WIDE = (
    "! application/x-rtp,extmap-1=(string)http://www.ietf.org/id/"
    "draft-holmer-rmcat-transport-wide-cc-extensions-01 ")


# [ms] between a client's reports: rtspsrc takes it; others leave it at 5 s.
REPORT_INTERVAL = "500"
# The signal's context, a pointer, is nothing that Python knows.
warnings.filterwarnings("ignore", "g_value_get_object")


def ask_for_reports(_client, _context, message):
    """In each answer, of which clients look at that to PLAY."""
    message.add_header(GstRtsp.RTSPHeaderField.RTCP_INTERVAL, REPORT_INTERVAL)


def launch_line(spec):
    numbered = spec["send"].get("feedback") == "twcc"
    return (f"( {encoded({**spec, 'payloader': {'pt': 96}})} "
            f"{TRANSPORT_WIDE if numbered else ''}"
            f"! rtptfrcsend name=pay0 {launch_properties(spec['send'])} )")


class Stream(Sender):
    """What one client gets, or all of them: a media of the server."""

    def __init__(self, spec, media, tell_of):
        super().__init__(spec, media.get_element(), tell_of)
        self.send = self.element("pay0")
        self.timer = None
        media.connect("new-state", self.on_state)
        media.connect("unprepared", lambda _media: self.end())
        self.prepare()
        self.played()

    def on_state(self, media, state):
        if state != Gst.State.PLAYING or self.timer is not None:
            return
        self.tell("playing", base_ns=self.pipeline.get_base_time())
        self.timer = GLib.timeout_add(STATS_INTERVAL_MS, self.tell_stats)

    def tell_stats(self):
        self.tell("stats", source="pay0", fields=structure_fields(
            self.send.get_property("stats")))
        return GLib.SOURCE_CONTINUE

    def end(self):
        if self.timer is not None:
            GLib.source_remove(self.timer)
        self.stopping = True
        self.finish()


class Server:

    def __init__(self, spec, tell_of=tell):
        self.spec = spec
        self.tell = tell_of
        self.loop = GLib.MainLoop()
        self.server = GstRtspServer.RTSPServer(
            address=spec["address"], service=str(spec["port"]))
        factory = GstRtspServer.RTSPMediaFactory(shared=spec["shared"])
        factory.set_launch(launch_line(spec))
        factory.connect("media-configure", self.on_media)
        self.server.connect(
            "client-connected", lambda _server, client:
            client.connect("send-message", ask_for_reports))
        self.server.get_mount_points().add_factory("/live", factory)

    def on_media(self, _factory, media):
        Stream(self.spec, media, self.tell)

    def run(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            GLib.unix_signal_add(GLib.PRIORITY_HIGH, number, self.loop.quit)
        if not self.server.attach(None):
            self.tell("error", source="server", debug="", text=(
                f"port {self.spec['port']} of {self.spec['address']} cannot "
                "be had"))
            return 1
        threading.Thread(target=self.read_commands, daemon=True).start()
        self.tell("ready", port=self.server.get_bound_port())
        self.loop.run()
        self.tell("end", cpu_s=cpu_s())
        return 0

    def read_commands(self):
        """Until who has started it ends."""
        for line in sys.stdin:
            if line.strip() == "stop":
                break
        GLib.idle_add(self.loop.quit)


if __name__ == "__main__":
    sys.exit(Server(json.loads(sys.argv[1])).run())
