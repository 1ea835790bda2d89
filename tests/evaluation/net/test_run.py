#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What becomes of runs that failed, or that the machine disturbed; and the
command line.  Nothing is run."""

import contextlib
import io
import pathlib
import sys
import tempfile
import types
import unittest

sys.dont_write_bytecode = True
import run  # noqa: E402
import network  # noqa: E402
import stage  # noqa: E402
from claims import Claim, Scale, Scenario  # noqa: E402


class FakeStage:
    starved = False

    def __init__(self, value=1, lateness=1, failure=None):
        self.value = value
        self.late = lateness
        self.failure = failure
        self.links = None if lateness is None else object()

    def lateness_ms(self):
        return self.late

    def is_calm(self):
        return self.links is not None and self.late <= 50


SCENARIO = Scenario(
    "fake", source="present day", what="",
    runs=lambda scale: {(1,): None, (2,): None},
    claims=[Claim("value", "", lambda results: results.each(
        lambda here: here.value), low=1, high=3)])


def judge(*stages):
    tries = {(number,): [one] for number, one in enumerate(stages)}
    return run.judge(SCENARIO, Scale.QUICK, tries)


class Judging(unittest.TestCase):

    def test_claims_are_judged_by_the_mean_of_the_runs(self):
        outcomes, reason = judge(FakeStage(2), FakeStage(3))
        self.assertIsNone(reason)
        self.assertEqual([one.measured for one in outcomes], [0, 2.5])
        self.assertTrue(all(one.ok for one in outcomes))

    def test_a_failure_is_a_missed_claim_that_says_why(self):
        outcomes, _ = judge(FakeStage(2), FakeStage(3, failure="sender: x"))
        self.assertFalse(outcomes[0].ok)
        self.assertIn("sender: x", outcomes[0].json()["note"])

    def test_a_disturbed_run_says_nothing(self):
        outcomes, reason = judge(FakeStage(2), FakeStage(9, lateness=51))
        self.assertEqual(outcomes, [])
        self.assertIn("by up to 51 ms", reason)

    def test_a_run_without_links_failed(self):
        outcomes, reason = judge(
            FakeStage(2), FakeStage(2, lateness=None, failure="linkemu: y"))
        self.assertIsNone(reason)
        self.assertFalse(outcomes[0].ok)


class Performing(unittest.TestCase):

    def test_a_name_with_a_slash_is_one_of_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            run.perform(SCENARIO, ("5 Mbit/s", 1), lambda here: None, folder)
            self.assertTrue((folder / "fake-5 Mbit_s-1-try1").is_dir())

    def test_a_network_that_cannot_be_made_is_told(self):
        def act(_):
            raise stage.NamespaceError("no room")

        with tempfile.TemporaryDirectory() as folder:
            here = stage.Stage(pathlib.Path(folder, "runs", "one"), seed=1)
            here.perform(act)
            self.assertEqual(here.failure, "no room")
            self.assertIn("no room", (here.folder / "marks.json").read_text())


class Tries(unittest.TestCase):

    def tries(self, *lateness):
        made = iter(FakeStage(lateness=one) for one in lateness)
        seeds = []

        def new_stage(_folder, seed):
            seeds.append(seed)
            one = next(made)
            one.perform = lambda act: None
            return one
        before, stage.Stage = stage.Stage, new_stage
        try:
            run.perform(SCENARIO, (7,), None, pathlib.Path())
        finally:
            stage.Stage = before
        return seeds

    def test_a_calm_run_is_the_only_one(self):
        self.assertEqual(self.tries(50), [7])

    def test_a_disturbed_run_is_made_again_with_another_seed(self):
        self.assertEqual(self.tries(80, 5), [7, 1007])

    def test_a_machine_without_rest_is_given_up(self):
        self.assertEqual(self.tries(80, 80, 80, 5), [7, 1007, 2007])


class CommandLine(unittest.TestCase):

    def failing(self, *arguments):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors), \
                self.assertRaises(SystemExit) as stopped:
            run.main(arguments)
        self.assertEqual(stopped.exception.code, 2)
        return errors.getvalue()

    def test_wrong_use_is_one_line(self):
        self.assertEqual(
            self.failing("nonsense"),
            "run.sh: there is no scenario 'nonsense' (see --list) "
            "(see --help)\n")
        self.assertIn("at least 1", self.failing("--jobs", "0"))

    def test_a_pattern_names_all_that_match_once(self):
        def names(*arguments):
            return [one.name for one in run.parse(arguments).scenarios]
        matching = names("delay-*")
        self.assertIn("delay-alone", matching)
        self.assertTrue(all(name.startswith("delay-") for name in matching))
        self.assertEqual(names("delay-alone", "delay-*"),
                         ["delay-alone"] + [name for name in matching
                                            if name != "delay-alone"])
        self.assertEqual(names("delay-*", "--except", "delay-[!a]*"),
                         ["delay-alone"])
        self.assertIn("no scenario 'nonsense-*'",
                      self.failing("delay-*", "nonsense-*"))

    def test_full_is_the_soak_and_nothing_else(self):
        self.assertEqual([one.name for one in run.parse(["--full"]).scenarios],
                         ["soak"])
        self.assertIn("only 'soak' has that scale",
                      self.failing("--full", "alone"))

    def test_the_list_names_every_scenario_once(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(run.main(["--list"]), 0)
        names = [line.split()[0] for line in out.getvalue().splitlines()]
        self.assertIn("alone", names)
        self.assertEqual(len(names), len(set(names)))


    def test_a_scenario_can_be_left_out(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(
                run.main(["--list", "--except", "alone", "--except", "soak"]), 0)
        names = {line.split()[0] for line in out.getvalue().splitlines()}
        self.assertTrue(names)
        self.assertFalse(names & {"alone", "soak"})
        self.assertIn("no scenario 'x'", self.failing("--except", "x"))
        self.assertIn("no scenario is left",
                      self.failing("alone", "--except", "alone"))


class GlassToGlass(unittest.TestCase):

    def test_only_frames_with_a_code_in_the_counted_time_count(self):
        """The stream begins at 100 s; its codes wrap after 65.536 s."""
        def endpoint(**events):
            return types.SimpleNamespace(of=lambda kind: events[kind])
        shown = [{"at": at_ms * 1000000, "time_code": code} for at_ms, code in (
            (104999, 0), (105000, 4900), (105100, None), (165600, 4),
            (170000, 0))]
        here = types.SimpleNamespace(
            endpoints={
                "sender-0": endpoint(playing=[{"base_ns": 100 * 10**9}]),
                "receiver-0": endpoint(shown=shown)},
            between=lambda first, last: (105, 170))
        run.claims.load_scenarios(run.HERE / "cases")
        glass_to_glass_ms = sys.modules["cases._delay"].glass_to_glass_ms
        self.assertEqual([glass_to_glass_ms(per_cent)(here)
                          for per_cent in (0, 100)], [60, 100])


class Complaints(unittest.TestCase):

    def test_only_a_greedy_source_may_be_too_fast(self):
        run.claims.load_scenarios(run.HERE / "cases")
        faults = sys.modules["cases.faults"]
        for source, count in (("greedy", 0), ("scene", 1)):
            endpoint = types.SimpleNamespace(
                source=source, child=types.SimpleNamespace(errors=[]),
                of=lambda kind: [{"text": f"Packets. {faults.GREEDY}."}])
            here = types.SimpleNamespace(marks={}, endpoints={"": endpoint})
            self.assertEqual(faults.complaints(here), count)


class FakeLinks:
    def __init__(self, lateness):
        self.lateness = lateness

    def lateness_ms(self):
        return self.lateness


class Calm(unittest.TestCase):
    """200 instants: one late one is half a percent of them."""

    def calm(self, *late, takes_stalls=False):
        here = stage.Stage.__new__(stage.Stage)
        here.takes_stalls = takes_stalls
        here.links = FakeLinks([1] * (200 - len(late)) + list(late))
        return here.is_calm()

    def test_a_rare_delay_is_what_any_network_has(self):
        self.assertTrue(self.calm())
        self.assertTrue(self.calm(*[50] * 30))
        self.assertTrue(self.calm(150))

    def test_stalls_disturb(self):
        self.assertFalse(self.calm(51, 51))
        self.assertFalse(self.calm(151))
        self.assertTrue(self.calm(151, takes_stalls=True))

    def test_a_starved_encoder_disturbs(self):
        here = stage.Stage.__new__(stage.Stage)
        here.links = FakeLinks([1])
        self.assertTrue(here.is_calm())
        here.starved = True
        self.assertFalse(here.is_calm())

    def test_without_links_there_is_nothing_to_see(self):
        here = stage.Stage.__new__(stage.Stage)
        here.links = None
        self.assertFalse(here.is_calm())


class Log(unittest.TestCase):

    def test_columns_are_found_by_port_and_direction(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write("# origin_ns=5000000000\n"
                       "time_s,port,direction,bytes,lateness_ms\n"
                       "0.0,a,to,0,0.1\n0.0,a,from,7,0.1\n"
                       "0.1,a,to,10,60\n0.1,a,from,9,60\n"
                       "0.2,a,to,20,0.3\n0.2,a,from,9,0.3\n")
            file.flush()
            log = network.LinkLog(file.name)
        self.assertEqual(log.origin_ns, 5_000_000_000)
        self.assertEqual(log.times(), [0, 0.1, 0.2])
        self.assertEqual(log.column("a", "to", "bytes"), [0, 10, 20])
        self.assertEqual(log.lateness_ms(), [0.1, 60, 0.3])
        here = stage.Stage.__new__(stage.Stage)
        here.links = log
        # 10 bytes in 0.1 s are 0.8 kbit/s.
        self.assertAlmostEqual(here.link_kbit_s("a", "to", 5.05, 5.15), 0.8)


if __name__ == "__main__":
    unittest.main()
