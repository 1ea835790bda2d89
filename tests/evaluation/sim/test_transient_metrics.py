#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""transient_metrics.py on series short enough to calculate by hand."""

import unittest

import numpy as np

import transient_metrics

# One bin is one RTT wherever the bins do not matter.
RTT_S = 0.05


class Stabilisation(unittest.TestCase):

    def test_the_trailing_rate_weighs_by_packets(self):
        # Windows of two bins: 1/10; (1+9)/(10+30); (9+0)/(30+10).
        np.testing.assert_allclose(
            transient_metrics.trailing_loss_rate(
                [10, 30, 10], [1, 9, 0], 2), [0.1, 0.25, 0.225])

    def test_nothing_offered_is_nothing_lost(self):
        np.testing.assert_array_equal(
            transient_metrics.trailing_loss_rate([0, 0], [0, 0], 1), [0, 0])

    def answer(self, losses, steady=0.1):
        """100 packets per RTT; the congestion begins after 20 RTTs."""
        drops = np.concatenate((np.zeros(20), losses))
        return transient_metrics.stabilisation(
            np.full(len(drops), 100.0), drops, RTT_S, 20 * RTT_S, RTT_S,
            steady)

    def test_steady_from_the_start_takes_the_window(self):
        # Ten RTTs at 10 %: cost 10 * 0.1.
        rtts, cost = self.answer([10] * 30)
        self.assertAlmostEqual(rtts, 10)
        self.assertAlmostEqual(cost, 1)

    def test_a_spike_leaves_the_window_after_ten_rtts(self):
        # 5 RTTs at 40 %, then 10 %.  The mean of the last ten is at most
        # 0.15 when it holds no more than 1.67 of the spike's RTTs: one, the
        # fifth, which is the last of ten at RTT 14.  Lost by then:
        # 5 * 40 + 9 * 10 = 290 of 1400; cost 14 * 290 / 1400.
        rtts, cost = self.answer([40] * 5 + [10] * 30)
        self.assertAlmostEqual(rtts, 14)
        self.assertAlmostEqual(cost, 2.9)

    def test_what_never_settles_has_no_answer(self):
        self.assertEqual(self.answer([40] * 100), (None, None))

    def test_a_run_that_is_too_short_has_no_answer(self):
        self.assertEqual(self.answer([10] * 9), (None, None))

    def test_bins_may_be_a_fraction_of_the_rtt(self):
        # Ten bins to the RTT: 10 RTTs are 100 bins.
        drops = np.concatenate((np.zeros(200), np.ones(300)))
        rtts, cost = transient_metrics.stabilisation(
            np.full(500, 10.0), drops, RTT_S / 10, 20 * RTT_S, RTT_S, 0.1)
        self.assertAlmostEqual(rtts, 10)
        self.assertAlmostEqual(cost, 1)


class Doubling(unittest.TestCase):

    def test_a_flow_that_stays_uses_half(self):
        self.assertAlmostEqual(transient_metrics.utilisation_after(
            np.full(100, 50.0), RTT_S, 1.0, 20, RTT_S, 100 / RTT_S), 0.5)

    def test_a_ramp_uses_its_mean(self):
        # From 50 at RTT 0 to 100 at RTT 20, 2.5 a bin: in bin i
        # 51.25 + 2.5 i, over 20 bins 75: the 1/2 + k a / (4 R lambda) of
        # section 4.2.3, with a = 2.5 and R lambda = 50: 0.5 + 0.25.
        received = np.concatenate((np.full(10, 50.0),
                                   51.25 + 2.5 * np.arange(20)))
        self.assertAlmostEqual(transient_metrics.utilisation_after(
            received, RTT_S, 10 * RTT_S, 20, RTT_S, 100 / RTT_S), 0.75)

    def test_beyond_the_end_there_is_no_answer(self):
        self.assertIsNone(transient_metrics.utilisation_after(
            np.ones(10), RTT_S, 0.0, 11, RTT_S, 1))
        self.assertIsNone(transient_metrics.utilisation_after(
            [], RTT_S, 0.0, 1, RTT_S, 1))


class Convergence(unittest.TestCase):

    def test_fair_when_the_one_behind_has_nine_twentieths(self):
        # delta 0.1: a share of 0.45.  Behind gains 5 of 100 a bin from 0:
        # 45 in bin 9, whose end is 10 bins after the start.
        behind = np.minimum(5.0 * np.arange(20), 50)
        seconds = transient_metrics.fair_convergence_s(
            100 - behind, behind, 1.0, 0.0, 0.1, 1.0)
        self.assertAlmostEqual(seconds, 10)

    def test_the_window_averages(self):
        # Two bins: (0 + 5 i + 5 (i - 1)) / 200 >= 0.45: i = 9.5, so bin 10,
        # where it is (50 + 45) / 200.
        behind = np.minimum(5.0 * np.arange(20), 50)
        seconds = transient_metrics.fair_convergence_s(
            100 - behind, behind, 1.0, 0.0, 0.1, 2.0)
        self.assertAlmostEqual(seconds, 11)

    def test_time_counts_from_the_start(self):
        behind = np.concatenate((np.full(7, 50.0), [0, 0, 50]))
        seconds = transient_metrics.fair_convergence_s(
            100 - behind, behind, 1.0, 7.0, 0.1, 1.0)
        self.assertAlmostEqual(seconds, 3)

    def test_never_fair_or_too_short_is_none(self):
        self.assertIsNone(transient_metrics.fair_convergence_s(
            np.full(9, 90.0), np.full(9, 10.0), 1.0, 0.0, 0.1, 1.0))
        self.assertIsNone(transient_metrics.fair_convergence_s(
            [1.0], [1.0], 1.0, 0.0, 0.1, 2.0))


class Halving(unittest.TestCase):

    def test_counts_rtts_until_half_of_the_last_bin_before(self):
        # 80 before; 60, 50, 40: the third RTT.
        self.assertAlmostEqual(transient_metrics.halving_rtts(
            [80, 80, 60, 50, 40], RTT_S, 2 * RTT_S, RTT_S), 3)

    def test_never_halved_is_none(self):
        self.assertIsNone(transient_metrics.halving_rtts(
            [80, 80, 60], RTT_S, 2 * RTT_S, RTT_S))
        self.assertIsNone(transient_metrics.halving_rtts(
            [80], RTT_S, 0, RTT_S))


if __name__ == "__main__":
    unittest.main()
