#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The sender: serves the page, and a stream to each player that asks for one.

    sender.py JSON

with the fields address, port (of HTTP; 0: any), controller ("tfrc" or "none"),
nack, and properties, those of rtptfrcsend.  Tells on stdout what happens, one
JSON object a line (live/endpoint.py), and ends at the end of stdin."""

import itertools
import json
import pathlib
import signal
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from live import scene  # noqa: E402
from live.endpoint import STATS_INTERVAL_MS, tell  # noqa: E402
from gi.repository import GLib, Gst  # noqa: E402

from webrtc import offer  # noqa: E402
from webrtc.offer import OfferError  # noqa: E402
from webrtc.peer import Peer, PeerError  # noqa: E402
from webrtc.signalling import Server, TooMany  # noqa: E402

# Each has an encoder of its own, which takes half a core.
MAX_STREAMS = 4
CHECK_INTERVAL_MS = 1000


class SenderError(Exception):
    """Its text is what the user reads."""


def missing_element(controller):
    """A sentence about an element that is not installed, or None."""
    wanted = ["webrtcbin", "nicesrc", "dtlssrtpenc", "x264enc", "rtph264pay"]
    if controller == "tfrc":
        wanted.append("rtptfrcsend")
    missing = [name for name in wanted
               if Gst.ElementFactory.find(name) is None]
    return f"GStreamer has no {', '.join(missing)} here." if missing else None


class Streams:
    """By name, in threads of HTTP and of the streams."""

    def __init__(self, spec, tell):
        self.spec = spec
        self.tell = tell
        self.peers = {}
        self.numbers = itertools.count(1)
        self.scene = None       # takes a second to make
        self.lock = threading.Lock()

    def open(self, text):
        try:
            return self._open(offer.read(text))
        except (OfferError, PeerError, TooMany) as error:
            self.tell("refused", why=str(error))
            raise

    def _open(self, wanted):
        with self.lock:
            if len(self.peers) >= MAX_STREAMS:
                raise TooMany(f"All {MAX_STREAMS} streams are taken; "
                              "close another page first.")
            self.scene = self.scene or scene.Scene()
            name = str(next(self.numbers))
            peer = Peer(wanted, self.spec["controller"], self.spec["nack"],
                        self.spec["properties"], self.scene,
                        lambda event, **fields: self._on_event(
                            name, event, fields))
            self.peers[name] = peer
        try:
            return name, peer.answer()
        except PeerError:
            self.close(name, "its offer could not be answered")
            raise

    def _on_event(self, name, event, fields):
        self.tell(event, stream=name, **fields)
        if event == "left":
            # Not in a thread of the stream that is to end.
            GLib.idle_add(self._forget, name)

    def _forget(self, name):
        with self.lock:
            peer = self.peers.pop(name, None)
        if peer:
            peer.close("the sender ends")
        return GLib.SOURCE_REMOVE

    def stats(self, name):
        with self.lock:
            peer = self.peers[name]
        return peer.stats()

    def report(self, name, series):
        with self.lock:
            self.peers[name]
        self.tell("report", stream=name, series=series)

    def close(self, name, why="its page was closed"):
        with self.lock:
            peer = self.peers.pop(name)
        peer.close(why)

    def check(self):
        for peer in self._all():
            peer.check()
        return GLib.SOURCE_CONTINUE

    def tell_stats(self):
        for name, peer in self._all(items=True):
            fields = peer.controller_stats()
            if fields:
                self.tell("stats", stream=name, fields=fields)
        return GLib.SOURCE_CONTINUE

    def _all(self, items=False):
        with self.lock:
            return list(self.peers.items() if items else self.peers.values())

    def close_all(self):
        for name in [name for name, _ in self._all(items=True)]:
            self._forget(name)


class Sender:

    def __init__(self, spec, tell):
        self.tell = tell
        reason = missing_element(spec["controller"])
        if reason:
            raise SenderError(reason)
        self.streams = Streams(spec, tell)
        try:
            self.server = Server((spec["address"], spec["port"]), self.streams)
        except OSError as error:
            raise SenderError(
                f"The port {spec['port']} of {spec['address']} cannot be "
                f"taken: {error.strerror}.") from error
        self.loop = GLib.MainLoop()

    def run(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            GLib.unix_signal_add(GLib.PRIORITY_HIGH, number, self.stop)
        GLib.timeout_add(CHECK_INTERVAL_MS, self.streams.check)
        GLib.timeout_add(STATS_INTERVAL_MS, self.streams.tell_stats)
        self.server.start()
        self.tell("ready", port=self.server.server_address[1])
        self.loop.run()
        self.server.shutdown()
        self.streams.close_all()

    def stop(self):
        self.loop.quit()
        return GLib.SOURCE_REMOVE


def main():
    try:
        sender = Sender(json.loads(sys.argv[1]), tell)
    except SenderError as error:
        print(error, file=sys.stderr)
        return 1
    threading.Thread(target=lambda: (sys.stdin.read(), sender.loop.quit()),
                     daemon=True).start()
    sender.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
