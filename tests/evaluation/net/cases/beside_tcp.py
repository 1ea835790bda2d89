# SPDX-License-Identifier: LGPL-2.1-or-later
"""One stream beside the kernel's TCP on one link: shares, smoothness.

Packets of both are as large as the path carries.  The link to the bottleneck
delays each packet at random by up to the time that one takes at the
bottleneck: without, flows of equal packets on an otherwise empty path lock
into phases in which a drop-tail queue drops those of one flow only (Floyd and
Jacobson 1992, "On traffic phase effects in packet-switched gateways", whose
remedy this is).  beside-tcp-in-phase shows what happens without."""

import statistics

import tcp_response
from cases import _beside
from claims import NOT_QUICK, PRESENT_DAY, Claim, Scale, Scenario

# {name: (link, what)}.  RED's thresholds and buffer are 1/4, 5/4 and 5/2 of
# the bandwidth-delay product (Bansal et al. 2001).
QUEUES = {
    "drop-tail-50": {"queue_ms": 50},
    "drop-tail-200": {"queue_ms": 200},
    "red": {"queue_ms": 125, "red_min_ms": 12.5, "red_max_ms": 62.5},
}
# Mean wait that goes into a prediction [s]: of a drop-tail queue that is
# full, of RED half-way between its thresholds.
WAITS_S = {"drop-tail-50": 0.05, "drop-tail-200": 0.2, "red": 0.0375}
FLOWS = (1, 3, 7)
SHARES = {1: (0.5, 2), 3: (0.67, 1.5), 7: (0.67, 1.5)}
BINS_S = (0.2, 1, 5)
# No rougher than one flow, and smoother than three or more.
SMOOTHER = {1: 1, 3: 0.75, 7: 0.75}
QUICK = ("drop-tail-50", 3)
# A Reno flow of 5 to 10 Mbit/s on a path of 250 ms loses a packet in 17 to
# 35 s: what slow start left behind lasts longer.
SLOW = ("drop-tail-200", 20000)
SLOW_SECONDS = (60, 60)


def runs(algorithm, rate_kbit_s, seeds):
    def at(scale):
        if scale is Scale.QUICK:
            return {(*QUICK, 1): _beside.act(
                algorithm, QUICK[1], rate_kbit_s, QUEUES[QUICK[0]],
                _beside.SECONDS[scale])} if algorithm == "reno" \
                and rate_kbit_s == 5000 else {}
        return {(queue, flows, seed): _beside.act(
            algorithm, flows, rate_kbit_s, link,
            SLOW_SECONDS if (queue, rate_kbit_s) == SLOW
            else _beside.SECONDS[scale])
            for queue, link in QUEUES.items() for flows in FLOWS
            for seed in range(1, seeds[flows] + 1)}
    return at


def expected(algorithm, rate_kbit_s, queue, flows):
    """(low, high, note) of TFRC's rate by the mean TCP's."""
    if algorithm == "bbr":
        return None, None, "no bound: BBR does not share by losses"
    if algorithm == "reno":
        return *SHARES[flows], ""
    ahead = tcp_response.cubic_by_reno(
        1000 * rate_kbit_s / (flows + 1), _beside.RTT_S + WAITS_S[queue],
        _beside.PACKET_BYTES)
    return *SHARES[flows], f"RFC 8312 expects of CUBIC {ahead:.2f} of Reno's"


def share_claims(algorithm, rate_kbit_s):
    for queue in QUEUES:
        for flows in FLOWS:
            low, high, note = expected(algorithm, rate_kbit_s, queue, flows)
            yield Claim(
                f"TFRC's rate by the mean TCP's, {queue}, {flows} TCP",
                "about 1", lambda results, key=(queue, flows): results.each(
                    _beside.share, *key), low, high, note=note,
                scales=NOT_QUICK, middle=statistics.median)


def smoothness_claims(algorithm):
    for queue in QUEUES:
        for flows in FLOWS:
            yield Claim(
                f"TFRC's CoV at 1 s by TCP's, {queue}, {flows} TCP", "",
                lambda results, key=(queue, flows): results.each(
                    _beside.smoothness, *key),
                high=None if algorithm == "bbr" else SMOOTHER[flows],
                scales=NOT_QUICK, middle=statistics.median)
    for flows in FLOWS:
        for bin_s in BINS_S:
            for name, cov in (("TFRC", _beside.tfrc_cov),
                              ("TCP", _beside.tcp_cov)):
                yield Claim(
                    f"CoV of {name} at {bin_s:g} s, {flows} TCP, all queues",
                    "", lambda results, cov=cov, flows=flows, bin_s=bin_s:
                    results.each(lambda stage: cov(stage, bin_s),
                                 None, flows), scales=NOT_QUICK)


def plot(results, figure):
    import plots
    left, right = figure.subplots(1, 2)
    for queue, colour in zip(QUEUES, plots.CYCLE):
        plots.ours(left, FLOWS, [results.each(_beside.share, queue, flows)
                                 for flows in FLOWS], queue, color=colour)
    plots.paper_line(left, 1, "equal")
    left.set(xlabel="TCP flows", ylabel="TFRC's rate by the mean TCP's",
             xscale="log", xticks=FLOWS, xticklabels=FLOWS, ylim=(0, None))
    left.minorticks_off()
    left.legend()
    for name, cov in (("tfrc", _beside.tfrc_cov), ("tcp", _beside.tcp_cov)):
        plots.ours(right, BINS_S, [results.each(
            lambda stage: cov(stage, bin_s), None, 3) for bin_s in BINS_S],
            f"{name.upper()}, 3 TCP, all queues", color=plots.COLOURS[name])
    right.set(xlabel="timescale [s]", ylabel="CoV of the rate", xscale="log",
              xticks=BINS_S, xticklabels=BINS_S, ylim=(0, None))
    right.minorticks_off()
    right.legend()


def scenario(algorithm, rate_mbit_s, seeds):
    rate = 1000 * rate_mbit_s
    return Scenario(
        f"beside-{algorithm}-{rate_mbit_s}", source=PRESENT_DAY,
        what=f"one greedy stream beside 1, 3 and 7 {algorithm} flows, "
        f"{rate_mbit_s} Mbit/s, 50 ms RTT, three queues",
        runs=runs(algorithm, rate, seeds), plot=plot, claims=[
            *share_claims(algorithm, rate), *smoothness_claims(algorithm),
            Claim("utilisation of the link, drop-tail", "",
                  lambda results: results.each(
                      lambda stage: _beside.utilisation(stage, rate),
                      "drop-tail-50") + results.each(
                      lambda stage: _beside.utilisation(stage, rate),
                      "drop-tail-200"), low=0.93),
            Claim("utilisation of the link, RED", "",
                  lambda results: results.each(
                      lambda stage: _beside.utilisation(stage, rate), "red"),
                  scales=NOT_QUICK),
            Claim("TFRC's rate by the mean TCP's, one short run", "",
                  lambda results: results.each(_beside.share), low=0.2,
                  high=5, scales={Scale.QUICK},
                  note="nothing finer can be told so soon: neither starves "
                       "the other"),
        ])


def in_phase(scale):
    return {} if scale is Scale.QUICK else {
        (algorithm, seed): _beside.act(
            algorithm, 3, 5000, QUEUES["drop-tail-50"],
            _beside.SECONDS[scale], noise=False)
        for algorithm in ("reno", "cubic") for seed in (1, 2, 3)}


def long_history(scale):
    return {} if scale is Scale.QUICK else {
        (algorithm, rate_mbit_s, queue, flows, seed): _beside.act(
            algorithm, flows, 1000 * rate_mbit_s, QUEUES[queue],
            _beside.SECONDS[scale], src={"rtptfrcreceive::history-length": 16})
        for algorithm, rate_mbit_s, queue, flows in LONG_HISTORY
        for seed in (1, 2, 3)}


def long_history_claims():
    for algorithm, rate_mbit_s, queue, flows in LONG_HISTORY:
        key = algorithm, rate_mbit_s, queue, flows
        where = f"{flows} {algorithm}, {rate_mbit_s} Mbit/s, {queue}"
        low, high = SHARES[flows]
        yield Claim(f"TFRC's rate by the mean TCP's, {where}", "about 1",
                    lambda results, key=key: results.each(
                        _beside.share, *key), low, high, scales=NOT_QUICK,
                    middle=statistics.median)
        yield Claim(f"TFRC's CoV at 1 s by TCP's, {where}", "",
                    lambda results, key=key: results.each(
                        _beside.smoothness, *key), high=SMOOTHER[flows],
                    scales=NOT_QUICK, middle=statistics.median)


LONG_HISTORY = (("reno", 5, "red", 7), ("cubic", 20, "red", 3),
                ("cubic", 20, "drop-tail-50", 3))
JUDGED = {1: 5, 3: 5, 7: 3}
MEASURED = {1: 1, 3: 1, 7: 1}
SCENARIOS = [
    scenario("reno", 5, JUDGED), scenario("reno", 20, JUDGED),
    scenario("cubic", 5, JUDGED), scenario("cubic", 20, JUDGED),
    scenario("bbr", 5, MEASURED), scenario("bbr", 20, MEASURED),
    Scenario(
        "beside-tcp-in-phase", source=PRESENT_DAY,
        what="one stream and three TCP flows on 5 Mbit/s, drop-tail of "
             "50 ms, and nothing on the path that varies",
        runs=in_phase, claims=[
            Claim(f"TFRC's rate by the mean TCP's, {algorithm}", "",
                  lambda results, algorithm=algorithm: results.each(
                      _beside.share, algorithm),
                  scales=NOT_QUICK, middle=statistics.median,
                  note="phase effects: an order that nothing disturbs "
                       "decides whose packets are dropped")
            for algorithm in ("reno", "cubic")]),
    Scenario(
        "beside-long-history", source=PRESENT_DAY,
        what="one stream with history-length=16 where one with 8 is no "
             "smoother than TCP",
        runs=long_history, claims=list(long_history_claims())),
]
