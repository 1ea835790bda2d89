#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Intervals of a mean."""

import random
import statistics
import unittest

import intervals


def share_that_hold_the_mean(half_width, count, tries=4000):
    chance = random.Random(1)
    held = 0
    for _ in range(tries):
        values = [chance.gauss(3, 2) for _ in range(count)]
        held += abs(statistics.fmean(values) - 3) <= half_width(values)
    return held / tries


class Intervals(unittest.TestCase):
    def test_one_value_has_none(self):
        self.assertIsNone(intervals.half_width([1.0]))
        self.assertIsNone(intervals.half_width_by_range(1.0, 1.0, 1))

    def test_of_known_values(self):
        # 2.776 * 1.5811 / sqrt(5)
        self.assertAlmostEqual(intervals.half_width([1, 2, 3, 4, 5]), 1.963, 3)
        self.assertAlmostEqual(intervals.half_width_by_range(1, 5, 5), 2.028, 3)

    def test_19_of_20_hold_the_mean(self):
        for count in (3, 5, 8, 40):
            with self.subTest(count=count):
                self.assertAlmostEqual(share_that_hold_the_mean(
                    intervals.half_width, count), 0.95, delta=0.012)

    def test_those_by_the_range_do_too(self):
        for count in (3, 5, 8, 20):
            with self.subTest(count=count):
                self.assertAlmostEqual(share_that_hold_the_mean(
                    lambda values: intervals.half_width_by_range(
                        min(values), max(values), len(values)), count),
                    0.95, delta=0.012)

    def test_more_values_than_the_table_has_get_its_widest(self):
        self.assertGreaterEqual(share_that_hold_the_mean(
            lambda values: intervals.half_width_by_range(
                min(values), max(values), len(values)), 64), 0.95)


if __name__ == "__main__":
    unittest.main()
