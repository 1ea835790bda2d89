# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tables with live video share: the flow, the link in front of it,
and measures of one Result.  Rates are bit/s here, as RFC 8867 has them, and
count IP packets."""

import numpy as np

from claims import Scale
import metrics
from simulation import Flow, Link, Queue

# RFC 8867, table 4, and section 4.1: what the encoder makes at most.
MEDIA_MAX_BIT_S = 1.5e6
# RFC 8868 section 4.5: jitter with a standard deviation of 5 ms, cut at
# three of them, is RFC 8867's "maximum end-to-end jitter 30 ms".
JITTER_MS = 5

SEEDS = {Scale.QUICK: 1, Scale.STANDARD: 3}


def seeds(scale):
    return range(1, SEEDS[scale] + 1)


def media(name="media", parameters=None, **fields):
    """Video of 0.15 to 1.5 Mbit/s, 30 frames/s, with audio of 20 kbit/s."""
    return Flow(name=name, kind="media", packet_bytes=1200,
                parameters=parameters or {}, **fields)


def greedy(name="tfrc", parameters=None, **fields):
    return Flow(name=name, kind="tfrc", packet_bytes=1200,
                parameters=parameters or {}, **fields)


def tcp(name="tcp", congestion="linux-reno", **fields):
    return Flow(name=name, kind="tcp", packet_bytes=1200,
                parameters={"congestion": congestion}, **fields)


def drop_tail(rate_bit_s, queue_ms):
    """A queue that takes so long to empty at that rate."""
    return Queue(bytes=round(rate_bit_s * queue_ms / 8000))


def link(rate_bit_s, delay_ms, queue_ms=300, reference_bit_s=None, **fields):
    """A link of RFC 8867: drop-tail, with jitter.  The queue's time is meant
    at the reference capacity where the link's own varies."""
    return Link(rate_bit_s=rate_bit_s, delay_ms=delay_ms, jitter_ms=JITTER_MS,
                queue=drop_tail(reference_bit_s or rate_bit_s, queue_ms),
                **fields)


# Measures: each makes a function of one Result.

def mean_bit_s(name, start, end):
    return lambda result: result.throughput(name, start, end) * 8


def used(names, start, end, most_bit_s=None):
    """Share of what the flows together could have: the capacity, or what
    they can make at most where that is less."""
    def measure(result):
        got = sum(result.throughputs(name, start, end).sum()
                  for name in names) * 8
        can = result.capacity(start, end) * 8
        return got / min(can, most_bit_s or can)
    return measure


def counter(result, names, sent=False, bin_s=0.05):
    """(times, bytes so far) of all flows of these names together."""
    series = result.sent_series if sent else result.series
    rows = sum(series(name, bin_s).sum(axis=1) for name in names) * bin_s
    return (np.arange(len(rows) + 1) * bin_s,
            np.concatenate(([0.0], np.cumsum(rows))))


def seconds_down(names, step, until, capacity_bit_s):
    """From a step down until what is sent stays within 1.1 times the
    capacity, as a mean of half a second, for 3 s; `until` - step if never."""
    def measure(result):
        times, total = counter(result, names, sent=True)
        seconds = metrics.reaction_s(times, total, step, until,
                                     capacity_bit_s / 8)
        return until - step if seconds is None else seconds
    return measure


def seconds_up(names, step, until, rate_bit_s, share=0.8):
    """From a step up until what is sent, as a mean of half a second, exceeds
    that share of the rate; `until` - step if never.  Not what arrives: that
    is the queue of before for a while."""
    def measure(result):
        times, total = counter(result, names, sent=True)
        seconds = metrics.recovery_s(times, total, step, until,
                                     rate_bit_s / 8, share)
        return until - step if seconds is None else seconds
    return measure


def lowest_bit_s(name, start, end, bin_s=1.0):
    """The worst second of the worst flow."""
    return lambda result: float(
        result.series(name, bin_s, start, end).min()) * 8


def ratio(one, other, start, end):
    """Relative throughput of RFC 8868."""
    def measure(result):
        below = result.throughput(other, start, end)
        return result.throughput(one, start, end) / below if below else None
    return measure


def jain(names, start, end):
    return lambda result: result.jain(names, start, end)


def value(name, key, index=0):
    """What a flow says of itself in summary.json."""
    return lambda result: result.flow(name, index)[key]


def frames_complete(name):
    """The worst flow's share of encoded frames that arrived whole; the rest
    was dropped by the pacer or lost a packet."""
    return lambda result: min(
        flow["frames_complete"] / flow["frames"]
        for flow in result.flows if flow["name"] == name)


def packet_bytes(result):
    """The mean packet of all flows in the direction of the data: queues are
    counted in packets, and audio's are short."""
    reverse = {flow.name for flow in result.run.flows if flow.reverse}
    flows = [flow for flow in result.flows if flow["name"] not in reverse]
    return sum(flow["sent_bytes"] for flow in flows) \
        / sum(flow["sent_packets"] for flow in flows)


def queue_ms_p95(start, end):
    """Of the time that the forward queue takes to empty."""
    def measure(result):
        _, most = result.queue()
        first, last = (round(t / result.bin_s) for t in (start, end))
        rate = result.capacity(start, end)
        return float(np.percentile(most[first:last], 95)) \
            * packet_bytes(result) / rate * 1000
    return measure


def each(measure, *pattern):
    """The measure of every seed of the runs that the pattern selects."""
    return lambda results: results.each(measure, *pattern)
