# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figures 11 to 13: one TCP and one TFRC among 50 to 150 ON/OFF sources with
Pareto durations (ON 1 s, OFF 2 s on the mean, 500 kbit/s while ON) on the
link of figure 9.

The paper's 10 runs of 5000 s are 10 of 2000 s, and 5 of 300 s of each
experiment: with Pareto durations the loss rate of a run wanders."""

import statistics

import flow_metrics

from claims import Claim, FLOYD, NOT_QUICK, Scale, Scenario, by_seed
from scenarios import floyd_common as floyd
from simulation import Flow, dumbbell

TIMESCALES_S = (0.5, 1, 2, 5, 10, 20)
SECONDS = {Scale.QUICK: 100, Scale.STANDARD: 2000}
EXPERIMENTS_S = 300
SOURCES = {Scale.QUICK: (150,), Scale.STANDARD: (60, 150, 100, 50)}
# What TCP has since 2000, taken from it.
TCPS = {"RTO of 1 s": {"min_rto_ms": 1000},
        "of 1998": {"min_rto_ms": 1000, "sack": False,
                    "limited_transmit": False}}
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
    """Key: sources, seed; with another TCP that, sources, seed."""
    def one(sources, seed, seconds=SECONDS[scale], **parameters):
        return dumbbell(
            floyd.RATE_BIT_S, floyd.BOTTLENECK_DELAY_MS,
            floyd.red_of_figure_9(),
            [floyd.tfrc(), floyd.tcp(parameters=parameters), on_off(sources)],
            seconds, seed=seed, bin_ms=50)

    found = {(sources, seed): one(sources, seed)
             for sources in SOURCES[scale]
             for seed in floyd.seeds(scale, 1, 10)}
    if scale is not Scale.QUICK:
        found.update({(tcp, sources, seed): one(sources, seed, EXPERIMENTS_S,
                                                **parameters)
                      for tcp, parameters in TCPS.items()
                      for sources in (60, 100, 150)
                      for seed in floyd.seeds(scale, 1, 5)})
    return found


def loss(sources):
    return lambda results: results.each(
        lambda result: result.drop_rate(SETTLED_AFTER_S, result.seconds),
        sources)


def rate_ratio(sources):
    """TFRC's mean rate by TCP's."""
    def measure(result):
        tfrc, tcp = (result.sent_series(name, 1, SETTLED_AFTER_S).sum()
                     for name in ("tfrc", "tcp"))
        return tfrc / tcp
    return lambda results: results.each(measure, sources)


def equivalence(result, bin_s):
    return flow_metrics.mean_equivalence(
        *(result.sent_series(name, bin_s, SETTLED_AFTER_S)
          for name in ("tfrc", "tcp")))


def equivalence_at(bin_s, *cell):
    return lambda results: results.each(
        lambda result: equivalence(result, bin_s), *cell)


def cov(result, name, bin_s):
    return result.sent_cov(name, bin_s, SETTLED_AFTER_S, result.seconds)


def mean_cov(results, name, bin_s, *cell):
    return statistics.fmean(results.each(
        lambda result: cov(result, name, bin_s), *cell))


def cov_ratio(timescales_s, *cell):
    """Largest over the timescales, by seed; experiments have fewer seeds."""
    largest = by_seed(lambda results: max(
        mean_cov(results, "tfrc", bin_s, *cell)
        / mean_cov(results, "tcp", bin_s, *cell) for bin_s in timescales_s))
    return lambda results: largest(results.select(*cell))


@by_seed
def cov_by_loss(results):
    return (mean_cov(results, "tfrc", 1, 150)
            / mean_cov(results, "tfrc", 1, 50))


def plot(results, figure):
    losses, ratios, covs = figure.subplots(1, 3)
    counts = sorted({key[0] for key in results if len(key) == 2})
    losses.plot(counts, [100 * statistics.fmean(loss(count)(results))
                         for count in counts], marker="o", label="ours")
    losses.plot([150], [40], "k*", label="paper")
    losses.set(xlabel="ON/OFF sources", ylabel="loss rate [%]")
    losses.legend()
    for count in (60, 100, 150):
        if count not in counts:
            continue
        ratios.plot(TIMESCALES_S, [
            statistics.fmean(equivalence_at(bin_s, count)(results))
            for bin_s in TIMESCALES_S], marker="o", label=f"{count} sources")
        for name, style in (("tcp", "--"), ("tfrc", "-")):
            covs.plot(TIMESCALES_S, [mean_cov(results, name, bin_s, count)
                                     for bin_s in TIMESCALES_S],
                      style, marker="o", label=f"{name.upper()}, {count}")
    ratios.axhspan(0.7, 0.8, color="0.9", zorder=0, label="low loss, paper")
    ratios.plot([TIMESCALES_S[-1]], [0.4], "k*", label="150 sources, paper")
    ratios.set(xscale="log", ylim=(0, 1.3), xlabel="timescale [s]",
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
              note="150 * 500 kbit/s / 3 = 25 Mbit/s on 15"),
        Claim("loss rate with 50 sources", "low", loss(50), scales=NOT_QUICK),
    ] + [
        Claim(f"equivalence at {bin_s:g} s with 60 sources", "0.7 to 0.8",
              equivalence_at(bin_s, 60), scales=NOT_QUICK,
              note="the paper's are 10 runs of 5000 s")
        for bin_s in (1, 5, 20)
    ] + [
        Claim("equivalence at 20 s with 150 sources", "about 0.4",
              equivalence_at(20, 150), scales=NOT_QUICK),
        Claim("CoV of TFRC by that of TCP with 60 sources, largest over 0.5 "
              "to 10 s", "TFRC smoother", cov_ratio((0.5, 1, 2, 5, 10), 60),
              scales=NOT_QUICK),
        Claim("the same at 20 s", "TFRC smoother", cov_ratio((20,), 60),
              scales=NOT_QUICK),
        Claim("CoV of TFRC by that of TCP with 100 sources at 0.5 s",
              "TFRC smoother", cov_ratio((0.5,), 100), scales=NOT_QUICK),
        Claim("CoV of TFRC by that of TCP with 100 sources, largest over 1 "
              "to 20 s", "TFRC smoother", cov_ratio((1, 2, 5, 10, 20), 100),
              scales=NOT_QUICK),
        Claim("CoV of TFRC by that of TCP with 150 sources at 0.5 s",
              "TFRC smoother", cov_ratio((0.5,), 150), scales=NOT_QUICK,
              note="one packet in 2 s"),
        *(Claim(f"TFRC's rate by TCP's with {sources} sources",
                "comparable over a wide range of loss rates",
                rate_ratio(sources), scales=NOT_QUICK)
          for sources in (60, 100, 150)),
        Claim("CoV of TFRC at 1 s with 150 sources by that with 50",
              "much higher than in figure 10", cov_by_loss, scales=NOT_QUICK),
    ] + [
        claim for tcp in TCPS for claim in (
            Claim(f"equivalence at 20 s with 150 sources, TCP {tcp}",
                  "about 0.4", equivalence_at(20, tcp, 150), scales=NOT_QUICK),
            Claim("CoV of TFRC by that of TCP with 60 sources at 20 s, TCP "
                  f"{tcp}", "TFRC smoother", cov_ratio((20,), tcp, 60),
                  scales=NOT_QUICK),
            Claim("CoV of TFRC by that of TCP with 100 sources, largest over "
                  f"1 to 20 s, TCP {tcp}", "TFRC smoother",
                  cov_ratio((1, 2, 5, 10, 20), tcp, 100), scales=NOT_QUICK))
    ])]
