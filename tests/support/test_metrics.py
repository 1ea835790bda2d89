#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""metrics.py on series short enough to calculate by hand."""

import unittest

import numpy as np

import metrics


def ramp(*pieces):
    """Times and counter of a rate that is constant by pieces:
    (seconds, rate)."""
    times, counter = [0.0], [0.0]
    for seconds, rate in pieces:
        times.append(times[-1] + seconds)
        counter.append(counter[-1] + seconds * rate)
    return np.array(times), np.array(counter)


class Rates(unittest.TestCase):

    def test_kbit_s_of_bytes_per_s(self):
        self.assertEqual(metrics.kbit_s(125.0), 1.0)

    def test_mean_rate_weighs_pieces_by_their_time(self):
        # From 1 to 4 s: one second at 10, two seconds at 40: 90 / 3.
        times, counter = ramp((2, 10), (2, 40))
        self.assertAlmostEqual(metrics.mean_rate(times, counter, 1, 4), 30)

    def test_mean_rate_of_nothing_is_none(self):
        self.assertIsNone(metrics.mean_rate([], [], 0, 1))
        self.assertIsNone(metrics.mean_rate([0, 1], [0, 1], 1, 1))

    def test_bins_are_whole_and_the_rest_is_left_out(self):
        times, counter = ramp((1, 10), (1, 30), (0.5, 1000))
        middles, rates = metrics.rate_series(times, counter, 0, 2.5, 1)
        np.testing.assert_allclose(middles, [0.5, 1.5])
        np.testing.assert_allclose(rates, [10, 30])

    def test_bins_do_not_get_lost_in_rounding(self):
        # 0.2 does not divide 60 exactly in binary: still 300 bins.
        times, counter = ramp((60, 1))
        _, rates = metrics.rate_series(times, counter, 0, 60, 0.2)
        self.assertEqual(len(rates), 300)

    def test_a_counter_between_samples_is_linear(self):
        self.assertEqual(metrics.counter_at([0, 2], [0, 8], 0.5), 2)


class Variation(unittest.TestCase):

    def test_cov_of_two_values(self):
        # Mean 20, deviation of the population 10.
        self.assertAlmostEqual(
            metrics.coefficient_of_variation([10, 30]), 0.5)

    def test_cov_of_a_constant_is_zero(self):
        self.assertEqual(metrics.coefficient_of_variation([7, 7, 7]), 0)

    def test_cov_of_silence_or_nothing_is_none(self):
        self.assertIsNone(metrics.coefficient_of_variation([0, 0]))
        self.assertIsNone(metrics.coefficient_of_variation([]))

    def test_cov_depends_on_the_timescale(self):
        # 10 and 30 by turns every 0.2 s: 0.5 at 0.2 s, 0 at 0.4 s.
        times, counter = ramp(*[(0.2, 10), (0.2, 30)] * 5)
        self.assertAlmostEqual(
            metrics.rate_cov(times, counter, 0, 2, 0.2), 0.5)
        self.assertAlmostEqual(
            metrics.rate_cov(times, counter, 0, 2, 0.4), 0.0)

    def test_one_bin_has_no_variation(self):
        times, counter = ramp((1, 10))
        self.assertIsNone(metrics.rate_cov(times, counter, 0, 1, 1))

    def test_percentiles_interpolate(self):
        # 0..10: rank 0.95 * 10 = 9.5.
        self.assertAlmostEqual(metrics.percentile(range(11), 95), 9.5)
        self.assertAlmostEqual(metrics.percentile([4], 50), 4)
        self.assertIsNone(metrics.percentile([], 50))


class Levels(unittest.TestCase):

    def test_a_level_holds_until_the_next_sample(self):
        np.testing.assert_array_equal(
            metrics.level_at([0, 10, 20], [1, 2, 3], [0, 9.9, 10, 25]),
            [1, 1, 2, 3])

    def test_level_mean_weighs_by_time(self):
        # 2000 for 20 s, 500 for 20 s, 2000 for 20 s: 90000 / 60.
        self.assertAlmostEqual(
            metrics.level_mean([0, 20, 40], [2000, 500, 2000], 0, 60), 1500)

    def test_level_mean_of_a_part(self):
        # From 10 to 30: ten seconds of each.
        self.assertAlmostEqual(
            metrics.level_mean([0, 20], [2000, 500], 10, 30), 1250)

    def test_seconds_above_a_bound(self):
        # 30 from 20 to 40 s, of which 30 to 40 are asked for.
        self.assertAlmostEqual(metrics.seconds_above(
            [0, 20, 40], [10, 30, 20], 20, 30, 50), 10)
        self.assertIsNone(metrics.seconds_above([], [], 20, 30, 50))

    def test_the_last_time_below_a_bound(self):
        # 500 from 20 to 23 s: the mean over the last second is at most
        # 1000 until a third of the second from 23 s on is at 2000.
        times, counter = ramp((20, 2000), (3, 500), (17, 2000))
        self.assertAlmostEqual(metrics.last_below_s(
            times, counter, 1000, 10, 40), 13.3)
        self.assertEqual(metrics.last_below_s(
            times, counter, 400, 10, 40), 0)

    def test_steps_are_changes_only(self):
        self.assertEqual(metrics.level_steps([0, 5, 9], [2, 2, 1]),
                         [(9.0, 2.0, 1.0)])

    def test_between_takes_the_start_and_leaves_the_end(self):
        np.testing.assert_array_equal(
            metrics.between([1, 2, 3], [10, 20, 30], 1, 3), [10, 20])


class Responses(unittest.TestCase):

    def test_reaction_counts_until_the_half_second_mean_is_below(self):
        # 2000 until 1 s after the step at 20 s, then 500; limit 550.
        # The mean over the last 0.5 s, t after the change at 21 s, is
        # 2000 - 3000 t: at or below 550 from t = 0.4833, first look 0.5.
        times, counter = ramp((21, 2000), (19, 500))
        self.assertAlmostEqual(
            metrics.reaction_s(times, counter, 20, 40, 500), 1.5)

    def test_reaction_must_hold_for_three_seconds(self):
        # Below from 20 s but above again in 22..23.  t after that the mean
        # is 400 + 600 (0.5 - t) / 0.5, below 550 from t = 0.375: at 23.4.
        times, counter = ramp((20, 400), (2, 400), (1, 1000), (17, 400))
        self.assertAlmostEqual(
            metrics.reaction_s(times, counter, 20, 40, 500), 3.4)

    def test_no_reaction_is_none(self):
        times, counter = ramp((40, 2000))
        self.assertIsNone(metrics.reaction_s(times, counter, 20, 40, 500))

    def test_a_reaction_too_late_to_hold_is_none(self):
        times, counter = ramp((38, 2000), (2, 100))
        self.assertIsNone(metrics.reaction_s(times, counter, 20, 40, 500))

    def test_recovery_counts_until_the_half_second_mean_is_above(self):
        # 500 until 3 s after the step, then 2000; the mean t later is
        # 500 + 3000 t, above 1600 from t = 0.3667, first look 0.4.
        times, counter = ramp((43, 500), (17, 2000))
        self.assertAlmostEqual(
            metrics.recovery_s(times, counter, 40, 60, 2000), 3.4)

    def test_no_recovery_is_none(self):
        times, counter = ramp((60, 500))
        self.assertIsNone(metrics.recovery_s(times, counter, 40, 60, 2000))

    def test_each_step_gets_its_own_answer(self):
        # The series of the two tests above, in one run that began at 0.
        times, counter = ramp((21, 2000), (22, 500), (17, 2000))
        reactions, recoveries = metrics.step_responses(
            times, counter, [0, 20, 40], [2000, 500, 2000], 0, 60)
        self.assertEqual(len(reactions), 1)
        self.assertEqual(reactions[0]["at"], 20)
        self.assertEqual((reactions[0]["from"], reactions[0]["to"]),
                         (2000, 500))
        self.assertAlmostEqual(reactions[0]["seconds"], 1.5)
        self.assertEqual(reactions[0]["within"], 20)
        self.assertEqual(len(recoveries), 1)
        self.assertAlmostEqual(recoveries[0]["seconds"], 3.4)
        self.assertEqual(recoveries[0]["within"], 20)

    def test_the_reaction_to_an_outage_is_a_tenth_of_what_was(self):
        # 2000 until 1 s after the step, then 100; limit 200.  The mean t
        # later is 2000 - 3800 t: at or below 200 from t = 0.4737, look 0.5.
        times, counter = ramp((21, 2000), (4, 100), (35, 2000))
        reactions, _ = metrics.step_responses(
            times, counter, [0, 20, 25], [2000, 0, 2000], 0, 60)
        self.assertAlmostEqual(reactions[0]["seconds"], 1.5)

    def test_a_sender_that_goes_on_into_an_outage_does_not_react(self):
        times, counter = ramp((20, 2000), (5, 250), (35, 2000))
        reactions, recoveries = metrics.step_responses(
            times, counter, [0, 20, 25], [2000, 0, 2000], 0, 60)
        self.assertIsNone(reactions[0]["seconds"])
        # 250 + 3500 t > 1600 from t = 0.386, first look 0.4.
        self.assertAlmostEqual(recoveries[0]["seconds"], 0.4)

    def test_the_answer_ends_at_the_next_step(self):
        # Recovered only after the capacity had fallen again: no answer.
        times, counter = ramp((30, 500), (30, 2000))
        _, recoveries = metrics.step_responses(
            times, counter, [0, 20, 30], [500, 2000, 1000], 0, 60)
        self.assertIsNone(recoveries[0]["seconds"])

    def test_a_capacity_that_varies_all_the_time_has_no_steps(self):
        times, counter = ramp((40, 1000))
        changes = [0] + [10 + 0.1 * i for i in range(100)]
        capacities = [2000] + [1000 + 10 * (i % 7) for i in range(100)]
        # Only the last of them stays, 1010 after 1000.
        reactions, recoveries = metrics.step_responses(
            times, counter, changes, capacities, 0, 40)
        self.assertEqual(reactions, [])
        self.assertEqual([one["at"] for one in recoveries], [changes[-1]])


if __name__ == "__main__":
    unittest.main()
