#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each test is in one run of meson test.  What fails in real time has a second
try, alone, and the output says so."""

import collections
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import run_suites
from waiting import is_running, wait_until

RUN_SUITES = pathlib.Path(__file__).resolve().parent / "run_suites.py"
LIMIT_S = 120

# Fails until it has run as often as its second argument says.
PROGRAM = """
import pathlib, sys
runs = pathlib.Path(sys.argv[1])
n = len(runs.read_text()) if runs.exists() else 0
runs.write_text("x" * (n + 1))
sys.exit(n < int(sys.argv[2]))
"""

# Says who it is, and stays.
ENDLESS = """
import os, pathlib, sys, time
pathlib.Path(sys.argv[1]).write_text(str(os.getpid()))
time.sleep(600)
"""


class Runs(unittest.TestCase):
    BUILD = os.environ.get("TFRC_BUILD_DIR", "build")

    def ask_meson(self, *command):
        return subprocess.run(["meson", *command], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, check=True,
                              text=True).stdout

    def names(self, run):
        listed = self.ask_meson("test", "-C", self.BUILD, "--no-rebuild", "--list",
                                "--logbase", "listed", *run.suites)
        return [line.rpartition(" / ")[2] for line in listed.splitlines()
                if " / " in line]

    def test_each_test_is_in_one_of_them(self):
        known = {test["name"] for test in json.loads(
            self.ask_meson("introspect", "--tests", self.BUILD))}
        self.assertGreater(len(known), 200)
        times = collections.Counter(
            name for run in run_suites.BESIDE + run_suites.IN_TURN
            for name in self.names(run))
        self.assertEqual(times, collections.Counter(known))


class SecondTry(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def make_build(self, program, *tests):
        """With tests of (suite, name, argument of the program)."""
        (self.folder / "program.py").write_text(program)
        lines = ["project('p')", "python = find_program('python3')"]
        for suite, name, argument in tests:
            lines.append(
                f"test('{name}', python, suite : '{suite}', args : [files("
                f"'program.py'), '{self.folder}/{name}.runs', '{argument}'], "
                "timeout : 600)")
        (self.folder / "meson.build").write_text("\n".join(lines) + "\n")
        build = self.folder / "build"
        subprocess.run(["meson", "setup", build, self.folder], check=True,
                       stdout=subprocess.DEVNULL)
        return build

    def run_tests(self, *tests):
        """Of (suite, name, how often it fails): the exit code and output."""
        ended = subprocess.run(
            [sys.executable, RUN_SUITES, self.make_build(PROGRAM, *tests)], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, text=True)
        return ended.returncode, ended.stdout

    def runs(self, name):
        return len((self.folder / f"{name}.runs").read_text())

    def test_what_passes_alone_has_passed_and_is_named(self):
        code, output = self.run_tests(("live", "late", 1), ("unit", "good", 0))
        self.assertEqual(code, 0)
        self.assertIn("FAIL beside others, OK alone: p:live / late\n", output)
        self.assertTrue(output.endswith("2 passed, 0 failed, 0 skipped\n"))

    def test_what_fails_alone_too_has_failed(self):
        code, output = self.run_tests(("live", "bad", 2), ("unit", "good", 0))
        self.assertEqual(code, 1)
        self.assertIn("FAIL beside others, FAIL alone: p:live / bad\n", output)
        self.assertTrue(output.endswith("1 passed, 1 failed, 0 skipped\n"))

    def test_virtual_time_has_one_try(self):
        code, output = self.run_tests(("unit", "bad", 1))
        self.assertEqual(code, 1)
        self.assertEqual(self.runs("bad"), 1)
        self.assertTrue(output.endswith("0 passed, 1 failed, 0 skipped\n"))

    def test_many_failures_are_not_the_machine(self):
        n_bad = run_suites.MOST_AGAIN + 1
        code, output = self.run_tests(
            ("unit", "good", 0), *(("live", f"bad{i}", 1) for i in range(n_bad)))
        self.assertEqual(code, 1)
        self.assertEqual(self.runs("bad0"), 1)
        self.assertTrue(output.endswith(
            f"1 passed, {n_bad} failed, 0 skipped\n"))

    def test_nothing_goes_on_when_it_is_ended(self):
        self.end_it(signal.SIGTERM)

    def test_nothing_goes_on_when_its_terminal_is_closed(self):
        # What nohup ignores is inherited.
        before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
        self.addCleanup(signal.signal, signal.SIGHUP, before)
        self.end_it(signal.SIGHUP)

    def end_it(self, number):
        tests = [(suite, suite, "") for suite in ("unit", "net", "pipeline")]
        process = subprocess.Popen(
            [sys.executable, RUN_SUITES, self.make_build(ENDLESS, *tests)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        files = [self.folder / f"{suite}.runs" for suite, _, _ in tests]
        self.assertTrue(wait_until(lambda: all(
            file.exists() and file.read_text() for file in files), LIMIT_S))
        process.send_signal(number)
        self.assertEqual(process.wait(), 128 + number)
        for file in files:
            self.assertFalse(is_running(int(file.read_text())))


if __name__ == "__main__":
    unittest.main()
