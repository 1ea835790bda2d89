# SPDX-License-Identifier: LGPL-2.1-or-later
"""Delay control on paths whose delay is not their queue: jitter, aggregates of
Wi-Fi, another route, a busy way back; and on cellular links, whose capacity
changes all the time."""

import pathlib
import statistics
import subprocess

from cases import _delay, faults_feedback
from claims import NOT_QUICK, PRESENT_DAY, Claim, Scale, Scenario

median = statistics.median
LINKS = pathlib.Path(__file__).resolve().parents[4] / "data" / "links"

SECONDS = {Scale.QUICK: (8, 12), Scale.STANDARD: (15, 45)}
QUEUE_MS = 200
# What a route takes more, for a third of the time.
DETOUR_MS = 40
# 20 Mbit/s in aggregates: a line is an opportunity of 1500 bytes.
AGGREGATES = "".join(f"{at}\n" * n for at, n in ((10, 17), (20, 17), (30, 16)))


def write_trace(stage, text):
    stage.folder.mkdir(parents=True, exist_ok=True)
    path = stage.folder / "link.trace"
    path.write_text(text)
    return str(path)


def aggregates(kind, seconds, rate_kbit_s):
    """An access point's on the way to the bottleneck, or as the bottleneck."""
    def run(stage):
        trace = write_trace(stage, AGGREGATES)
        if rate_kbit_s < 20000:
            act = _delay.alone(kind, steady(rate_kbit_s), seconds,
                               sender_link={"back_trace": trace})
        else:
            act = _delay.alone(kind, {"trace": trace, "queue_ms": QUEUE_MS},
                               seconds)
        act(stage)
    return run


def steady(rate_kbit_s, **more):
    return {"rate_kbit_s": rate_kbit_s, "queue_ms": QUEUE_MS, **more}


def detour(kind, seconds, rate_kbit_s):
    base = 1000 * _delay.RTT_S / 2
    third = seconds[1] / 3
    return _delay.alone(kind, steady(rate_kbit_s), seconds, events=(
        (third, "delay_ms", base + DETOUR_MS), (2 * third, "delay_ms", base)))


def busy_back(kind, seconds, rate_kbit_s):
    back = {"back_rate_kbit_s": rate_kbit_s / 2, "back_queue_ms": 200}
    return _delay.alone(kind, steady(rate_kbit_s, **back), seconds,
                        during=faults_feedback.tcp_back)


def jitter(kind, seconds, rate_kbit_s):
    return _delay.alone(kind, steady(rate_kbit_s), seconds,
                        sender_link={"back_jitter_ms": 30})


def undisturbed(kind, seconds, rate_kbit_s):
    return _delay.alone(kind, steady(rate_kbit_s), seconds)


WITHOUT = "none"
ACTS = {WITHOUT: undisturbed, "jitter": jitter, "aggregates": aggregates,
        "detour": detour, "busy-back": busy_back}
DISTURBANCES = {
    "jitter": "jitter of 30 ms",
    "aggregates": "aggregates each 10 ms",
    "detour": "a route of 40 ms more for a while",
    "busy-back": "a busy way back",
}
RATES_MBIT_S = (2, 20)
LEAST = 0.9


def path_runs(scale):
    return {} if scale is Scale.QUICK else {
        (rate, name, kind, seed): act(kind, SECONDS[scale], 1000 * rate)
        for rate in RATES_MBIT_S for name, act in ACTS.items()
        for kind in _delay.KINDS for seed in _delay.seeds(scale)}


def by_undisturbed(rate, name, kind):
    def measure(results):
        alone = median(results.each(_delay.sent_kbit_s, rate, WITHOUT, kind))
        return [one / alone for one in
                results.each(_delay.sent_kbit_s, rate, name, kind)]
    return measure


def path_claims():
    for rate in RATES_MBIT_S:
        for name, what in DISTURBANCES.items():
            where = f"{what}, {rate} Mbit/s"
            yield Claim(f"rate by the undisturbed one, {where}", "",
                        by_undisturbed(rate, name, "control"), low=LEAST,
                        scales=NOT_QUICK, middle=median)
            yield Claim(f"rate by the undisturbed one, {where}, without", "",
                        by_undisturbed(rate, name, "plain"),
                        scales=NOT_QUICK, middle=median)
            yield from _delay.with_and_without(
                f"queue p95 [ms], {where}", _delay.queue_ms(95), rate, name)


# Cellular.

def make_trace(seed):
    """Of a cellular link; each seed another."""
    return subprocess.run(
        [str(LINKS / "make_cellular_trace.py"), "--seed", str(seed)],
        check=True, stdout=subprocess.PIPE, text=True).stdout


def cellular(kind, seed, seconds):
    def run(stage):
        trace = write_trace(stage, make_trace(seed))
        _delay.alone(kind, {"trace": trace, "queue_bytes": 300000,
                            "delay_ms": 30}, seconds)(stage)
    return run


def cellular_runs(scale):
    return {} if scale is Scale.QUICK else {
        (kind, seed): cellular(kind, seed, (5, 60))
        for kind in _delay.KINDS for seed in _delay.seeds(scale)}


def plot(results, figure):
    import plots
    rows = figure.subplots(2, 1, sharex=True)
    seed = min(key[-1] for key in results)
    for kind, colour in zip(_delay.KINDS, (plots.COLOURS["tcp"],
                                           plots.COLOURS["tfrc"])):
        stage = results[(kind, seed)]
        start, end = _delay.span(stage)
        queue = _delay.packets(stage)
        at, rates = _delay.metrics.rate_series(
            *_delay.udp(stage).counter(), start, end, 0.5)
        rows[0].plot(at - start, rates / 1000, label=kind, color=colour)
        here = (queue.times >= start) & (queue.times < end)
        rows[1].plot(queue.times[here] - start, queue.wait_ms[here],
                     color=colour, linewidth=0.7)
        if kind == "control":
            times = [when - start for when in
                     _delay.faults.link_times(stage)]
            rows[0].plot(times, [rate / 1000 for rate in
                                 _delay.faults.link_column(
                                     stage, "rate_kbit_s")],
                         color="0.8", zorder=0, label="capacity")
    rows[0].set(ylabel="Mbit/s", xlim=(0, end - start))
    rows[0].legend()
    rows[1].set(ylabel="queue [ms]", xlabel="time [s]", yscale="log",
                ylim=(1, None))


def cellular_claims():
    yield from _delay.with_and_without(
        "share of the capacity that is carried", _delay.carried, low=0.6)
    yield from _delay.with_and_without(
        "queue p95 [ms]", _delay.queue_ms(95), high=120)
    yield from _delay.with_and_without("queue p50 [ms]", _delay.queue_ms(50))


SCENARIOS = [
    Scenario(
        "delay-paths", source=PRESENT_DAY,
        what="delay control on paths whose delay changes by itself, and the "
             "same without, queue of 200 ms",
        runs=path_runs, claims=list(path_claims())),
    Scenario(
        "delay-cellular", source=PRESENT_DAY,
        what="delay control on links like recorded LTE, 60 ms RTT, queue of "
             "300 kB, and the same without",
        runs=cellular_runs, claims=list(cellular_claims()), plot=plot),
]
