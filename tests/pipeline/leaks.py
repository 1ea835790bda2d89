#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What GStreamer's leaks tracer finds when a stream has ended: no element, pad,
buffer, caps or event of either end is left."""

import os
import re
import signal
import subprocess
import tempfile
import time
import unittest

from loopback import DECODE, KEY, TIMEOUT, VIDEO, free_port
from watched import WatchedTest

# Level 7: the objects that are alive are traced.
TRACER = {"GST_TRACERS": "leaks", "GST_DEBUG": "GST_TRACER:7",
          "GST_DEBUG_NO_COLOR": "1"}
ALIVE = ":: object-alive,"
# Of the sender's statistics, as a stream and as a group has them.
REPORTED = re.compile(r" (feedback|reports)=\(guint64\)[1-9]")
# After the first report.
STREAM_S = 3


class Leaks(WatchedTest):

    def alive(self, description):
        """What is left of a pipeline that was interrupted."""
        with tempfile.TemporaryFile("w+") as log:
            process = subprocess.Popen(
                ["gst-launch-1.0", "-m"] + description.split(), text=True,
                env={**os.environ, **TRACER}, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=log)
            try:
                while not REPORTED.search(process.stdout.readline()):
                    self.assertIsNone(process.poll(), "it did not start")
                time.sleep(STREAM_S)
                process.send_signal(signal.SIGINT)
                output, _ = process.communicate(timeout=TIMEOUT)
            finally:
                process.kill()
            self.assertIn("Freeing pipeline", output)
            log.seek(0)
            told = log.read().splitlines()
        # The tracer was there.
        self.assertTrue(any("format string: object-alive" in line
                            for line in told))
        return [line for line in told if ALIVE in line]

    def check(self, to="127.0.0.1", sink="", src=""):
        port = free_port(2)
        self.assertEqual(self.alive(
            f"{VIDEO} ! tfrcsink stats-interval=200 host={to} port={port} "
            f"{sink} tfrcsrc port={port} encoding-name=H264 {src} ! {DECODE}"), [])

    def test_the_tracer_finds_what_is_left(self):
        """Or the rest would say nothing."""
        process = subprocess.run(
            ["/usr/bin/python3", "-c", "import gi\n"
             "gi.require_version('Gst', '1.0')\n"
             "from gi.repository import Gst\n"
             "Gst.init(None)\n"
             "left = Gst.ElementFactory.make('tfrcsink')\n"
             "Gst.deinit()\n"], text=True, env={**os.environ, **TRACER},
            stderr=subprocess.PIPE, timeout=TIMEOUT)
        self.assertIn("type-name=(string)GstTfrcSink", "".join(
            line for line in process.stderr.splitlines() if ALIVE in line))

    def test_unicast(self):
        self.check()

    def test_srtp(self):
        key = f"srtp-key={KEY}"
        self.check(sink=key, src=key)

    def test_group(self):
        on_loopback = "multicast-iface=lo"
        self.check(to="239.255.12.73", sink=on_loopback,
                   src=f"host=239.255.12.73 {on_loopback}")


if __name__ == "__main__":
    unittest.main()
