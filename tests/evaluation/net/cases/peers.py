# SPDX-License-Identifier: LGPL-2.1-or-later
"""The same pictures, encoder, link and receiver under other controls than ours:
Google's (rtpgccbwe), NADA (RFC 8698), and none (a fixed rate).

Ours is as it comes, and `rfc5348` is that RFC to the letter.  All begin at 300
kbit/s and may reach 1.25 times the link.  Nobody sends again; ours makes parity as
losses need, as it does by default.  Google's is only there
where tests/evaluation/net/peers/gcc/build.sh put it into BUILD/peers."""

import statistics
import sys

from cases import _beside, _delay, delay_paths
from claims import NOT_QUICK, PRESENT_DAY, Claim, Scale, Scenario
from live import time_code
from live.session import build_folder

median = statistics.median
PLUGINS = build_folder() / "peers" / "plugins"
TWCC = ("application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,"
        "payload=96,extmap-1=(string)http://www.ietf.org/id/"
        "draft-holmer-rmcat-transport-wide-cc-extensions-01")
LOWEST, FIRST = 150000, 300000
HEADROOM = 1.25
# What a fixed rate is, of the link.
FIXED = {"fixed-0.5": 0.5, "fixed-0.8": 0.8, "fixed-1.0": 1.0,
         "fixed-1.2": 1.2}
CONTROLS = ("ours", "rfc5348", "nada", "gcc", *FIXED)
FREEZE_MS = 200
# The cells, and what ours is to reach there: share of the link, p95 of the queue
# [ms], p95 of a picture's age [ms]; None: nothing was promised.
SECONDS = (15, 45)
RATE = {"rate_kbit_s": 2000}
ALONE = {
    "2-50": (2000, {**RATE, "queue_ms": 50}, ()),
    "2-200": (2000, {**RATE, "queue_ms": 200}, ()),
    "2-1000": (2000, {**RATE, "queue_ms": 1000}, ()),
    "6-200": (6000, {"rate_kbit_s": 6000, "queue_ms": 200}, ()),
    "loss-1": (2000, {**RATE, "queue_ms": 200, "loss": 0.01}, ()),
    "loss-3": (2000, {**RATE, "queue_ms": 200, "loss": 0.03}, ()),
    "steps": (2000, {**RATE, "queue_ms": 1000}, (
        (0, "rate_kbit_s", 500), (15, "rate_kbit_s", 2000))),
    "fade": (2000, {**RATE, "queue_ms": 1000}, (
        (0, "rate_kbit_s", 40), (10, "rate_kbit_s", 2000))),
}
GOALS = {
    "2-50": (0.95, 30, 150), "2-200": (0.95, 30, 150),
    "2-1000": (0.95, 30, 150), "6-200": (0.95, 30, 150),
    "loss-1": (0.55, 30, None), "loss-3": (0.4, 30, None),
}
BESIDE = {"1-cubic": ("cubic", 1), "3-cubic": ("cubic", 3),
          "1-reno": ("reno", 1), "1-bbr": ("bbr", 1)}
SHARE = (0.5, 2)


def controls():
    """Those that there are; says which is not."""
    if PLUGINS.exists():
        return CONTROLS
    print(f"peers: no gcc: tests/evaluation/net/peers/gcc/build.sh {PLUGINS.parent} "
          "builds it", file=sys.stderr)
    return [one for one in CONTROLS if one != "gcc"]


def rates(link_bit_s):
    return {"lowest": LOWEST, "first": FIRST,
            "highest": int(HEADROOM * link_bit_s)}


def stream(stage, control, link_bit_s):
    """From the sender to the receiver."""
    port = _beside.FIRST_PORT
    feedback = {"nada": {"feedback": "ccfb"},
                "gcc": {"feedback": "twcc", "caps": TWCC}}.get(control, {})
    stage.receiver("receiver", name="receiver-0", port=port, source="scene",
                   src={"retransmission": "off", **feedback}).play()
    if control in ("nada", "gcc"):
        stage.peer("sender", to="receiver", control=control, name="sender-0",
                   port=port, rates=rates(link_bit_s),
                   plugins=str(PLUGINS)).play()
        return
    sink = {"retransmission": "off", "min-bitrate": LOWEST,
            "max-bitrate": int(HEADROOM * link_bit_s)}
    if control in FIXED:
        sink |= {"feedback": "none",
                 "start-bitrate": int(FIXED[control] * link_bit_s)}
    stage.sender("sender", to="receiver", name="sender-0", port=port,
                 source="scene", sink=sink,
                 as_it_comes=control != "rfc5348").play()


def alone(control, cell):
    rate_kbit_s, link, events = ALONE[cell]

    def run(stage):
        _delay.network(stage, link)
        stream(stage, control, 1000 * rate_kbit_s)
        measure(stage, SECONDS, events)
    return run


def measure(stage, seconds, events=()):
    stage.mark("steady", after=seconds[0])
    stage.sleep(seconds[0])
    passed = 0
    for at, key, value in events:
        stage.sleep(at - passed)
        stage.net.change("receiver", key, value)
        passed = at
    stage.sleep(seconds[1] - passed)
    stage.mark("end")
    stage.starved = _delay.starved(stage)


def cellular(control, seed):
    def run(stage):
        trace = delay_paths.write_trace(stage, delay_paths.make_trace(seed))
        _delay.network(stage, {"trace": trace, "queue_bytes": 300000,
                               "delay_ms": 30})
        stream(stage, control, 6e6)
        measure(stage, (5, 60))
    return run


def beside(control, algorithm, flows):
    def run(stage):
        _delay.network(stage, {"rate_kbit_s": 5000, "queue_ms": 200},
                       {"back_jitter_ms": 8 * _beside.PACKET_BYTES / 5000})
        stream(stage, control, 5e6)
        stage.sleep(5)
        stage.tcp("sender", "receiver", sum(SECONDS) + 15, algorithm, flows)
        measure(stage, SECONDS)
    return run


def alone_runs(scale):
    if scale is Scale.QUICK:
        return {}
    return {(cell, control, seed): alone(control, cell)
            for seed in _delay.seeds(scale) for cell in ALONE
            for control in controls()}


def beside_runs(scale):
    """A fixed rate takes its share from whoever is there."""
    if scale is Scale.QUICK:
        return {}
    return {(cell, control, seed): beside(control, *BESIDE[cell])
            for seed in _delay.seeds(scale) for cell in BESIDE
            for control in controls() if control not in FIXED}


def cellular_runs(scale):
    if scale is Scale.QUICK:
        return {}
    return {("cellular", control, seed): cellular(control, seed)
            for seed in _delay.seeds(scale) for control in controls()}


# What a viewer sees.

def shown(stage):
    """[(when [s], age [ms])] of the frames."""
    base_ns = stage.endpoints["sender-0"].of("playing")[0]["base_ns"]
    start, end = _delay.span(stage)
    return [(event["at"] / 1e9, time_code.age_ms(
        event["time_code"], (event["at"] - base_ns) / 1e6))
        for event in stage.endpoints["receiver-0"].of("shown")
        if event["time_code"] is not None and start <= event["at"] / 1e9 < end]


def age_ms(per_cent):
    return lambda stage: _delay.metrics.percentile(
        [age for _, age in shown(stage)], per_cent)


def gaps_ms(stage):
    """Between frames, from the first instant to the last."""
    start, end = _delay.span(stage)
    at = [start] + [when for when, _ in shown(stage)] + [end]
    return [1000 * (after - before) for before, after in zip(at, at[1:])]


def freezes(stage):
    """Of more than FREEZE_MS, a minute."""
    start, end = _delay.span(stage)
    return 60 * sum(gap > FREEZE_MS for gap in gaps_ms(stage)) / (end - start)


def frozen_share(stage):
    start, end = _delay.span(stage)
    return sum(gap for gap in gaps_ms(stage) if gap > FREEZE_MS) \
        / (1000 * (end - start))


MEASURES = {
    "share of the link": _delay.carried,
    "queue p50 [ms]": _delay.queue_ms(50),
    "queue p95 [ms]": _delay.queue_ms(95),
    "age of a picture p50 [ms]": age_ms(50),
    "age of a picture p95 [ms]": age_ms(95),
    "age of a picture p99 [ms]": age_ms(99),
    "freezes a minute": freezes,
    "share of the time frozen": frozen_share,
}


def here(measure, *key):
    """Over the seeds; nothing where the control is not there."""
    return lambda results: results.each(measure, *key) \
        if any(one[:-1] == key for one in results) else []


def claim(words, measure, cell, control, low=None, high=None):
    return Claim(f"{words}, {cell}, {control}", "",
                 here(measure, cell, control), low, high, scales=NOT_QUICK,
                 middle=median)


def alone_claims(cells):
    for cell in cells:
        use, queue, age = GOALS.get(cell, (None, None, None))
        for control in CONTROLS:
            ours = control == "ours"
            for words, one in MEASURES.items():
                yield claim(
                    words, one, cell, control,
                    low=use if ours and one is _delay.carried else None,
                    high={"queue p95 [ms]": queue,
                          "age of a picture p95 [ms]": age}.get(words)
                    if ours else None)


def beside_claims():
    for cell in BESIDE:
        for control in CONTROLS:
            if control in FIXED:
                continue
            low, high = SHARE if control == "ours" else (None, None)
            yield claim("rate by the mean TCP flow's", _beside.share, cell,
                        control, low, high)
            yield claim("age of a picture p95 [ms]", age_ms(95), cell,
                        control)


SCENARIOS = [
    Scenario("peers-alone", source=PRESENT_DAY,
             what="ours and other controls, alone on links",
             runs=alone_runs, claims=list(alone_claims(ALONE))),
    Scenario("peers-cellular", source=PRESENT_DAY,
             what="ours and other controls on links like recorded LTE",
             runs=cellular_runs, claims=list(alone_claims(["cellular"]))),
    Scenario("peers-beside", source=PRESENT_DAY,
             what="ours and other controls beside TCP on 5 Mbit/s with 200 ms",
             runs=beside_runs, claims=list(beside_claims())),
]
