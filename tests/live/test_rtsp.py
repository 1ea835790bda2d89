#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""examples/rtsp as a user runs it.  `test_rtsp.py CLASS` runs one of the classes."""

import socket
import unittest

import test_demo
from test_demo import KEYS, TOP

try:
    import gi
    gi.require_version("GstRtspServer", "1.0")
    MISSING = None
except (ImportError, ValueError):
    MISSING = "gir1.2-gst-rtsp-server-1.0 is not there"

PROGRAM = str(TOP / "examples" / "rtsp" / "demo.py")


class Options(test_demo.Base):
    PROGRAM = PROGRAM

    def test_wrong_options_are_one_line_and_2(self):
        for option, value in (
                ("--link", "nowhere"), ("--seconds", "soon"),
                ("--serve", "65536"), ("--feedback", "tfrc"),
                ("--input", "/nowhere/at.all"), ("--encoder", "h262")):
            with self.subTest(option=option):
                result = self.demo(option, value)
                self.assertEqual(result.returncode, 2)
                self.assert_one_line(result.stderr, option, value)

    @unittest.skipIf(MISSING, MISSING)
    def test_a_port_that_is_taken_is_one_line_and_1(self):
        with socket.socket() as taken:
            taken.bind(("0.0.0.0", 0))
            taken.listen()
            port = str(taken.getsockname()[1])
            result = self.demo("--serve", port, timeout=30)
        self.assertEqual(result.returncode, 1)
        self.assert_one_line(result.stderr, port)


@unittest.skipIf(MISSING, MISSING)
class Run(test_demo.Base):
    PROGRAM = PROGRAM

    def test_a_run_leaves_the_numbers_of_the_demo(self):
        for feedback in ("rr", "twcc"):
            with self.subTest(feedback=feedback):
                numbers, output = self.run_demo(
                    24, "--link", "steady", "--feedback", feedback,
                    name=feedback)
                self.assertEqual(list(numbers), KEYS)
                self.assertGreater(numbers["utilisation"], 0.3)
                self.assertGreater(numbers["frames_decoded"], 100)
                self.assertIn(feedback, output)


if __name__ == "__main__":
    unittest.main()
