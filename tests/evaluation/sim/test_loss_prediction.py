#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Unit tests of loss_prediction.py, by hand calculation."""

import unittest

import loss_prediction


class Intervals(unittest.TestCase):

    def test_losses_of_one_rtt_are_one_event(self):
        # Events at 0, 0.1 (an RTT after it, no more) and 0.5 s.
        intervals = loss_prediction.loss_intervals(
            [0.0, 0.05, 0.1, 0.15, 0.5], [3, 7, 10, 14, 50], 0.1)
        self.assertEqual(list(intervals), [7, 40])


class Weights(unittest.TestCase):

    def test_eight_decrease_as_in_rfc_5348(self):
        self.assertEqual(
            [round(weight, 6) for weight in loss_prediction.weights(8, True)],
            [1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2])

    def test_two_decrease(self):
        self.assertEqual(list(loss_prediction.weights(2, True)), [1, 0.5])

    def test_equal(self):
        self.assertEqual(list(loss_prediction.weights(3, False)), [1, 1, 1])


class Errors(unittest.TestCase):

    def test_newest_counts_most(self):
        # (1 * 40 + 0.5 * 10) / 1.5 = 30; then (1 * 20 + 0.5 * 40) / 1.5.
        foretold = loss_prediction.predictions([10, 40, 20, 5], 2, True, 2)
        self.assertAlmostEqual(foretold[0], 1 / 30)
        self.assertAlmostEqual(foretold[1], 1 / (40 / 1.5))

    def test_distance_of_rates(self):
        # Means 25 and 30, then came 20 and 5.
        errors = loss_prediction.errors([10, 40, 20, 5], 2, False, 2)
        self.assertAlmostEqual(errors[0], abs(1 / 25 - 1 / 20))
        self.assertAlmostEqual(errors[1], abs(1 / 30 - 1 / 5))

    def test_equal_intervals_hold_no_surprise(self):
        self.assertAlmostEqual(
            loss_prediction.errors([7] * 9, 4, True, 4).max(), 0)


if __name__ == "__main__":
    unittest.main()
