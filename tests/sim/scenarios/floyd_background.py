# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figures 11 to 13: one TCP and one TFRC among 50 to 150 ON/OFF sources with
Pareto durations (ON 1 s, OFF 2 s on the mean, 500 kbit/s while ON) on the
link of figure 9.

The paper's 5000 s and 10 runs are 400 s and 3 runs at the standard scale:
with Pareto durations the loss rate of a run wanders, and timescales over 20 s
have few bins."""

import statistics

import flow_metrics

from claims import Claim, EVERY_SCALE, FLOYD, NOT_QUICK, Scale, Scenario
from scenarios import floyd_common as floyd
from simulation import Flow, dumbbell

TIMESCALES_S = (0.5, 1, 2, 5, 10, 20)
SECONDS = {Scale.QUICK: 100, Scale.STANDARD: 400, Scale.FULL: 5000}
SOURCES = {Scale.QUICK: (60, 150), Scale.STANDARD: (50, 60, 80, 100, 130, 150),
           Scale.FULL: (50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150)}
# Heavy-tailed, as self-similar traffic takes (Willinger et al. 1995).
SHAPE = 1.5
SETTLED_AFTER_S = 30


def on_off(count):
    return Flow(name="on-off", kind="on-off", count=count, start_s=(0, 3),
                rtt_ms=100, parameters={
                    "rate_bit_s": 500e3,
                    "on": {"kind": "pareto", "mean": 1, "shape": SHAPE},
                    "off": {"kind": "pareto", "mean": 2, "shape": SHAPE}})


def runs(scale):
    return {(sources, seed): dumbbell(
        floyd.RATE_BIT_S, floyd.BOTTLENECK_DELAY_MS, floyd.red_of_figure_9(),
        [floyd.tfrc(), floyd.tcp(), on_off(sources)], SECONDS[scale],
        seed=seed, bin_ms=50)
        for sources in SOURCES[scale]
        for seed in floyd.seeds(scale, 1, 3, 10)}


def loss(sources):
    return lambda results: results.each(
        lambda result: result.drop_rate(SETTLED_AFTER_S, result.seconds),
        sources)


def equivalence(result, bin_s):
    return flow_metrics.mean_equivalence(
        *(result.sent_series(name, bin_s, SETTLED_AFTER_S)
          for name in ("tfrc", "tcp")))


def equivalence_at(sources, bin_s):
    return lambda results: results.each(
        lambda result: equivalence(result, bin_s), sources)


def cov(result, name, bin_s):
    return result.sent_cov(name, bin_s, SETTLED_AFTER_S, result.seconds)


def cov_ratio(sources):
    """Largest over the timescales, of the means over the seeds."""
    def measure(results):
        return max(statistics.fmean(results.each(
            lambda result: cov(result, "tfrc", bin_s), sources))
            / statistics.fmean(results.each(
                lambda result: cov(result, "tcp", bin_s), sources))
            for bin_s in TIMESCALES_S)
    return measure


def cov_gap(sources):
    """How much less TFRC's is, at 1 s."""
    return lambda results: results.each(
        lambda result: cov(result, "tcp", 1) - cov(result, "tfrc", 1),
        sources)


def wider_gap(results):
    return [high - low for high, low
            in zip(cov_gap(150)(results), cov_gap(60)(results))]


def plot(results, figure):
    losses, ratios, covs = figure.subplots(1, 3)
    counts = sorted({key[0] for key in results})
    losses.plot(counts, [100 * statistics.fmean(loss(count)(results))
                         for count in counts], marker="o", label="ours")
    losses.plot([150], [40], "k*", label="paper")
    losses.set(xlabel="ON/OFF sources", ylabel="loss rate [%]")
    losses.legend()
    for count in (60, 100, 150):
        if count not in counts:
            continue
        ratios.plot(TIMESCALES_S, [
            statistics.fmean(equivalence_at(count, bin_s)(results))
            for bin_s in TIMESCALES_S], marker="o", label=f"{count} sources")
        for name, style in (("tcp", "--"), ("tfrc", "-")):
            covs.plot(TIMESCALES_S, [statistics.fmean(results.each(
                lambda result: cov(result, name, bin_s), count))
                for bin_s in TIMESCALES_S], style, marker="o",
                label=f"{name.upper()}, {count}")
    ratios.axhspan(0.7, 0.8, color="0.9", zorder=0, label="low loss, paper")
    ratios.plot([TIMESCALES_S[-1]], [0.4], "k*", label="150 sources, paper")
    ratios.set(xscale="log", ylim=(0, 1), xlabel="timescale [s]",
               ylabel="equivalence ratio")
    covs.set(xscale="log", ylim=(0, None), xlabel="timescale [s]",
             ylabel="coefficient of variation")
    ratios.legend()
    covs.legend()


SCENARIOS = [Scenario(
    "floyd-background", source=FLOYD + ", figures 11 to 13",
    what="1 TCP + 1 TFRC among ON/OFF sources", runs=runs, plot=plot,
    claims=[
        Claim("loss rate with 150 sources", "about 0.4", loss(150),
              low=0.32, high=0.45, figure="figure 11",
              note="150 * 500 kbit/s / 3 = 25 Mbit/s on 15"),
        Claim("loss rate with 50 sources", "low", loss(50), low=0, high=0.02,
              figure="figure 11", scales=NOT_QUICK),
    ] + [
        Claim(f"equivalence at {bin_s:g} s with 60 sources", "0.7 to 0.8",
              equivalence_at(60, bin_s), low=0.6, high=0.9,
              figure="figure 12", scales=NOT_QUICK,
              note="3 runs of 400 s against 10 of 5000: 0.1 more on either "
              "side")
        for bin_s in (1, 5, 20)
    ] + [
        Claim("equivalence at 20 s with 150 sources", "about 0.4",
              equivalence_at(150, 20), low=0.25, high=0.7,
              figure="figure 12", scales=NOT_QUICK),
    ] + [
        Claim(f"CoV of TFRC by that of TCP with {sources} sources, largest "
              "over the timescales", "TFRC smoother", cov_ratio(sources),
              low=0, high=1, figure="figure 13",
              scales=EVERY_SCALE if sources == 150 else NOT_QUICK)
        for sources in (60, 100, 150)
    ] + [
        Claim("how much wider TCP's lead in CoV at 1 s is with 150 sources "
              "than with 60", "much smoother especially at high loss",
              wider_gap, low=0, figure="figure 13", scales=NOT_QUICK),
    ])]
