#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The other controls of the comparison: NADA by the equations of RFC 8698, RFC 8888
as a sender reads it, and in which order all are measured."""

import argparse
import math
import pathlib
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "peers"))

import evidence  # noqa: E402
import measure  # noqa: E402
import nada  # noqa: E402
import reports  # noqa: E402
import rfc8867  # noqa: E402

RTT_MS = 50.0


class Path:
    """Reports each 100 ms of ten packets of 1000 bytes, sent 10 ms apart."""

    def __init__(self, lowest=150e3, highest=1.5e6, start=300e3):
        self.control = nada.Nada(lowest, highest, start)
        self.now_ms = 0.0

    def report(self, delay_ms=20.0, lost=0, marked=0):
        packets = [nada.Packet(self.now_ms + 10 * i, 1000,
                               None if i < lost else delay_ms, i < marked)
                   for i in range(10)]
        self.now_ms += 100.0
        self.control.on_report(packets, RTT_MS, self.now_ms)
        return self.control.rate


class Nada(unittest.TestCase):
    def test_delay_is_warped_above_50_ms(self):
        # Equation 1: 50 e^(-.5 * 50 / 50) = 30.33 at 100 ms.
        self.assertEqual(nada.warp(49.0), 49.0)
        self.assertAlmostEqual(nada.warp(100.0), 50 * math.exp(-0.5))

    def test_a_calm_path_is_ramped_up_by_what_is_received(self):
        path = Path()
        path.report()
        # 20 packets in 190 ms are 842 kbit/s; equation 3: gamma = 50 / (50 + 100
        # + 120) = .185.
        self.assertAlmostEqual(path.report(),
                               (1 + 50 / 270) * 8000 * 20000 / 190, delta=1)

    def test_the_highest_rate_bounds_the_ramp(self):
        path = Path(highest=500e3)
        path.report()
        self.assertEqual(path.report(), 500e3)

    def test_queueing_delay_slows_gradually(self):
        path = Path(start=1e6)
        path.report()
        path.report()
        before = path.control.rate
        # The 15 newest have the old delay among them: x_curr is 0 yet; 40 ms from
        # the next on.  Equations 5 to 7, delta = 100 ms:
        path.report(delay_ms=60.0)
        offset = 0 - 10 * 1.5e6 / before
        expected = before * (1 - .5 * .2 * offset / 500)
        self.assertAlmostEqual(path.control.rate, min(expected, 1.5e6),
                               delta=1)
        before = path.control.rate
        path.report(delay_ms=60.0)
        offset = 40 - 10 * 1.5e6 / before
        expected = before * (1 - .5 * (.2 * offset / 500 + 2 * 40 / 500))
        self.assertAlmostEqual(path.control.rate, expected, delta=1)

    def test_it_rests_where_the_signal_is_the_reference(self):
        # x_curr = 10 * 1.5 / 1 = 15 ms at 1 Mbit/s.
        path = Path(start=1e6)
        path.control.base_ms = 5.0
        path.control.signal = 15.0
        path.report()
        before = path.control.rate
        self.assertAlmostEqual(path.report(), before, delta=1)

    def test_losses_weigh_by_their_square(self):
        # A tenth lost: by .1 * .1 = 1 %, which is 10 ms.
        path = Path(start=1e6)
        path.report()
        path.report()
        path.control.recent.clear()
        path.report(lost=1)
        self.assertAlmostEqual(path.control.signal, 10.0)
        path.control.recent.clear()
        path.report(lost=1)
        self.assertAlmostEqual(path.control.signal, 10 * 1.9 ** 2)

    def test_marks_weigh_a_fifth(self):
        path = Path(start=1e6)
        path.report()
        path.report()
        path.control.recent.clear()
        path.report(marked=1)
        self.assertAlmostEqual(path.control.signal, 2.0)

    def test_warping_ends_a_mean_interval_after_seven(self):
        losses = nada.Losses()
        for _ in range(3):
            for i in range(10):
                losses.on_packet(i == 9)
        self.assertEqual(losses.mean(), 10)
        control = nada.Nada(150e3, 1.5e6, 1e6)
        control.losses, control.base_ms = losses, 0.0
        control.delays.append(100.0)
        for current, share in (69, 1), (75, .5), (80, 0):
            losses.current = current
            self.assertAlmostEqual(
                control._effective_delay(),
                share * nada.warp(100) + (1 - share) * 100, delta=1e-6)

    def test_what_waits_slows_the_encoder_and_hurries_the_sender(self):
        # Equations 9 and 10: .1 * 8 * 1000 * 30 = 24 kbit/s.
        control = nada.Nada(150e3, 1.5e6, 1e6)
        self.assertAlmostEqual(control.encoder_rate(1000), 976e3)
        self.assertAlmostEqual(control.sending_rate(1000), 1024e3)


def compound(*packets):
    return b"".join(struct.pack(">BBH", 0x80 | count, kind, len(body) // 4)
                    + body for kind, count, body in packets)


class Reports(unittest.TestCase):
    def test_arrivals_of_rfc_8888(self):
        # 16.5 s; received 512/1024 s before, lost, received with CE, unknown.
        body = (struct.pack(">III", 1, 2, 0)[:8] + struct.pack(">HH", 65534, 4)
                + struct.pack(">4H", 0x8000 | 512, 0, 0x8000 | 3 << 13,
                              0x9FFF)
                + struct.pack(">I", int(16.5 * 65536)))
        told = list(reports.arrivals(compound((205, 11, body))))
        self.assertEqual([one[0] for one in told], [65534, 65535, 0, 1])
        self.assertEqual([one[1] for one in told],
                         [16000.0, None, 16500.0, None])
        self.assertEqual([one[2] for one in told],
                         [False, False, True, False])

    def test_requests_of_key_frames(self):
        report = (201, 0, bytes(4))
        self.assertFalse(reports.wants_key_frame(compound(report)))
        for count in 1, 4:
            self.assertTrue(reports.wants_key_frame(
                compound(report, (206, count, bytes(8)))))


class Measuring(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "peers.json"

    def test_what_was_kept_is_not_measured_again(self):
        key = ("2-200", "ours", 1)
        self.assertIn(key, measure.plan_of_round(
            1, ["2-200"], measure.Kept(self.path)))
        measure.Kept(self.path).add(key, {
            "cell": "2-200", "control": "ours", "seed": 1})
        again = measure.plan_of_round(1, ["2-200"], measure.Kept(self.path))
        self.assertNotIn(key, again)
        self.assertIn(("2-200", "gcc", 1), again)
        self.assertIn(("2-200", "ours", 2), measure.plan_of_round(
            2, ["2-200"], measure.Kept(self.path)))

    def test_a_run_that_was_spoilt_is_counted_and_made_again(self):
        key = ("2-200", "ours", 1)
        measure.Kept(self.path).add(key, None)
        kept = measure.Kept(self.path)
        self.assertEqual(kept.tries(*key), 1)
        self.assertIn(key, measure.plan_of_round(1, ["2-200"], kept))

    def test_controls_of_a_cell_are_side_by_side_in_an_order_of_chance(self):
        kept = measure.Kept(self.path)
        plans = [measure.plan_of_round(seed, ["2-50", "2-200"], kept)
                 for seed in range(1, 9)]
        for plan in plans:
            self.assertEqual([cell for cell, _, _ in plan],
                             ["2-50"] * 6 + ["2-200"] * 6)
        self.assertGreater(len({tuple(control for _, control, _ in plan)
                                for plan in plans}), 1)

    def test_what_is_published_is_what_is_measured(self):
        cells = measure.cells
        self.assertEqual(set(evidence.CELLS), set(cells.CELLS))
        self.assertEqual(evidence.QUANTILES, cells.QUANTILES)
        self.assertEqual(evidence.STEP_S, {
            cell: (back, cells.SECONDS[1] - back)
            for cell, back in cells.BACK_S.items()})
        for cell in cells.CELLS:
            self.assertLessEqual(set(cells.controls(cell)), set(evidence.CONTROLS))


class Recorded(unittest.TestCase):
    def test_each_round_has_the_next_of_the_traces(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for name in ("b", "a", "c"):
                (folder / name).write_text("1\n", encoding="utf-8")
            self.assertEqual([measure.cells.trace_of_round(folder, seed).name
                              for seed in (1, 2, 3, 4)], ["a", "b", "c", "a"])

    def test_without_traces_there_is_no_such_cell(self):
        chosen = argparse.Namespace(only=["2-50", "recorded"], traces=None)
        self.assertEqual(measure.chosen_cells(chosen), ["2-50"])
        chosen.traces = pathlib.Path("traces")
        self.assertEqual(measure.chosen_cells(chosen), ["2-50", "recorded"])


class Rfc8867(unittest.TestCase):
    def test_what_is_counted_begins_when_all_are_there(self):
        # Streams at 0, 20 and 40 s, 5 s to settle, until 119.
        self.assertEqual(rfc8867.events("8867-5.4"), [
            (0, "stream", 0), (20, "stream", 1), (40, "stream", 2),
            (45, "mark", "steady"), (119, "mark", "end")])

    def test_the_capacity_changes_before_a_stream_that_begins_then(self):
        self.assertEqual(rfc8867.events("8867-5.2")[:3], [
            (0, "rate", 4000), (0, "stream", 0), (0, "stream", 1)])


if __name__ == "__main__":
    unittest.main()
