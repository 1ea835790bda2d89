#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""examples/webrtc as a user runs it: options, what is missing, and, where
there is a browser, a short run with it.  `test_webrtc.py CLASS` runs one of the
classes."""

import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "examples"))

from webrtc import browser, session  # noqa: E402
from webrtc.link import Link, profile_lines  # noqa: E402
from webrtc.results import freeze_lengths  # noqa: E402
from live.recording import Series  # noqa: E402

PROGRAM = str(TOP / "examples" / "webrtc" / "demo.py")


class Base(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_program(self, *arguments, **more):
        return subprocess.run(
            ["/usr/bin/python3", PROGRAM, *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, **more)

    def assert_one_line(self, result, code, *words):
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(len(result.stderr.strip().split("\n")), 1,
                         result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)


class Options(Base):

    def test_wrong_options_are_one_line_and_2(self):
        for option, value, word in (
                ("--link", "nowhere", "there is no link 'nowhere'"),
                ("--seconds", "soon", "soon"), ("--port", "65536", "65536"),
                ("--controller", "reno", "reno"), ("--json", "/", "folder"),
                ("--delay-target", "-3", "-3"), ("--buffer", "1e3", "1e3")):
            with self.subTest(option=option):
                self.assert_one_line(
                    self.run_program(option + "=" + value), 2, option, word)
        self.assert_one_line(self.run_program("--bogus"), 2, "--bogus")

    def test_a_port_that_is_taken_is_one_line_and_1(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = str(taken.getsockname()[1])
            self.assert_one_line(
                self.run_program("--address", "127.0.0.1", "--port", port),
                1, port, "in use")

    def test_it_says_where_the_page_is_and_ends_when_told(self):
        result = self.run_program("--address", "127.0.0.1", "--port", "0",
                                  "--seconds", "1")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout,
                         r"\AOpen http://127\.0\.0\.1:\d+/ in a browser")

    def test_the_address_tells_the_page_what_was_chosen(self):
        result = self.run_program(
            "--address", "127.0.0.1", "--port", "0", "--seconds", "1",
            "--no-nack", "--buffer", "50")
        self.assertRegex(result.stdout, r":\d+/#nack=no&buffer=50 in a browser")

    def test_a_browser_that_is_missing_is_told_with_what_installs_it(self):
        program, browser.PROGRAM = browser.PROGRAM, self.folder / "nothing"
        self.addCleanup(setattr, browser, "PROGRAM", program)
        self.assertRegex(session.why_not(),
                         r"\Ano browser is installed: .*install-packages")

    def test_links_are_listed(self):
        self.assertRegex(self.run_program("--list-links").stdout,
                         r"(?m)^steady +\S")


class Numbers(Base):

    def test_shares_of_a_schedule_become_seconds_of_the_stream(self):
        profile = self.folder / "some.link"
        profile.write_text("# steps\nrate_kbit_s 2000  # fast\n"
                           "at 40% rate_kbit_s 500\nat 70%+5 rate_kbit_s 9\n"
                           "at 50 rate_kbit_s 8\nat noon rate_kbit_s 7\n")
        self.assertEqual(profile_lines(profile, 60, self.folder), [
            "rate_kbit_s 2000", "at 24 rate_kbit_s 500",
            "at 47 rate_kbit_s 9", "at 50 rate_kbit_s 8",
            "at noon rate_kbit_s 7"])

    def test_a_trace_goes_where_the_profile_goes(self):
        profile = TOP / "data" / "links" / "cellular.link"
        lines = profile_lines(profile, 60, self.folder)
        self.assertIn("trace cellular.trace", lines)
        self.assertTrue((self.folder / "cellular.trace").is_file())

    def test_the_log_of_the_emulator_counts_from_the_streams_start(self):
        log = self.folder / "links.csv"
        names = ("time_s,port,direction,rate_kbit_s,queue_ms,offered_packets,"
                 "offered_bytes,packets,bytes,tcp_bytes,udp_bytes,"
                 "dropped_queue,dropped_red,dropped_outage,lost,marked,"
                 "duplicated,lateness_ms")
        log.write_text(f"# origin_ns=5000000000\n{names}\n"
                       "1.5,browser,to,2000,30,9,9000,5,5000,0,0,1,0,1,2,0,0,4\n"
                       "1.5,browser,from,inf,0,3,300,3,300,0,0,0,0,0,0,0,0,4\n")
        link = Link(log, "browser", 6_000_000_000)
        # 5 + 1.5 - 6 s; 2000 kbit/s are 250000 bytes/s.
        self.assertEqual((link.times[0], link.capacity[0]), (0.5, 250000))
        self.assertEqual((link.queue_delay_s[0], link.dropped_packets[0],
                          link.back_bytes[0]), (0.03, 4, 300))

    def test_freezes_have_their_lengths_and_the_last_may_still_last(self):
        player = {name: Series() for name in (
            "freezeCount", "totalFreezesDuration", "framesDecoded")}
        # Before the first second, then one of 0.4 s, two of 1 s together, and
        # from 4 s on nothing.
        for when, count, total, frames in (
                (0.5, 1, 5.0, 10), (1.0, 1, 5.0, 20), (2.0, 2, 5.4, 40),
                (3.0, 4, 6.4, 50), (4.0, 4, 6.4, 60), (5.0, 4, 6.4, 60),
                (6.0, 4, 6.4, 60)):
            for name, value in zip(player, (count, total, frames)):
                player[name].add(when, value)
        lengths = freeze_lengths(player, 1, 7)
        self.assertEqual([round(length, 3) for length in lengths],
                         [0.4, 0.5, 0.5, 3.0])
        # Frames that come to the end are no freeze.
        self.assertEqual(freeze_lengths(player, 3, 4.1), [])


class Browser(Base):

    def run_headless(self, *arguments):
        return self.run_program("--headless", *arguments, timeout=150)

    def test_a_browser_shows_the_video(self):
        numbers = self.folder / "numbers.json"
        result = self.run_headless("--seconds", "8", "--link", "steady",
                                   "--json", str(numbers))
        self.assertEqual(result.returncode, 0, result.stderr)
        values = json.loads(numbers.read_text())
        self.assertEqual(values["capacity_kbit_s"], 2000)
        # How well it does depends on the machine, that it does does not.
        for key in ("sent_kbit_s", "received_kbit_s", "utilisation",
                    "frames_per_second", "frames_decoded", "feedback_kbit_s"):
            self.assertGreater(values[key], 0, key)
        self.assertEqual((values["reaction"], values["recovery"]), ([], []))
        for key in ("queue_delay_ms_p95", "longest_freeze_ms"):
            self.assertIsNotNone(values[key], key)

    def test_a_broken_profile_is_told_with_its_line(self):
        profile = self.folder / "broken.link"
        profile.write_text("rate_kbit_s plenty\n")
        self.assert_one_line(self.run_headless("--link", str(profile)), 1,
                             "rate_kbit_s", "plenty")


if __name__ == "__main__":
    if sys.argv[1:2] == ["Browser"] and session.why_not():
        print(f"SKIP: {session.why_not()}")
        sys.exit(77)
    unittest.main()
