# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rhee and Xu 2007, figure 16: the rate of the equation, with TCP's RTO,
multiplied by a constant."""

import numpy as np

import flow_metrics
from claims import Claim, NOT_QUICK, RHEE_XU_JOURNAL, Scale, Scenario
from scenarios import rhee_dumbbell, rhee_measures

LOADS = {Scale.QUICK: (40,), Scale.STANDARD: (5, 60, 180, 400)}
SEEDS = {Scale.QUICK: 1, Scale.STANDARD: 5}
RATE_SCALES = (1.0, 1.25, 1.5, 1.75, 2.0)
VARIANTS = {f"rate x {factor}": rhee_dumbbell.rate_scaled(factor)
            for factor in RATE_SCALES}


def runs(scale):
    """Key: load, seed."""
    return rhee_dumbbell.variant_runs(
        scale, (), VARIANTS, LOADS[scale],
        seeds=range(1, SEEDS[scale] + 1), together=5)


def differences(results, factor):
    """Difference ratios of TFRC's and TCP's throughput, a number a run."""
    name = f"rate x {factor}"
    return [rhee_measures.rate_difference(result, name)
            for result in rhee_dumbbell.of_variant(results, name)]


def mean_distance(results, factor):
    return float(np.mean(np.abs(differences(results, factor))))


def best_factor(results):
    """The factor with the least mean absolute difference ratio."""
    return min(RATE_SCALES,
               key=lambda factor: mean_distance(results, factor))


def slope(results, factor):
    name = f"rate x {factor}"
    return flow_metrics.slope([
        (rhee_measures.loss_event_rate(result, name),
         rhee_measures.rate_difference(result, name))
        for result in rhee_dumbbell.of_variant(results, name)])


def plot(results, figure):
    axes = figure.subplots()
    for name in VARIANTS:
        selected = rhee_dumbbell.of_variant(results, name)
        axes.plot([rhee_measures.loss_event_rate(result, name)
                   for result in selected],
                  [rhee_measures.rate_difference(result, name)
                   for result in selected], "o-", label=name)
    axes.axhline(0, color="gray", linewidth=0.8)
    axes.set_xlabel("loss event rate of TFRC")
    axes.set_ylabel("difference ratio of throughput, TFRC and TCP")
    axes.legend()


SCENARIOS = [Scenario(
    "rhee-rate-scale", source=RHEE_XU_JOURNAL + ", figure 16",
    what="the equation's rate times 1 to 2 with TCP's RTO, 5 to 400 "
    "background TCP flows",
    runs=runs, plot=plot, claims=rhee_dumbbell.over_seeds([
        Claim("throughput of TFRC and TCP, rate x 1 [difference ratio]",
              "below 0", lambda results: differences(results, 1.0)),
        Claim("best factor", 1.5, best_factor,
              scales=NOT_QUICK),
        Claim("rate x 1.5: mean absolute difference ratio by that of rate x "
              "1", "below 1", lambda results: mean_distance(results, 1.5)
              / mean_distance(results, 1.0)),
        Claim("rate x 1.5: slope over the loss event rate", "below 0, as "
              "without the factor", lambda results: slope(results, 1.5),
              scales=NOT_QUICK),
    ]))]
