# SPDX-License-Identifier: LGPL-2.1-or-later
"""ECN (RFC 6679) at the RED queue of the scenarios beside TCP, where it marks
instead of dropping; and L4S (RFC 9331) where a ramp or a step marks."""

import statistics

import forms
from cases import _beside, _delay, beside_tcp
from claims import NOT_QUICK, PRESENT_DAY, Claim, Scale, Scenario

RATE = 5000
LINK = {"rate_kbit_s": RATE, "delay_ms": 25, **beside_tcp.QUEUES["red"],
        "ecn": 1}
DROPPING = {**LINK, "ecn": 0}
ECN = {"ecn": True}
L4S_LINK = {"rate_kbit_s": 50000, "delay_ms": 12.5, "queue_ms": 200}
# RFC 9332 appendix A.1, and fq_codel with ce_threshold 1ms.
L4S_MARKS = {"ramp": {"ramp_min_ms": 0.8, "ramp_max_ms": 1.2},
             "step": {"ramp_min_ms": 1, "ramp_max_ms": 1},
             "none": {}}
SECONDS = {Scale.QUICK: 20, Scale.STANDARD: 60}
BESIDE_SECONDS = {Scale.QUICK: 18, Scale.STANDARD: 70}
# For slow start, and what it leaves behind.
WARMUP_S = 8
# "Almost no loss" of the task that these scenarios were written for.
LOSS_MAX = 0.001


def act(link, ecn, seconds, form=forms.FORMS["plain"], tcp=False):
    options = ECN if ecn else {}
    # Beside TCP as large as its segments; else SRTP must fit, too.
    size = {"mtu": _beside.RTP_MTU} if tcp else {}

    def marked(stage):
        stage.host("sender")
        stage.host("receiver", **link)
        stage.start()
        for host in ("sender", "receiver"):
            stage.net.run(host, "sh", "-c",
                          f"echo {int(ecn)} > /proc/sys/net/ipv4/tcp_ecn")
        form.receiver(stage, "receiver", source="greedy",
                      src=dict(options)).play()
        form.sender(stage, "sender", "receiver", source="greedy",
                    sink=dict(options), **size).play()
        if tcp:
            stage.tcp("sender", "receiver", seconds + 5, "reno")
        stage.mark("steady", after=WARMUP_S)
        stage.sleep(seconds)
        stage.mark("end")
    return marked


def counted(stage, field):
    """In the steady time, by the receiver."""
    receiver = stage.endpoints["receiver"]
    return (receiver.stat_at(field, stage.marks["end"])
            - receiver.stat_at(field, stage.marks["steady"]))


def loss(stage):
    lost = counted(stage, "packets-lost")
    return lost / (lost + counted(stage, "packets"))


def marks(stage):
    """From the start on, slow start included."""
    receiver, end = stage.endpoints["receiver"], stage.marks["end"]
    return receiver.stat_at("ecn-ce", end) / receiver.stat_at("packets", end)


def utilisation(stage):
    return stage.link_kbit_s(
        "receiver", "to", *stage.between("steady", "end")) / RATE


def share(stage):
    """TFRC's rate by TCP's."""
    udp, tcp = (stage.link_kbit_s(
        "receiver", "to", *stage.between("steady", "end"), column)
        for column in ("udp_bytes", "tcp_bytes"))
    return udp / tcp


def told_working(stage):
    """Whether the sender heard that ECN works, and nothing else."""
    return [fields["state"] for _, fields in
            stage.endpoints["sender"].messages("tfrc-ecn")] == ["working"]


def worst(measure, *pattern):
    return lambda results: max(results.each(measure, *pattern))


def each(measure, *pattern):
    return lambda results: results.each(measure, *pattern)


def alone_runs(scale):
    seconds = SECONDS[scale]
    found = {("ecn", 1): act(LINK, True, seconds)}
    if scale is Scale.QUICK:
        return found
    found["drops", 1] = act(DROPPING, False, seconds)
    for name in ("ipv6", "srtp"):
        found[name, 1] = act(LINK, True, seconds, forms.FORMS[name])
    return found


def beside_runs(scale):
    seconds = BESIDE_SECONDS[scale]
    found = {}
    for seed in range(1, 2 if scale is Scale.QUICK else 6):
        found["ecn", seed] = act(LINK, True, seconds, tcp=True)
        if scale is not Scale.QUICK:
            found["drops", seed] = act(DROPPING, False, seconds, tcp=True)
    return found


def l4s(marks, seconds):
    def act(stage):
        _delay.network(stage, {**L4S_LINK, **L4S_MARKS[marks]})
        _delay.stream(stage, "control", source="fast", src=ECN,
                      sink={**ECN, "l4s": True})
        stage.mark("steady", after=WARMUP_S)
        stage.sleep(seconds)
        stage.mark("end")
    return act


def l4s_runs(scale):
    return {(marks, seed): l4s(marks, SECONDS[scale])
            for marks in L4S_MARKS for seed in _delay.seeds(scale)
            if scale is not Scale.QUICK or marks == "step"}


def l4s_cuts(stage):
    return stage.endpoints["sender-0"].stat_at("delay-mark-cuts",
                                               stage.marks["end"])


def l4s_claims():
    for marks in L4S_MARKS:
        low, high = (None, None) if marks == "none" else (0.9, 10)
        scales = {"scales": NOT_QUICK} if marks != "step" else {}
        yield Claim(f"utilisation of the link, {marks}", "",
                    each(_delay.carried, marks), low=low,
                    middle=statistics.median, scales=NOT_QUICK)
        yield Claim(f"queue p50 [ms], {marks}", "",
                    each(_delay.queue_ms(50), marks),
                    middle=statistics.median, scales=NOT_QUICK)
        yield Claim(f"queue p95 [ms], {marks}", "",
                    each(_delay.queue_ms(95), marks), high=high,
                    middle=statistics.median, **scales)
    yield Claim("times that marks lowered the rate, step", "",
                each(l4s_cuts, "step"), low=3, middle=statistics.median)


def with_ecn(measure, wanted):
    """Over all runs but those of the queue that drops."""
    return lambda results: wanted(
        value for key in results if key[0] != "drops"
        for value in results.each(measure, *key))


SCENARIOS = [
    Scenario(
        "ecn-alone", source=PRESENT_DAY,
        what="one greedy stream on 5 Mbit/s, 50 ms RTT, RED that marks; also "
             "over IPv6 and with SRTP, and where RED drops",
        runs=alone_runs,
        claims=[
            Claim("loss where RED marks, highest", "",
                  with_ecn(loss, max), high=LOSS_MAX),
            Claim("share of packets that are marked, lowest", "",
                  with_ecn(marks, min), low=0.0005,
                  note="the queue did speak"),
            Claim("utilisation of the link, lowest", "",
                  with_ecn(utilisation, min), low=0.93, scales=NOT_QUICK),
            Claim("senders that were told that ECN works", "",
                  with_ecn(told_working, min), low=1),
            Claim("loss where RED drops", "", each(loss, "drops"),
                  low=LOSS_MAX, scales=NOT_QUICK,
                  note="the same congestion, told by losses"),
            Claim("utilisation where RED drops", "",
                  each(utilisation, "drops"), low=0.93, scales=NOT_QUICK),
        ]),
    Scenario(
        "ecn-beside-reno", source=PRESENT_DAY,
        what="one greedy stream beside one Reno flow with ECN on 5 Mbit/s, "
             "50 ms RTT, RED that marks; and both without, where it drops",
        runs=beside_runs,
        claims=[
            Claim("TFRC's rate by TCP's, both with ECN", "",
                  each(share, "ecn"), low=0.5, high=2, scales=NOT_QUICK),
            Claim("TFRC's rate by TCP's, one short run", "",
                  each(share, "ecn"), low=0.2, high=5, scales={Scale.QUICK},
                  note="in 10 s nothing finer can be told: neither starves "
                       "the other"),
            Claim("loss of the stream, highest", "", worst(loss, "ecn"),
                  high=LOSS_MAX),
            Claim("TFRC's rate by TCP's, both without ECN", "",
                  each(share, "drops"), low=0.5, high=2, scales=NOT_QUICK),
            Claim("loss of the stream without ECN", "",
                  each(loss, "drops"), scales=NOT_QUICK),
        ]),
    Scenario(
        "l4s-alone", source=PRESENT_DAY,
        what="one greedy stream that sends ECT(1) on 50 Mbit/s, 25 ms RTT, where a "
             "ramp from 0.8 to 1.2 ms of wait marks, a step at 1 ms, and nothing",
        runs=l4s_runs,
        claims=list(l4s_claims())),
]
