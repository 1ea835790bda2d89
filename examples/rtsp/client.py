#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""rtspsrc as the receiving end of a session: live/receiver.py with the field
location.  With `ports`, {own: other}, the server is told the other port in the
place of the own one, that of a link."""

import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import gi  # noqa: E402

gi.require_version("GstRtsp", "1.0")
from gi.repository import GLib, GstRtsp  # noqa: E402

from live.endpoint import STATS_INTERVAL_MS  # noqa: E402
from live.receiver import Receiver  # noqa: E402


class Client(Receiver):

    bytes = 0   # of RTP

    def prepare(self):
        super().prepare()
        self.element("network").connect("before-send", self.on_request)
        GLib.timeout_add(STATS_INTERVAL_MS, self.tell_bytes)

    def on_packet(self, pad, info):
        self.bytes += info.get_buffer().get_size()
        return super().on_packet(pad, info)

    def tell_bytes(self):
        self.tell("stats", source="network", fields={"bytes": self.bytes})
        return GLib.SOURCE_CONTINUE

    def on_request(self, _source, request):
        result, transport = request.get_header(
            GstRtsp.RTSPHeaderField.TRANSPORT, 0)
        if result == GstRtsp.RTSPResult.OK:
            request.remove_header(GstRtsp.RTSPHeaderField.TRANSPORT, -1)
            request.add_header(
                GstRtsp.RTSPHeaderField.TRANSPORT, re.sub(
                    r"(?<=[=-])\d+", self.replace, transport))
        return True

    def replace(self, found):
        return str(self.spec["ports"].get(found[0], found[0]))


if __name__ == "__main__":
    sys.exit(Client(json.loads(sys.argv[1])).run())
