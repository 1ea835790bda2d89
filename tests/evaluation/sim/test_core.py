#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""core.py asks what it says: each answer by hand."""

import math
import unittest

from core import Core


class Answers(unittest.TestCase):

    def setUp(self):
        self.core = Core().__enter__()
        self.addCleanup(self.core.__exit__)

    def test_the_equation(self):
        # p = 0.01, R = 0.1, t_RTO = 0.4, s = 1000, b = 1: the divisor is
        # 0.1 sqrt(0.02/3) + 1.2 sqrt(0.03/8) 0.01 (1 + 0.0032) = 0.0089021.
        divisor = (0.1 * math.sqrt(0.02 / 3)
                   + 1.2 * math.sqrt(0.03 / 8) * 0.01 * 1.0032)
        self.assertAlmostEqual(self.core.rate(0.01, 0.1) * divisor, 1000)
        self.assertAlmostEqual(self.core.window(0.01) * divisor, 0.1)

    def test_its_inverse(self):
        rate = self.core.rate(0.03, 0.2, 1.0)
        self.assertAlmostEqual(
            self.core.loss_event_rate(rate, 0.2, 1.0), 0.03)

    def test_rto_modes(self):
        self.assertAlmostEqual(self.core.rto("rfc5348", 0.01), 0.04)
        # RFC 6298 with a steady RTT: the floor of 1 s, or SRTT.
        self.assertAlmostEqual(self.core.rto("tcp", 0.01), 1)
        self.assertAlmostEqual(self.core.rto("tcp", 2), 2)
        self.assertAlmostEqual(self.core.rto("scaled", 0.01), 1 / 3)

    def test_intervals(self):
        # All 100: p = 0.01, and an open interval of 100 changes nothing.
        p, discount = self.core.intervals([100] * 8, 100)
        self.assertAlmostEqual(p, 0.01)
        self.assertEqual(discount, 1)
        # Oldest first: I_1 = 10 has weight 1 of 6, the others 100: 85.
        p, _ = self.core.intervals([100] * 7 + [10], 1)
        self.assertAlmostEqual(p, 1 / 85)
        # Open 400 > 2 * 100: DF = 200 / 400.
        _, discount = self.core.intervals([100] * 8, 400, threshold=0.25)
        self.assertAlmostEqual(discount, 0.5)

    def test_events_of_a_flow_of_one_packet_per_two_rtts(self):
        # No two losses are within one RTT: each is an event.
        events, losses = self.core.events(0.5, 0.1, 10000)
        self.assertEqual(events, losses)
        self.assertAlmostEqual(losses / 10000, 0.1, delta=0.01)

    def test_events_group_an_rtt(self):
        # Every packet is lost, W = 4 per RTT: an event begins with the first
        # packet after the RTT of the one before: each fifth of 1000.
        self.assertEqual(self.core.events(4, 1, 1000), [200, 1000])

    def test_a_group_of_one_reports_once_in_each_round(self):
        rounds = self.core.feedback(1, rounds=50, rates=(0.5, 0.5))
        self.assertEqual(rounds[:, 0].tolist(), [1] * 50)
        self.assertEqual(rounds[:, 2].tolist(), [1] * 50)
        # r' = 0: the timer is (1 - 1/4) 6 RTT (1 + log_N x), never beyond.
        self.assertLessEqual(rounds[:, 1].max(), 4.5)

    def test_the_bias_delays_those_who_need_not_hurry(self):
        # r' = (0.7 - 0.5) / 0.4 = 1/2: 6 / 4 / 2 RTTs more than with r' = 0;
        # r = 0.7 without truncation: 6 / 4 * 0.7.
        first = [self.core.feedback(1, rounds=20, rates=(rate, rate),
                                    plain_offset=plain)[:, 1]
                 for rate, plain in ((0.5, False), (0.7, False), (0.7, True))]
        for one, other in zip(first[1] - first[0], first[2] - first[0]):
            self.assertAlmostEqual(one, 0.75, places=3)
            self.assertAlmostEqual(other, 1.05, places=3)

    def test_an_answer_comes_too_late_for_those_within_an_rtt(self):
        # T = 1 RTT: all timers are over before the first report is heard of.
        rounds = self.core.feedback(100, rounds=5, rtts=1, bias=0)
        self.assertEqual(rounds[:, 0].tolist(), [100] * 5)

    def test_lower_rates_alone_cancel_without_margin(self):
        # Nobody is lower than equal rates, so all report; with all of the
        # margin the first one's answer silences everybody, a tenth is enough
        # for equals.
        self.assertEqual(
            self.core.feedback(100, rounds=5, margin=0)[:, 0].tolist(),
            [100] * 5)
        for margin in (0.1, 1):
            self.assertLess(
                self.core.feedback(100, margin=margin)[:, 0].mean(), 10)

    def test_what_it_does_not_understand_is_an_error(self):
        with self.assertRaises(ValueError):
            self.core.rto("none", 0.1)
        with self.assertRaises(ValueError):
            self.core.intervals([100], 1, length=1)


if __name__ == "__main__":
    unittest.main()
