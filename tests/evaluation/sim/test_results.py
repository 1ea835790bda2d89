#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Descriptions as the engine reads them, and result folders small enough to
calculate by hand."""

import inspect
import json
import pathlib
import statistics
import sys
import tempfile
import unittest

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "support"))

import claims  # noqa: E402
from claims import Claim, Results, Scenario, judge  # noqa: E402
from results import Result  # noqa: E402
from simulation import (Flow, Link, Loss, Queue, Run,  # noqa: E402
                        bandwidth_delay_packets, dumbbell)


class Descriptions(unittest.TestCase):

    def test_what_is_none_is_left_to_the_engine(self):
        run = dumbbell(15e6, 25, Queue(packets=100),
                       [Flow(name="a", kind="tcp", start_s=(0, 5))], 90)
        written = json.loads(run.json())
        self.assertEqual(written["links"], [{
            "rate_bit_s": 15e6, "delay_ms": 25,
            "queue": {"kind": "drop-tail", "packets": 100}}])
        self.assertEqual(written["flows"][0]["start_s"], [0, 5])
        self.assertNotIn("stop_s", written["flows"][0])
        self.assertEqual((written["seed"], written["seconds"]), (1, 90))

    def test_phases_of_loss_are_written_in_order(self):
        link = Link(rate_bit_s=1e6, delay_ms=1, loss=(
            Loss(until_s=6), Loss(kind="pattern", counts=(50, 400))))
        run = Run(links=(link,), flows=(), seconds=1)
        self.assertEqual(json.loads(run.json())["links"][0]["loss"], [
            {"kind": "none", "until_s": 6},
            {"kind": "pattern", "counts": [50, 400]}])

    def test_a_run_is_known_by_its_description(self):
        def run(seed):
            return dumbbell(1e6, 1, Queue(), [], 1, seed=seed)
        self.assertEqual(run(1).digest(), run(1).digest())
        self.assertNotEqual(run(1).digest(), run(2).digest())
        self.assertEqual(run(1).with_seed(2), run(2))

    def test_packets_of_a_path(self):
        # 15 Mbit/s * 0.1 s / 8000 bit.
        self.assertAlmostEqual(bandwidth_delay_packets(15e6, 100), 187.5)


class Folder(unittest.TestCase):
    """Two TFRC and one TCP on 80 kbit/s for 0.6 s in bins of 0.1 s: the link
    takes 1000 bytes per bin."""

    RECEIVED = """100 500 400
                  300 300 400
                  100 500 400
                  300 300 400
                  100 500 0
                  300 300 0"""
    ARRIVALS = "10 10 10\n" * 3 + "10 10 20\n" * 3
    DROPS = "0 0 1\n" * 3 + "1 2 2\n" * 3
    LOSSES = """0.15 2 4
                0.4 1 40
                0.449 1 44
                0.451 1 45"""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        for name, text in [
                ("received.txt", self.RECEIVED), ("sent.txt", self.RECEIVED),
                ("arrivals.txt", self.ARRIVALS), ("drops.txt", self.DROPS),
                ("losses.txt", self.LOSSES),
                ("queue.txt", "1.5 3\n" * 6),
                ("trace-2.csv", "time,cwnd\n0.1,2\n0.2,4\n")]:
            (path / name).write_text(text)
        flows = [{"name": name, "rtt_ms": 50, "start_s": i}
                 for i, name in enumerate(["tfrc", "tfrc", "tcp"])]
        (path / "summary.json").write_text(json.dumps(
            {"flows": flows, "links": [{}]}))
        link = Link(rate_bit_s=80e3, delay_ms=5,
                    schedule=((0.4, 40e3), (0.5, 120e3)))
        self.result = Result(path, Run(links=(link,), seconds=0.6, bin_ms=100,
                                       flows=(
            Flow(name="tfrc", kind="tfrc", count=2),
            Flow(name="tcp", kind="tcp"))))

    def test_throughput_is_bytes_per_second(self):
        # 1200 and 2400 bytes in 0.6 s.
        np.testing.assert_allclose(
            self.result.throughputs("tfrc", 0, 0.6), [2000, 4000])
        self.assertAlmostEqual(self.result.throughput("tfrc", 0, 0.6), 3000)
        self.assertAlmostEqual(self.result.throughput("tcp", 0.2, 0.6), 2000)

    def test_series_has_a_row_per_whole_bin(self):
        np.testing.assert_allclose(
            self.result.series("tfrc", 0.2), [[2000, 4000]] * 3)
        self.assertEqual(self.result.series("tcp", 0.4).shape, (1, 1))
        with self.assertRaises(ValueError):
            self.result.series("tcp", 0.25)

    def test_capacity_follows_the_schedule(self):
        # 10 kB/s for 0.4 s, 5 and 15 kB/s for 0.1 s each.
        self.assertAlmostEqual(self.result.capacity(0, 0.4), 10000)
        self.assertAlmostEqual(self.result.capacity(0.4, 0.5), 5000)
        self.assertAlmostEqual(self.result.capacity(0, 0.6), 10000)

    def test_normalised_is_by_the_fair_share(self):
        # 10 kB/s by 3 flows; TCP has 4 kB/s until 0.4 s.
        self.assertAlmostEqual(self.result.normalised("tcp", 0, 0.4), 1.2)
        self.assertAlmostEqual(
            self.result.normalised("tcp", 0, 0.4, flows=2), 0.8)

    def test_utilisation(self):
        self.assertAlmostEqual(self.result.utilisation(0, 0.4), 1)
        # 5200 of 6000 bytes.
        self.assertAlmostEqual(self.result.utilisation(0, 0.6), 5200 / 6000)

    def test_smoothness_at_a_timescale(self):
        # 1000, 3000: 0.5; 5000, 3000: 0.25.
        self.assertAlmostEqual(
            self.result.cov("tfrc", 0.1, 0, 0.6), 0.375)
        self.assertAlmostEqual(self.result.cov("tfrc", 0.2, 0, 0.6), 0)

    def test_equivalence_within_and_between(self):
        # 1/5 and 3/3 by turns.
        self.assertAlmostEqual(
            self.result.equivalence("tfrc", "tfrc", 0.1, 0, 0.6), 0.6)
        # At 0.4 s: 200 and 400 of 400 each: 0.5 and 1.
        self.assertAlmostEqual(
            self.result.equivalence("tfrc", "tcp", 0.4, 0, 0.4), 0.75)

    def test_jain_over_several_names(self):
        # 2000, 4000, 4000 until 0.4 s: 100 / (3 * 36).
        self.assertAlmostEqual(
            self.result.jain(["tfrc", "tcp"], 0, 0.4), 100 / 108)

    def test_drop_rates(self):
        # 3 of 90, then 15 of 120.
        self.assertAlmostEqual(self.result.drop_rate(0, 0.3), 3 / 90)
        self.assertAlmostEqual(
            self.result.drop_rate(0.3, 0.6, names=["tfrc"]), 9 / 60)
        np.testing.assert_allclose(
            self.result.drop_rate_series(0.3), [3 / 90, 15 / 120])

    def test_losses_of_a_flow(self):
        times, sequences = self.result.losses("tfrc", 1)
        np.testing.assert_allclose(times, [0.4, 0.449, 0.451])
        np.testing.assert_array_equal(sequences, [40, 44, 45])

    def test_loss_events_are_grouped_by_the_rtt(self):
        # 50 ms: 0.4 and 0.449 are one, 0.451 the next; 60 packets each.
        self.assertEqual(self.result.loss_event_rates("tfrc"), [0, 2 / 60])
        self.assertAlmostEqual(self.result.loss_event_rate("tfrc"), 1 / 60)
        self.assertEqual(
            self.result.loss_event_rates("tfrc", rtt_s=0.1), [0, 1 / 60])
        self.assertEqual(
            self.result.loss_event_rates("tfrc", 0, 0.4), [0, 0])

    def test_queue_traces_and_summaries(self):
        mean, most = self.result.queue()
        self.assertEqual((mean[0], most[0]), (1.5, 3))
        np.testing.assert_allclose(self.result.trace("tcp")["cwnd"], [2, 4])
        self.assertEqual(self.result.flow("tfrc", 1)["start_s"], 1)

    def test_an_unknown_flow_is_an_error(self):
        with self.assertRaises(KeyError):
            self.result.throughput("rap", 0, 1)


class Chain(unittest.TestCase):
    """Three flows over two links of 80 kbit/s, in two bins of 0.1 s: `long`
    over both, `short` over the second, `back` the other way round."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        for name, text in [
                ("received.txt", "300 500 900\n" * 2),
                # Link 0, then link 1.
                ("arrivals.txt", "5 0 9  4 6 10\n" * 2),
                ("drops.txt", "1 0 0  0 3 1\n" * 2),
                ("losses.txt", "0.05 0 1\n0.15 0 6\n"),
                ("queue.txt", "1 2 3 4\n" * 2)]:
            (path / name).write_text(text)
        (path / "summary.json").write_text(json.dumps({
            "flows": [{"name": name, "rtt_ms": 10}
                      for name in ["long", "short", "back"]],
            "links": [{}, {}]}))
        link = Link(rate_bit_s=80e3, delay_ms=5)
        self.result = Result(path, Run(
            links=(link, link), seconds=0.2, bin_ms=100, flows=(
                Flow(name="long", kind="tcp"),
                Flow(name="short", kind="tcp", from_link=1),
                Flow(name="back", kind="tcp", reverse=True))))

    def test_a_link_is_used_by_what_crosses_it_forward(self):
        # 300, and 300 + 500, of 1000 bytes per bin.
        self.assertAlmostEqual(self.result.utilisation(0, 0.2, 0), 0.3)
        self.assertAlmostEqual(self.result.utilisation(0, 0.2, 1), 0.8)

    def test_each_link_has_its_own_drops_and_queue(self):
        self.assertAlmostEqual(self.result.drop_rate(0, 0.2, 0, ["long"]), 0.2)
        self.assertAlmostEqual(
            self.result.drop_rate(0, 0.2, 1, ["short"]), 0.5)
        self.assertEqual(self.result.queue(1)[1][0], 4)

    def test_packets_are_counted_where_the_flow_enters(self):
        np.testing.assert_array_equal(self.result.packets("long"), [10])
        np.testing.assert_array_equal(self.result.packets("short"), [12])
        np.testing.assert_array_equal(self.result.packets("back"), [20])

    def test_loss_events_are_by_these_packets(self):
        # 100 ms apart, RTT 10 ms: two events of 10 packets.
        self.assertAlmostEqual(self.result.loss_event_rate("long"), 0.2)


class Judging(unittest.TestCase):

    def outcome(self, answer, low=1, high=2, **settings):
        claim = Claim("c", "p", lambda results: answer, low, high, **settings)
        scenario = Scenario("s", claims.FLOYD, "w", lambda scale: {}, [claim])
        return judge(scenario, claim, Results())

    def test_the_range_is_closed(self):
        self.assertTrue(self.outcome(1).ok)
        self.assertTrue(self.outcome(2).ok)
        self.assertFalse(self.outcome(2.01).ok)

    def test_several_seeds_are_judged_by_their_mean(self):
        outcome = self.outcome([1, 4])
        self.assertEqual((outcome.measured, outcome.ok), (2.5, False))
        self.assertEqual(outcome.measured_text, "2.5 (1 to 4)")
        self.assertEqual(outcome.json()["note"], "runs: 1, 4")

    def test_a_number_of_several_runs_can_be_one_of_each_seed(self):
        ratio = claims.by_seed(
            lambda results: sum(results.each(float, "a"))
            / sum(results.each(float, "b")))
        self.assertEqual(ratio(Results({
            ("a", 1): 1, ("b", 1): 2, ("a", 2): 6, ("b", 2): 3})), [0.5, 2])

    def test_or_by_their_median(self):
        outcome = self.outcome([1, 1, 7], middle=statistics.median)
        self.assertEqual((outcome.measured, outcome.ok), (1, True))
        self.assertEqual(outcome.measured_text, "1 (1 to 7)")

    def test_no_answer_is_a_miss(self):
        for answer in [None, [1, None], [], float("nan"), float("inf")]:
            self.assertFalse(self.outcome(answer).ok)

    def test_a_measure_that_fails_is_a_miss_that_says_why(self):
        claim = Claim("c", "p", lambda results: results["no run"], 0, 1)
        outcome = judge(Scenario("s", claims.FLOYD, "w", dict, [claim]), claim,
                        Results())
        self.assertFalse(outcome.ok)
        self.assertIn("KeyError: 'no run'", outcome.json()["note"])

    def test_verdicts(self):
        self.assertEqual(self.outcome(1).verdict, "holds")
        self.assertEqual(self.outcome(3).verdict, "missed")
        self.assertEqual(
            self.outcome(1, explained="another RFC").verdict, "explained")
        self.assertEqual(
            self.outcome(3, explained="another RFC").verdict, "missed")
        self.assertEqual(
            self.outcome(3, low=None, high=None).verdict, "published")

    def test_runs_are_selected_by_the_beginning_of_their_keys(self):
        results = Results({("red", 8, 1): 10, ("red", 8, 2): 20,
                           ("red", 16, 1): 30, ("drop-tail", 8, 1): 40})
        self.assertEqual(results.each(int, "red", 8), [10, 20])
        self.assertEqual(results.each(int, None, 8), [10, 20, 40])
        self.assertEqual(results.each(int), [10, 20, 30, 40])


class Tables(unittest.TestCase):

    def test_all_scenarios_load_and_describe_their_runs(self):
        for scenario in claims.load_scenarios().values():
            for scale in claims.SCALES:
                with self.subTest(scenario.name, scale=scale):
                    for key, run in scenario.runs(scale).items():
                        self.assertIsInstance(key, tuple)
                        self.assertIsInstance(run, Run)
                        run.digest()

    def test_plots_take_results_and_a_figure(self):
        for scenario in claims.load_scenarios().values():
            if scenario.plot:
                names = list(inspect.signature(scenario.plot).parameters)
                self.assertIn(names, [["results", "figure"],
                                      ["_", "figure"]], scenario.name)

    def test_every_claim_has_a_scale(self):
        for scenario in claims.load_scenarios().values():
            for claim in scenario.claims:
                with self.subTest(scenario.name, claim=claim.claim):
                    self.assertTrue(claim.scales)


if __name__ == "__main__":
    unittest.main()
