# SPDX-License-Identifier: LGPL-2.1-or-later
"""RTT unfairness: TFRC and TCP of the same RTT, and of different ones."""

from claims import Claim, NOT_QUICK, PRESENT_DAY, Scale, Scenario
from scenarios._video import drop_tail, each, greedy, ratio, seeds, tcp
from simulation import dumbbell

MBIT = 1e6
RATE = 10 * MBIT
QUEUE_MS = 50
RTTS_MS = (10, 50, 150)
SECONDS = {Scale.QUICK: 60, Scale.STANDARD: 150}


def same_runs(scale):
    return {(rtt, seed): dumbbell(
        RATE, 5, drop_tail(RATE, QUEUE_MS),
        [greedy(start_s=(0, 1), rtt_ms=rtt),
         tcp(start_s=(0, 1), rtt_ms=rtt)], SECONDS[scale], seed=seed)
        for rtt in RTTS_MS for seed in seeds(scale)}


def after_start(one, other):
    return lambda result: ratio(one, other, 20, result.seconds)(result)


SAME = Scenario(
    "same-rtt", source=PRESENT_DAY,
    what="a TFRC and a Reno of 10, 50, 150 ms RTT", runs=same_runs, claims=[
        Claim(f"RTT {rtt} ms: TFRC by TCP", "a fair share",
              each(after_start("tfrc", "tcp"), rtt),
              note="guideline of RFC 8868 section 2.1: similar RTTs")
        for rtt in RTTS_MS])


def mixed_runs(scale):
    kinds = ("tfrc",) if scale is Scale.QUICK else ("tfrc", "tcp")
    make = {"tfrc": greedy, "tcp": tcp}
    return {(kind, seed): dumbbell(
        RATE, 5, drop_tail(RATE, QUEUE_MS),
        [make[kind](str(rtt), start_s=(0, 1), rtt_ms=rtt, count=2)
         for rtt in RTTS_MS], SECONDS[scale], seed=seed)
        for kind in kinds for seed in seeds(scale)}


def by_equation(short, long):
    """The ratio of the rates by the inverse ratio of the RTTs with the mean
    queue on top."""
    def measure(result):
        rates = after_start(str(short), str(long))(result)
        mean, _ = result.queue()
        first = round(20 / result.bin_s)
        queue_ms = mean[first:].mean() * 1200 * 8 / RATE * 1000
        return rates / ((long + queue_ms) / (short + queue_ms))
    return measure


MIXED = Scenario(
    "mixed-rtt", source=PRESENT_DAY,
    what="two TFRCs each of 10, 50 and 150 ms RTT; the same with Reno",
    runs=mixed_runs, claims=[
        Claim("TFRC: 10 ms by 150 ms", "1/R",
              each(after_start("10", "150"), "tfrc"),
              note="published; the next line judges it"),
        Claim("TFRC: 10 ms by 150 ms, by the inverse ratio of their RTTs",
              "1", each(by_equation(10, 150), "tfrc"),
              note="1 if both saw the same p; what counts as one loss event "
              "grows with the RTT, which helps the long one"),
        Claim("TFRC: smallest share of a fair one", "no starvation",
              each(lambda result: min(
                  result.normalised(str(rtt), 20, result.seconds)
                  for rtt in RTTS_MS), "tfrc"),
              note="1/R of these RTTs with 25 to 50 ms of queue is 1 : 0.6 "
              ": 0.25, the last 0.4 of a fair share; half of it"),
        Claim("Reno: 10 ms by 150 ms", "",
              each(after_start("10", "150"), "tcp"), scales=NOT_QUICK,
              note="to compare with: a window in a drop-tail queue grows as "
              "1/R twice over"),
        Claim("Reno: smallest share of a fair one", "",
              each(lambda result: min(
                  result.normalised(str(rtt), 20, result.seconds)
                  for rtt in RTTS_MS), "tcp"), scales=NOT_QUICK,
              note="to compare with"),
    ])

SCENARIOS = [SAME, MIXED]
