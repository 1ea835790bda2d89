#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The demo of a group as a user runs it: options, report, and the guest that
joins behind a narrow link and leaves.  `test_group_demo.py CLASS` runs one of the
classes."""

import unittest

import test_demo
from test_demo import PNG, TOP

from live import group_results
from live.group_recording import GroupRecording

KEYS = (
    "seconds warmup_seconds group_kbit_s reports_received clr_changes "
    "receivers group_kbit_s_before_guest group_kbit_s_with_guest "
    "guest_limits_after_s guest_first_loss guest_sees_after_s "
    "recovery_s").split()
NARROW_KBIT_S = 400


class GroupDemo(test_demo.Base):

    PROGRAM = str(TOP / "examples" / "multicast.py")


class Guest(GroupDemo):

    def guest_fault(self, numbers):
        """What a guest that limits the group must have done; None: it did."""
        guest = numbers["receivers"][-1]
        if numbers["guest_limits_after_s"] is None:
            return "the guest never limited the group"
        # From the join: pictures, half a slow start, two feedback delays.
        if numbers["guest_limits_after_s"] > 8:
            return f"only after {numbers['guest_limits_after_s']} s"
        if numbers["group_kbit_s_with_guest"] > 1.25 * NARROW_KBIT_S:
            return f"{numbers['group_kbit_s_with_guest']} kbit/s with it"
        if numbers["group_kbit_s_before_guest"] < 1.5 * NARROW_KBIT_S:
            return f"{numbers['group_kbit_s_before_guest']} kbit/s before"
        if not guest["frames_decoded"]:
            return "the guest saw nothing"
        return None

    def test_a_guest_limits_the_group_and_all_is_told(self):
        # Repeated where the machine had no time for five pipelines.
        for _ in range(3):
            numbers, output = self.run_demo(45)
            fault = self.guest_fault(numbers)
            if fault is None:
                break
        self.assertIsNone(fault)
        self.assertEqual(list(numbers), KEYS)
        self.assertEqual([one["name"] for one in numbers["receivers"]],
                         ["far", "fast", "lossy", "guest"])
        for one in numbers["receivers"]:
            for key in ("calculated_kbit_s", "rtt_ms_mean", "received_kbit_s",
                        "reports", "frames_decoded"):
                self.assertGreater(one[key], 0, (one["name"], key))
        folder = self.folder / "report"
        for name in ("plot.png", "frame-fast.png", "frame-guest.png"):
            self.assertEqual((folder / name).read_bytes()[:8], PNG)
        rows = (folder / "series.csv").read_text().strip().split("\n")
        self.assertAlmostEqual(len(rows), 451, delta=5)
        self.assertIn("the guest limits after",
                      (folder / "summary.txt").read_text())
        self.assertIn("limited by", output)


class Others(GroupDemo):

    def test_wrong_options_are_one_line_and_2(self):
        for arguments in (["--bogus"], ["--seconds", "soon"],
                          ["--report", "/proc/version/report"]):
            result = self.demo(*arguments)
            self.assertEqual(result.returncode, 2)
            self.assertEqual(len(result.stderr.strip().split("\n")), 1)
            self.assertIn(arguments[-1].removesuffix("/report"),
                          result.stderr)

    def test_who_is_there_from_the_start_sees_a_ladder(self):
        numbers, _ = self.run_demo(20, "--ladder")
        for one in numbers["receivers"][:3]:
            self.assertGreater(one["frames_decoded"], 0, one["name"])

    def test_a_change_of_the_rung_is_told(self):
        recording = GroupRecording()
        recording.start_ns, recording.seconds = 0, 10.0
        for second, rung in (5, 1), (11, 0):
            recording.take("receiver-guest", {
                "event": "message", "name": "tfrc-rung",
                "fields": {"rung": rung, "reason": "hopeless"},
                "t": second * 10 ** 9})
        self.assertEqual(
            group_results.member_results(recording, "guest", 10.0)["rungs"],
            [{"at": 5.0, "rung": 1}])


if __name__ == "__main__":
    unittest.main()
