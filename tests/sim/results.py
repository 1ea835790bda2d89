# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a run of tfrc-sim wrote, as numbers to judge by.

Rates are bytes/s, times seconds from the start of the run.  `name` is that
of the description's flow; several flows may share it (count), and an answer
for them is their mean unless it says otherwise.  Files are read when they
are first asked for."""

import functools
import json
import pathlib

import numpy as np

import flow_metrics
import metrics


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

    def flow(self, name, index=0):
        """The summary of one flow: start_s, rtt_ms, sent_packets, ..."""
        return self.flows[self._columns(name)[index]]

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
        share = self.capacity(start, end, link) / (flows or len(self.flows))
        return self.throughput(name, start, end) / share

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
        through = [i for i, flow in enumerate(self._flow_of_column)
                   if not flow.reverse and flow.from_link <= link
                   and (flow.to_link is None or flow.to_link >= link)]
        rows = self._rows(self._received, start, end)[:, through]
        seconds = len(rows) * self.bin_s
        return float(rows.sum()) / seconds / self.capacity(start, end, link)

    def drop_rate(self, start, end, link=0, names=None):
        """Dropped (or marked) of the packets offered to the link."""
        arrivals, drops = self._offered(start, end, link, names)
        return float(drops.sum() / arrivals.sum()) if arrivals.sum() else None

    def drop_rate_series(self, bin_s, start=0.0, end=None, link=0,
                         names=None):
        """The drop rate in each bin; 0 where nothing arrived."""
        arrivals, drops = (
            self._add_up(part, bin_s).sum(axis=1)
            for part in self._offered(start, end, link, names))
        return np.divide(drops, arrivals, out=np.zeros(len(drops)),
                         where=arrivals > 0)

    def queue(self, link=0):
        """(mean, maximum) packets queued in each bin: two arrays."""
        columns = self._table("queue.txt", 2 * len(self.links))
        return columns[:, 2 * link], columns[:, 2 * link + 1]

    # Losses, and what the protocols say of themselves.

    def loss_event_rates(self, name, start=0.0, end=None, rtt_s=None,
                         link=0):
        """Loss events per packet of each flow at the link: losses within
        one RTT (the propagation RTT unless given) are one event."""
        arrivals, _ = self._offered(start, end, link, [name])
        end = self.seconds if end is None else end
        losses = self._losses
        rates = []
        for place, column in enumerate(self._columns(name)):
            mine = losses[(losses[:, 1] == column) & (losses[:, 0] >= start)
                          & (losses[:, 0] < end)]
            rtt = rtt_s or self.flows[column]["rtt_ms"] / 1000
            rates.append(flow_metrics.loss_event_rate(
                mine[:, 0], arrivals[:, place].sum(), rtt))
        return rates

    def loss_event_rate(self, name, start=0.0, end=None, rtt_s=None, link=0):
        rates = self.loss_event_rates(name, start, end, rtt_s, link)
        return None if None in rates else float(np.mean(rates))

    def losses(self, name, index=0):
        """(times, sequence numbers) of one flow's dropped packets."""
        column = self._columns(name)[index]
        mine = self._losses[self._losses[:, 1] == column]
        return mine[:, 0], mine[:, 2].astype(int)

    def trace(self, name, index=0):
        """The flow's trace as a record array: trace(...)["cwnd"]."""
        column = self._columns(name)[index]
        return np.genfromtxt(self.folder / f"trace-{column}.csv",
                             delimiter=",", names=True)

    # How the files are read.

    @functools.cached_property
    def _flow_of_column(self):
        """The description's flow that each column belongs to."""
        named = {flow.name: flow for flow in self.run.flows}
        return [named[flow["name"]] for flow in self.flows]

    def _columns(self, name):
        found = [i for i, flow in enumerate(self.flows)
                 if flow["name"] == name]
        if not found:
            raise KeyError(f"no flow is named {name}")
        return found

    def _table(self, file, columns):
        numbers = np.fromfile(self.folder / file, sep=" ")
        return numbers.reshape(-1, columns)

    @functools.cached_property
    def _received(self):
        return self._table("received.txt", len(self.flows))

    @functools.cached_property
    def _sent(self):
        return self._table("sent.txt", len(self.flows))

    @functools.cached_property
    def _losses(self):
        return self._table("losses.txt", 3)

    @functools.lru_cache(maxsize=8)
    def _at_link(self, file, link):
        table = self._table(file, len(self.flows) * len(self.links))
        width = len(self.flows)
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
