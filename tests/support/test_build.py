#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is compiled: by a demo only what it shows, and the rest by the tests that
follow in the same folder.  Here ninja tells what it would make and makes
nothing, so that the demo itself ends at once.  And which tests may run side by
side."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import unittest.mock

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = TOP / "tests" / "support" / "build.sh"
DEMOS = [TOP / "examples" / name for name in ("demo.sh", "multicast.sh")]
SHOWN = {"gst/elements/libgsttfrc.so", "tests/support/tfrc-relay"}
UNIT_TEST = "tests/unit/test-base-rate"

# Of the pipelines: makes itself a network, or is skipped; takes free ports.
WITHOUT = ["ladder_switch.py", "multicast_interfaces.py", "multicast_ipv6.py",
           "nat.py", "webrtc.py"]


class Build(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.put_tool("ninja", f'exec {shutil.which("ninja")} -n "$@"')

    def put_tool(self, name, text):
        """In front of the system's of that name."""
        tool = self.folder / name
        tool.write_text(f"#!/bin/sh\n{text}\n")
        tool.chmod(0o755)

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
            ("gst/", "tests/support/", "tests/virtual/"))], [])

    def test_of_a_demo_first_and_then_of_the_tests(self):
        said, made = self.run_script(DEMOS[0], "--headless")
        self.assertIn("configuring", said)
        self.assert_only_what_is_shown(said, made)
        said, made = self.run_script(BUILD)
        self.assertIn("anew, for the tests", said)
        self.assertIn(UNIT_TEST, made)
        for test in self.pipeline_tests():
            if test["is_parallel"]:
                self.assertRegex(" ".join(test["cmd"]),
                                 "own_network.py|" + "|".join(WITHOUT))
        said, made = self.run_script(DEMOS[1], "--headless")
        self.assertNotIn("configuring", said)
        self.assert_only_what_is_shown(said, made)
        said, made = self.run_script(BUILD)
        self.assertNotIn("configuring", said)
        self.assertIn(UNIT_TEST, made)

    def test_a_test_leaves_the_folder_it_is_run_from_as_it_is(self):
        tested = self.folder / "build"
        tested.mkdir()
        self.put_tool("meson", "echo meson >>made")
        self.put_tool("ninja", "echo ninja >>made")
        with unittest.mock.patch.dict(
                os.environ, TFRC_FOLDER_UNDER_TEST=str(tested)):
            for script, *arguments in (
                    [BUILD], *([demo, "--headless"] for demo in DEMOS)):
                said, _ = self.run_script(script, *arguments)
                self.assertIn("under test and stays as it is", said)
        self.assertEqual(os.listdir(tested), [])
        self.assertFalse((self.folder / "made").exists())

    def test_a_test_knows_the_folder_it_is_run_from(self):
        tested = pathlib.Path(os.environ["TFRC_FOLDER_UNDER_TEST"])
        self.assertTrue((tested / "build.ninja").exists())

    def pipeline_tests(self):
        told = subprocess.run(
            ["meson", "introspect", "--tests", str(self.folder / "build")],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
        return [test for test in json.loads(told.stdout)
                if any("pipeline" in suite for suite in test["suite"])]

    def test_pipelines_are_side_by_side_only_in_networks_of_their_own(self):
        self.put_tool("unshare", "echo unshare: no way >&2; exit 1")
        said, _ = self.run_script(BUILD)
        self.assertRegex(said, "One after another, .*: unshare: no way")
        for test in self.pipeline_tests():
            self.assertNotIn("own_network.py", " ".join(test["cmd"]))
            self.assertEqual(test["is_parallel"], any(
                word.endswith(name) for word in test["cmd"]
                for name in WITHOUT), test)


if __name__ == "__main__":
    unittest.main()
