#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is compiled: by a demo only what it shows, and the rest by the tests that
follow in the same folder.  Here ninja tells what it would make and makes
nothing, so that the demo itself ends at once."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = TOP / "tests" / "support" / "build.sh"
DEMOS = [TOP / "examples" / name for name in ("demo.sh", "multicast.sh")]
SHOWN = {"gst/elements/libgsttfrc.so", "tests/support/tfrc-relay"}
UNIT_TEST = "tests/unit/test-tfrc-rate"


class Build(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        ninja = self.folder / "ninja"
        ninja.write_text(f'#!/bin/sh\nexec {shutil.which("ninja")} -n "$@"\n')
        ninja.chmod(0o755)

    def run_script(self, script, *arguments):
        """What it says, and the files that ninja would make."""
        said = subprocess.run(
            [str(script), *arguments], stdin=subprocess.DEVNULL,
            cwd=self.folder, env={
                **os.environ, "BUILD_DIR": str(self.folder / "build"),
                "TFRC_BUILD_DIR": str(self.folder / "build"),
                "PATH": f"{self.folder}:{os.environ['PATH']}"},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
        return said, set(re.findall(
            r"^\[.* (?:object|target) (\S+)$", said, re.M))

    def assert_only_what_is_shown(self, said, made):
        self.assertLessEqual(SHOWN, made, said)
        self.assertEqual([name for name in made if not name.startswith(
            ("gst/", "tests/support/"))], [])

    def test_of_a_demo_first_and_then_of_the_tests(self):
        said, made = self.run_script(DEMOS[0], "--headless")
        self.assertIn("configuring", said)
        self.assert_only_what_is_shown(said, made)
        said, made = self.run_script(BUILD)
        self.assertIn("anew, for the tests", said)
        self.assertIn(UNIT_TEST, made)
        said, made = self.run_script(DEMOS[1], "--headless")
        self.assertNotIn("configuring", said)
        self.assert_only_what_is_shown(said, made)
        said, made = self.run_script(BUILD)
        self.assertNotIn("configuring", said)
        self.assertIn(UNIT_TEST, made)


if __name__ == "__main__":
    unittest.main()
