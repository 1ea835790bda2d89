#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What counts when a short run missed and two more were made."""

import sys
import unittest

sys.dont_write_bytecode = True

import claims  # noqa: E402
import second_look  # noqa: E402
from claims import Claim, Scale, Scenario  # noqa: E402


def scenario(*bounds):
    return Scenario(
        "fake", source="present day", what="",
        runs=lambda scale: {("a", 1): "act", ("b", 2): "other"},
        claims=[Claim(f"claim {i}", "", lambda results: None, low=low,
                      high=high) for i, (low, high) in enumerate(bounds)])


def looks(low, high, *values):
    """The outcome of a claim that was measured so in each look."""
    one = scenario((low, high))
    outcomes = [[claims.judge(one, Claim(
        "claim", "", lambda results: value, low=low, high=high), {})]
        for value in values]
    return second_look.combine(outcomes)[0]


class SecondLook(unittest.TestCase):

    def test_the_median_counts(self):
        held = looks(0.9, None, 0.8, 0.95, 0.93)
        self.assertTrue(held.ok)
        self.assertEqual(held.measured, 0.93)
        missed = looks(0.9, None, 0.8, 0.95, 0.85)
        self.assertFalse(missed.ok)
        self.assertEqual(missed.measured, 0.85)
        self.assertIn("median of 0.8, 0.95, 0.85", missed.json()["note"])

    def test_what_is_out_on_either_side_is_out(self):
        self.assertFalse(looks(1, 2, 0.5, 1.5, 2.5).ok)
        self.assertTrue(looks(1, 2, 0.5, 1.5, 1.2).ok)

    def test_what_must_never_happen_is_not_forgiven(self):
        self.assertFalse(looks(None, 0, 0, 0, 1).ok)
        self.assertTrue(looks(None, 0, 0, 0, 0).ok)

    def test_no_answer_is_the_worst_one(self):
        self.assertTrue(looks(1, None, None, 2, 2).ok)
        self.assertFalse(looks(1, None, None, None, 2).ok)

    def test_two_looks_must_both_hold(self):
        self.assertFalse(looks(1, None, 0, 2).ok)

    def test_what_is_not_judged_stays_as_it_was(self):
        self.assertEqual(looks(None, None, 1, 7, 9).measured, 1)

    def test_a_look_with_a_failed_run_counts(self):
        good = [claims.judge(scenario((0, 1)), Claim(
            "claim", "", lambda results: 1, low=0, high=1), {})]
        failed = [claims.judge(scenario((0, 1)), Claim(
            "runs without a result", "", lambda results: 1, high=0), {})]
        self.assertTrue(all(
            one.ok for one in second_look.settle([good, good, good])))
        self.assertEqual(second_look.settle([good, failed + good, good]),
                         failed + good)

    def test_every_look_has_seeds_of_its_own(self):
        again = second_look.reseeded(scenario(), 2).runs(Scale.QUICK)
        self.assertEqual(again, {("a", 201): "act", ("b", 202): "other"})


if __name__ == "__main__":
    unittest.main()
