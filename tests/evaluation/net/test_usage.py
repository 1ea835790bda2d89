#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests of what /proc tells about a process."""

import os
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
import usage  # noqa: E402
from usage import Sample, Usage  # noqa: E402

HOLD = """\
import threading
files = [open("/dev/null") for _ in range(7)]
memory = bytearray(32 << 20)
memory[::4096] = b"x" * (len(memory) // 4096)
end = threading.Event()
threads = [threading.Thread(target=end.wait) for _ in range(3)]
for thread in threads:
    thread.start()
print("ready", flush=True)
input()
end.set()
"""


def child(program):
    """A process that said it is ready and waits for a line."""
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    return process


class ReadSample(unittest.TestCase):

    def test_counts_files_threads_and_memory(self):
        with child("print(flush=True); input()") as plain, \
                child(HOLD) as holding:
            before, after = usage.read_sample(plain.pid), usage.read_sample(holding.pid)
            plain.communicate("\n")
            holding.communicate("\n")
        self.assertEqual(after.files - before.files, 7)
        self.assertEqual(after.threads - before.threads, 3)
        self.assertGreater(after.rss_kib - before.rss_kib, 32 << 10)

    def test_knows_no_process_that_has_ended(self):
        with child("print(flush=True); input()") as process:
            process.communicate("\n")
            self.assertIsNone(usage.read_sample(process.pid))

    def test_ends_with_the_process(self):
        with child("print(flush=True); input()") as process:
            watched = Usage(process.pid, interval_s=0.01)
            process.communicate("\n")
            watched.thread.join(5)
            self.assertFalse(watched.thread.is_alive())
        self.assertTrue(watched.samples)


class Lines(unittest.TestCase):

    def setUp(self):
        self.usage = Usage(os.getpid())
        self.usage.stop()
        # 6 KiB a second, with an outlier at the end.
        self.usage.samples = [Sample(100 + n, 1000 + 6 * n, 10, 3)
                              for n in range(10)]
        self.usage.samples.append(Sample(110, 9000, 12, 4))

    def test_slope_is_per_minute(self):
        self.assertAlmostEqual(
            self.usage.per_minute("rss_kib", 100, 110), 360)

    def test_trend_is_not_bent_by_the_outlier(self):
        self.assertGreater(self.usage.per_minute("rss_kib", 100, 111), 1000)
        self.assertAlmostEqual(
            self.usage.trend_per_minute("rss_kib", 100, 111, step_s=1), 360)

    def test_trend_leaves_gaps_out(self):
        del self.usage.samples[3:6]
        self.assertAlmostEqual(
            self.usage.trend_per_minute("rss_kib", 100, 110, step_s=1), 360)

    def test_end_of_the_span_is_left_out(self):
        self.assertEqual(self.usage.largest("files", 100, 110), 10)
        self.assertEqual(self.usage.largest("files", 100, 111), 12)

    def test_median_of_even_many_is_between(self):
        self.assertEqual(self.usage.median("rss_kib", 100, 102), 1003)


if __name__ == "__main__":
    unittest.main()
