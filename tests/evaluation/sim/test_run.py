#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command itself, with an engine that answers at once."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent


class Command(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = pathlib.Path(folder.name)
        self.log = self.build / "log"
        self.program = self.build / "tests/evaluation/sim/tfrc-sim"
        self.program.parent.mkdir(parents=True)
        shutil.copy(HERE / "fake_engine.py", self.program)
        self.program.chmod(0o755)

    def start(self, *arguments, shares="0.5 0.5", trouble=""):
        return subprocess.Popen(
            [sys.executable, str(HERE / "run.py"), *map(str, arguments)],
            env=dict(os.environ, TFRC_BUILD_DIR=str(self.build),
                     FAKE_LOG=str(self.log), FAKE_SHARES=shares,
                     FAKE_TROUBLE=trouble),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)

    def run_it(self, *arguments, **how):
        """(exit code, standard output, standard error)."""
        process = self.start(*arguments, **how)
        out, errors = process.communicate(timeout=200)
        return process.returncode, out, errors

    def seeds_run(self):
        return sorted(int(line.split()[1])
                      for line in self.log.read_text().split("\n") if line)

    def test_claims_in_range_exit_with_0(self):
        code, out, _ = self.run_it("--quick", "basic")
        self.assertEqual(code, 0)
        self.assertIn("2 of 2 claims within their alarm", out)

    def test_a_claim_out_of_range_exits_with_1(self):
        # TCP's 0.2 of the link is 0.4 of its share: below 0.5.
        code, out, _ = self.run_it("--quick", "basic", shares="0.8 0.2")
        self.assertEqual(code, 1)
        self.assertIn("1 of 2 claims within their alarm", out)
        # And so it was in two more looks.
        first, *others = self.seeds_run()
        self.assertEqual(others, [first + 100, first + 200])

    def test_what_holds_is_looked_at_once(self):
        self.run_it("--quick", "basic")
        self.assertEqual(len(self.seeds_run()), 1)

    def test_the_json_is_the_claims_and_nothing_else(self):
        path = self.build / "out.json"
        self.run_it("--quick", "basic", "--json", path, shares="0.6 0.4")
        (scenario,) = json.loads(path.read_text())
        self.assertEqual(set(scenario), {"scenario", "claims"})
        self.assertEqual(scenario["scenario"], "basic")
        share = scenario["claims"][1]
        self.assertEqual(set(share), {"claim", "paper", "measured", "low",
                                      "high", "ok", "note"})
        # 0.4 of the link is 0.8 of a half.
        self.assertAlmostEqual(share["measured"], 0.8)
        self.assertIs(share["ok"], True)

    def test_progress_tells_how_many_and_which(self):
        _, out, _ = self.run_it("basic", "--jobs", 1)
        self.assertRegex(out, r"\[1/32\] basic drop-tail/1: \d")
        self.assertRegex(out, r"\[32/32\] basic drop-tail/32: \d")

    def test_finished_runs_are_not_run_again(self):
        self.run_it("basic")
        code, out, _ = self.run_it("basic")
        self.assertEqual(code, 0)
        self.assertIn("32 runs, 0 of them to simulate", out)
        self.assertEqual(self.seeds_run(), [*range(1, 33)])

    def test_a_changed_engine_runs_again(self):
        self.run_it("--quick", "basic")
        with self.program.open("a") as program:
            program.write("# changed\n")
        self.run_it("--quick", "basic")
        self.assertEqual(self.seeds_run(), [1, 1])

    def test_seed_is_added_to_every_run(self):
        self.run_it("basic", "--seed", 100)
        self.assertEqual(self.seeds_run(), [*range(101, 133)])

    def test_a_run_that_fails_is_named_with_its_scenario(self):
        path = self.build / "out.json"
        code, out, _ = self.run_it("--quick", "basic", "--json", path,
                                   trouble="fail")
        self.assertEqual(code, 1)
        self.assertIn("basic drop-tail/1: failed: the link is made of cheese "
                      "(exit code 1)", out)
        claims = json.loads(path.read_text())[0]["claims"]
        self.assertEqual(claims[0]["claim"], "runs without a result")
        self.assertFalse(any(claim["ok"] for claim in claims))

    def test_what_failed_is_run_again(self):
        self.run_it("--quick", "basic", trouble="fail")
        code, _, _ = self.run_it("--quick", "basic")
        self.assertEqual(code, 0)

    def interrupted(self, signum):
        process = self.start("basic", "--jobs", 2, trouble="hang")
        while not self.log.exists() or len(self.seeds_run()) < 2:
            time.sleep(0.05)
        process.send_signal(signum)
        process.communicate(timeout=100)
        self.assertEqual(process.returncode, 130)
        for line in self.log.read_text().split("\n"):
            if line:
                self.assertFalse(pathlib.Path("/proc", line.split()[0])
                                 .exists(), "an engine is left")
        left = list((self.build / "sim-runs").glob("*/*"))
        self.assertEqual(left, [])

    def test_ctrl_c_ends_the_engines(self):
        self.interrupted(signal.SIGINT)

    def test_termination_ends_the_engines(self):
        self.interrupted(signal.SIGTERM)

    def test_a_scenario_can_be_left_out(self):
        code, out, _ = self.run_it("--list", "--except", "basic")
        self.assertEqual(code, 0)
        self.assertIn("floyd-fairness", out)
        self.assertNotIn("basic", out)

    def test_wrong_use_exits_with_2_and_one_sentence(self):
        for arguments, sentence in [
                (["nowhere"], "there is no scenario 'nowhere'"),
                (["--except", "x"], "there is no scenario 'x'"),
                (["basic", "--except", "basic"], "no scenario is left"),
                (["--report", "--except", "basic"], "--report is of all"),
                (["--record", "--seed", "1"], "are of long runs"),
                (["--jobs", "0"], "at least 1"),
                (["--seed", "x"], "'x' is no number from 0 on"),
                (["--confirm", "--seed", "1"], "are of long runs"),
                (["--quick", "--record"], "are of long runs"),
                (["--what"], "unrecognized arguments: --what")]:
            with self.subTest(arguments):
                code, _, errors = self.run_it(*arguments)
                self.assertEqual(code, 2)
                self.assertIn(sentence, errors)
                self.assertEqual(errors.count("\n"), 1)

    def test_without_an_engine_it_says_so(self):
        self.program.unlink()
        code, _, errors = self.run_it("basic")
        self.assertEqual(code, 77)
        self.assertIn("ns-3", errors)

    def test_list_names_every_scenario_and_its_cost(self):
        code, out, _ = self.run_it("--list")
        self.assertEqual(code, 0)
        self.assertRegex(out, r"basic +\d+ +\d+  1 TFRC and 1 TCP")
        self.assertFalse(self.log.exists())


if __name__ == "__main__":
    unittest.main()
