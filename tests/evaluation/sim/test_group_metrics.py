#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts of feedback timers: by hand, by known tables, and by drawing them."""

import unittest

import numpy as np

import group_metrics


def draw(receivers, span, rounds, seed=1):
    """Timers of that many rounds, sorted: rounds x receivers."""
    x = 1 - np.random.default_rng(seed).random((rounds, receivers))
    timers = np.maximum(span * (1 + np.log(x) / np.log(1e4)), 0)
    return np.sort(timers, axis=1)


def draw_counts(receivers, delay, span, rounds, gap=0.0):
    timers = draw(receivers, span, rounds)
    delays = delay + gap * np.random.default_rng(2).random((rounds, 1))
    return (timers <= timers[:, :1] + delays).sum(axis=1)


class Reports(unittest.TestCase):

    def test_one_receiver_reports_once(self):
        self.assertAlmostEqual(group_metrics.expected_reports(1, 1, 6), 1)

    def test_a_table_of_t_over_r_and_n(self):
        for receivers, three, six in (
                (10, 8.150, 4.231), (100, 21.360, 4.642),
                (1000, 21.648, 4.664), (10000, 29.470, 6.349)):
            self.assertAlmostEqual(group_metrics.expected_reports(
                receivers, 1, 3), three, places=3)
            self.assertAlmostEqual(group_metrics.expected_reports(
                receivers, 1, 6), six, places=3)

    def test_everybody_reports_when_the_answer_comes_after_all(self):
        self.assertAlmostEqual(group_metrics.expected_reports(50, 6, 6), 50)
        self.assertAlmostEqual(
            group_metrics.expected_reports(50, 1, 6, gap=1e6), 50, places=1)

    def test_drawn_timers_agree(self):
        for receivers, gap in ((100, 0), (500, 0), (500, 2)):
            self.assertAlmostEqual(
                draw_counts(receivers, 1, 4.5, 4000, gap).mean()
                / group_metrics.expected_reports(receivers, 1, 4.5, gap), 1,
                delta=0.05)


class FirstReport(unittest.TestCase):

    def test_a_table_of_n(self):
        for receivers, expected in ((1, 0.8914), (10, 0.6821), (100, 0.4379),
                                    (1000, 0.1979), (10000, 0.0238)):
            self.assertAlmostEqual(group_metrics.expected_first_report(
                receivers, 1), expected, places=4)


class Share(unittest.TestCase):

    def test_a_geometric_count(self):
        # Nobody at once (N much above n): the count is geometric with the
        # mean m = N^(1/6), and P (f > k) = (1 - 1 / m)^k.
        mean = 1e9 ** (1 / 6)
        self.assertAlmostEqual(
            group_metrics.share_of_rounds_above(
                60, 1e4, 1, 6, group_size=1e9),
            (1 - 1 / mean) ** 60, delta=2e-3)

    def test_drawn_timers_agree(self):
        for receivers, limit in ((500, 23), (500, 10), (2000, 20)):
            self.assertAlmostEqual(
                np.mean(draw_counts(receivers, 1, 4.5, 2000) > limit),
                group_metrics.share_of_rounds_above(
                    limit, receivers, 1, 4.5), delta=0.02)

    def test_every_round_has_a_report(self):
        self.assertAlmostEqual(
            group_metrics.share_of_rounds_above(0, 1000, 1, 4.5), 1)
        self.assertAlmostEqual(
            group_metrics.share_of_rounds_above(0, 10000, 1, 4.5), 1)


if __name__ == "__main__":
    unittest.main()
