# SPDX-License-Identifier: LGPL-2.1-or-later
"""What nobody sets a property for: tfrcsink and tfrcsrc as they come, on links
alone, that step and fade, beside the kernel's CUBIC, and among their own kind."""

import statistics

import flow_log
from cases import (_beside, _delay, beside_tcp, delay_alone, delay_paths,
                   delay_streams)
from claims import NOT_QUICK, PRESENT_DAY, Claim, Scale, Scenario

median = statistics.median
PACKET_BITS = 8 * 1240
# In the words of _delay: no property set.
KIND = "default"
# Video by itself asks for no more than its encoder can make.
GREEDY, FAST = _delay.UNCOMPRESSED
VIDEO = "scene"


def claim(words, measure, name, low=None, high=None):
    return Claim(words, "", _delay.of(measure, name), low, high,
                 scales=NOT_QUICK, middle=median)


def seeded(cases):
    """{name: act} for each seed."""
    def runs(scale):
        return {} if scale is Scale.QUICK else {
            (name, seed): act for name, act in cases.items()
            for seed in _delay.seeds(scale)}
    return runs


# Alone.

SECONDS = _delay.SECONDS[Scale.STANDARD]
LINK_ALONE = {
    "2-100": {"rate_kbit_s": 2000, "queue_ms": 100},
    "2-1000": {"rate_kbit_s": 2000, "queue_ms": 1000},
    "0.3": {"rate_kbit_s": 300, "queue_ms": 1000},
    "100": {"rate_kbit_s": 100000, "queue_ms": 200},
    "rtt-300": {"rate_kbit_s": 2000, "queue_ms": 200, "delay_ms": 150},
}


def source_for(name):
    """Only the fast one has more to send than the fastest link carries."""
    if name.startswith("2-"):
        return VIDEO
    return FAST if name == "100" else GREEDY


ALONE = {
    **{name: _delay.alone(KIND, link, SECONDS, source_for(name))
       for name, link in LINK_ALONE.items()},
    "jitter": delay_paths.jitter(KIND, SECONDS, 2000),
    "aggregates": delay_paths.aggregates(KIND, SECONDS, 20000),
}
USE = 0.95
WAIT_MS = 30


def alone_claims():
    for name in ("2-100", "2-1000"):
        yield claim(f"sent [kbit/s], {name}", _delay.sent_kbit_s, name,
                    low=1930)
        yield claim(f"queue p50 [ms], {name}", _delay.queue_ms(50), name,
                    high=12)
        yield claim(f"queue p95 [ms], {name}", _delay.queue_ms(95), name,
                    high=22)
        yield claim(f"CoV at 1 s, {name}", _delay.cov_1s, name, high=0.02)
    for name in ALONE:
        if name.startswith("2-"):
            continue
        rate = LINK_ALONE.get(name, {}).get("rate_kbit_s", 2000)
        yield claim(f"share of the link, {name}", _delay.carried, name,
                    low=USE)
        yield claim(f"queue p95 [ms], {name}", _delay.queue_ms(95), name,
                    high=max(WAIT_MS, 3 * PACKET_BITS / rate))


# Beside CUBIC.

EQUAL = (0.7, 1.4)
# Cells that bench-delay, too, finds hard: TCP's queue is as short as the target.
WIDE = (0.5, 2)
HARD = {("red", 20000, 1)}


def beside(flows, rate_kbit_s, queue, first):
    settle, measured = beside_tcp.SLOW_SECONDS \
        if (queue, rate_kbit_s) == beside_tcp.SLOW else SECONDS

    def run(stage):
        _delay.network(
            stage, {"rate_kbit_s": rate_kbit_s, **beside_tcp.QUEUES[queue]},
            {"back_jitter_ms": 8 * _beside.PACKET_BYTES / rate_kbit_s})
        starts = {"stream": lambda: _delay.stream(stage, KIND),
                  "tcp": lambda: stage.tcp(
                      "sender", "receiver", settle + measured + 15, "cubic",
                      flows)}
        for name in sorted(starts, key=lambda name: name != first):
            starts[name]()
            stage.sleep(0 if first == "both" else 5)
        stage.mark("steady", after=settle)
        stage.sleep(settle + measured)
        stage.mark("end")
    return run


FIRST = ("tcp", "both", "stream")
SHARES = {
    f"{flows} cubic, {rate // 1000} Mbit/s, {queue}, {first} first":
        ((queue, rate, flows), beside(flows, rate, queue, first))
    for rate in (5000, 20000) for queue in beside_tcp.QUEUES
    for flows in beside_tcp.FLOWS for first in FIRST
    if flows == 1 or first == "both"}


def beside_claims():
    for name, (cell, _) in SHARES.items():
        low, high = WIDE if cell in HARD else EQUAL
        yield claim(f"rate by the mean TCP's, {name}", _beside.share, name,
                    low=low, high=high)


# Beside BBR and Reno, and what a CUBIC flow has there in our place.

PLACE_KBIT_S, PLACE_QUEUE = 5000, "drop-tail-200"
PLACE_SECONDS = (10, 28)
PLACE_PORT = 5301
OURS = {"greedy": GREEDY, "video": VIDEO}
CUBIC = "cubic"


def place(who, algorithm):
    """Alone for five seconds, as in the comparison of controls."""
    def run(stage):
        lasts = 5 + sum(PLACE_SECONDS) + 15
        _delay.network(
            stage, {"rate_kbit_s": PLACE_KBIT_S, **beside_tcp.QUEUES[PLACE_QUEUE]},
            {"back_jitter_ms": 8 * _beside.PACKET_BYTES / PLACE_KBIT_S})
        if who == CUBIC:
            stage.tcp("sender", "receiver", lasts, CUBIC, port=PLACE_PORT)
        else:
            _delay.stream(stage, KIND, source=OURS[who])
        stage.sleep(5)
        stage.tcp("sender", "receiver", lasts, algorithm)
        stage.mark("steady", after=PLACE_SECONDS[0])
        stage.sleep(sum(PLACE_SECONDS))
        stage.mark("end")
    return run


def place_share(who):
    """By the rate of the one that comes."""
    def measure(stage):
        if who != CUBIC:
            return _beside.share(stage)
        ours, other = (sum(
            flow.kbit_s(*stage.between("steady", "end"))
            for flow in _beside.data_flows(stage, flow_log.TCP)
            if (flow.destination_port == PLACE_PORT) == is_ours)
            for is_ours in (True, False))
        return ours / other
    return measure


PLACES = {f"{who} beside {algorithm}": (who, place(who, algorithm))
          for algorithm in ("bbr", "reno") for who in (*OURS, CUBIC)}


def place_claims():
    for name, (who, _) in PLACES.items():
        yield claim(f"rate by the TCP's, {name}", place_share(who), name)
        if who != CUBIC:
            yield Claim(f"rate by what CUBIC has in that place, {name}", "",
                        by_cubic(name, who), *EQUAL, scales=NOT_QUICK)


def by_cubic(name, who):
    """In the medians."""
    instead = name.replace(who, CUBIC)

    def measure(results):
        ours, cubic = (median(results.each(place_share(one), where))
                       for one, where in ((who, name), (CUBIC, instead)))
        return ours / cubic
    return measure


# Links that change.

FADE_S, CALM_S = 10, 12


def changing(link, source, *events):
    """events: (seconds, key, value) behind the first 15 s."""
    return _delay.alone(KIND, {"queue_ms": 1000, **link},
                        (15, events[-1][0] + CALM_S), source, events)


def of_what_is_sent(measure, at, rate_kbit_s, **more):
    """From a change to the end, of what comes to the link."""
    return lambda stage: measure(
        *_delay.udp(stage).counter(), stage.marks[f"event-{at}"],
        stage.marks["end"], rate_kbit_s, **more)


def settled_s(at, rate_kbit_s):
    """From a change until what is sent no longer falls short."""
    return lambda stage: _delay.metrics.last_below_s(
        *_delay.udp(stage).counter(), 0.8 * rate_kbit_s,
        stage.marks[f"event-{at}"], stage.marks["end"])


STEP_S = 15
CHANGES = {
    "step": changing({"rate_kbit_s": 2000}, VIDEO, (0, "rate_kbit_s", 500),
                     (STEP_S, "rate_kbit_s", 2000)),
    "fade": changing({"rate_kbit_s": 2000}, VIDEO, (0, "rate_kbit_s", 40),
                     (FADE_S, "rate_kbit_s", 2000)),
    "handover": changing({"rate_kbit_s": 20000, "delay_ms": 5}, GREEDY,
                         (0, "rate_kbit_s", 3000), (0.001, "delay_ms", 30)),
}


def change_claims():
    yield claim("seconds until what is sent fits, step", of_what_is_sent(
        _delay.metrics.reaction_s, 0, 500), "step", high=0.6)
    yield claim("recovery [s], step", of_what_is_sent(
        _delay.metrics.recovery_s, STEP_S, 2000), "step", high=2)
    yield claim("queue p95 [ms], step", _delay.queue_ms(95), "step", high=25)
    yield claim("frames dropped, step", delay_alone.dropped, "step", high=0)
    yield claim("recovery [s], 10 s at a fiftieth", of_what_is_sent(
        _delay.metrics.recovery_s, FADE_S, 2000), "fade", high=3)
    yield claim("frames dropped, 10 s at a fiftieth", delay_alone.dropped,
                "fade")
    yield claim("80 % of 3 Mbit/s after [s], 20 Mbit/s and 10 ms to 3 and 60",
                settled_s(0, 3000), "handover", high=4)


# Several, and the age of a picture.

def several(kinds, late_s):
    return delay_streams.act(kinds, late_s, 5000)


OTHERS = {
    "four": several([KIND] * 4, 0),
    "four, one a minute late": several([KIND] * 4, 60),
    "glass": _delay.alone(KIND, {"rate_kbit_s": 2000, "queue_ms": 100},
                          SECONDS, VIDEO),
}


def other_claims():
    for name in ("four", "four, one a minute late"):
        yield claim(f"Jain's index, {name}", delay_streams.jain, name,
                    low=0.98)
        yield claim(f"queue p95 [ms], {name}", _delay.queue_ms(95), name)
    for per_cent, high in ((50, 100), (95, 150)):
        yield claim(f"glass to glass p{per_cent} [ms]",
                    _delay.glass_to_glass_ms(per_cent), "glass", high=high)


def cellular_runs(scale):
    return {} if scale is Scale.QUICK else {
        ("cellular", seed): delay_paths.cellular(KIND, seed, (5, 60))
        for seed in _delay.seeds(scale)}


def cellular_claims():
    yield claim("share of the capacity, links like recorded LTE",
                _delay.carried, "cellular", low=0.5)
    yield claim("queue p95 [ms], links like recorded LTE",
                _delay.queue_ms(95), "cellular", high=60)


def scenario(name, what, runs, claims):
    return Scenario(f"default-{name}", source=PRESENT_DAY, runs=runs,
                    claims=list(claims),
                    what=f"elements with no property set, {what}")


SCENARIOS = [
    scenario("alone", "alone on seven links", seeded(ALONE), alone_claims()),
    scenario("cubic", "beside 1, 3 and 7 CUBIC flows",
             seeded({name: act for name, (_, act) in SHARES.items()}),
             beside_claims()),
    scenario("place", "beside BBR or Reno on 5 Mbit/s, a queue of 200 ms, and "
             "a CUBIC flow in our place",
             seeded({name: act for name, (_, act) in PLACES.items()}),
             place_claims()),
    scenario("changes", "a step, a fade to a fiftieth and a handover",
             seeded(CHANGES), change_claims()),
    scenario("cellular", "on links like recorded LTE, greedy, 60 ms RTT",
             cellular_runs, cellular_claims()),
    scenario("others", "four on 5 Mbit/s, and a picture's age",
             seeded(OTHERS), other_claims()),
]
