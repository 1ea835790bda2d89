# SPDX-License-Identifier: LGPL-2.1-or-later
"""The same pictures, encoder, link and receiver under other controls than ours:
Google's (rtpgccbwe), NADA (RFC 8698), RFC 5348 to the letter, and none (a fixed
rate).  What each cell is, how a run of it goes, and what is kept of a run.

Nobody repairs, so that all bytes are pictures, but `default`, which is ours as it
comes, with parity and retransmission.  tfrcsink sets its encoder's buffer itself;
the others have what webrtcsink sets (120 ms: with 67 x264 makes .8 of what it is told,
and NADA never gets further).  Google's and NADA begin at .8 of the link: from 300
kbit/s they need longer than a run has to settle.  All may reach 1.25 times the link."""

import seen
import rfc8867
from cases import _beside, _delay, delay_paths, delay_streams, faults
from live import time_code
from live.session import build_folder

metrics = faults.metrics
PLUGINS = build_folder() / "peers" / "plugins"
TWCC = ("application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,"
        "payload=96,extmap-1=(string)http://www.ietf.org/id/"
        "draft-holmer-rmcat-transport-wide-cc-extensions-01")
LOWEST = 150000
FIRST, HEADROOM = 0.8, 1.25     # of the link
PEERS_BUFFER_MS = 120
FIXED = {"fixed-0.8": 0.8}
REPAIRS = "default"
CONTROLS = ("ours", "rfc5348", "gcc", "nada", *FIXED)
FREEZE_MS = 200
FRAMES_PER_S = faults.scene.FRAMES_PER_S
# To settle, measured.
SECONDS = (10, 28)
CELLULAR_SECONDS = (8, 40)
LONE_S = 5          # before TCP comes
BACK_S = {"steps": 14, "fade": 10}
RATE, MORE = {"rate_kbit_s": 2000}, {"rate_kbit_s": 6000}
ALONE = {
    "2-50": {**RATE, "queue_ms": 50},
    "2-200": {**RATE, "queue_ms": 200},
    "2-1000": {**RATE, "queue_ms": 1000},
    "loss-1": {**RATE, "queue_ms": 200, "loss": 0.01},
    "loss-3": {**RATE, "queue_ms": 200, "loss": 0.03},
    "steps": {**RATE, "queue_ms": 1000},
    "fade": {**RATE, "queue_ms": 1000},
    "6-50": {**MORE, "queue_ms": 50},
    "6-200": {**MORE, "queue_ms": 200},
    "6-1000": {**MORE, "queue_ms": 1000},
    "wifi": {**MORE, "queue_ms": 200},
}
LOW_KBIT_S = {"steps": 500, "fade": 40}
BESIDE = {"1-cubic": ("cubic", 1), "3-cubic": ("cubic", 3),
          "1-reno": ("reno", 1), "1-bbr": ("bbr", 1)}
BESIDE_KBIT_S = 5000
CELLULAR_KBIT_S = 6000      # of bounds: the link's mean differs by the seed
CELLULAR_FIRST = 0.5
# The same on links that somebody recorded (measure.py --traces), another in each round.
RECORDED = "recorded"
# Two senders of a kind, of which one comes when the other has settled.
LATE, LATE_KBIT_S, LATE_AFTER_S = "late", 5000, 15
SEVERAL = (LATE, *rfc8867.SEVERAL)
CELLS = (*ALONE, "cellular", RECORDED, *BESIDE, LATE, *rfc8867.CELLS)
# Of a picture's age, in per cent of the pictures.
QUANTILES = (1, 5, 10, 25, 50, 75, 90, 95, 98, 99, 100)
# What the receiver shows, in the run's folder, until its quality is known.
PICTURES = "pictures.i420"
# And the cell whose rate and queue are kept by time, from before its step on.
DRAWN, SERIES_S, FROM_S = "steps", 0.5, -2


def controls(cell):
    """Who is measured in it: a fixed rate takes its share from whoever is there, RFC
    8867 and late comers are about controls, and nobody knows the rate of a link that is
    only recorded."""
    of_controls = cell in (LATE, *rfc8867.CELLS)
    shared = of_controls or cell in (RECORDED, *BESIDE)
    return [one for one in CONTROLS if not shared or one not in FIXED] \
        + [REPAIRS] * (not of_controls)


def missing(controls):
    """Who of them cannot be measured here, and why; empty: all can."""
    return "" if PLUGINS.exists() or "gcc" not in controls else (
        "gcc: tests/evaluation/net/peers/gcc/build.sh "
        f"{PLUGINS.parent} builds it")


def rates(link_kbit_s, first=FIRST):
    """[bit/s]"""
    link = 1000 * link_kbit_s
    return {"lowest": LOWEST, "first": int(first * link),
            "highest": int(HEADROOM * link)}


def stream(stage, control, within, number=0, sink=None, pictures=None):
    """From the sender to the receiver.  `within`: rates; `sink`: of tfrcsink, more;
    `pictures`: a file for what is shown."""
    port, name = _beside.FIRST_PORT + 2 * number, f"sender-{number}"
    feedback = {"nada": {"feedback": "ccfb"},
                "gcc": {"feedback": "twcc", "caps": TWCC}}.get(control, {})
    repair = {} if control == REPAIRS else {"retransmission": "off"}
    stage.receiver("receiver", name=f"receiver-{number}", port=port, source="scene",
                   src={**repair, **feedback},
                   pictures=pictures).play()
    if control in ("nada", "gcc"):
        stage.peer("sender", to="receiver", control=control, rates=within,
                   buffer_ms=PEERS_BUFFER_MS, plugins=str(PLUGINS), name=name,
                   port=port).play()
        return
    sink = {**repair, "min-bitrate": within["lowest"],
            "max-bitrate": within["highest"], **(sink or {})}
    if control != REPAIRS:
        sink |= {"fec": 0}
    if control in FIXED:
        sink |= {"feedback": "none", "start-bitrate": int(
            FIXED[control] * within["highest"] / HEADROOM)}
    stage.sender("sender", to="receiver", source="scene", sink=sink,
                 as_it_comes=control != "rfc5348", name=name, port=port).play()


def judged_stream(stage, control, within):
    """One whose pictures are judged."""
    stream(stage, control, within, pictures=stage.folder / PICTURES)


def measure(stage, seconds, events=()):
    stage.mark("steady", after=seconds[0])
    stage.sleep(seconds[0])
    passed = 0
    for at, rate_kbit_s in events:
        stage.sleep(at - passed)
        stage.net.change("receiver", "rate_kbit_s", rate_kbit_s)
        passed = at
    stage.sleep(seconds[1] - passed)
    stage.mark("end")


def alone(stage, control, cell):
    link = ALONE[cell]
    _delay.network(stage, link, cell == "wifi" and {
        "back_trace": delay_paths.write_trace(stage, delay_paths.AGGREGATES)})
    judged_stream(stage, control, rates(link["rate_kbit_s"]))
    measure(stage, SECONDS, () if cell not in BACK_S else (
        (0, LOW_KBIT_S[cell]), (BACK_S[cell], link["rate_kbit_s"])))


def trace_of_round(traces, seed):
    """Of the files in that folder."""
    files = sorted(traces.iterdir())
    return files[(seed - 1) % len(files)]


def cellular(stage, control, trace):
    _delay.network(stage, {"trace": trace, "queue_bytes": 300000, "delay_ms": 30})
    judged_stream(stage, control, rates(CELLULAR_KBIT_S, CELLULAR_FIRST))
    measure(stage, CELLULAR_SECONDS)


def beside(stage, control, cell):
    _delay.network(stage, {"rate_kbit_s": BESIDE_KBIT_S, "queue_ms": 200},
                   {"back_jitter_ms": 8 * _beside.PACKET_BYTES / BESIDE_KBIT_S})
    judged_stream(stage, control, rates(BESIDE_KBIT_S))
    stage.sleep(LONE_S)
    stage.tcp("sender", "receiver", sum(SECONDS) + 15, *BESIDE[cell])
    measure(stage, SECONDS)


def late(stage, control):
    _delay.network(stage, {"rate_kbit_s": LATE_KBIT_S, "queue_ms": 200})
    stream(stage, control, rates(LATE_KBIT_S, FIRST / 2))
    stage.sleep(LATE_AFTER_S)
    stream(stage, control, rates(LATE_KBIT_S, FIRST / 2), 1)
    measure(stage, SECONDS)


def act(cell, control, seed, traces=None):
    """What a Stage performs.  `traces`: the folder of RECORDED."""
    def run(stage):
        if cell in rfc8867.CELLS:
            rfc8867.act(stage, cell, lambda *more: stream(stage, control, *more))
        elif cell == LATE:
            late(stage, control)
        elif cell in BESIDE:
            beside(stage, control, cell)
        elif cell == "cellular":
            cellular(stage, control, delay_paths.write_trace(
                stage, delay_paths.make_trace(seed)))
        elif cell == RECORDED:
            cellular(stage, control, str(trace_of_round(traces, seed)))
        else:
            alone(stage, control, cell)
    return run


# What is kept of a run.

def shown(stage):
    """[(when [s], age [ms])] of the pictures."""
    base_ns = stage.endpoints["sender-0"].of("playing")[0]["base_ns"]
    start, end = _delay.span(stage)
    return [(event["at"] / 1e9, time_code.age_ms(
        event["time_code"], (event["at"] - base_ns) / 1e6))
        for event in stage.endpoints["receiver-0"].of("shown")
        if event["time_code"] is not None and start <= event["at"] / 1e9 < end]


def gaps_ms(when, start, end):
    """Between pictures, from the first instant to the last."""
    at = [start, *when, end]
    return [1000 * (after - before) for before, after in zip(at, at[1:])]


def pictures(stage):
    """What a viewer sees."""
    seen = shown(stage)
    start, end = _delay.span(stage)
    frozen = [gap for gap in gaps_ms([when for when, _ in seen], start, end)
              if gap > FREEZE_MS]
    ages = [age for _, age in seen]
    return {"age_ms": [metrics.percentile(ages, one) for one in QUANTILES],
            "freezes": len(frozen), "longest_freeze_ms": max(frozen, default=0),
            "frozen_share": sum(frozen) / (1000 * (end - start)),
            "not_shown": 1 - len(seen) / (FRAMES_PER_S * (end - start))}


def quality(stage):
    """What a viewer sees of what was filmed, until little before the end: then it is on
    its way.  Of several streams nobody keeps the pictures, nor in RFC 8867's minutes."""
    if not (stage.folder / PICTURES).exists():
        return {}
    start, end = _delay.span(stage)
    base = stage.endpoints["sender-0"].of("playing")[0]["base_ns"] / 1e9
    first, last = (round((when - base) * FRAMES_PER_S)
                   for when in (start, end - seen.AWAITED_S))
    codes = [event["time_code"]
             for event in stage.endpoints["receiver-0"].of("shown")]
    return seen.compare(stage.folder, stage.folder / PICTURES, codes, first, last)


def encoded_share(stage):
    """Of the pictures that were taken."""
    start, end = _delay.span(stage)
    times = [event["t"] for event in stage.endpoints["sender-0"].of("encoded")]
    return sum(start <= when < end for when in times) \
        / (FRAMES_PER_S * (end - start))


def is_calm(stage, cell):
    """Whether the machine left the run alone.  Where the link fails a control may
    leave pictures out itself."""
    return stage.is_calm() and (
        cell in ("cellular", RECORDED) or cell in BACK_S
        or encoded_share(stage) >= faults.ENCODED_SHARE)


def wire(stage, cell):
    kept = {"sent_kbit_s": _delay.sent_kbit_s(stage),
            "link_share": _delay.carried(stage),
            "queue_p50_ms": _delay.queue_ms(50)(stage),
            "queue_p95_ms": _delay.queue_ms(95)(stage)}
    if cell in (*BESIDE, rfc8867.LONG_TCP):
        kept["tcp_share"] = _beside.share(stage)
    if cell in SEVERAL:
        kept["jain"] = delay_streams.jain(stage)
    if cell in BACK_S:
        kept |= steps(stage, cell)
    if cell == DRAWN:
        kept |= series(stage)
    return kept


def steps(stage, cell):
    """How long until what is sent fits, and until it is back at .8."""
    start, end = _delay.span(stage)
    back, counter = start + BACK_S[cell], _delay.udp(stage).counter()
    return {"reaction_s": metrics.reaction_s(*counter, start, back,
                                             LOW_KBIT_S[cell]),
            "recovery_s": metrics.recovery_s(*counter, back, end,
                                             RATE["rate_kbit_s"])}


def series(stage):
    """Rate and queue by time."""
    start, end = _delay.span(stage)
    _, rates = metrics.rate_series(*_delay.udp(stage).counter(), start + FROM_S,
                                   end, SERIES_S)
    edges = [start + FROM_S + SERIES_S * i for i in range(len(rates))]
    queues = _delay.packets(stage).queue_ms
    return {"rate_series_kbit_s": list(rates),
            "queue_series_ms": [queues(50, edge, edge + SERIES_S)
                                for edge in edges]}


def repair(stage):
    """Bytes of parity and retransmissions by all that were sent, by our own sender's
    count."""
    *repairs, all_bytes = (stage.endpoints["sender-0"].stats(field)[1] for field in (
        "fec-bytes", "retransmission-bytes", "bytes"))
    return {"repair_share": sum(one[-1] for one in repairs) / all_bytes[-1]} \
        if all_bytes and all(repairs) else {}


def rounded(value):
    if isinstance(value, (list, tuple)):
        return [rounded(one) for one in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def kept(stage, cell):
    """What a run showed, as it is published."""
    told = {**wire(stage, cell), **pictures(stage), **quality(stage),
            **repair(stage),
            "encoded_share": encoded_share(stage),
            "lateness_ms": stage.lateness_ms()}
    return {name: rounded(value) for name, value in told.items()}
