# SPDX-License-Identifier: LGPL-2.1-or-later
"""Packets that are lost, late, doubled or out of order on the way."""

from cases import faults
from claims import (
    NOT_QUICK, PRESENT_DAY, RFC_5348, Claim, Scale, Scenario)

LOSS = 0.1
LOSSY = {"rate_kbit_s": 10000, "queue_ms": 100, "delay_ms": 25, "loss": LOSS}
# One packet of 1256 bytes takes 5 ms at 2 Mbit/s: held for 22 ms it is
# overtaken by four or five.
SWAPPED = {**faults.LINK, "reorder": 0.05, "reorder_delay_ms": 22}
# The encoder's frames leave at twice its rate and more, a packet in 1.5 to
# 2.5 ms.
WIDE = {"rate_kbit_s": 20000, "queue_ms": 100, "delay_ms": 25}
WIDE_SWAPPED = {**WIDE, "reorder": 0.05, "reorder_delay_ms": 12}
CAP = {"max-bitrate": 2000000}
# At 20 Mbit/s six packets take 3 ms.  The far one has a queue of a round trip, or
# the flow would not fill it anyway.
SIX = {"reorder": 0.05, "reorder_packets": 6}
FAST = {50: WIDE, 300: {**WIDE, "queue_ms": 300, "delay_ms": 150}}
# Slow start, and what it leaves behind.
FAST_WARMUP_S = 20


def by_equation(stage):
    """Packets sent by those of the equation at the loss events that the
    receiver counted, and the link's own RTT: nothing waits in its queue."""
    start, end = stage.between("steady", "end")
    packets = faults.link_grown(stage, "offered_packets")
    p = faults.stat_grown(stage, "receiver", "loss-events") / packets
    return packets / (end - start) / faults.measures.throughput_equation(
        1, faults.RTT_S, p)


def losses_seen(stage):
    """By the receiver, by those on the link."""
    return faults.stat_grown(stage, "receiver", "packets-lost") \
        / faults.link_grown(stage, "lost")


def copies_seen(stage):
    return faults.stat_grown(stage, "receiver", "packets-duplicate") \
        / faults.link_grown(stage, "duplicated")


def received_by_sent(stage):
    """X_recv by what the sender sent, in the mean."""
    start, end = stage.between("steady", "end")
    return faults.stat_mean(stage, "receiver", "receive-rate") \
        / faults.stat_grown(stage, "sender", "bytes") * (end - start)


def late(stage):
    """Of all packets, those of the start included: by them it is learnt."""
    return faults.stat_grown(stage, "receiver", "packets-late", "begin") \
        / faults.link_grown(stage, "offered_packets", "begin")


def lost(stage):
    return faults.stat_grown(stage, "receiver", "packets-lost")


def loss_event_rate(stage):
    """Mean of p over the run."""
    return faults.stat_mean(stage, "sender", "loss-event-rate")


def target_by_cap(stage):
    """Mean of what the encoder was set to."""
    return faults.stat_mean(stage, "sender", "encoder-target-bitrate") \
        / CAP["max-bitrate"]


def p_by_drops(stage):
    """The mean of p by the share of packets that the queue dropped."""
    return loss_event_rate(stage) * faults.link_grown(
        stage, "offered_packets") / faults.link_grown(stage, "dropped_queue")


def runs(quick, standard, in_quick=True, **more):
    """Runs of so many seconds behind the start."""
    return lambda scale: {
        (seed,): faults.steady(quick if scale is Scale.QUICK else standard,
                               **more)
        for seed in faults.seeds(scale, in_quick)}


def fast_runs(scale):
    """Keys are (RTT, kind, seed)."""
    return {} if scale is Scale.QUICK else {
        (rtt, kind, seed): faults.steady(
            30, {**link, **(SIX if kind == "swapped" else {})},
            FAST_WARMUP_S, source="greedy")
        for rtt, link in FAST.items() for kind in ("swapped", "even")
        for seed in faults.seeds(scale)}


def sent_kbit_s(stage):
    start, end = stage.between("steady", "end")
    return 8e-3 * faults.stat_grown(stage, "sender", "bytes") / (end - start)


def swapped_by_even(measure, rtt):
    def by_mean(results):
        even = results.each(measure, rtt, "even")
        return [one * len(even) / sum(even)
                for one in results.each(measure, rtt, "swapped")]
    return by_mean


def reports_per_rtt(stage):
    start, end = stage.between("steady", "end")
    return faults.stat_grown(stage, "sender", "feedback") \
        * faults.stat_mean(stage, "sender", "rtt-ns") / 1e9 / (end - start)


def utilisation(low, note):
    return Claim("utilisation of the link", "",
                 faults.each(faults.utilisation), low=low, note=note)


KEEPS_CAP = Claim("encoder's bitrate, as it is set, by its cap", 1,
                  faults.each(target_by_cap), low=0.95, high=1.1,
                  note="it is asked for a little more where it makes less")
COMES_LATE = Claim("packets that came after they were taken for lost", "",
                   faults.each(late), low=1e-6, high=0.005,
                   note="of all, of which one in 20 is held: some at the "
                        "start, or nothing is shown, until it is known how "
                        "late they come")

SCENARIOS = [
    Scenario(
        "fault-loss", source=RFC_5348 + ", section 3.1",
        what="10 % of the packets lost, 50 ms RTT",
        runs=runs(14, 60, link=LOSSY, source="greedy", warmup=4),
        claims=faults.SURVIVES + [
            Claim("rate by the equation at the loss events", 1,
                  faults.each(by_equation), low=0.8, high=1.2),
            Claim("losses counted by those on the link", 1,
                  faults.each(losses_seen), low=0.97, high=1.03,
                  note="some are under way at either end"),
        ]),
    Scenario(
        "fault-reorder", source=RFC_5348 + ", section 5.1",
        what="one in 20 packets is overtaken by up to five, 2 Mbit/s, "
             "drop-tail of 100 ms",
        runs=runs(20, 40, in_quick=False, link=SWAPPED, source="greedy"),
        claims=faults.SURVIVES + [
            utilisation(0.93, "as without"),
            COMES_LATE,
            Claim("mean loss event rate by the share that the queue dropped",
                  "", faults.each(p_by_drops), high=2,
                  note="1 if each drop were an event; p is that of the last "
                       "eight; one in 20 packets taken for lost for good "
                       "would make it 10"),
        ]),
    Scenario(
        "fault-reorder-encoder", source=RFC_5348 + ", section 5.1",
        what="one in 20 packets is overtaken by those of 12 ms, an encoder "
             "at its cap of 2 Mbit/s, nothing is lost",
        runs=runs(10, 40, link=WIDE_SWAPPED, sink=CAP, warmup=10),
        claims=faults.SURVIVES + [
            Claim("packets taken for lost in the end", "none",
                  faults.each(lost), high=1),
            COMES_LATE,
            Claim("mean loss event rate", 0, faults.each(loss_event_rate),
                  high=0.001,
                  note="it is above 0 only until the packet comes"),
            KEEPS_CAP,
            Claim("share of the sent frames that were decoded", "",
                  faults.each(faults.decoded_share), low=0.99),
        ]),
    Scenario(
        "fault-reorder-fast", source=RFC_5348 + ", section 5.1",
        what="one in 20 packets is overtaken by six, 20 Mbit/s with 50 ms "
             "and 300 ms of RTT",
        runs=fast_runs,
        claims=[
            Claim("rate by that without, 50 ms", 1,
                  swapped_by_even(sent_kbit_s, 50), low=0.9),
            Claim("rate by that without, 300 ms", 1,
                  swapped_by_even(sent_kbit_s, 300), low=0.8, scales=NOT_QUICK,
                  note="a loss event of the queue's takes many seconds there"),
            Claim("packets that came after they were taken for lost", "",
                  lambda results: results.each(late, 50, "swapped"),
                  low=1e-6, high=0.005, note=COMES_LATE.note),
            Claim("reports per RTT by those without", 1,
                  swapped_by_even(reports_per_rtt, 50), high=1.5,
                  note="each packet that is taken for lost makes two"),
            Claim("reports per RTT", 1, lambda results: results.each(
                reports_per_rtt, 50, "swapped"),
                  note="up to four (D66), as section 6.2 allows"),
        ]),
    Scenario(
        "fault-duplicates", source=RFC_5348 + ", section 6.1",
        what="one in five packets arrives twice, 2 Mbit/s, drop-tail of "
             "100 ms",
        runs=runs(15, 40, in_quick=False, link={
            **faults.LINK, "duplicate": 0.2}, source="greedy"),
        claims=faults.SURVIVES + [
            utilisation(0.93, "as without copies"),
            Claim("X_recv by what was sent", "", faults.each(
                received_by_sent), high=1.02,
                note="copies would make it 1.2"),
            Claim("copies counted by those on the link", 1,
                  faults.each(copies_seen), low=0.97, high=1.03),
        ]),
    Scenario(
        "fault-jitter", source=PRESENT_DAY,
        what="an encoder at its cap of 2 Mbit/s, 30 ms of jitter",
        runs=runs(15, 40, in_quick=False, sink=CAP, warmup=10, link={
            **WIDE, "jitter_ms": 30}),
        claims=faults.SURVIVES + [
            Claim("packets taken for lost", "none", faults.each(lost),
                  high=0),
            KEEPS_CAP,
            Claim("share of the sent frames that were decoded", "",
                  faults.each(faults.decoded_share), low=0.99),
        ]),
    Scenario(
        "fault-jitter-full", source=PRESENT_DAY,
        what="30 ms of jitter behind a bottleneck of 2 Mbit/s, drop-tail of "
             "100 ms",
        runs=runs(15, 40, in_quick=False, link={
            **faults.LINK, "jitter_ms": 30}, source="greedy"),
        claims=faults.SURVIVES + [utilisation(0.93, "as without jitter")]),
]
