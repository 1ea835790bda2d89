# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a run of tfrc-sim wrote, as numbers to judge by.

Rates are bytes/s, times seconds from the start of the run.  `name` is that
of the description's flow; several flows may share it (count), and an answer
for them is their mean unless it says otherwise.  Files are read when they
are first asked for."""

import json
import pathlib

import numpy as np

import flow_metrics
import metrics
from group_results import GroupResult


class Result:

    def __init__(self, folder, run):
        self.folder = pathlib.Path(folder)
        self.run = run
        self.seconds = run.seconds
        self.bin_s = run.bin_ms / 1000
        with (self.folder / "summary.json").open() as file:
            self.summary = json.load(file)
        self.flows = self.summary["flows"]
        self.links = self.summary["links"]
        self._tables = {}
        self._groups = {}

    def forget(self):
        """Gives the memory of the tables back; they are read again when
        they are asked for."""
        self._tables.clear()
        self._groups.clear()

    def flow(self, name, number=0):
        """The summary of one of the flows: start_s, rtt_ms, ..."""
        return self.flows[self._columns(name)[number]]

    # Rates.

    def throughputs(self, name, start, end):
        """Bytes/s that each of the flows received: an array."""
        return self._mean_rates(self._received, name, start, end)

    def throughput(self, name, start, end):
        """Bytes/s received, the mean over the flows of that name."""
        return float(self.throughputs(name, start, end).mean())

    def sent_rates(self, name, start, end):
        """Bytes/s that each of the flows put on its first link."""
        return self._mean_rates(self._sent, name, start, end)

    def series(self, name, bin_s, start=0.0, end=None):
        """Bytes/s received in each bin, whole bins only: bins x flows."""
        return self._binned(self._received, name, bin_s, start, end)

    def sent_series(self, name, bin_s, start=0.0, end=None):
        return self._binned(self._sent, name, bin_s, start, end)

    def normalised(self, name, start, end, flows=None, link=0):
        """Mean throughput of the flows of that name, where 1 is the link by
        the number of flows; `flows` where not all of them compete."""
        return flow_metrics.normalised_throughput(
            self.throughput(name, start, end),
            self.capacity(start, end, link), flows or len(self.flows))

    def cov(self, name, bin_s, start, end):
        """Coefficient of variation of the received rate at a timescale."""
        return flow_metrics.mean_cov(self.series(name, bin_s, start, end))

    def sent_cov(self, name, bin_s, start, end):
        return flow_metrics.mean_cov(self.sent_series(name, bin_s, start, end))

    def equivalence(self, one, other, bin_s, start, end):
        """Mean equivalence ratio of all pairs (one, other), or of all pairs
        within a name that is given twice."""
        return flow_metrics.mean_equivalence(
            self.series(one, bin_s, start, end),
            self.series(other, bin_s, start, end), same=one == other)

    def jain(self, names, start, end):
        """Jain's index over all flows of these names (a list)."""
        return flow_metrics.jain_index(np.concatenate(
            [self.throughputs(name, start, end) for name in names]))

    # Links.

    def capacity(self, start, end, link=0):
        """Mean bytes/s of the link, by its schedule."""
        steps = [(0.0, self.run.links[link].rate_bit_s)]
        steps += list(self.run.links[link].schedule or ())
        times, rates = zip(*steps)
        return metrics.level_mean(times, rates, start, end) / 8

    def utilisation(self, start, end, link=0):
        """Share of the link's capacity that came out at the receivers whose
        flows cross it in the direction of the data."""
        crossing = {flow.name for flow in self.run.flows
                    if not flow.reverse and self._links_of(flow)[0] <= link
                    <= self._links_of(flow)[1]}
        through = [i for i, flow in enumerate(self.flows)
                   if flow["name"] in crossing]
        rows = self._rows(self._received, start, end)[:, through]
        seconds = len(rows) * self.bin_s
        return float(rows.sum()) / seconds / self.capacity(start, end, link)

    def drop_rate(self, start, end, link=0, names=None):
        """Dropped (or marked) of the packets offered to the link."""
        arrivals, drops = self._offered(start, end, link, names)
        return float(drops.sum() / arrivals.sum()) if arrivals.sum() else None

    def packet_series(self, bin_s, start=0.0, end=None, link=0, names=None):
        """(offered, dropped or marked) packets in each bin: two arrays."""
        return tuple(
            self._add_up(part, bin_s).sum(axis=1)
            for part in self._offered(start, end, link, names))

    def drop_rate_series(self, bin_s, start=0.0, end=None, link=0,
                         names=None):
        """The drop rate in each bin; 0 where nothing arrived."""
        arrivals, drops = self.packet_series(bin_s, start, end, link, names)
        return np.divide(drops, arrivals, out=np.zeros(len(drops)),
                         where=arrivals > 0)

    def queue(self, link=0):
        """(mean, maximum) packets queued in each bin: two arrays."""
        columns = self._table("queue.txt", 2 * len(self.links))
        return columns[:, 2 * link], columns[:, 2 * link + 1]

    # Losses, and what the protocols say of themselves.

    def packets(self, name, start=0.0, end=None):
        """Packets that each of the flows offered to its first link."""
        flow = next(one for one in self.run.flows if one.name == name)
        first, last = self._links_of(flow)
        return self._offered(start, end, last if flow.reverse else first,
                             [name])[0].sum(axis=0)

    def losses(self, name, number=0):
        """(times, sequence numbers) of one flow's dropped or marked packets
        at whatever link; sequence numbers count the flow's packets from 0."""
        losses = self._table("losses.txt", 3)
        mine = losses[losses[:, 1] == self._columns(name)[number]]
        return mine[:, 0], mine[:, 2].astype(int)

    def loss_event_rates(self, name, start=0.0, end=None, rtt_s=None):
        """Loss events per packet sent, of each of the flows.  Losses within
        one RTT (the propagation RTT unless given) are one event."""
        end = self.seconds if end is None else end
        rates = []
        for number, packets in enumerate(self.packets(name, start, end)):
            times = self.losses(name, number)[0]
            rates.append(flow_metrics.loss_event_rate(
                metrics.between(times, times, start, end), packets,
                rtt_s or self.flow(name, number)["rtt_ms"] / 1000))
        return rates

    def loss_event_rate(self, name, start=0.0, end=None, rtt_s=None):
        """Their mean."""
        rates = self.loss_event_rates(name, start, end, rtt_s)
        return None if None in rates else float(np.mean(rates))

    def trace(self, name, number=0):
        """The flow's trace as a record array: trace(...)["cwnd"]."""
        index = self._columns(name)[number]
        return np.genfromtxt(self.folder / f"trace-{index}.csv",
                             delimiter=",", names=True)

    def group(self, name):
        """What a tfmcc flow recorded of its group: a GroupResult."""
        index = self._columns(name)[0]
        if index not in self._groups:
            self._groups[index] = GroupResult(self.folder, self.flows[index])
        return self._groups[index]

    def core_ns_per_packet(self):
        """Time spent in gst/protocol by its data packets; the run must have
        asked for core_time."""
        return self.summary["engine"]["core_ns_per_packet"]

    # How the files are read.

    def _columns(self, name):
        """The places of the flows of that name, here and in the tables."""
        found = [i for i, flow in enumerate(self.flows)
                 if flow["name"] == name]
        if not found:
            raise KeyError(f"no flow is named {name}")
        return found

    def _links_of(self, flow):
        """(first, last) link of the chain that the flow crosses."""
        last = len(self.links) - 1 if flow.to_link is None else flow.to_link
        return flow.from_link, last

    def _table(self, file, width, kind=float):
        """A file's numbers; read once."""
        if file not in self._tables:
            numbers = np.fromfile(self.folder / file, dtype=kind, sep=" ")
            self._tables[file] = numbers.reshape(-1, width)
        return self._tables[file]

    @property
    def _received(self):
        return self._table("received.txt", len(self.flows), np.int32)

    @property
    def _sent(self):
        return self._table("sent.txt", len(self.flows), np.int32)

    def _at_link(self, file, link):
        width = len(self.flows)
        table = self._table(file, width * len(self.links), np.int32)
        return table[:, link * width:(link + 1) * width]

    def _rows(self, table, start, end):
        end = self.seconds if end is None else end
        return table[round(start / self.bin_s):round(end / self.bin_s)]

    def _add_up(self, rows, bin_s):
        """Rows of the run's bins added up to whole bins of bin_s."""
        many = round(bin_s / self.bin_s)
        if many < 1 or abs(many * self.bin_s - bin_s) > 1e-9:
            raise ValueError(f"{bin_s} s is no multiple of {self.bin_s} s")
        whole = len(rows) // many
        return rows[:whole * many].reshape(whole, many, -1).sum(axis=1)

    def _mean_rates(self, table, name, start, end):
        rows = self._rows(table, start, end)[:, self._columns(name)]
        return rows.sum(axis=0) / (len(rows) * self.bin_s)

    def _binned(self, table, name, bin_s, start, end):
        rows = self._rows(table, start, end)[:, self._columns(name)]
        return self._add_up(rows, bin_s) / bin_s

    def _offered(self, start, end, link, names):
        columns = sorted(sum(map(self._columns, names), [])) if names \
            else slice(None)
        return tuple(self._rows(self._at_link(file, link), start, end)
                     [:, columns] for file in ("arrivals.txt", "drops.txt"))
