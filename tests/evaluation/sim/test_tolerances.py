#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""By what a claim is judged: the rows of tolerances.toml, and the verdicts
that follow from them."""

import importlib
import math
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "support"))

import claims  # noqa: E402
import records  # noqa: E402
import tolerance_history  # noqa: E402
import tolerances  # noqa: E402
from claims import AtLeast, Claim, Scenario  # noqa: E402


def row(**keys):
    return tolerances.read_row(keys)


class Rows(unittest.TestCase):

    def test_a_number_of_the_text_is_taken_to_a_tenth(self):
        one = row(number=20, read="text")
        self.assertEqual(one.accept, (18, 22))
        self.assertTrue(one.accepts(22))
        self.assertFalse(one.accepts(22.01))

    def test_a_number_of_a_plot_is_taken_to_a_quarter(self):
        self.assertEqual(row(number=-8, read="words").accept, (-10, -6))

    def test_a_number_without_where_it_was_read_is_refused(self):
        with self.assertRaisesRegex(ValueError, "read"):
            row(number=1)

    def test_an_order_is_strict_and_a_bound_is_not(self):
        self.assertFalse(row(below=1).accepts(1))
        self.assertTrue(row(at_most=1).accepts(1))
        self.assertEqual(row(below=1).text, "below 1")
        self.assertEqual(row(at_least=0.6, at_most=0.8).text,
                         "at least 0.6, at most 0.8")

    def test_a_wider_row_needs_its_reason_and_the_date(self):
        wide = {"number": 10, "read": "text", "accept": [8, 11]}
        with self.assertRaisesRegex(ValueError, "wider"):
            row(**wide)
        with self.assertRaisesRegex(ValueError, "wider"):
            row(**wide, why="a log axis")
        row(**wide, why="a log axis", since="2026-11-22")
        with self.assertRaisesRegex(ValueError, "wider"):
            row(above=0, accept=[-0.1, 1])
        row(number=10, read="text", accept=[9.5, 10.5])

    def test_no_claim_of_a_paper_is_without_its_number_or_order(self):
        with self.assertRaisesRegex(ValueError, "no number"):
            row(accept=[0, 1])
        self.assertEqual(row(goal="ours", accept=[0, 1]).kind, "goal")

    def test_a_row_has_one_kind_and_known_keys(self):
        with self.assertRaisesRegex(ValueError, "kind"):
            row(rig="TCP", goal="ours", at_most=1)
        with self.assertRaisesRegex(ValueError, "unknown: low"):
            row(low=1)

    def test_the_alarm_is_the_accepted_range_unless_it_is_given(self):
        self.assertEqual(row(at_most=2).alarm, (-math.inf, 2))
        self.assertEqual(row(at_most=2, alarm=[1, 3]).alarm, (1, 3))

    def test_a_scenario_like_another_one_counts_for_no_paper(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "rows.toml")
            file.write_text(
                '[delay-a]\nlike = "a"\n"new" = { published = true }\n'
                '"one" = { supposed = "the moon" }\n'
                '[a]\nfew_seeds = "dull"\n"one" = { below = 1 }\n'
                '"two" = { rig = "TCP", at_most = 1 }\n')
            rows = tolerances.load(file)
            self.assertEqual(tolerances.few_seeds(file), {"a": "dull"})
            self.assertEqual(tolerances.like(file), {"delay-a": "a"})
        self.assertEqual({claim: one.kind for claim, one
                          in rows["delay-a"].items()},
                         {"one": "goal", "two": "rig", "new": "published"})
        self.assertEqual(rows["a"]["one"].kind, "paper")
        self.assertEqual((rows["delay-a"]["one"].supposed,
                          rows["a"]["one"].supposed), ("the moon", ""))


class Verdicts(unittest.TestCase):

    def verdict(self, answer, **keys):
        """Of a claim whose alarm is 0 to 100."""
        claim = Claim("c", "", lambda results: answer)
        scenario = claims.with_tolerances(
            Scenario("s", claims.FLOYD, "", dict, [claim]),
            {"c": row(alarm=[0, 100], **keys)})
        return claims.judge(scenario, scenario.claims[0], claims.Results())

    def test_an_interval_decides(self):
        paper = {"number": 20, "read": "text"}      # 18 to 22
        for answer, said in (([19.5, 20, 20.5], "reproduced"),
                             ([15, 20, 25], "undecided"),
                             ([25, 26, 27], "not reproduced"),
                             ([25, 40, 55], "undecided")):
            self.assertEqual(self.verdict(answer, **paper).verdict, said, answer)
        self.assertEqual(self.verdict([0.8, 0.9, 0.97], below=1).verdict,
                         "undecided")
        self.assertEqual(self.verdict([0.8, 0.81, 0.82], below=1).verdict,
                         "reproduced")

    def test_times_that_were_not_over_decide_upwards_only(self):
        values = [claims.AtLeast(one) for one in (9, 10, 11)]
        self.assertEqual(self.verdict(values, at_most=5).verdict, "not reproduced")
        self.assertEqual(self.verdict(values, at_most=50).verdict, "undecided")
        self.assertEqual(self.verdict(values, at_least=5).verdict, "reproduced")

    def test_one_number_of_several_seeds_reproduces_nothing(self):
        several, one_seed = (("a", 1), ("a", 2)), (("a", 1), ("b", 1))
        for answer, keys, said in ((0.5, several, "undecided"),
                                   (1.5, several, "not reproduced"),
                                   (0.5, one_seed, "reproduced")):
            claim = Claim("c", "", lambda results, answer=answer: answer)
            scenario = claims.with_tolerances(Scenario(
                "s", claims.FLOYD, "", dict, [claim]), {"c": row(below=1)})
            self.assertEqual(claims.judge(
                scenario, scenario.claims[0],
                claims.Results({key: None for key in keys})).verdict, said)

    def test_what_a_claim_is(self):
        for keys, basis in (
                ({"number": 1, "read": "text"}, tolerances.TEXT),
                ({"number": 1, "read": "words"}, tolerances.WORDS),
                ({"range": [1, 2], "read": "text"}, tolerances.WORDS),
                ({"below": 1}, tolerances.ORDER)):
            self.assertEqual(row(**keys).basis, basis)
        self.assertEqual(row(goal="ours", at_most=1).basis, "")

    def test_a_number_of_the_paper(self):
        near, far = 19, 30
        paper = {"number": 20, "read": "text"}
        self.assertEqual(self.verdict(near, **paper).verdict, "reproduced")
        self.assertEqual(self.verdict(far, **paper).verdict,
                         "not reproduced")
        self.assertEqual(self.verdict(None, **paper).verdict,
                         "not reproduced")
        self.assertEqual(self.verdict(
            far, **paper, supposed="the moon").verdict, "not reproduced")
        self.assertEqual(self.verdict(
            far, **paper, differs_by="a: b").verdict, "differs")
        self.assertEqual(self.verdict(
            near, **paper, differs_by="a: b").verdict, "reproduced")
        self.assertEqual(self.verdict(
            near, **paper, not_comparable="apples").verdict,
            "not comparable")

    def test_what_no_paper_says(self):
        self.assertEqual(self.verdict(3, rig="TCP", at_most=2).verdict,
                         "missed")
        self.assertEqual(self.verdict(1, goal="ours", at_most=2).verdict,
                         "met")
        self.assertEqual(self.verdict(1, published=True).verdict,
                         "published")

    def test_the_alarm_decides_no_verdict(self):
        one = self.verdict(30, number=20, read="text")
        self.assertEqual((one.verdict, one.ok), ("not reproduced", True))
        one = self.verdict(101, above=0)
        self.assertEqual((one.verdict, one.ok), ("reproduced", False))

    def test_what_was_not_over_is_told_as_that(self):
        one = self.verdict([AtLeast(60), 20], below=50)
        self.assertEqual(one.measured_text, "at least 40 (20 to at least 60)")
        self.assertEqual(records.told(one), {
            "measured": 40, "least": 20, "most": 60, "at_least": True,
            "values": [60, 20]})


class History(unittest.TestCase):

    def widened(self, *texts):
        return tolerance_history.was_widened(
            [("2026-11-21", "0123abcd", text) for text in texts])

    def test_a_range_that_was_once_wider_is_told(self):
        self.assertTrue(self.widened("0 to 1", "0 to 1.5", "0 to 1"))
        self.assertTrue(self.widened("any", "0 to 1", "0 to 1 (explained)"))
        self.assertTrue(self.widened("- to 0.8", "- to 1 (strict)"))

    def test_a_rounding_an_order_and_a_narrower_one_are_not(self):
        self.assertFalse(self.widened("0.333333 to 3", "0.3333 to 3 (goal)"))
        self.assertFalse(self.widened("0 to 1", "- to 1 (strict)"))
        self.assertFalse(self.widened("0 to 1", "0.5 to 1", "any"))

    def test_a_row_is_told_by_its_range_and_kind(self):
        self.assertEqual(tolerance_history.judged_by(row(below=1)),
                         "- to 1 (strict)")
        self.assertEqual(tolerance_history.judged_by(row(
            rig="TCP", number=20, read="text")), "18 to 22 (rig)")
        self.assertEqual(tolerance_history.judged_by(row(published=True)),
                         "any")


class File(unittest.TestCase):

    def setUp(self):
        self.rows = tolerances.load()
        self.known = claims.load_scenarios()

    def test_every_claim_stands_there_once_and_no_other(self):
        for name, scenario in self.known.items():
            listed = [claim.claim for claim in scenario.claims]
            with self.subTest(name):
                self.assertEqual(len(listed), len(set(listed)))
                self.assertEqual(set(listed), self.rows[name].keys())
        self.assertEqual(self.known.keys(), self.rows.keys())

    def test_no_scenario_has_a_range_of_its_own(self):
        for path in sorted(claims.SCENARIOS.glob("[!_]*.py")):
            module = importlib.import_module(f"scenarios.{path.stem}")
            for scenario in getattr(module, "SCENARIOS", []):
                for one in scenario.claims:
                    with self.subTest(scenario.name, claim=one.claim):
                        self.assertEqual(
                            (one.low, one.high, one.explained,
                             one.tolerance), (None, None, "", None))

    def test_every_row_says_where_the_paper_has_it(self):
        for name, rows in self.rows.items():
            for claim, one in rows.items():
                with self.subTest(name, claim=claim):
                    if one.kind in ("paper", "rig"):
                        self.assertTrue(one.where)

    def test_every_judged_row_can_fail_a_run(self):
        recorded = records.load()
        for name, rows in self.rows.items():
            for claim, one in rows.items():
                with self.subTest(name, claim=claim):
                    if one.kind != "published" and name in recorded \
                            and claim in recorded[name].claims:
                        self.assertTrue(any(map(math.isfinite, one.alarm)))

    def test_what_was_recorded_is_within_its_alarm(self):
        """But for what the page names as a missed goal."""
        for name, record in records.load().items():
            for claim in self.known[name].claims:
                one = record.outcome(self.known[name], claim)
                if one is None or claim.tolerance.kind != "paper":
                    continue
                with self.subTest(name, claim=claim.claim):
                    low, high = claim.tolerance.alarm
                    self.assertLessEqual(low, one.measured)
                    self.assertLessEqual(one.measured, high)

    def test_every_claim_that_counts_has_seeds_enough_or_a_reason(self):
        for name, scenario in self.known.items():
            counts = any(claim.tolerance.kind == "paper" for claim
                         in scenario.judged_at(claims.Scale.STANDARD))
            seeds = scenario.least_seeds(claims.Scale.STANDARD)
            if counts and seeds is not None:
                with self.subTest(name):
                    self.assertEqual(seeds < claims.FEWEST_SEEDS,
                                     bool(scenario.few_seeds))

    def test_an_experiment_that_shows_a_cause_exists(self):
        for name, rows in self.rows.items():
            for claim, one in rows.items():
                if one.differs_by:
                    other, _, by = one.differs_by.partition(": ")
                    with self.subTest(name, claim=claim):
                        self.assertIn(by, self.rows[other])
                        self.assertNotEqual((other, by), (name, claim))


if __name__ == "__main__":
    unittest.main()
