#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""examples/monitor.py and the tracer behind it, with programs that know nothing
of them."""

import csv
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
MONITOR = [sys.executable, str(TOP / "examples" / "monitor.py")]
PORT = 5764
SOURCE = "audiotestsrc is-live=true ! mulawenc ! rtppcmupay ! "
SENDER = SOURCE + f"tfrcsink host=127.0.0.1 port={PORT}"
RECEIVER = f"tfrcsrc port={PORT} encoding-name=PCMU ! fakesink"
LIMIT_S = 60


def launch(*pipelines):
    return ["gst-launch-1.0", "-q", *" ".join(pipelines).split()]


def run(arguments, **more):
    return subprocess.run(arguments, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.PIPE, timeout=LIMIT_S, **more)


class Monitor(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def rows(self, command, *options):
        table = self.folder / "flows.csv"
        done = run([*MONITOR, "--interval", "200", "--seconds", "6",
                    "--csv", str(table), *options, "--", *command])
        self.assertEqual(done.returncode, 0, done.stderr)
        with table.open(encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_both_ends_of_a_flow_are_shown_and_nothing_of_their_inside(self):
        rows = self.rows(launch(SENDER, RECEIVER))
        self.assertEqual(
            {row["element"].rsplit(":")[-1] for row in rows},
            {"tfrcsink0", "tfrcsrc0"})
        sent = [float(row["carried [kbit/s]"]) for row in rows
                if "tfrcsink" in row["element"] and row["carried [kbit/s]"]]
        # 64 kbit/s of mu-law; 20 bytes of header and extension to 160.
        self.assertTrue(60 < max(sent) < 200, sent)

    def test_an_element_by_itself_is_shown(self):
        rows = self.rows(launch(SOURCE, "rtptfrcsend ! fakesink"))
        self.assertEqual({row["element"].rsplit(":")[-1] for row in rows},
                         {"rtptfrcsend0"})

    def test_a_program_that_nobody_watches_runs_on(self):
        tracer = f"tfrc(interval=50,socket={self.folder}/nobody)"
        done = run(launch(SOURCE.replace("true", "true num-buffers=50"),
                          f"tfrcsink host=127.0.0.1 port={PORT}"),
                   env=dict(os.environ, GST_TRACERS=tracer))
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_sentence_says_what_is_wrong(self):
        taken = self.folder / "taken"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
            other.bind(str(taken))
            for arguments, said in (
                    ([], "say what to run"),
                    (["--", "no-such-program"], "no program 'no-such-program'"),
                    (["--interval", "1", "--", "true"], "at least 10 ms"),
                    (["--socket", str(taken)], "is there already"),
                    (["--socket", "/" + "x" * 200], "too long"),
                    (["--csv", "/nowhere/x", "--", "true"],
                     "/nowhere/x: No such file"),
                    (["--", "sleep", "1"], "no sample came")):
                done = run(MONITOR + arguments)
                self.assertNotEqual(done.returncode, 0, arguments)
                self.assertRegex(done.stderr, rf"^monitor.py: .*{said}.*\n$")

    def test_a_full_disk_is_told_once_and_the_program_runs_on(self):
        done = run([*MONITOR, "--interval", "100", "--csv", "/dev/full", "--",
                    *launch(SOURCE.replace("true", "true num-buffers=50"),
                            f"tfrcsink host=127.0.0.1 port={PORT}")])
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "monitor.py: /dev/full: No space left "
                         "on device; it ends here\n")
        self.assertIn("tfrcsink0", done.stdout)

    def test_parameters_that_cannot_be_read_are_told(self):
        for params in "interval", "interval=soon", "period=100":
            done = run(launch("fakesrc num-buffers=1 ! fakesink"),
                       env=dict(os.environ, GST_TRACERS=f"tfrc({params})"))
            self.assertIn(f"cannot read 'tfrc({params})'", done.stderr)


if __name__ == "__main__":
    unittest.main()
