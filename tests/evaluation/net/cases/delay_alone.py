# SPDX-License-Identifier: LGPL-2.1-or-later
"""Delay control alone on a link: the queue, the use of the link, the start,
steps of the capacity, losses that no queue made, and the delay from glass to
glass."""

import statistics

from cases import _delay, faults
from claims import NOT_QUICK, PRESENT_DAY, Claim, Scale, Scenario

median = statistics.median
PACKET_BITS = 8 * 1240

# {name: (rate, queue [ms], source, least share, longest p95 [ms])}.  Three
# packets take 100 ms at 300 kbit/s.
CASES = {
    "2-100": (2000, 100, "scene", 0.95, 30),
    "2-1000": (2000, 1000, "scene", 0.95, 30),
    "20-1000": (20000, 1000, "greedy", 0.95, 30),
    "0.3-1000": (300, 1000, "scene", 0.90, 3 * PACKET_BITS / 300),
}
NAMES = {
    "2-100": "2 Mbit/s, queue of 100 ms",
    "2-1000": "2 Mbit/s, queue of 1000 ms",
    "20-1000": "20 Mbit/s greedy, queue of 1000 ms",
    "0.3-1000": "300 kbit/s, queue of 1000 ms",
}
VIDEO = ("2-100", "2-1000")
QUICK = ("2-1000",)


def link(rate_kbit_s, queue_ms, **more):
    return {"rate_kbit_s": rate_kbit_s, "queue_ms": queue_ms, **more}


def alone_runs(scale):
    names = QUICK if scale is Scale.QUICK else CASES
    kinds = ("control",) if scale is Scale.QUICK else _delay.KINDS
    return {(name, kind, seed): _delay.alone(
        kind, link(*CASES[name][:2]), _delay.SECONDS[scale], CASES[name][2])
        for name in names for kind in kinds for seed in _delay.seeds(scale)}


def sent_mbit_s(stage):
    return _delay.sent_kbit_s(stage) / 1000


def both(claim, measure, name, **bounds):
    return _delay.with_and_without(
        f"{claim}, {NAMES[name]}", measure, name, **bounds)


def alone_claims():
    for name, (rate, _, _, share, wait_ms) in CASES.items():
        quick = name in QUICK
        if name in VIDEO:
            yield from both("sent [Mbit/s]", sent_mbit_s, name,
                            low=share * rate / 1000)
        else:
            yield from both("utilisation", _delay.carried, name, low=share)
        yield from both("queue p95 [ms]", _delay.queue_ms(95), name,
                        high=wait_ms, quick=quick)
        yield from both("queue p50 [ms]", _delay.queue_ms(50), name,
                        high=15 if name in VIDEO else None, quick=quick)
        yield from both("CoV at 1 s", _delay.cov_1s, name,
                        high=0.05 if name in VIDEO else None)
        yield from both("packets lost after the first 5 s",
                        _delay.losses_after_5s, name,
                        high=0 if name in VIDEO else None, quick=quick)
        judged = name == "2-1000"
        yield from both("longest queue of the first 3 s [ms]",
                        _delay.start_queue_ms, name,
                        high=150 if judged else None, quick=quick)
        yield from both("80 % of the link after [s]", _delay.start_s(rate),
                        name, high=3 if judged else None, quick=quick)


# Steps.

LOW_KBIT_S = 500
STEP_S = 15
QUEUES_MS = (100, 1000)
STEPS = ((0, "rate_kbit_s", LOW_KBIT_S), (STEP_S, "rate_kbit_s", 2000))


def step_runs(scale):
    return {} if scale is Scale.QUICK else {
        (queue_ms, kind, seed): _delay.alone(
            kind, link(2000, queue_ms), (12, 2 * STEP_S), "scene", STEPS)
        for queue_ms in QUEUES_MS for kind in _delay.KINDS
        for seed in _delay.seeds(scale)}


def long_queue_s(stage):
    down = stage.marks["event-0"]
    return _delay.packets(stage).seconds_above(100, down, down + STEP_S)


def highest_ms(stage):
    down = stage.marks["event-0"]
    return _delay.packets(stage).queue_ms(100, down, down + STEP_S)


def recovery_s(stage):
    return faults.metrics.recovery_s(
        *_delay.udp(stage).counter(), stage.marks[f"event-{STEP_S}"],
        stage.marks["end"], 2000)


def dropped(stage):
    times, values = stage.endpoints["sender-0"].stats("frames-dropped")
    low, high = faults.metrics.counter_at(times, values,
                                          _delay.span(stage))
    return high - low


def step_claims():
    for queue_ms in QUEUES_MS:
        for claim, measure, high in (
                ("above 100 ms of queue after the fall [s]", long_queue_s, 1),
                ("longest queue after the fall [ms]", highest_ms, None),
                ("recovery [s]", recovery_s, 4),
                ("frames dropped by the pacer", dropped, 0)):
            yield from _delay.with_and_without(
                f"{claim}, queue of {queue_ms} ms", measure, queue_ms,
                high=high)


# Losses.

# {name: (rate, loss)}: room for the equation's rate, so that no queue stands.
LOSSES = {"1%": (10000, 0.01), "2%": (10000, 0.02)}


def loss_runs(scale):
    return {} if scale is Scale.QUICK else {
        (name, kind, seed): _delay.alone(
            kind, link(rate, 200, loss=loss), (10, 60))
        for name, (rate, loss) in LOSSES.items() for kind in _delay.KINDS
        for seed in _delay.seeds(scale)}


def by_plain(measure, *key):
    """Seed by seed, where key ends in the kind."""
    def ratio(results):
        control, plain = (results.each(measure, *key, kind)
                          for kind in ("control", "plain"))
        return [one / other for one, other in zip(control, plain)]
    return ratio


def loss_claims():
    for name in LOSSES:
        yield Claim(f"rate by that without, {LOSSES[name][1]:.0%} of loss", 1,
                    by_plain(_delay.sent_kbit_s, name), low=0.9, high=1.1,
                    scales=NOT_QUICK, middle=median)
        yield Claim(f"rate without [Mbit/s], {LOSSES[name][1]:.0%} of loss", "",
                    _delay.of(sent_mbit_s, name, "plain"),
                    scales=NOT_QUICK, middle=median)
        yield Claim(f"queue p95 [ms], {LOSSES[name][1]:.0%} of loss", "", _delay.of(
            _delay.queue_ms(95), name, "control"), scales=NOT_QUICK,
            middle=median)


# Glass to glass, on what the demo has as `steady`: {name: properties of tfrcsrc}.

GLASS = {"default": {}, "fixed": {"latency": 300}}
GLASS_MS = 180


def glass_runs(scale):
    return {} if scale is Scale.QUICK else {
        (name, kind, seed): _delay.alone(
            kind, link(2000, 100), _delay.SECONDS[scale], "scene",
            src=GLASS[name])
        for name in GLASS for kind in _delay.KINDS
        for seed in _delay.seeds(scale)}


def glass_claims():
    for name in GLASS:
        for per_cent, high in ((95, GLASS_MS), (50, None)):
            yield from _delay.with_and_without(
                f"glass to glass p{per_cent} [ms], {name} latency",
                _delay.glass_to_glass_ms(per_cent), name, high=high)


SCENARIOS = [
    Scenario(
        "delay-alone", source=PRESENT_DAY,
        what="one stream with delay control alone on a drop-tail link of "
             "50 ms RTT, and one without",
        runs=alone_runs, claims=list(alone_claims())),
    Scenario(
        "delay-steps", source=PRESENT_DAY,
        what="delay control where 2 Mbit/s become 0.5 and 2 again, with an "
             "encoder, and the same without",
        runs=step_runs, claims=list(step_claims())),
    Scenario(
        "delay-loss", source=PRESENT_DAY,
        what="delay control where packets are lost at random and no queue "
             "stands, and the same without",
        runs=loss_runs, claims=list(loss_claims())),
    Scenario(
        "delay-glass", source=PRESENT_DAY,
        what="video with delay control on 2 Mbit/s, 50 ms RTT, queue of "
             "100 ms, and the same without: how old a picture is when it is "
             "shown, with tfrcsrc's latency as it is and with latency=300",
        runs=glass_runs, claims=list(glass_claims())),
]
