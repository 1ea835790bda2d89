# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figures 9 and 10: equivalence and smoothness of 16 TCP and 16 TFRC flows
on 15 Mbit/s with RED, over timescales from 0.2 to 10 s.

The paper follows one flow of each kind in 14 runs; we average over all flows
(and pairs of flows) of each of as many runs.  Its TCP had no PRR, nor has this
one: with that of ns-3 3.43 TCP is smoother, and the CoV of TFRC by that of TCP
at 5 s 1.12 instead of 0.98 (four seeds, 150 s)."""

import statistics

import flow_metrics
import plots

from claims import Claim, FLOYD, NOT_QUICK, Scale, Scenario
from scenarios import floyd_common as floyd
from simulation import dumbbell

TIMESCALES_S = (0.2, 0.5, 1, 2, 5, 10)
# From here on a run has ten bins, and a flow's loss history (eight intervals
# of half a second) is forgotten within one.
LONG_TIMESCALE_S = 10
SECONDS = {Scale.QUICK: 60, Scale.STANDARD: 150}
PAIRS = (("tfrc", "tcp"), ("tfrc", "tfrc"), ("tcp", "tcp"))
# How TFRC discounts old intervals: down to 0.25 as RFC 5348 says, or down to
# 0.5 as in the paper.
RFC, PAPER = "RFC 5348", "paper"
DISCOUNTS = {RFC: {}, PAPER: floyd.PAPERS_DISCOUNT}


def runs(scale):
    """Key: discounting, seed."""
    discounts = (RFC,) if scale is Scale.QUICK else DISCOUNTS
    return {(name, seed): dumbbell(
        floyd.RATE_BIT_S, floyd.BOTTLENECK_DELAY_MS, floyd.red_of_figure_9(),
        [floyd.tfrc(16, parameters=DISCOUNTS[name]),
         floyd.tcp(16, parameters={"classic_recovery": True})],
        SECONDS[scale], seed=seed)
        for name in discounts for seed in floyd.seeds(scale, 5, 14)}


def cov(result, name, bin_s):
    """Of what was sent, after a third of the run (equation 3)."""
    return result.sent_cov(name, bin_s, result.seconds / 3, result.seconds)


def equivalence(result, pair, bin_s):
    one, other = (result.sent_series(name, bin_s, result.seconds / 3)
                  for name in pair)
    return flow_metrics.mean_equivalence(one, other, same=pair[0] == pair[1])


def equivalences(pair, bin_s):
    return lambda results: results.each(
        lambda result: equivalence(result, pair, bin_s), RFC)


def cov_ratio(bin_s, discounting=RFC):
    return lambda results: results.each(
        lambda result: cov(result, "tfrc", bin_s) / cov(result, "tcp", bin_s),
        discounting)


def lead_of_tfrc_pairs(results):
    return results.each(lambda result: min(
        equivalence(result, ("tfrc", "tfrc"), bin_s)
        - equivalence(result, ("tcp", "tcp"), bin_s)
        for bin_s in TIMESCALES_S), RFC)


def loss_rate(results):
    return results.each(lambda result: 100 * result.drop_rate(
        result.seconds / 3, result.seconds), RFC)


def plot(results, figure):
    left, right = figure.subplots(1, 2)
    for pair in PAIRS:
        left.plot(TIMESCALES_S,
                  [statistics.fmean(equivalences(pair, bin_s)(results))
                   for bin_s in TIMESCALES_S],
                  marker="o", label=" and ".join(pair).upper())
    left.axhspan(0.6, 0.8, color="0.9", zorder=0,
                 label="TFRC and TCP, paper")
    left.set(xscale="log", ylim=(0, 1), xlabel="timescale [s]",
             ylabel="equivalence ratio")
    for name in ("tcp", "tfrc"):
        right.plot(TIMESCALES_S,
                   [statistics.fmean(results.each(
                       lambda result: cov(result, name, bin_s), RFC))
                    for bin_s in TIMESCALES_S],
                   marker="o", label=name.upper(),
                   color=plots.COLOURS[name])
    right.set(xscale="log", ylim=(0, None), xlabel="timescale [s]",
              ylabel="coefficient of variation")
    left.legend()
    right.legend()


SCENARIOS = [Scenario(
    "floyd-timescales", source=FLOYD + ", figures 9 and 10",
    what="16 TCP + 16 TFRC over timescales of 0.2 to 10 s",
    runs=runs, plot=plot, claims=[
        Claim(f"equivalence of TFRC and TCP at {bin_s:g} s", "0.6 to 0.8",
              equivalences(("tfrc", "tcp"), bin_s), scales=NOT_QUICK)
        for bin_s in TIMESCALES_S] + [
        Claim("lead of TFRC pairs over TCP pairs in equivalence, least over "
              "the timescales", "over a broader range", lead_of_tfrc_pairs,
              scales=NOT_QUICK),
    ] + [
        Claim(f"CoV of TFRC by that of TCP at {bin_s:g} s",
              "TFRC smoother over a broad range", cov_ratio(bin_s))
        for bin_s in TIMESCALES_S if bin_s < LONG_TIMESCALE_S
    ] + [
        Claim(f"CoV of TFRC by that of TCP at {LONG_TIMESCALE_S} s",
              "TFRC smoother over a broad range", cov_ratio(LONG_TIMESCALE_S),
              scales=NOT_QUICK),
        Claim(f"the same at {LONG_TIMESCALE_S} s, TFRC that discounts to 0.5",
              "TFRC smoother over a broad range",
              cov_ratio(LONG_TIMESCALE_S, PAPER), scales=NOT_QUICK),
        Claim("loss rate at the bottleneck [%]", "about 0.1", loss_rate),
    ])]
