# SPDX-License-Identifier: LGPL-2.1-or-later
"""The emulator's log of packets: the queue that each packet found on its way
to a host.  Times are seconds of the monotonic clock."""

import csv
import dataclasses
import functools

import metrics
import numpy as np

LOST = ("lost", "queue", "red", "outage")


@dataclasses.dataclass
class Packets:
    """One entry for each packet that came to the link."""
    times: np.ndarray
    protocols: np.ndarray
    bytes: np.ndarray
    wait_ms: np.ndarray     # that it found, without its own sending time
    lost: np.ndarray        # by the link, in whatever way

    def queue_ms(self, per_cent, start, end):
        """Percentile of the waits of those that were let in."""
        here = (self.times >= start) & (self.times < end) & ~self.lost
        return metrics.percentile(self.wait_ms[here], per_cent)

    def seconds_above(self, bound_ms, start, end):
        """How long the queue was longer than that."""
        return metrics.seconds_above(self.times, self.wait_ms, bound_ms,
                                     start, end)

    def last_above_s(self, bound_ms, start, end):
        """From `start` to the last packet that found more; 0 if none did."""
        here = (self.times >= start) & (self.times < end) \
            & (self.wait_ms > bound_ms)
        return float(self.times[here][-1] - start) if here.any() else 0.0

    def of(self, protocol):
        here = self.protocols == protocol
        return Packets(*(getattr(self, field.name)[here]
                         for field in dataclasses.fields(self)))

    def kbit_s(self, start, end):
        """What was sent to the link, IP headers included."""
        here = (self.times >= start) & (self.times < end)
        return metrics.kbit_s(float(self.bytes[here].sum()) / (end - start))

    def n_lost(self, start, end):
        return int((self.lost & (self.times >= start)
                    & (self.times < end)).sum())

    def counter(self):
        """(times, kbit that were sent to the link by then)."""
        return self.times, metrics.kbit_s(np.cumsum(self.bytes))


@functools.cache
def load(path, port="receiver", direction="to"):
    """The Packets of a link.  Every claim about a run asks for them: a log is
    read once."""
    rows = []
    with open(path, encoding="ascii") as file:
        origin_s = int(file.readline().partition("=")[2]) / 1e9
        for row in csv.DictReader(file):
            if (row["port"], row["direction"]) == (port, direction):
                rows.append((origin_s + float(row["time_s"]),
                             int(row["protocol"]), int(row["bytes"]),
                             float(row["wait_ms"]), row["fate"] in LOST))
    columns = list(zip(*rows)) or [()] * 5
    return Packets(*(np.array(column, dtype=kind) for column, kind in zip(
        columns, (float, int, float, float, bool))))
