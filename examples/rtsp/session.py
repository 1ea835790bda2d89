# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs server, links and client.  RTP goes to the client by a link, and RTCP by one
like it; RTSP, and what the client reports, goes back in no time."""

import pathlib
import socket

from live.session import Session

HERE = pathlib.Path(__file__).resolve().parent


def free_pair():
    """The first of two adjacent UDP ports that nobody uses at the moment; it is
    even."""
    while True:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one, \
                socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
            try:
                other.bind(("127.0.0.1", port + 1))
            except (OSError, OverflowError):
                continue
            if port % 2 == 0:
                return port


class RtspSession(Session):

    def __init__(self, plan, recording, send, shared):
        super().__init__(plan, recording)
        self.send = send
        self.shared = shared
        self.port = None

    def _start(self):
        plan = self.plan
        port = free_pair()
        self._start_logged_link(port)
        self._start_link("link-rtcp", plan.link, port + 1, [])
        self._wait_for({("link-rtcp", "listening")})
        common = {"source": plan.source, "encoder": plan.encoder,
                  "reference": plan.reference}
        self._spawn("sender", HERE / "server.py", {
            **common, "file": plan.file, "address": "127.0.0.1", "port": 0,
            "picture": str(plan.folder / "frame-sent.png"),
            "send": self.send, "shared": self.shared})
        self._wait_for({("sender", "ready")})
        self._spawn("receiver", HERE / "client.py", {
            **common, "screen": plan.screen,
            "location": f"rtsp://127.0.0.1:{self.port}/live",
            "src": {"latency": 300, "protocols": "udp",
                    "port-range": f"{port}-{port + 1}"},
            "ports": {str(port): self.relay_ports.get("link"),
                      str(port + 1): self.relay_ports.get("link-rtcp")},
            "picture": str(plan.folder / "frame.png")})
        self._wait_for({("receiver", "ready")})
        self._command("receiver", "play")
        self._wait_for({("sender", "playing")})

    def _handle(self, name, event):
        if (name, event["event"]) == ("sender", "ready"):
            self.port = event["port"]
        super()._handle(name, event)
