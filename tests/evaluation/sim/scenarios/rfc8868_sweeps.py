# SPDX-License-Identifier: LGPL-2.1-or-later
"""RFC 8868 section 4: one-way delays of 1 to 300 ms, with independent losses
of 1 to 20 %, and with drop-tail queues of 70 ms to 1.5 s."""

from claims import Claim, NOT_QUICK, PRESENT_DAY, Scenario
from scenarios._video import (
    each, greedy, link, lowest_bit_s, media, queue_ms_p95, ratio, seeds, tcp,
    used)
from simulation import Link, Loss, Queue, Run

MBIT = 1e6
ONE_WAY_MS = (1, 50, 150, 300)
SECONDS = 100
SETTLED_S = 20


def over_delays(measure, most, *pattern):
    """The measure's mean over the seeds at the delay where it is the least,
    or the largest."""
    def over_runs(results):
        means = [sum(answers) / len(answers) for delay in ONE_WAY_MS
                 for answers in [results.each(measure, *pattern, delay)]]
        return most(means)
    return over_runs


# Losses: nothing else limits the two flows.

LOSSES = (0.01, 0.05, 0.1, 0.2)
WIDE_BIT_S = 10 * MBIT


def loss_runs(scale):
    """Key: loss, one-way delay, seed.  Not in the quick set."""
    return {(p, delay, seed): Run(
        links=(Link(rate_bit_s=WIDE_BIT_S, delay_ms=delay,
                    queue=Queue(packets=1000),
                    loss=(Loss(kind="bernoulli", p=p),)),),
        flows=(greedy(start_s=(0, 1)), tcp(start_s=(0, 1))),
        seconds=SECONDS, seed=seed, bin_ms=50)
        for p in LOSSES for delay in ONE_WAY_MS for seed in seeds(scale)
    } if scale in NOT_QUICK else {}


LOSS = Scenario(
    "rfc8868-losses", source=PRESENT_DAY + ", RFC 8868 section 4.2",
    what="a TFRC and a Reno with independent losses of 1 to 20 %, one-way "
    "delays of 1 to 300 ms", runs=loss_runs, claims=[
        Claim(f"{100 * p:g} % loss: TFRC by TCP, {word} over the delays",
              "a fair share", over_delays(
                  ratio("tfrc", "tcp", SETTLED_S, SECONDS), most, p),
              scales=NOT_QUICK, note="guideline of RFC 8868 section 2.1")
        for p in LOSSES for word, most in (("least", min), ("most", max))])

# Queues: a video alone.

QUEUES_MS = (70, 400, 1500)
RATE_BIT_S = 1 * MBIT
LONG_S = 300


def queue_runs(scale):
    """Key: queue, one-way delay, seed.  Not in the quick set."""
    return {(queue, delay, seed): Run(
        links=(link(RATE_BIT_S, delay, queue),), flows=(media(),),
        seconds=LONG_S, seed=seed)
        for queue in QUEUES_MS for delay in ONE_WAY_MS
        for seed in seeds(scale)} if scale in NOT_QUICK else {}


def queue_claims(queue):
    def worst(measure, most=min):
        return over_delays(measure, most, queue)

    return [
        *[Claim(f"{queue} ms: used of 1 Mbit/s, {start} to {end} s, least "
                "over the delays", "close to the capacity",
                worst(used(["media"], start, end)), scales=NOT_QUICK)
          for start, end in ((SETTLED_S, SECONDS), (LONG_S - 100, LONG_S))],
        Claim(f"{queue} ms: worst second (bit/s), least over the delays",
              "no starvation",
              worst(lowest_bit_s("media", SETTLED_S, LONG_S)),
              scales=NOT_QUICK, note="the encoder's minimum"),
        Claim(f"{queue} ms: queue, p95 (ms), most over the delays", "",
              worst(queue_ms_p95(SETTLED_S, LONG_S), max),
              scales=NOT_QUICK),
    ]


QUEUE = Scenario(
    "rfc8868-queues", source=PRESENT_DAY + ", RFC 8868 section 4.3",
    what="a video alone on 1 Mbit/s, drop-tail queues of 70 ms to 1.5 s, "
    "one-way delays of 1 to 300 ms", runs=queue_runs,
    claims=[claim for queue in QUEUES_MS for claim in queue_claims(queue)])

SCENARIOS = [LOSS, QUEUE]
