# SPDX-License-Identifier: LGPL-2.1-or-later
"""A run without a screen: the sender and Chromium in network namespaces, with
the link that a profile describes between them (tests/evaluation/net)."""

import json
import pathlib
import queue
import shutil
import sys
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/evaluation/net"))

import namespaces  # noqa: E402
import network  # noqa: E402

from live.recording import Recording, Series  # noqa: E402

from . import browser  # noqa: E402
from .link import Link, profile_lines  # noqa: E402

SENDER = pathlib.Path(__file__).with_name("sender.py")
PORT = 8080
PLAYER = "browser"
START_LIMIT_S = 60
# The page's seconds begin a little after the sender's.
PAGE_MARGIN_S = 1
REPORT_LIMIT_S = 20
# Counters of getStats() by their names.
COUNTERS = (
    "framesDecoded framesDropped keyFramesDecoded freezeCount "
    "totalFreezesDuration packetsReceived packetsLost "
    "retransmittedPacketsReceived bytesReceived nackCount pliCount").split()


class SessionError(Exception):
    """Its text is what the user reads."""


def why_not():
    """What is missing for such a run, or None."""
    return browser.why_not() or namespaces.why_not()


class Session:
    """`recording` has what the sender told, `player` what getStats() told
    (Series by the names of COUNTERS), and recording.link the link's log.  Times
    are seconds since the stream began."""

    def __init__(self, profile, seconds, folder, buffer_ms=None, **sender):
        """`sender`: what sender.py is told besides address and port."""
        self.profile = profile
        self.seconds = seconds
        self.folder = folder
        self.buffer_ms = buffer_ms
        self.sender = {"address": "0.0.0.0", "port": PORT, **sender}
        self.recording = Recording()
        self.player = {name: Series() for name in COUNTERS}
        self.events = queue.Queue()
        self.left = None

    def run(self):
        """SessionError when it could not be done."""
        self.folder.mkdir(parents=True, exist_ok=True)
        user_data = self.folder / "chromium"
        try:
            with network.Network(self.folder) as net:
                self._run(net, user_data)
        except namespaces.NamespaceError as error:
            raise SessionError(str(error)) from error
        finally:
            shutil.rmtree(user_data, ignore_errors=True)
        self.recording.link = Link(net.log, PLAYER, self.recording.start_ns)

    def _run(self, net, user_data):
        net.add_host("sender")
        net.add_host(PLAYER, schedule=profile_lines(
            self.profile, self.seconds, self.folder))
        net.start()
        children = [net.spawn(
            "sender", ["/usr/bin/python3", SENDER, json.dumps(self.sender)],
            lambda line: self.events.put(json.loads(line)))]
        self._wait_for("ready", children, START_LIMIT_S)
        wishes = browser.player_wishes(
            self.sender["nack"], self.buffer_ms,
            report=f"{self.seconds + PAGE_MARGIN_S:g}")
        url = f"http://{net.hosts['sender'].ipv4}:{PORT}/#{wishes}"
        children.append(net.spawn(PLAYER, browser.command(url, user_data),
                                  lambda line: None))
        self.recording.start_ns = self._wait_for(
            "connected", children, START_LIMIT_S)["t"]
        # The schedule of the link begins with the stream.
        net.emulator.command("restart")
        told = self._wait_for("report", children,
                              self.seconds + PAGE_MARGIN_S + REPORT_LIMIT_S)
        self.recording.seconds = self.seconds
        self._read_report(told["series"])

    def _wait_for(self, wanted, children, seconds):
        """The event, having handled those before it."""
        end = time.monotonic() + seconds
        while True:
            try:
                event = self.events.get(timeout=0.2)
            except queue.Empty:
                for child in children:
                    if not child.is_running():
                        raise SessionError(
                            f"{child.name}: {child.last_words()}")
                if time.monotonic() > end:
                    raise SessionError(f"The sender did not say \"{wanted}\" "
                                       f"within {seconds:g} s.")
                continue
            if event["event"] == wanted:
                return event
            self._handle(event)

    def _handle(self, event):
        if event["event"] == "error":
            raise SessionError(f"sender: {event['source']}: {event['text']}")
        if event["event"] == "left":
            raise SessionError("The browser left before its time: "
                               f"{event['why']}.")
        if event["event"] == "refused":
            raise SessionError(f"The sender refused: {event['why']}")
        self.recording.take("sender", event)

    def _read_report(self, samples):
        """The page's times are those of the machine's calendar clock."""
        offset_s = (time.time_ns() - time.monotonic_ns()
                    + self.recording.start_ns) / 1e9
        for sample in samples:
            for name in COUNTERS:
                self.player[name].add(
                    float(sample["unix_s"]) - offset_s, float(sample[name]))
