# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figure 5 of Widmer and Handley: what a group of receivers with independent
losses is sent.  All know their RTT from the beginning, as the paper's
derivation has it: their clocks are synchronised.

The paper derives its curve from the lowest of n loss histories.  That lowest
one is another receiver's every few packets; who follows it is told once in a
round.  So here both are measured: the sender's rate, and the lowest rate of
all receivers at an instant."""

import numpy as np

from claims import Claim, NOT_QUICK, Scale, Scenario, WIDMER
from core import Core
from simulation import Flow, Link, Members, Queue, Run
import plots

P = 0.1
RTT_MS = 50
SIZES = (1, 10, 100, 1000, 10000)
# T = 6 R_max and c = 3; the paper's 4 and the middle of its 2 to 4, and no
# history discounting; and timers that do not wait for anybody.
RFC, PAPER, PROMPT = "RFC 4654", "the paper's", "prompt"
TIMERS = {
    RFC: {},
    PAPER: {"feedback_rtts": 4, "feedback_packets": 3, "discounting": False},
    PROMPT: {"feedback_rtts": 2, "feedback_packets": 0,
             "discounting": False}}
EQUAL, REALISTIC = "equal", "realistic"
SECONDS = {Scale.QUICK: 240, Scale.STANDARD: 600}
# 10,000 receivers take 0.1 s of a processor for a second at 300 kbit/s.
LARGE_SECONDS = 300
# Until then the rate has come down from slow start, and up again.
SETTLED = {240: 60, 300: 150, 600: 200}


def run(seconds, members, loss, timers, seed):
    group = Flow(name="tfmcc", kind="tfmcc", rtt_ms=RTT_MS, parameters={
        "members": (Members(count=members, loss=loss),),
        "synchronised_error_ms": 0, **TIMERS[timers]})
    return Run(links=(Link(rate_bit_s=2e6, delay_ms=1,
                           queue=Queue(packets=1000)),),
               flows=(group,), seconds=seconds, seed=seed, bin_ms=1000)


def seeds(scale, loss, members):
    if scale is Scale.QUICK or is_large(loss, members):
        return (1,)
    return range(1, 3 if members > 1000 else 6)


def is_large(loss, members):
    return loss == REALISTIC and members > 1000


def runs(scale):
    """Key: losses, timers, members, seed."""
    wanted = [(EQUAL, RFC, n) for n in SIZES]
    if scale is Scale.QUICK:
        wanted = wanted[:-1]
    else:
        wanted += [(EQUAL, PAPER, n) for n in SIZES]
        wanted += [(EQUAL, PROMPT, n) for n in (1, 100)]
        wanted += [(REALISTIC, timers, n) for n in SIZES
                   for timers in (RFC, PAPER)]
    return {(loss, timers, n, seed): run(
        LARGE_SECONDS if is_large(loss, n) else SECONDS[scale], n,
        P if loss == EQUAL else "realistic", timers, seed)
        for loss, timers, n in wanted for seed in seeds(scale, loss, n)}


def settled(result):
    return SETTLED[result.seconds]


def rate(result):
    """kbit/s."""
    return result.throughput("tfmcc", settled(result),
                             result.seconds) * 8 / 1000


def lowest_rate(result):
    """kbit/s that the slowest receiver of an instant calculates."""
    state = result.group("tfmcc").state
    return float(state["lowest_rate"][
        state["time"] > settled(result)].mean()) * 8 / 1000


def rates(results, *pattern, measure=rate):
    return results.each(measure, *pattern)


def share(loss, timers, members, measure=rate):
    """By what one receiver with 10 % loss is sent, the mean of its seeds."""
    def over_seeds(results):
        alone = np.mean(rates(results, EQUAL, timers, 1))
        return [one / alone for one in rates(results, loss, timers, members,
                                             measure=measure)]
    return over_seeds


def lowest_of(members, draws=100, seed=1):
    """kbit/s by the lowest of so many averages of eight independent loss
    intervals, each ended by a loss with p: the mean over its draws."""
    weights = np.array([5, 5, 5, 5, 4, 3, 2, 1]) / 30
    random = np.random.default_rng(seed)
    with Core() as core:
        total = 0
        for _ in range(draws):
            intervals = random.geometric(P, (members, 9))
            closed = intervals[:, 1:] @ weights
            with_open = intervals[:, :-1] @ weights
            total += core.rate(1 / np.maximum(closed, with_open).min(),
                               RTT_MS / 1000)
    return total / draws * 8 / 1000


def closed_form(members):
    return lowest_of(members) / lowest_of(1, draws=1000)


def plot(results, figure):
    left, right = figure.subplots(1, 2)
    for axes, loss in ((left, EQUAL), (right, REALISTIC)):
        for timers in (RFC, PAPER):
            plots.ours(axes, SIZES, [rates(results, loss, timers, n)
                                     for n in SIZES], f"{timers} timers")
    plots.ours(left, SIZES, [
        rates(results, EQUAL, RFC, n, measure=lowest_rate) for n in SIZES],
        "lowest receiver of an instant", linestyle="--")
    left.plot(SIZES, [lowest_of(n) for n in SIZES], "k:",
              label="lowest of n histories")
    plots.paper(left, (1, 10000), (300, 50))
    plots.paper(right, (10000,), (210,))
    left.set(title="10 % loss each")
    right.set(title="few with 5 to 10 %, most with 0.5 to 2 %")
    for axes in (left, right):
        axes.set(xscale="log", xlabel="receivers", ylabel="kbit/s",
                 ylim=(0, None))
        axes.legend()



SCENARIOS = [Scenario(
    "widmer-scaling", source=WIDMER + ", figure 5",
    what="groups with independent losses, RTT 50 ms", runs=runs, plot=plot,
    claims=[
        Claim("one receiver, 10 % loss [kbit/s]", "around 300",
              lambda results: rates(results, EQUAL, RFC, 1),
              note="283 by the equation at p = 0.1; with two packets in an "
              "RTT a loss event takes some losses in, and 340 at 0.085"),
        Claim("10,000 receivers with 10 % loss each, by one receiver, the "
              "paper's timers", round(1 / 6, 3),
              share(EQUAL, PAPER, 10000),
              scales=NOT_QUICK,
              note="b = 4, c = 3, no history discounting"),
        Claim("10,000 receivers with 10 % loss each, by one receiver, RFC "
              "4654's timers", round(1 / 6, 3),
              share(EQUAL, RFC, 10000),
              scales=NOT_QUICK,
              note="a history is 80 packets, that of the slowest receiver "
              "20, and its timer takes up to 24: until it reports it is not "
              "the slowest any more; 16 with the paper's b = 4"),
        Claim("1000 receivers by one, RFC 4654's timers", "degrades",
              share(EQUAL, RFC, 1000)),
        Claim("100 receivers with timers of two packets, by the closed form "
              "of the lowest of 100", "the lowest of n",
              lambda results: [one / closed_form(100) for one in
                               share(EQUAL, PROMPT, 100)(results)],
              scales=NOT_QUICK,
              note="b = 2, c = 0: the cause of the difference"),
        Claim("lowest rate of 10,000 receivers at an instant, by that of "
              "one", "-", share(EQUAL, RFC, 10000, lowest_rate),
              scales=NOT_QUICK,
              note="0.03 by the closed form"),
        Claim("10,000 receivers, realistic losses, by one with 10 %, the "
              "paper's timers", 0.7, share(REALISTIC, PAPER, 10000),
              scales=NOT_QUICK,
              note="ln n receivers lose 5 to 10 %, three times as many 2 to "
              "5 %, the others 0.5 to 2 %; the paper does not tell its "
              "numbers, and calls 30 % less 'merely'"),
        Claim("10,000 receivers, realistic losses, by one with 10 %, RFC "
              "4654's timers", 0.7,
              share(REALISTIC, RFC, 10000),
              scales=NOT_QUICK),
        Claim("the same with 10,000 by that with 100, the paper's timers",
              "no great matter",
              lambda results: float(
                  np.mean(rates(results, REALISTIC, PAPER, 10000))
                  / np.mean(rates(results, REALISTIC, PAPER, 100))),
              scales=NOT_QUICK),
    ])]
