#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""ffmpeg as a receiver, which knows nothing but reception reports.

    ffmpeg_receiver.py JSON

with the fields port (that of RTP; RTCP comes to the next), sdp (what is sent), host
and feedback_port (where its RTCP goes).  Commands and events are those of
live/endpoint.py."""

import json
import pathlib
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "examples"))
sys.path.insert(0, str(HERE.parents[1] / "support"))

from live.endpoint import tell  # noqa: E402
from rtsp_player import RtspPlayer  # noqa: E402

PLAY_LIMIT_S = 20


class Receiver:
    def __init__(self, spec):
        self.spec = spec
        self.player = None
        self.stopping = False

    def run(self):
        tell("ready")
        for line in sys.stdin:
            if line.strip() != "play":
                break
            self.play()
        self.stopping = True
        if self.player:
            self.player.stop()

    def play(self):
        self.player = RtspPlayer(
            self.spec["port"], self.spec["sdp"], self.spec["host"],
            self.spec["feedback_port"] - 1, ["-c", "copy"])
        if not self.player.wait_until_playing(PLAY_LIMIT_S):
            self.fail("it asks for nothing")
        tell("playing")
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        """Nobody ends it but we."""
        code = self.player.process.wait()
        if not self.stopping:
            self.fail(f"it ended with code {code}")

    def fail(self, what):
        tell("error", source="ffmpeg", debug="",
             text=f"{what}: {' '.join(self.player.errors)}")


if __name__ == "__main__":
    Receiver(json.loads(sys.argv[1])).run()
