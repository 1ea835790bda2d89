# SPDX-License-Identifier: LGPL-2.1-or-later
"""A stream whose losses are repaired, and one whose are not, at the same time
beside the kernel's TCP: repair comes out of what TFRC allows, so the one takes
no more than the other.  Links, packets and the noise in front of the bottleneck
are those of the scenarios beside TCP."""

import statistics

import flow_log
from cases import _beside, _delay, beside_tcp
from claims import NOT_QUICK, PRESENT_DAY, Claim, Scale, Scenario

median = statistics.median
RATE_KBIT_S = 5000
QUEUES = ("drop-tail-50", "drop-tail-200")
FLOWS = (1, 3)
# By number; each has its port.
KINDS = {"repaired": {"retransmission": "on"},
         "plain": {"retransmission": "off"}}
NUMBERS = {kind: number for number, kind in enumerate(KINDS)}
SEEDS = (1, 2, 3, 4)
# Of two plain streams in the place of both the one had 0.80 to 1.24 times the
# rate of the other in sixteen single runs.
HIGHEST = 1.15
HIGHEST_MEAN = 1.1
# Long enough to ask for nearly all that is lost.
LATENCY_MS = 1000


def act(algorithm, flows, queue, seed):
    """Who begins has an advantage that lasts: each does in half of the runs."""
    def run(stage):
        stage.host("sender",
                   back_jitter_ms=8 * _beside.PACKET_BYTES / RATE_KBIT_S)
        stage.host("receiver", rate_kbit_s=RATE_KBIT_S,
                   delay_ms=1000 * _beside.RTT_S / 2,
                   **beside_tcp.QUEUES[queue])
        stage.start()
        for kind in sorted(KINDS, reverse=seed % 2 == 1):
            _delay.stream(stage, "plain", NUMBERS[kind], sink=KINDS[kind],
                          src={**KINDS[kind], "latency": LATENCY_MS})
        settle, measured = _delay.SECONDS[Scale.STANDARD]
        stage.tcp("sender", "receiver", settle + measured + 5, algorithm,
                  flows)
        stage.mark("steady", after=settle)
        stage.sleep(settle + measured)
        stage.mark("end")
    return run


def runs(algorithm):
    def at(scale):
        return {} if scale is not Scale.STANDARD else {
            (queue, flows, seed): act(algorithm, flows, queue, seed)
            for queue in QUEUES for flows in FLOWS for seed in SEEDS}
    return at


def kbit_s(kind):
    """Of all its packets, repair included."""
    port = _beside.FIRST_PORT + 2 * NUMBERS[kind]

    def measure(stage):
        flow, = (flow for flow in _beside.data_flows(stage, flow_log.UDP)
                 if flow.destination_port == port)
        return flow.kbit_s(*_delay.span(stage))
    return measure


def share(kind):
    def measure(stage):
        return kbit_s(kind)(stage) \
            / statistics.fmean(_beside.rates(stage, flow_log.TCP))
    return measure


def by_plain(stage):
    return kbit_s("repaired")(stage) / kbit_s("plain")(stage)


def repaired(stage):
    """Of the lost packets: those that came again in time."""
    had, lost = (stage.endpoints["receiver-0"].stat_at(
        field, stage.marks["end"])
        for field in ("retransmissions-recovered", "packets-lost"))
    return had / lost


def repair_share(stage):
    return stage.endpoints["sender-0"].stat_at(
        "repair-share", stage.marks["end"])


def claims(algorithm):
    for queue in QUEUES:
        for flows in FLOWS:
            key = queue, flows
            where = f"{queue}, {flows} TCP"
            yield Claim(f"rate with repair by that without, {where}", "<= 1",
                        _delay.of(by_plain, *key), high=HIGHEST,
                        scales=NOT_QUICK, middle=median)
            for kind in KINDS:
                yield Claim(f"rate by the mean TCP's, {where}, {kind}", "",
                            _delay.of(share(kind), *key), scales=NOT_QUICK,
                            middle=median)
    yield Claim("rate with repair by that without, all", "<= 1",
                _delay.of(by_plain), high=HIGHEST_MEAN, scales=NOT_QUICK)
    yield Claim("repaired, of the packets lost", "", _delay.of(repaired),
                low=0.5, scales=NOT_QUICK, middle=median)
    yield Claim("repair's share of the bytes", "", _delay.of(repair_share),
                scales=NOT_QUICK, middle=median)

SCENARIOS = [
    Scenario(
        f"repair-{algorithm}-5", source=PRESENT_DAY,
        what="a greedy stream with retransmission and one without beside 1 "
             f"and 3 {algorithm} flows, 5 Mbit/s, 50 ms RTT, drop-tail of 50 "
             "and 200 ms",
        runs=runs(algorithm), claims=list(claims(algorithm)))
    for algorithm in ("reno", "cubic")]
