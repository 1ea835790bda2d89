# SPDX-License-Identifier: LGPL-2.1-or-later
"""The t_RTO of the equation over short and long paths: four times R as in
RFC 5348, TCP's, and TCP's divided by c.  Rhee and Xu 2005, figures 14 and 15,
and 2007, figures 17 and 18.  One set of runs serves them all."""

import numpy as np

import flow_metrics
import plots
from claims import Claim, NOT_QUICK, RHEE_XU, RHEE_XU_JOURNAL, Scale, Scenario
from scenarios import rhee_dumbbell, rhee_measures

# The shortest, the longest and the base RTT; the ends of the loads and one
# between them.
RTTS_MS = {Scale.QUICK: (10, 500), Scale.STANDARD: (10, 108, 500)}
LOADS = {Scale.QUICK: (40,), Scale.STANDARD: (5, 60, 400)}
# The paper's 400 flows lose 12 % over 500 ms here; its figure goes further.
HEAVY_LOADS = (1200,)
SEEDS = {Scale.QUICK: 1, Scale.STANDARD: 5}
RTO_SCALES = (1, 2, 3, 4, 5)
VARIANTS = {
    "rfc5348": rhee_dumbbell.RFC_5348,
    **{f"tcp/{c}": rhee_dumbbell.rto_scaled(c) for c in RTO_SCALES},
    "rate x 1.5": rhee_dumbbell.rate_scaled(1.5),
}
BASE_RTT_MS = rhee_dumbbell.RTT_MS


def runs(scale):
    """Key: RTT, load, seed."""
    found = {}
    for rtt_ms in RTTS_MS[scale]:
        found.update(rhee_dumbbell.variant_runs(
            scale, (rtt_ms,), VARIANTS, LOADS[scale], rtt_ms,
            seeds=range(1, SEEDS[scale] + 1)))
    return found


def mode_runs(scale):
    """Those, and over 500 ms a load that brings the paper's loss."""
    found = runs(scale)
    if scale is not Scale.QUICK:
        found.update(rhee_dumbbell.variant_runs(
            scale, (500,), {name: VARIANTS[name]
                            for name in ("rfc5348", scaled(1))},
            HEAVY_LOADS, 500, seeds=range(1, SEEDS[scale] + 1), together=5))
    return found


def scaled(factor):
    return f"tcp/{factor}"


# Measures of all runs.

def differences(results, name, *pattern):
    """Difference ratios of TFRC's and TCP's throughput, a number a run."""
    return [rhee_measures.rate_difference(result, name)
            for result in rhee_dumbbell.of_variant(results, name, *pattern)]


def mean_distance(results, name, *pattern):
    """Mean absolute difference ratio: 0 is TCP's throughput throughout."""
    return float(np.mean(np.abs(differences(results, name, *pattern))))


def distance(name, *pattern):
    return lambda results: mean_distance(results, name, *pattern)


def slope(results, name, *pattern):
    """How the difference ratio changes with the loss event rate."""
    return flow_metrics.slope([
        (rhee_measures.loss_event_rate(result, name),
         rhee_measures.rate_difference(result, name))
        for result in rhee_dumbbell.of_variant(results, name, *pattern)])


def most(name, rtt_ms):
    """The largest difference ratio over the loads."""
    return lambda results: max(differences(results, name, rtt_ms))


def least(name, rtt_ms):
    return lambda results: min(differences(results, name, rtt_ms))


def loss_differences(results, name, rtt_ms):
    return [rhee_measures.loss_difference(result, name)
            for result in rhee_dumbbell.of_variant(results, name, rtt_ms)]


def change_with_load(name, low_ms, high_ms):
    """The difference ratio at the largest loss event rate less that at the
    least, for each RTT."""
    def over_runs(results):
        changes = []
        for rtt_ms in rtts_of(results):
            points = [(rhee_measures.loss_event_rate(result, name),
                       rhee_measures.rate_difference(result, name))
                      for result in rhee_dumbbell.of_variant(
                          results, name, rtt_ms)]
            if low_ms <= rtt_ms <= high_ms:
                changes.append(max(points)[1] - min(points)[1])
        return changes
    return over_runs


def loss_of_faster(rtt_ms):
    """p with RTO 4 R by p with TCP's RTO, under the same load."""
    def over_runs(results):
        rates = [[rhee_measures.loss_event_rate(result, name)
                  for result in rhee_dumbbell.of_variant(
                      results, name, rtt_ms)]
                 for name in ("rfc5348", scaled(1))]
        return [float(faster / slower) for faster, slower in zip(*rates)]
    return over_runs


def best_scale(*pattern):
    """The c with the least mean distance."""
    return lambda results: min(
        RTO_SCALES, key=lambda c: mean_distance(results, scaled(c), *pattern))


def closer(name, other, *pattern):
    """The mean distance of `name` by that of `other`."""
    return lambda results: mean_distance(results, name, *pattern) \
        / mean_distance(results, other, *pattern)


def published(modes):
    """How far each mode is from TCP, which the documents compare."""
    places = {"over all RTTs": ()} | {
        f"at RTT {rtt_ms} ms": (rtt_ms,) for rtt_ms in RTTS_MS[Scale.STANDARD]}
    return [Claim(f"mean absolute difference ratio {where}, {name}", "",
                  distance(name, *pattern), scales=NOT_QUICK,
                  note="which mode is nearest to TCP")
            for name in modes for where, pattern in places.items()]


def rtts_of(results):
    return sorted({key[0] for key in results})


def plot_modes(results, figure):
    """Figures 14 and 15: the mode of RFC 5348 by RTT."""
    throughput, loss = figure.subplots(1, 2)
    for rtt_ms in rtts_of(results):
        selected = rhee_dumbbell.of_variant(results, "rfc5348", rtt_ms)
        p = [rhee_measures.loss_event_rate(result, "rfc5348")
             for result in selected]
        for axes, measure in ((throughput, rhee_measures.rate_difference),
                              (loss, rhee_measures.loss_difference)):
            axes.plot(p, [measure(result, "rfc5348") for result in selected],
                      "o-", label=f"RTT {rtt_ms} ms")
    plots.paper(throughput, [0.05], [20], "paper: 10 ms, over 20")
    plots.paper_line(throughput, -9.8, "paper: 500 ms, least")
    plots.paper(loss, [0.05], [-0.6], "paper: 10 ms")
    plots.paper_line(loss, 0.5, "paper: 500 ms, most")
    for axes, title in ((throughput, "throughput"),
                        (loss, "loss event rate")):
        axes.axhline(0, color="gray", linewidth=0.8)
        axes.set_title(f"{title} of TFRC (RTO 4 R) and TCP")
        axes.set_xlabel("loss event rate of TFRC")
        axes.set_ylabel("difference ratio")
        axes.legend()


def plot_scales(results, figure):
    """Figures 17 and 18."""
    by_loss, by_rtt = figure.subplots(1, 2)
    for name in VARIANTS:
        selected = rhee_dumbbell.of_variant(results, name, BASE_RTT_MS)
        by_loss.plot([rhee_measures.loss_event_rate(result, name)
                      for result in selected],
                     [rhee_measures.rate_difference(result, name)
                      for result in selected], "o-", label=name)
        by_rtt.plot(rtts_of(results),
                    [mean_distance(results, name, rtt_ms)
                     for rtt_ms in rtts_of(results)], "o-", label=name)
    by_loss.axhline(0, color="gray", linewidth=0.8)
    by_loss.set_title(f"RTT {BASE_RTT_MS} ms")
    by_loss.set_xlabel("loss event rate of TFRC")
    by_loss.set_ylabel("difference ratio of throughput")
    by_rtt.set_xscale("log")
    by_rtt.set_yscale("log")
    by_rtt.set_xlabel("RTT [ms]")
    by_rtt.set_ylabel("mean absolute difference ratio")
    by_rtt.legend()


MODES = Scenario(
    "rhee-rto-modes", source=RHEE_XU + ", figures 14 and 15",
    what="RTO 4 R (RFC 5348) against TCP's, RTT 10 to 500 ms, 5 to 400 "
    "background TCP flows",
    runs=mode_runs, plot=plot_modes, claims=rhee_dumbbell.over_seeds([
        Claim("RTT 10 ms: difference ratio of throughput, mean",
              "far above 0",
              lambda results: differences(results, "rfc5348", 10)),
        Claim("RTT 10 ms: largest difference ratio of throughput",
              "more than 20", most("rfc5348", 10), scales=NOT_QUICK),
        Claim("RTT 10 ms: least difference ratio of loss event rates", -0.6,
              lambda results: min(loss_differences(results, "rfc5348", 10)),
              scales=NOT_QUICK),
        Claim("RTT 10 ms: loss event rate with RTO 4 R by that with TCP's "
              "RTO", "below 1: the faster flow has fewer",
              loss_of_faster(10)),
        Claim("RTT 500 ms: least difference ratio of throughput", -9.8,
              least("rfc5348", 500),
              scales=NOT_QUICK, note="1200 background flows"),
        Claim("RTT 500 ms: largest difference ratio of loss event rates",
              0.5, lambda results: max(loss_differences(
                  results, "rfc5348", 500)), scales=NOT_QUICK,
              note="1200 background flows; 400 lose 12 % here"),
        Claim("change of the difference ratio from the least to the largest "
              "loss event rate, RTT 50 to 500 ms", "falls",
              change_with_load("rfc5348", 50, 500), scales=NOT_QUICK),
        Claim("the same, RTT 10 ms", "falls",
              change_with_load("rfc5348", 10, 10),
              scales=NOT_QUICK),
    ]))

SCALES = Scenario(
    "rhee-rto-scale", source=RHEE_XU_JOURNAL + ", figures 17 and 18",
    what="TCP's RTO divided by c = 1 to 5 in TFRC, RTT 10 to 500 ms, 5 to "
    "400 background TCP flows",
    runs=runs, plot=plot_scales, claims=rhee_dumbbell.over_seeds([
        Claim("best c at the base RTT", 3, best_scale(BASE_RTT_MS),
              scales=NOT_QUICK),
        Claim("best c over all RTTs", 3, best_scale(), scales=NOT_QUICK),
        Claim("c = 3: mean absolute difference ratio by that of c = 1, all "
              "RTTs", "below 1", closer(scaled(3), scaled(1))),
        Claim("c = 3 by 1.5 times the rate, base RTT", "below 1",
              closer(scaled(3), "rate x 1.5", BASE_RTT_MS), scales=NOT_QUICK),
        Claim("c = 3: slope over the loss event rate by that of c = 1, base "
              "RTT", "flatter", lambda results: abs(
                  slope(results, scaled(3), BASE_RTT_MS)
                  / slope(results, scaled(1), BASE_RTT_MS)), scales=NOT_QUICK),
        Claim("c = 1: mean absolute difference ratio at RTT 500 ms by that "
              "at 10 ms", "falls with the RTT",
              lambda results: mean_distance(results, scaled(1), 500)
              / mean_distance(results, scaled(1), 10)),
        *published(VARIANTS),
    ]))

SCENARIOS = [MODES, SCALES]
