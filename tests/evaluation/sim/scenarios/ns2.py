# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figures 6, 9 and 10 with the parameters with which the authors' own code
was run in ns-2.35, side by side with what it gave.

One piece of ours at a time is replaced by what ns-2 has instead (VARIANTS):
what moves the smoothness is the cause of a difference, what does not is
none."""

import statistics

import plots
from claims import Claim, NOT_QUICK, NS_2, Scale, Scenario
from scenarios import floyd_common as floyd
from simulation import dumbbell

# Figure 6: (queue, flows of each kind): normalised throughput of TCP in ns-2.
SHARES = {("drop-tail", 1): 1.056, ("drop-tail", 8): 1.150,
          ("drop-tail", 16): 1.018, ("red", 1): 0.975, ("red", 8): 1.000,
          ("red", 16): 0.971}
SHARE_RTT_MS = (51, 70)
SHARE_SECONDS = 90
QUEUES = {"drop-tail": floyd.drop_tail(packets=250, rate_bit_s=15e6),
          "red": floyd.red_of_figure_8()}

# Figures 9 and 10: timescale: CoV of (TFRC, TCP) in ns-2.
COVS = {0.2: (0.218, 0.540), 0.5: (0.215, 0.440), 1: (0.211, 0.391),
        2: (0.205, 0.328), 5: (0.183, 0.235), 10: (0.146, 0.165)}
COV_RTT_MS = (101, 120)
COV_SECONDS = 150

# ns-2 has no PRR, and that is the TCP of all but one of them; it discounts
# old intervals down to 0.5, as the paper does, RFC 5348 down to 0.25.
CLASSIC = {"classic_recovery": True}
VARIANTS = {
    "as compared": ({}, CLASSIC),
    "TCP with PRR": ({}, {}),
    "TCP without SACK and Limited Transmit": (
        {}, {**CLASSIC, "sack": False, "limited_transmit": False}),
    "TCP with a least RTO of 1 s": ({}, {**CLASSIC, "min_rto_ms": 1000}),
    "TFRC that discounts to 0.5": (floyd.PAPERS_DISCOUNT, CLASSIC),
}
HALF = "TFRC that discounts to 0.5"
# What the keys of figure 6 begin with: nothing, or a variant.
SHARE_VARIANTS = {(): VARIANTS["as compared"], (HALF,): VARIANTS[HALF]}
VARIANT_SEEDS = 5


def share_runs(scale):
    """Key: queue, flows of each kind, seed; of a variant after its name."""
    if scale is Scale.QUICK:
        return {}
    return {(*variant, queue, n, seed): dumbbell(
        floyd.RATE_BIT_S, floyd.BOTTLENECK_DELAY_MS, QUEUES[queue],
        [floyd.tfrc(n, rtt_ms=SHARE_RTT_MS, parameters=tfrc),
         floyd.tcp(n, rtt_ms=SHARE_RTT_MS, parameters=tcp)],
        SHARE_SECONDS, seed=seed)
        for variant, (tfrc, tcp) in SHARE_VARIANTS.items()
        for queue, n in SHARES for seed in floyd.seeds(scale, 0, 5)}


def cov_runs(scale):
    if scale is Scale.QUICK:
        return {}
    return {(name, seed): dumbbell(
        floyd.RATE_BIT_S, floyd.BOTTLENECK_DELAY_MS, floyd.red_of_figure_8(),
        [floyd.tfrc(16, rtt_ms=COV_RTT_MS, parameters=tfrc),
         floyd.tcp(16, rtt_ms=COV_RTT_MS, parameters=tcp)],
        COV_SECONDS, seed=seed)
        for name, (tfrc, tcp) in VARIANTS.items()
        for seed in range(1, VARIANT_SEEDS + 1)}


def share(*cell):
    return lambda results: results.each(
        lambda result: result.normalised("tcp", result.seconds / 3,
                                         result.seconds), *cell)


def cov(result, name, bin_s):
    return result.sent_cov(name, bin_s, result.seconds / 3, result.seconds)


def covs(name, bin_s, variant="as compared"):
    return lambda results: results.each(
        lambda result: cov(result, name, bin_s), variant)


def cov_ratio(bin_s, variant="as compared"):
    return lambda results: results.each(
        lambda result: cov(result, "tfrc", bin_s) / cov(result, "tcp", bin_s),
        variant)


def plot(results, figure):
    axes = figure.subplots()
    for column, name in enumerate(("tfrc", "tcp")):
        axes.plot(list(COVS), [statistics.fmean(covs(name, bin_s)(results))
                         for bin_s in COVS], marker="o", label=name.upper(),
                  color=plots.COLOURS[name])
        plots.paper(axes, list(COVS), [pair[column] for pair in COVS.values()],
                    f"{name.upper()}, ns-2")
    axes.set(xscale="log", ylim=(0, None), xlabel="timescale [s]",
             ylabel="coefficient of variation")
    axes.legend()


SCENARIOS = [Scenario(
    "ns2-shares", source=NS_2 + ", figure 6",
    what="n TCP + n TFRC on 15 Mbit/s with the parameters of a run of ns-2",
    runs=share_runs, claims=[
        Claim(f"normalised TCP throughput, {queue}, {n}+{n}", number,
              share(queue, n), scales=NOT_QUICK)
        for (queue, n), number in SHARES.items()] + [
        Claim(f"the same, {queue}, {n}+{n}, TFRC that discounts to 0.5",
              number, share(HALF, queue, n), scales=NOT_QUICK)
        for (queue, n), number in SHARES.items()]),
    Scenario(
        "ns2-timescales", source=NS_2 + ", figures 9 and 10",
        what="16 TCP + 16 TFRC with the parameters of a run of ns-2",
        runs=cov_runs, plot=plot, claims=[
            Claim(f"CoV of {name.upper()} at {bin_s:g} s", pair[column],
                  covs(name, bin_s), scales=NOT_QUICK)
            for column, name in enumerate(("tfrc", "tcp"))
            for bin_s, pair in COVS.items()] + [
            Claim(f"CoV of TFRC by that of TCP at {bin_s:g} s",
                  round(tfrc / tcp, 3), cov_ratio(bin_s), scales=NOT_QUICK)
            for bin_s, (tfrc, tcp) in COVS.items()] + [
            Claim(f"CoV of TFRC that discounts to 0.5 at {bin_s:g} s", tfrc,
                  covs("tfrc", bin_s, "TFRC that discounts to 0.5"),
                  scales=NOT_QUICK)
            for bin_s, (tfrc, _) in COVS.items()] + [
            Claim("CoV of TFRC that discounts to 0.5 by that of TCP at "
                  f"{bin_s:g} s", round(tfrc / tcp, 3),
                  cov_ratio(bin_s, "TFRC that discounts to 0.5"),
                  scales=NOT_QUICK)
            for bin_s, (tfrc, tcp) in COVS.items()] + [
            Claim(f"CoV of {name.upper()} at 1 s, {variant}", "",
                  covs(name, 1, variant), scales=NOT_QUICK)
            for variant, (other, _) in VARIANTS.items()
            if variant != "as compared" and not other
            for name in ("tfrc", "tcp")])]
