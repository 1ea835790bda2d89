#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is started in a session of its own has our priority, also before others'."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "support")]

import network  # noqa: E402
from live import child  # noqa: E402

AUTOGROUP = pathlib.Path("/proc/sys/kernel/sched_autogroup_enabled")


class Priority(unittest.TestCase):
    def setUp(self):
        self.child = subprocess.Popen(["sleep", "60"], start_new_session=True)
        self.addCleanup(self.child.wait)
        self.addCleanup(self.child.kill)

    @unittest.skipUnless(AUTOGROUP.exists() and AUTOGROUP.read_text().strip() == "1",
                         "sessions are not grouped here")
    def test_of_a_session_is_that_of_who_started_it(self):
        before = os.getpriority(os.PRIO_PROCESS, 0)
        os.setpriority(os.PRIO_PROCESS, 0, min(before + 1, 19))
        child.share_priority(self.child.pid)
        group = pathlib.Path(f"/proc/{self.child.pid}/autogroup").read_text()
        self.assertEqual(int(re.search(r"nice (-?\d+)", group)[1]),
                         os.getpriority(os.PRIO_PROCESS, 0))

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_the_emulator_is_before_all_others(self):
        network.run_before_others(self.child.pid)
        self.assertEqual(os.sched_getscheduler(self.child.pid), os.SCHED_RR)


if __name__ == "__main__":
    unittest.main()
