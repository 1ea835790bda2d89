# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a process uses while it runs: memory, open files and threads, as /proc
tells, at times of the monotonic clock [s]."""

import dataclasses
import os
import pathlib
import threading
import time

import numpy

INTERVAL_S = 0.5


@dataclasses.dataclass(frozen=True)
class Sample:
    t: float
    rss_kib: int
    files: int
    threads: int


def read_sample(pid):
    """A Sample of now, or None: the process is gone."""
    folder = pathlib.Path("/proc", str(pid))
    try:
        status = dict(line.split(":", 1) for line in
                      (folder / "status").read_text().splitlines())
        # A zombie has no memory.
        return Sample(time.monotonic(), int(status["VmRSS"].split()[0]),
                      len(os.listdir(folder / "fd")), int(status["Threads"]))
    except (OSError, KeyError):
        return None


class Usage:
    """Looks at a process, at once and until that has ended."""

    def __init__(self, pid, interval_s=INTERVAL_S):
        self.pid = pid
        self.interval_s = interval_s
        self.samples = []
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        # The process may have ended when the thread begins.
        self._add_sample()
        self.thread.start()

    def _add_sample(self):
        """Whether there is still a process."""
        sample = read_sample(self.pid)
        if sample is not None:
            self.samples.append(sample)
        return sample is not None

    def _run(self):
        while not self.stopping.wait(self.interval_s):
            if not self._add_sample():
                return

    def stop(self):
        self.stopping.set()
        self.thread.join()

    def between(self, start, end):
        return [sample for sample in self.samples if start <= sample.t < end]

    def largest(self, name, start, end):
        """Of a field of the samples in [start, end)."""
        return max(getattr(sample, name)
                   for sample in self.between(start, end))

    def median(self, name, start, end):
        return float(numpy.median([getattr(sample, name)
                                   for sample in self.between(start, end)]))

    def per_minute(self, name, start, end):
        """Slope of the straight line of least squares."""
        samples = self.between(start, end)
        slope, _ = numpy.polyfit(
            [sample.t - start for sample in samples],
            [getattr(sample, name) for sample in samples], 1)
        return 60 * slope

    def trend_per_minute(self, name, start, end, step_s=5):
        """Slope after Theil and Sen, of medians of so many seconds: what
        comes and goes leaves it alone."""
        steps = [first for first in numpy.arange(start, end, step_s)
                 if self.between(first, first + step_s)]
        values = numpy.array([self.median(name, first, first + step_s)
                              for first in steps])
        before, after = numpy.triu_indices(len(steps), 1)
        times = numpy.array(steps)
        return float(60 * numpy.median((values[after] - values[before])
                                       / (times[after] - times[before])))
