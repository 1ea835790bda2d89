# SPDX-License-Identifier: LGPL-2.1-or-later
"""Several streams with delay control on one link, and one beside a stream
without."""

import statistics

import flow_log
import flow_metrics
from cases import _beside, _delay
from claims import NOT_QUICK, PRESENT_DAY, Claim, Scale, Scenario

median = statistics.median
LATE_S = 60
MEASURE_S = 45
# {name: ([kind of each], seconds before the last one comes)}
CASES = {
    "two": (["control"] * 2, 0),
    "four": (["control"] * 4, 0),
    "two-late": (["control"] * 2, LATE_S),
    "four-late": (["control"] * 4, LATE_S),
    "mixed": (["control", "plain"], 0),
    "two-plain": (["plain"] * 2, 0),
    "four-plain": (["plain"] * 4, 0),
}
NAMES = {
    "two": "two", "four": "four",
    "two-late": "two, one a minute late",
    "four-late": "four, one a minute late",
    "mixed": "one beside one without",
    "two-plain": "two without", "four-plain": "four without",
}
RATES_MBIT_S = (5, 20)
QUEUE_MS = 500


def act(kinds, late_s, rate_kbit_s):
    def run(stage):
        _delay.network(
            stage, {"rate_kbit_s": rate_kbit_s, "queue_ms": QUEUE_MS},
            {"back_jitter_ms": 8 * _beside.PACKET_BYTES / rate_kbit_s})
        for number, kind in enumerate(kinds):
            if number == len(kinds) - 1 and late_s:
                stage.sleep(late_s)
            _delay.stream(stage, kind, number)
        stage.mark("steady", after=15)
        stage.sleep(15 + MEASURE_S)
        stage.mark("end")
    return run


def runs(scale):
    return {} if scale is Scale.QUICK else {
        (rate, name, seed): act(*CASES[name], 1000 * rate)
        for rate in RATES_MBIT_S for name in CASES
        for seed in _delay.seeds(scale)}


def rates(stage):
    """In the order of the streams' ports."""
    flows = sorted(_beside.data_flows(stage, flow_log.UDP),
                   key=lambda flow: flow.destination_port)
    return [flow.kbit_s(*_delay.span(stage)) for flow in flows]


def jain(stage):
    return flow_metrics.jain_index(rates(stage))


def with_by_without(stage):
    control, plain = rates(stage)
    return control / plain


def claims():
    for rate in RATES_MBIT_S:
        for name, (kinds, _) in CASES.items():
            where = f"{NAMES[name]}, {rate} Mbit/s"
            judged = "plain" not in kinds
            if len(set(kinds)) == 1:
                yield Claim(f"Jain's index, {where}", 1,
                            _delay.of(jain, rate, name),
                            low=0.95 if judged else None, scales=NOT_QUICK,
                            middle=median)
            else:
                yield Claim(f"rate with by that without, {where}", "",
                            _delay.of(with_by_without, rate, name),
                            scales=NOT_QUICK, middle=median)
            yield Claim(f"queue p95 [ms], {where}", "", _delay.of(
                _delay.queue_ms(95), rate, name),
                high=50 if judged and len(kinds) == 4 else None,
                scales=NOT_QUICK, middle=median)
            yield Claim(f"utilisation, {where}", "", _delay.of(
                _delay.carried, rate, name), scales=NOT_QUICK, middle=median)


SCENARIOS = [Scenario(
    "delay-streams", source=PRESENT_DAY,
    what="two and four streams with delay control, one of them late, and one "
         "beside one without, 50 ms RTT, queue of 500 ms",
    runs=runs, claims=list(claims()))]
