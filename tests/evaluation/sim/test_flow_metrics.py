#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""flow_metrics.py on numbers small enough to calculate by hand."""

import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "support"))

import flow_metrics  # noqa: E402


class Shares(unittest.TestCase):

    def test_a_fair_share_is_one(self):
        # 4 flows on 1000: 250 each.
        self.assertEqual(
            flow_metrics.normalised_throughput(250, 1000, 4), 1.0)
        self.assertEqual(
            flow_metrics.normalised_throughput(500, 1000, 4), 2.0)

    def test_jain_of_equals_is_one_and_of_one_alone_its_part(self):
        self.assertAlmostEqual(flow_metrics.jain_index([3, 3, 3]), 1)
        self.assertAlmostEqual(flow_metrics.jain_index([8, 0, 0, 0]), 0.25)

    def test_jain_of_one_to_three(self):
        # (1 + 3)^2 / (2 * (1 + 9)) = 16 / 20.
        self.assertAlmostEqual(flow_metrics.jain_index([1, 3]), 0.8)

    def test_jain_of_silence_or_nobody_is_none(self):
        self.assertIsNone(flow_metrics.jain_index([0, 0]))
        self.assertIsNone(flow_metrics.jain_index([]))

    def test_difference_ratio_is_even_in_both_directions(self):
        self.assertAlmostEqual(flow_metrics.difference_ratio(30, 10), 2)
        self.assertAlmostEqual(flow_metrics.difference_ratio(10, 30), -2)
        self.assertEqual(flow_metrics.difference_ratio(10, 10), 0)

    def test_difference_ratio_to_nothing_is_none(self):
        self.assertIsNone(flow_metrics.difference_ratio(1, 0))
        self.assertIsNone(flow_metrics.difference_ratio(0, 1))
        self.assertIsNone(flow_metrics.difference_ratio(None, 1))


class Smoothness(unittest.TestCase):

    def test_mean_cov_is_over_flows(self):
        # Columns 10, 30: 0.5; 20, 20: 0.
        self.assertAlmostEqual(
            flow_metrics.mean_cov([[10, 20], [30, 20]]), 0.25)

    def test_a_silent_flow_has_no_cov(self):
        self.assertIsNone(flow_metrics.mean_cov([[10, 0], [30, 0]]))

    def test_equivalence_takes_the_smaller_ratio(self):
        # 10 / 20 and 30 / 40: (0.5 + 0.75) / 2.
        self.assertAlmostEqual(
            flow_metrics.equivalence_ratio([10, 40], [20, 30]), 0.625)

    def test_bins_in_which_both_are_silent_are_left_out(self):
        # Bins: 1, none, 0: (1 + 0) / 2.
        self.assertAlmostEqual(
            flow_metrics.equivalence_ratio([5, 0, 0], [5, 0, 7]), 0.5)

    def test_equivalence_of_silence_is_none(self):
        self.assertIsNone(flow_metrics.equivalence_ratio([0, 0], [0, 0]))

    def test_mean_equivalence_is_over_all_pairs(self):
        # One bin: 10 against 20 and 40: (0.5 + 0.25) / 2.
        self.assertAlmostEqual(
            flow_metrics.mean_equivalence([[10]], [[20, 40]]), 0.375)

    def test_mean_equivalence_within_a_group(self):
        # Pairs of 10, 20, 40: 0.5, 0.25, 0.5.
        self.assertAlmostEqual(flow_metrics.mean_equivalence(
            [[10, 20, 40]], [[10, 20, 40]], same=True), 1.25 / 3)


class Losses(unittest.TestCase):

    def test_losses_within_one_rtt_are_one_event(self):
        # RTT 0.5: 1.0 begins an event up to 1.5, which belongs to it.
        self.assertEqual(flow_metrics.count_loss_events(
            [1.0, 1.25, 1.5], 0.5), 1)
        self.assertEqual(flow_metrics.count_loss_events(
            [1.0, 1.501], 0.5), 2)

    def test_an_event_is_not_prolonged_by_its_losses(self):
        # From the first loss: 0, 0.08 | 0.16, 0.24 | 0.32.
        self.assertEqual(flow_metrics.count_loss_events(
            [0, 0.08, 0.16, 0.24, 0.32], 0.1), 3)

    def test_the_order_of_the_losses_does_not_matter(self):
        self.assertEqual(flow_metrics.count_loss_events(
            [2.0, 1.0, 1.05], 0.1), 2)

    def test_rates_are_by_packets(self):
        # 3 losses in 2 events of 100 packets.
        times = [1.0, 1.01, 5.0]
        self.assertAlmostEqual(
            flow_metrics.loss_event_rate(times, 100, 0.1), 0.02)
        self.assertAlmostEqual(
            flow_metrics.loss_fraction(len(times), 100), 0.03)

    def test_no_packet_no_rate(self):
        self.assertIsNone(flow_metrics.loss_event_rate([], 0, 0.1))
        self.assertIsNone(flow_metrics.loss_fraction(0, 0))

    def test_no_loss_is_a_rate_of_zero(self):
        self.assertEqual(flow_metrics.loss_event_rate([], 10, 0.1), 0)


class Trends(unittest.TestCase):

    def test_the_slope_of_a_line_is_its_own(self):
        self.assertAlmostEqual(
            flow_metrics.slope([(0, 1), (1, 3), (2, 5)]), 2)

    def test_the_slope_is_that_of_least_squares(self):
        # Mean x 1, mean y 2: (1 * 2 + 1 * 1) / (1 + 1) = 1.5.
        self.assertAlmostEqual(
            flow_metrics.slope([(0, 0), (1, 3), (2, 3)]), 1.5)

    def test_points_above_each_other_have_no_slope(self):
        self.assertIsNone(flow_metrics.slope([(1, 0), (1, 3)]))

    def test_the_order_is_all_that_ranks_see(self):
        self.assertAlmostEqual(
            flow_metrics.rank_correlation([1, 2, 30], [4, 5, 5.1]), 1)
        self.assertAlmostEqual(
            flow_metrics.rank_correlation([1, 2, 30], [9, 8, -7]), -1)

    def test_ranks_that_differ_in_one_exchange(self):
        # 1 - 6 (1 + 1) / (4 * 15) = 0.8.
        self.assertAlmostEqual(
            flow_metrics.rank_correlation([1, 2, 3, 4], [1, 3, 2, 4]), 0.8)


if __name__ == "__main__":
    unittest.main()
