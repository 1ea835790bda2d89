#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""measures.py and the judging of claims, by hand."""

import types
import unittest
import unittest.mock

import numpy as np

import measures
import run_scenario
from live.recording import Recording
from scenarios import Claim, Scenario


def recording_of(seconds):
    recording = Recording()
    recording.start_ns, recording.seconds = 0, seconds
    return recording


class Measures(unittest.TestCase):

    def test_equation_at_a_vector_of_the_rfc_terms(self):
        # s = 1000, R = 0.1 s, p = 0.01, b = 1, t_RTO = 0.4 s:
        # sqrt (2/300) = 0.0816497; 12 sqrt (3/800) 0.01 1.0032 = 0.0073721;
        # 1000 / (0.1 (0.0890218)) = 112332 bytes/s.
        self.assertAlmostEqual(
            measures.throughput_equation(1000, 0.1, 0.01), 112332, delta=1)

    def test_losses_within_an_rtt_of_the_first_are_one_event(self):
        # 0.04 belongs to 0, 0.06 is more than 0.05 after 0, 0.10 belongs
        # to 0.06, 0.2 stands alone.
        self.assertEqual(measures.loss_events(
            [0, 0.04, 0.06, 0.10, 0.2], 0.05), 3)

    def test_a_fresh_frame_was_taken_after_the_links_return(self):
        recording = recording_of(30)
        recording.link = types.SimpleNamespace(
            times=np.array([0, 10, 15]), capacity=np.array([1, 0, 1]))
        # Decoded at 15.2 but taken at 9.9: stale.  Taken at 15.5: fresh.
        recording.decoded.add(15.2, 5.3)
        recording.decoded.add(15.8, 0.3)
        self.assertAlmostEqual(measures.first_fresh_frame_s(recording), 0.8)

    def test_seconds_without_a_frame(self):
        recording = recording_of(20)
        for second in (10, 11, 12, 14, 15, 17, 18, 19):
            recording.decoded.add(second + 0.5, 0.1)
        self.assertEqual(measures.seconds_without_frame(recording), 2)

    def test_pacer_bound_grows_when_two_packets_take_longer(self):
        recording = recording_of(20)
        recording.link = types.SimpleNamespace(
            times=np.array([0, 10, 15]), capacity=np.array([1, 0, 1]))
        for when, age_ms in ((9, 900), (11, 450), (12, 440), (16, 900)):
            recording.take("sender", {
                "event": "stats", "t": when * 1e9, "fields": {
                    "queue-time-ns": age_ms * 1e6, "instant-rate": 5000,
                    "segment-size": 1000}})
        # Two packets of 1000 bytes at 5000 bytes/s: 400 ms; before and
        # after the outage does not count.
        self.assertAlmostEqual(measures.pacer_excess_ms(recording), 50)

    def test_the_encoders_cap_leaves_room_for_headers(self):
        # 1.02 bytes sent for each encoded one: a flow of 1000 kbit/s
        # leaves the encoder 980.4, of which 970 are 98.94 %.
        recording = recording_of(20)
        for when in range(21):
            recording.encoded_bytes.add(when, when * 970 * 125)
            recording.take("sender", {
                "event": "stats", "t": when * 1e9, "fields": {
                    "bytes": when * 970 * 125 * 1.02}})
        self.assertAlmostEqual(
            measures.lowest_share_of_cap(1000)(recording), 0.9894)


class Judging(unittest.TestCase):

    def test_median_of_the_runs_decides(self):
        claim = Claim("c", "m", low=2)
        self.assertTrue(run_scenario.judge(claim, [1, 2, 3])["ok"])
        self.assertFalse(run_scenario.judge(claim, [1, 1, 3])["ok"])

    def test_the_worst_run_decides_where_asked(self):
        claim = Claim("c", "m", high=2, worst=True)
        self.assertFalse(run_scenario.judge(claim, [1, 2, 3])["ok"])

    def test_a_run_that_does_not_tell_is_the_worst(self):
        claim = Claim("c", "m", high=2)
        self.assertTrue(run_scenario.judge(claim, [None, 1, 2])["ok"])
        self.assertFalse(run_scenario.judge(claim, [None, None, 1])["ok"])
        self.assertFalse(run_scenario.judge(
            Claim("c", "m", low=0), [None, None, 1])["ok"])


class Rounds(unittest.TestCase):
    """How many runs are made, with answers at hand instead of runs."""

    def setUp(self):
        claim = Claim("c", "m", high=2)
        patch = unittest.mock.patch.dict(
            run_scenario.SCENARIOS, {"x": Scenario("steady", 1, [claim])})
        patch.start()
        self.addCleanup(patch.stop)
        self.seeds = []

    def run_with(self, values, late_seeds=(), quick=False, n_runs=None):
        """Each run answers with the next of the values."""
        def run_round(_name, seeds, _folder):
            self.seeds += seeds
            return [{"lateness_ms": 99 if seed in late_seeds else 1,
                     "measured": [values[seed - 1]]} for seed in seeds]
        with unittest.mock.patch.object(run_scenario, "run_round", run_round), \
                unittest.mock.patch("sys.stderr"):
            return run_scenario.run("x", None, quick, n_runs)

    def test_a_good_median_needs_three(self):
        outcome, reason = self.run_with([1, 3, 2])
        self.assertTrue(run_scenario.passes(outcome))
        self.assertIsNone(reason)
        self.assertEqual(self.seeds, [1, 2, 3])

    def test_a_quick_look_is_one_run_and_three_where_that_misses(self):
        outcome, _ = self.run_with([1], quick=True)
        self.assertTrue(run_scenario.passes(outcome))
        self.assertEqual(self.seeds, [1])
        self.seeds = []
        outcome, _ = self.run_with([3, 1, 1], quick=True)
        self.assertTrue(run_scenario.passes(outcome))
        self.assertEqual(self.seeds, [1, 2, 3])
        outcome, _ = self.run_with([3] * 9, quick=True)
        self.assertFalse(run_scenario.passes(outcome))

    def test_a_missed_median_takes_six_more_and_keeps_the_three(self):
        outcome, _ = self.run_with([3, 3, 3, 1, 1, 1, 1, 1, 3])
        self.assertTrue(run_scenario.passes(outcome))
        self.assertEqual(outcome["runs"], 9)
        self.assertEqual(self.seeds, list(range(1, 10)))
        outcome, _ = self.run_with([3, 3, 3, 1, 1, 1, 1, 3, 3])
        self.assertFalse(run_scenario.passes(outcome))

    def test_a_given_number_of_runs_is_made_whatever_they_show(self):
        outcome, _ = self.run_with([3, 3], n_runs=2)
        self.assertFalse(run_scenario.passes(outcome))
        self.assertEqual(self.seeds, [1, 2])

    def test_a_disturbed_run_is_made_again(self):
        outcome, _ = self.run_with([9, 9, 1, 1, 1], late_seeds=(1, 2))
        self.assertTrue(run_scenario.passes(outcome))
        self.assertEqual((outcome["runs"], outcome["disturbed_runs"]),
                         (3, 2))

    def test_a_machine_that_never_rests_is_a_reason(self):
        outcome, reason = self.run_with([1] * 9, late_seeds=range(1, 10))
        self.assertIsNone(outcome)
        self.assertIn("99 ms", reason)
        self.assertEqual(self.seeds, list(range(1, 10)))


if __name__ == "__main__":
    unittest.main()
