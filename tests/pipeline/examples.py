#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The example programs do what they show: the stream arrives, the statistics
are told, and the end is clean."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

from loopback import free_port
from watched import WatchedTest

TOP = pathlib.Path(__file__).resolve().parents[2]
EMBED_PY = [sys.executable, str(TOP / "examples" / "embed.py")]
EMBED_C = pathlib.Path(os.environ["TFRC_BUILD_DIR"]) / "examples" / "embed"
LIMIT_S = 120


def start(command):
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


class Examples(WatchedTest):
    def finish(self, process):
        """What it printed; it ended with 0 and had nothing to complain of."""
        try:
            output, complaints = process.communicate(timeout=LIMIT_S)
        finally:
            process.kill()
        self.assertEqual(process.returncode, 0, complaints)
        self.assertNotIn("error", complaints)
        self.assertNotIn("warning", complaints)
        return output

    def numbers(self, pattern, output):
        found = [float(number) for number in re.findall(pattern, output)]
        self.assertTrue(found, output)
        return found

    @unittest.skipUnless(EMBED_C.exists(), "built with -Dexamples=false")
    def test_c(self):
        output = self.finish(start([str(EMBED_C), "4"]))
        # 30 frames/s for 4 s; a stalled machine may lose half of them.
        self.assertGreater(self.numbers(r"decoded (\d+)", output)[-1], 60)
        # On a loopback the rate comes to its bound of 2000 kbit/s.
        self.assertGreater(
            self.numbers(r"allowed +(\d+) kbit/s", output)[-1], 1000)
        self.numbers(r"receiver: +(\d+) packets", output)

    @unittest.skipUnless(EMBED_C.exists(), "built with -Dexamples=false")
    def test_c_says_what_is_no_number(self):
        process = start([str(EMBED_C), "abc"])
        output, complaints = process.communicate(timeout=LIMIT_S)
        self.assertEqual((process.returncode, output), (2, ""))
        self.assertIn("SECONDS is 'abc'", complaints)

    def test_python(self):
        port = str(free_port())
        receiver = start(EMBED_PY + ["--port", port, "--seconds", "6",
                                     "receive", "fakesink"])
        sender = start(EMBED_PY + ["--port", port, "--seconds", "4",
                                   "send", "127.0.0.1"])
        output = self.finish(sender)
        self.assertGreater(
            self.numbers(r"allowed (\d+) kbit/s", output)[-1], 1000)
        output = self.finish(receiver)
        self.assertGreater(
            self.numbers(r"received (\d+) packets", output)[-1], 60)

    def test_an_element_that_is_missing(self):
        process = start(EMBED_PY + ["receive", "no-such-sink"])
        complaints = process.communicate(timeout=LIMIT_S)[1]
        self.assertEqual((process.returncode, complaints),
                         (1, 'error: no element "no-such-sink"\n'))


if __name__ == "__main__":
    unittest.main()
