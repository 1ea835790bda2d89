# SPDX-License-Identifier: LGPL-2.1-or-later
"""Delay control beside the kernel's TCP: shares, whoever starts first, the switch
when TCP comes and when it has left.  Links, packets and the noise in front of the
bottleneck are those of the scenarios beside TCP without it."""

import statistics

import flow_log
from cases import _beside, _delay, beside_tcp
from claims import NOT_QUICK, PRESENT_DAY, Claim, Scale, Scenario

median = statistics.median
FIRST = ("stream", "tcp")
LEAST_SHARE = 0.4
# Whoever comes second does so that much later.
SECOND_S = 10
SETTLE_S = 15
MEASURE_S = 45


def act(kind, algorithm, flows, rate_kbit_s, queue, first):
    settle, measured = (60, 60) if (queue, rate_kbit_s) == beside_tcp.SLOW \
        else (SETTLE_S, MEASURE_S)

    def run(stage):
        _delay.network(
            stage, {"rate_kbit_s": rate_kbit_s, **beside_tcp.QUEUES[queue]},
            {"back_jitter_ms": 8 * _beside.PACKET_BYTES / rate_kbit_s})
        starts = [lambda: _delay.stream(stage, kind), lambda: stage.tcp(
            "sender", "receiver", SECOND_S + settle + measured + 5, algorithm,
            flows)]
        for start in starts if first == "stream" else reversed(starts):
            start()
            stage.sleep(SECOND_S)
        stage.mark("steady", after=settle - SECOND_S)
        stage.sleep(settle - SECOND_S + measured)
        stage.mark("end")
    return run


def runs(algorithm, rate_mbit_s):
    def at(scale):
        return {} if scale is Scale.QUICK else {
            (queue, flows, first, kind, seed): act(
                kind, algorithm, flows, 1000 * rate_mbit_s, queue, first)
            for queue in beside_tcp.QUEUES for flows in beside_tcp.FLOWS
            for first in FIRST for kind in _delay.KINDS
            for seed in _delay.seeds(scale)}
    return at


def distance(share):
    """From 1, as a factor."""
    return max(share, 1 / share) if share > 0 else float("inf")


def further(*key):
    """How many times further from 1 than without, in the medians."""
    def measure(results):
        control, plain = (median(results.each(_beside.share, *key, kind))
                          for kind in ("control", "plain"))
        return distance(control) / distance(plain)
    return measure


def share_claims(judged):
    for queue in beside_tcp.QUEUES:
        for flows in beside_tcp.FLOWS:
            for first in FIRST:
                where = f"{queue}, {flows} TCP, {first} first"
                key = queue, flows, first
                yield Claim(
                    f"rate by the mean TCP's, {where}", "",
                    _delay.of(_beside.share, *key, "control"),
                    low=LEAST_SHARE if judged else None, scales=NOT_QUICK,
                    middle=median)
                yield Claim(
                    f"rate by the mean TCP's, {where}, without", "",
                    _delay.of(_beside.share, *key, "plain"),
                    scales=NOT_QUICK, middle=median)
                yield Claim(
                    f"factor from 1 by that without, {where}", "<= 1",
                    further(*key), high=1 if judged else None,
                    scales=NOT_QUICK)


def scenario(algorithm, rate_mbit_s, judged=True):
    return Scenario(
        f"delay-{algorithm}-{rate_mbit_s}", source=PRESENT_DAY,
        what=f"one greedy stream with delay control, and one without, beside "
             f"1, 3 and 7 {algorithm} flows, {rate_mbit_s} Mbit/s, 50 ms RTT, "
             "three queues",
        runs=runs(algorithm, rate_mbit_s), claims=list(share_claims(judged)))


# The switch: TCP comes to a stream that is alone, and leaves it alone.

SWITCH_RATE = 5000
SWITCH_CASES = {("reno", 1, "drop-tail-200"), ("cubic", 3, "drop-tail-200"),
                ("cubic", 3, "drop-tail-50")}
ALONE_S, TCP_S, AFTER_S = 20, 40, 25
BOUND_S = 10
SHORT_MS = 30


def switch(kind, algorithm, flows, queue):
    def run(stage):
        _delay.network(
            stage, {"rate_kbit_s": SWITCH_RATE, **beside_tcp.QUEUES[queue]},
            {"back_jitter_ms": 8 * _beside.PACKET_BYTES / SWITCH_RATE})
        _delay.stream(stage, kind)
        stage.sleep(ALONE_S)
        stage.tcp("sender", "receiver", TCP_S, algorithm, flows)
        stage.mark("steady")
        stage.sleep(TCP_S)
        stage.mark("left", after=1)
        stage.sleep(AFTER_S)
        stage.mark("end")
    return run


def switch_runs(scale):
    return {} if scale is Scale.QUICK else {
        (*case, kind, seed): switch(kind, *case)
        for case in sorted(SWITCH_CASES) for kind in _delay.KINDS
        for seed in _delay.seeds(scale)}


def switch_s(flows):
    """The last time that it has less than LEAST_SHARE of its part, in the
    first half of TCP's time."""
    def measure(stage):
        start = stage.marks["steady"]
        return _delay.metrics.last_below_s(
            *_delay.udp(stage).counter(),
            LEAST_SHARE * SWITCH_RATE / (flows + 1), start,
            start + TCP_S / 2)
    return measure


def short_again_s(stage):
    """The last second of which the median queue is long."""
    left, end = stage.between("left", "end")
    queue = _delay.packets(stage)
    seconds = [at for at in range(int(end - left))
               if queue.queue_ms(50, left + at, left + at + 1) > SHORT_MS]
    return seconds[-1] + 1 if seconds else 0


def share_beside(stage):
    """Over the second half of TCP's time."""
    start = stage.marks["steady"]
    udp, tcp = (_delay.packets(stage).of(protocol).kbit_s(
        start + TCP_S / 2, start + TCP_S)
        for protocol in (flow_log.UDP, flow_log.TCP))
    return udp / tcp


def switch_claims():
    for case in sorted(SWITCH_CASES):
        algorithm, flows, queue = case
        where = f"{flows} {algorithm}, {queue}"
        for claim, measure, high in (
                ("seconds until it keeps 0.4 of its part",
                 switch_s(flows), BOUND_S),
                ("seconds after TCP's end until the queue stays below 30 ms",
                 short_again_s, BOUND_S)):
            for kind, bound, rest in (("control", high, ""),
                                      ("plain", None, ", without")):
                yield Claim(f"{claim}, {where}{rest}", "",
                            _delay.of(measure, *case, kind), high=bound,
                            scales=NOT_QUICK, middle=median)
        yield Claim(f"rate by all TCP's, 20 to 40 s, {where}", "", _delay.of(
            share_beside, *case, "control"), scales=NOT_QUICK, middle=median)


SCENARIOS = [
    scenario("reno", 5), scenario("reno", 20),
    scenario("cubic", 5), scenario("cubic", 20),
    scenario("bbr", 5, judged=False), scenario("bbr", 20, judged=False),
    Scenario(
        "delay-switch", source=PRESENT_DAY,
        what="TCP that comes to a stream with delay control on 5 Mbit/s, and "
             "leaves after 40 s, and the same without",
        runs=switch_runs, claims=list(switch_claims())),
]
