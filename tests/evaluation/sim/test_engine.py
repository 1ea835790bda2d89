#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""tfrc-sim itself: what goes in comes out, by hand calculation; the same run
twice is the same; a wrong description is refused in a sentence."""

import copy
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np

PROGRAM = pathlib.Path(os.environ["TFRC_BUILD_DIR"], "tests/evaluation/sim/tfrc-sim")

# 10 Mbit/s: 0.8 ms for a packet of 1000 bytes.
LINK = {"rate_bit_s": 10e6, "delay_ms": 10,
        "queue": {"kind": "drop-tail", "packets": 50}}
TABLES = ("received.txt", "sent.txt", "arrivals.txt", "drops.txt")


def link(**changes):
    return {**LINK, **changes}


def flow(kind, **changes):
    parameters = {"parameters": {"rate_bit_s": 1e6}} if kind == "cbr" else {}
    return {"kind": kind, "rtt_ms": 100, **parameters, **changes}


class Engine(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def start(self, description, folder):
        return subprocess.run(
            [PROGRAM, "-", folder], input=json.dumps(description), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)

    def simulate(self, flows, links=(LINK,), seconds=20, name="run",
                 **settings):
        """summary.json, and the tables as rows of bins."""
        folder = self.folder / name
        done = self.start({"links": links, "flows": flows,
                           "seconds": seconds, **settings}, folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.tables = {
            file: np.loadtxt(folder / file, ndmin=2, dtype=int)
            for file in TABLES}
        self.queue = np.loadtxt(folder / "queue.txt", ndmin=2)
        self.losses = np.fromfile(folder / "losses.txt", sep=" ").reshape(
            -1, 3)
        return json.loads((folder / "summary.json").read_text())

    def trace(self, number, name="run"):
        return np.genfromtxt(self.folder / name / f"trace-{number}.csv",
                             delimiter=",", names=True)


class Results(Engine):

    def test_a_run_is_the_same_twice(self):
        flows = [flow("tfrc", count=2, start_s=[0, 2], rtt_ms=[80, 120]),
                 flow("tcp", count=2, start_s=[0, 2], overhead_ms=1),
                 flow("cbr", start_s=1)]
        links = [link(jitter_ms=2, queue={
            "kind": "red", "packets": 50, "min_packets": 5,
            "max_packets": 25})]
        for name, seed in (("one", 1), ("two", 1), ("other", 2)):
            self.simulate(flows, links, 10, name, seed=seed, trace=True)
        files = sorted(path.name for path in (self.folder / "one").iterdir())
        self.assertIn("trace-3.csv", files)
        for file in files:
            if file == "summary.json":
                continue    # the time it took is there
            one, two, other = ((self.folder / name / file).read_bytes()
                               for name in ("one", "two", "other"))
            self.assertEqual(one, two, file)
            self.assertNotEqual(one, other, file)

    def test_what_was_sent_was_received_or_dropped(self):
        # All stop 4 s before the end: nothing is on its way.
        loss = [{"kind": "bernoulli", "p": 0.01}]
        flows = [flow(kind, count=2, stop_s=16)
                 for kind in ("tfrc", "tcp", "cbr")]
        summary = self.simulate(flows, [link(loss=loss)])
        for one in summary["flows"]:
            self.assertGreater(one["drops"], 0)
            self.assertEqual(one["sent_packets"],
                             one["received_packets"] + one["drops"])
        (forward,) = summary["links"]
        self.assertEqual(
            [table.sum() for table in self.tables.values()],
            [sum(one[value] for one in summary["flows"])
             for value in ("received_bytes", "sent_bytes", "sent_packets",
                           "drops")])
        self.assertEqual(
            forward["packets"],
            sum(one["received_packets"] for one in summary["flows"]))
        self.assertEqual(len(self.losses), forward["drops"])

    def test_losses_say_which_packet(self):
        # The last of every 100 packets: 99, 199, ...; one per 8 ms.
        self.simulate([flow("cbr")],
                      [link(loss=[{"kind": "every-nth", "n": 100}])])
        np.testing.assert_array_equal(
            self.losses[:, 2], np.arange(99, 2500, 100)[:len(self.losses)])
        self.assertAlmostEqual(self.losses[1, 0] - self.losses[0, 0], 0.8)

    def test_a_flow_alone_fills_the_link(self):
        # The path holds 25 packets and the queue 50: from 5 s on 97 % of
        # 10 Mbit/s, and never more.  Payload and headers are 1000 bytes for
        # all kinds, but for TCP's handshake.
        for kind in ("tfrc", "tcp"):
            with self.subTest(kind=kind):
                summary = self.simulate([flow(kind, rtt_ms=20)], name=kind)
                received = self.tables["received.txt"][500:, 0].sum()
                self.assertGreater(received, 0.97 * 15 * 1.25e6)
                self.assertLessEqual(received, 15 * 1.25e6 + 1000)
                (one,) = summary["flows"]
                self.assertAlmostEqual(
                    one["sent_bytes"] / one["sent_packets"], 1000, delta=1)

    def test_queues(self):
        summary = self.simulate([flow("tcp", count=4)])
        self.assertEqual(summary["links"][0]["queue_max"], 50)
        self.assertEqual(self.queue[:, 1].max(), 50)
        self.assertAlmostEqual(self.queue[:, 0].mean(),
                               summary["links"][0]["queue_mean"], places=2)
        self.assertTrue((self.queue[:, 0] <= self.queue[:, 1]).all())
        self.assertGreater(summary["links"][0]["busy"], 0.9)


    def test_marks_instead_of_drops(self):
        # RED drops only what waits above twice max_packets, which slow start
        # reaches for a moment; both still share the link.
        red = {"kind": "red", "packets": 500, "min_packets": 5,
               "max_packets": 50, "max_p": 0.1, "ecn": True}
        summary = self.simulate(
            [flow(kind, rtt_ms=50, parameters={"ecn": True})
             for kind in ("tfrc", "tcp")], [link(queue=red)])
        self.assertTrue((self.losses[:, 0] > 5).any())
        self.assertEqual(self.tables["drops.txt"][500:].sum(),
                         (self.losses[:, 0] > 5).sum())
        for one in summary["flows"]:
            self.assertGreater(one["marks"], 0)
            self.assertGreater(one["received_bytes"], 0.2 * 20 * 1.25e6)
        self.assertEqual(self.tables["drops.txt"].sum(), sum(
            one["marks"] + one["drops"] for one in summary["flows"]))


    def test_what_the_core_takes(self):
        # Each data packet is counted once, and takes a time; no time without
        # being asked.  How much is for the scenarios to judge.
        for asked in (True, False):
            summary = self.simulate([flow("tfrc", count=2)], seconds=5,
                                    core_time=asked)
            engine = summary["engine"]
            sent = sum(one["sent_packets"] for one in summary["flows"])
            self.assertEqual(engine["core_packets"], sent if asked else 0)
            self.assertEqual(engine["core_ns"] > 20 * sent, asked)


class Paths(Engine):

    def test_the_round_trip_time(self):
        # 100 ms, 1000 bytes on the way there and a report of 56 bytes back,
        # both at 10 Mbit/s: 100.8448 ms, in microseconds as the wire has it.
        self.simulate([flow("tfrc")], seconds=2, trace=True)
        sample = self.trace(0)["sender_rtt_sample_ns"][0]
        self.assertAlmostEqual(sample, 100.8448e6, delta=1000)

    def test_a_chain_of_links(self):
        # 2 * (10 + 30) ms without rtt_ms.  The second link has 2 Mbit/s.
        links = [LINK, link(rate_bit_s=2e6, delay_ms=30)]
        flows = [{"kind": "tfrc", "name": "both"},
                 flow("cbr", name="first", to_link=0, stop_s=19),
                 flow("cbr", name="second", from_link=1, stop_s=19)]
        summary = self.simulate(flows, links)
        both, first, second = summary["flows"]
        self.assertEqual(both["rtt_ms"], 80)
        arrivals = self.tables["arrivals.txt"].sum(axis=0)
        self.assertEqual(list(arrivals[[1, 2, 4, 5]]),
                         [first["sent_packets"], 0, 0,
                          second["sent_packets"]])
        self.assertEqual(first["drops"], 0)
        # What CBR leaves, if it loses nothing: 1 Mbit/s.
        received = self.tables["received.txt"][500:1900, 0].sum() * 8 / 14
        self.assertTrue(0.9e6 < received < 1.2e6, received)

    def test_a_reverse_flow_does_not_load_the_forward_link(self):
        summary = self.simulate([flow("cbr", reverse=True, stop_s=19)])
        self.assertEqual(summary["links"][0]["packets"], 0)
        self.assertEqual(summary["reverse_links"][0]["packets"],
                         summary["flows"][0]["received_packets"])

    def test_directions_of_a_wifi_share_the_air(self):
        # Of 1000 bytes at 52 Mbit/s: (1000 + 28 + 38) * 8 bits are 41 symbols
        # of 4 us and a preamble of 40; the ACK takes 16 + 28, contention 43 +
        # 7.5 * 9 on average: 360 us, 22 Mbit/s.  Two contend for less.
        wide = link(rate_bit_s=100e6, queue={"packets": 1000})
        air = {"rate_bit_s": 52e6, "delay_ms": 0, "wifi_mode": "HtMcs11",
               "wifi_queue_packets": 100}
        source = {"rtt_ms": 20, "start_s": 1, "stop_s": 4,
                  "parameters": {"rate_bit_s": 30e6}}
        for reverse in ([False], [True], [False, True]):
            summary = self.simulate(
                [flow("cbr", name=f"flow{i}", reverse=one, **source)
                 for i, one in enumerate(reverse)], [wide, air], 5)
            self.assertEqual(
                [one["sent_packets"] for one in summary["flows"]],
                [one["received_packets"] + one["drops"]
                 for one in summary["flows"]])
            together = sum(one["received_bytes"] for one in summary["flows"])
            self.assertTrue(18e6 < together * 8 / 3.1 < 25e6, together)

    def test_what_is_sent_before_a_station_is_associated_is_lost(self):
        # 100 ms until the first beacon, and some frames; a queue of 20 packets
        # would be full by then.
        summary = self.simulate(
            [flow("cbr", rtt_ms=20, stop_s=4)],
            [link(), {"rate_bit_s": 52e6, "delay_ms": 0,
                      "wifi_mode": "HtMcs11", "wifi_queue_packets": 20}], 5)
        (one,) = summary["flows"]
        self.assertEqual(one["sent_packets"],
                         one["received_packets"] + one["drops"])
        self.assertTrue(0 < one["drops"] < 0.2 * one["sent_packets"], one)

    def test_the_rate_follows_its_schedule(self):
        # 3 Mbit/s of CBR into 1 Mbit/s, into 2 Mbit/s from 10 s on.
        self.simulate(
            [flow("cbr", parameters={"rate_bit_s": 3e6})],
            [link(rate_bit_s=1e6, schedule=[[10, 2e6]])])
        received = self.tables["received.txt"][:, 0]
        self.assertAlmostEqual(received[100:1000].sum() * 8 / 9, 1e6,
                               delta=1e4)
        self.assertAlmostEqual(received[1100:].sum() * 8 / 9, 2e6, delta=2e4)

    def test_jitter_and_overhead_keep_the_order(self):
        # Below the link's rate nothing is lost, and a packet out of order
        # would be taken for a loss.  Jitter of 5 ms adds 15 ms on average.
        limit = {"max_rate_bit_s": 2e6}
        summary = self.simulate(
            [flow("tfrc", overhead_ms=5, parameters=limit)],
            [link(jitter_ms=5)], trace=True)
        self.assertEqual(summary["flows"][0]["packets_lost"], 0)
        rtts = self.trace(0)["sender_rtt_sample_ns"][20:] / 1e6
        # The reverse direction has the same: 100.8 + 2 * 15 + 2 * 2.5.
        self.assertAlmostEqual(rtts.mean(), 136, delta=3)
        self.assertGreater(rtts.std(), 4)


class PapersKinds(Engine):

    def test_rap_grows_by_a_packets_per_rtt(self):
        # 1 packet in the first RTT of 100 ms, 1 in the second, then a more in
        # each, 1 or 0.3125: of 5 s the sum of 1 + a (k - 1), k = 1 to 49.
        for b, packets in ((0.5, 1226), (0.125, 417.5)):
            with self.subTest(b=b):
                summary = self.simulate(
                    [flow("rap", parameters={"b": b})], [link(
                        rate_bit_s=1e9)], 5, f"b={b}")
                self.assertAlmostEqual(
                    summary["flows"][0]["sent_packets"] / packets, 1,
                    delta=0.01)

    def test_a_flash_crowd_is_so_many_transfers(self):
        # 20 of 10 packets with 940 bytes of data each; SYN, FIN and an ACK
        # add less than 300 bytes.  The last one starts before 3 s.
        parameters = {"flows_per_s": 20, "seconds": 1, "packets": 10,
                      "timestamps": False}
        summary = self.simulate([flow("flash-crowd", start_s=2,
                                      parameters=parameters)], seconds=6)
        (crowd,) = summary["flows"]
        self.assertGreaterEqual(crowd["received_bytes"], 20 * 10 * 1000)
        self.assertLess(crowd["received_bytes"], 20 * (10 * 1000 + 300))
        sent = np.flatnonzero(self.tables["sent.txt"][:, 0]) / 100
        self.assertGreaterEqual(sent[0], 2)
        self.assertLess(sent[-1], 3 + 0.5)


class Tcp(Engine):
    """What ns-3's own classes do not do."""

    def test_cubic_gets_what_reno_gets_where_windows_are_small(self):
        # Packets per RTT of 0.1 s; of AIMD sqrt(1.5 / p) = 12.2 at 1 %.
        # Cubic's own curve has 1.17 (0.1 / p)^0.75 = 6.6 there.  At 10 %
        # timeouts bring 3.9 down to 2 to 3.5.
        for p, low, high in ((0.01, 9.5, 17), (0.1, 1.5, 5)):
            with self.subTest(p=p):
                summary = self.simulate(
                    [flow("tcp", count=4, parameters={"congestion": "cubic"})],
                    [link(rate_bit_s=1e8,
                          loss=[{"kind": "bernoulli", "p": p}])],
                    seconds=60, bin_ms=1000)
                windows = [one["sent_packets"] / 600
                           for one in summary["flows"]]
                self.assertGreater(np.mean(windows), low)
                self.assertLess(np.max(windows), high * 1.3)
                self.assertLess(np.mean(windows), high)

    def test_bbr_recovers_its_estimates(self):
        # Both overshoot at the start, which costs BBR its estimates.  Where a
        # buffer holds little more than the path, BBR later has the most of it.
        summary = self.simulate(
            [flow("tcp", rtt_ms=60, parameters={"congestion": "bbr"}),
             flow("tfrc", rtt_ms=60)],
            [link(queue={"kind": "drop-tail", "packets": 100})])
        self.assertLess(summary["flows"][0]["timeouts"], 10)
        received = self.tables["received.txt"][1000:, 0].sum()
        self.assertGreater(received, 0.5 * 10 * 1.25e6)


class Refusals(Engine):

    def test_wrong_descriptions(self):
        good = {"seconds": 1, "links": [LINK], "flows": [flow("tfrc")]}
        self.assertEqual(
            self.start(good, self.folder / "good").returncode, 0)
        wrong = [
            ((), "seconds", 0, "seconds"),
            ((), "colour", "red", "colour"),
            ((), "links", [], "no links"),
            ((), "flows", [], "no flows"),
            (("links", 0), "rate_bit_s", "fast", "rate_bit_s"),
            (("links", 0), "rate_bit_s", 0, "rate_bit_s"),
            (("links", 0), "schedule", [[1, 0]], "schedule"),
            (("links", 0), "wifi_mode", "HtMcs16", "wifi_mode"),
            (("links", 0, "queue"), "kind", "bag", "bag"),
            (("links", 0, "queue"), "pockets", 3, "pockets"),
            (("flows", 0), "kind", "quic", "quic"),
            (("flows", 0), "to_link", 1, "to_link"),
            (("flows", 0), "rtt_ms", 19, "rtt_ms"),
            (("flows", 0), "rtt_ms", [120, 80], "rtt_ms"),
            (("flows", 0), "packet_bytes", 20, "packet_bytes"),
            (("flows", 0), "parameters", {"history": 8}, "history"),
            (("flows", 0), "parameters", {"rto_mode": "wild"}, "rto_mode"),
        ]
        for place, key, value, told in wrong:
            with self.subTest(key=key, value=value):
                description = copy.deepcopy(good)
                part = description
                for step in place:
                    part = part[step]
                part[key] = value
                done = self.start(description, self.folder / "bad")
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, r"\Atfrc-sim: [^\n]*\n\Z")
                self.assertIn(told, done.stderr)

    def test_no_json(self):
        done = subprocess.run([PROGRAM, "-", self.folder], input="{,}",
                              stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Atfrc-sim: [^\n]*JSON[^\n]*\n\Z")


if __name__ == "__main__":
    unittest.main()
