#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""No ffmpeg is left of a program that was killed."""

import os
import pathlib
import signal
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
import rtsp_player  # noqa: E402
from waiting import is_running, wait_until  # noqa: E402

SKIPPED = 77
LIMIT_S = 10
# It says which process plays, and waits.
PARENT = """
import time
import rtsp_player
sdp = "v=0\\no=- 0 0 IN IP4 127.0.0.1\\ns=-\\nt=0 0\\nm=video 0 RTP/AVP 33\\n"
player = rtsp_player.RtspPlayer(24014, sdp, "127.0.0.1", 24024)
assert player.wait_until_playing(20)
print(player.process.pid, flush=True)
time.sleep(600)
"""


class Player(unittest.TestCase):
    def test_it_ends_with_who_started_it(self):
        """Stopped, since it may find out that its server is gone."""
        parent = subprocess.Popen(
            [sys.executable, "-B", "-c", PARENT], text=True,
            cwd=pathlib.Path(__file__).parent,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        with parent:
            player = int(parent.stdout.readline())
            os.kill(player, signal.SIGSTOP)
            parent.kill()
        ended = wait_until(lambda: not is_running(player), LIMIT_S)
        if not ended:
            os.kill(player, signal.SIGKILL)
        self.assertTrue(ended)


if __name__ == "__main__":
    if not rtsp_player.is_installed():
        print("SKIP: ffmpeg is not there")
        sys.exit(SKIPPED)
    unittest.main()
