# SPDX-License-Identifier: LGPL-2.1-or-later
"""The emulator's log of flows: what each flow got of a link, and how smoothly.
Times are seconds of the monotonic clock."""

import csv
import dataclasses
import functools

import metrics

TCP = 6
UDP = 17


@dataclasses.dataclass
class Flow:
    """Counters at the log's instants; before the first one all are 0."""
    destination_port: int
    source_port: int
    times: list = dataclasses.field(default_factory=list)
    packets: list = dataclasses.field(default_factory=list)
    bytes: list = dataclasses.field(default_factory=list)
    dropped: list = dataclasses.field(default_factory=list)

    def kbit_s(self, start, end):
        """IP headers included."""
        return metrics.kbit_s(metrics.mean_rate(
            self.times, self.bytes, start, end))

    def cov(self, start, end, bin_s):
        return metrics.rate_cov(self.times, self.bytes, start, end, bin_s)

    def loss(self, start, end):
        """Share of its packets that the link did not take."""
        passed, dropped = (metrics.mean_rate(self.times, counter, start, end)
                           for counter in (self.packets, self.dropped))
        return dropped / (passed + dropped) if passed + dropped else None


@functools.cache
def load(path, port, direction, protocol):
    """The Flows of a protocol on a link, in the order of their coming.  Every
    claim about a run asks for them: a log is read once."""
    flows = {}
    with open(path, encoding="ascii") as file:
        origin_s = int(file.readline().partition("=")[2]) / 1e9
        for row in csv.DictReader(file):
            if (row["port"], row["direction"], row["protocol"]) != (
                    port, direction, str(protocol)):
                continue
            key = tuple(row[name] for name in (
                "source", "source_port", "destination", "destination_port"))
            flow = flows.setdefault(key, Flow(
                int(row["destination_port"]), int(row["source_port"])))
            flow.times.append(origin_s + float(row["time_s"]))
            flow.packets.append(int(row["packets"]))
            flow.bytes.append(int(row["bytes"]))
            flow.dropped.append(int(row["dropped"]))
    return list(flows.values())
