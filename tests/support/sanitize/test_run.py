#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The option --sanitize and the command line of what it starts; nothing is
built."""

import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
RUN_SH = HERE.parents[1] / "run.sh"

sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))
import run  # noqa: E402


def call(program, *arguments):
    return subprocess.run([str(program), *arguments], text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)


class CommandLine(unittest.TestCase):

    def test_the_help_tells_of_the_option(self):
        answer = call(RUN_SH, "--help")
        self.assertEqual(answer.returncode, 0)
        self.assertIn("--sanitize", answer.stdout)

    def test_the_option_stands_alone(self):
        for wrong in (["--sanitize", "--quick"], ["--list", "--sanitize"],
                      ["--sanitize", "--sanitize"], ["--sanitize=thread"],
                      ["--sanitize", "thread"]):
            answer = call(RUN_SH, *wrong)
            self.assertEqual(answer.returncode, 2, wrong)
            self.assertIn("(see --help)", answer.stderr)
            self.assertEqual(answer.stdout, "")

    def test_a_tool_that_is_none_is_refused(self):
        answer = call(HERE / "run.py", "thread", "memory")
        self.assertEqual(answer.returncode, 2)
        self.assertIn("there is no tool 'memory' (see --help)",
                      answer.stderr)

    def test_the_help_names_the_tools(self):
        answer = call(HERE / "run.py", "--help")
        self.assertEqual(answer.returncode, 0)
        for tool in ("address", "thread", "valgrind", "fuzz", "doors"):
            self.assertIn(tool, answer.stdout)


class Files(unittest.TestCase):

    def test_each_suppression_has_its_reason_above(self):
        for name in ("leaks.supp", "races.supp", "valgrind.supp"):
            paragraphs = (HERE / name).read_text().strip().split("\n\n")
            for paragraph in paragraphs:
                self.assertTrue(paragraph.startswith("# "),
                                f"{name}: {paragraph}")

    def test_a_program_is_told_from_a_script(self):
        self.assertTrue(run.is_program(["/build/test-base-rate"]))
        self.assertFalse(run.is_program(["/usr/bin/python3", "test_run.py"]))


if __name__ == "__main__":
    unittest.main()
