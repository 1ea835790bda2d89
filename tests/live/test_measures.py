#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""measures.py and the judging of claims, by hand."""

import types
import unittest

import numpy as np

import measures
import run_scenario
from live.recording import Recording
from scenarios import Claim


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

    def test_the_slowest_reaction_holds_its_band(self):
        # 250 bytes/ms until 10 s, then a link of 62.5.  Sent: 62.5 from 11 s
        # on, but 75 (1.2 times) from 13 to 14 s.  Within 10 % the half
        # second behind each look is clean from 11.5 s, for a second from
        # there on; for 3 s only from 14.5 s; within 30 % from 11.5 s.
        times = np.arange(0, 30.001, 0.01)
        rates = np.where(times <= 11, 250e3,
                         np.where((times > 13) & (times <= 14), 75e3, 62.5e3))
        recording = recording_of(30)
        recording.link = types.SimpleNamespace(
            times=times, offered_bytes=np.cumsum(rates) * 0.01,
            capacity=np.where(times < 10, 250e3, 62.5e3))
        for factor, hold, seconds in ((1.1, 1, 1.5), (1.1, 3, 4.3),
                                      (1.3, 3, 1.5)):
            self.assertAlmostEqual(measures.slowest_reaction_s(factor, hold)(
                recording), seconds, delta=0.25)

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


if __name__ == "__main__":
    unittest.main()
