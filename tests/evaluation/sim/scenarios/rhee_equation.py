# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rhee and Xu 2005, figures 6 to 11: how far the convexity of the equation
and of 1/theta keep TFRC from the equation's rate, with loss histories of 8
and 16 intervals, and how much more the loss event rates do.  TFRC has TCP's
RTO.  Trends and comparisons leave out the loads under which TCP's loss event
rate is above the paper's largest, 0.11: 400 background flows lose more here,
and TFRC then sends so little that its few losses decide."""

import numpy as np

import flow_metrics
from claims import Claim, NOT_QUICK, RHEE_XU, Scale, Scenario
from core import Core
from scenarios import rhee_dumbbell, rhee_measures

LOADS = {Scale.QUICK: (100,), Scale.STANDARD: (5, 40, 100, 200, 400)}
SEEDS = {Scale.QUICK: 1, Scale.STANDARD: 5}
# TCP's largest loss event rate in the paper's figures.
PAPER_P = 0.11
HISTORIES = {"tfrc-8": rhee_dumbbell.TCP_RTO,
             "tfrc-16": rhee_dumbbell.TCP_RTO_16}


def runs(scale):
    """Key: load, seed."""
    return rhee_dumbbell.variant_runs(
        scale, (), HISTORIES, LOADS[scale],
        seeds=range(1, SEEDS[scale] + 1), together=5)


def of(results, name):
    return rhee_dumbbell.of_variant(results, name)


def in_the_figures(results, name):
    """Those under the loads of the paper's figures."""
    return [result for result in of(results, name)
            if rhee_measures.tcp_loss_event_rate(result) < PAPER_P]


# Measures of the flows of one run.

def mean_estimate(result, name):
    """(E[1/theta^], R, t_RTO): the first sampled at each loss event."""
    samples = []
    for trace in rhee_measures.traces(result, name):
        events = np.diff(trace["receiver_loss_events"]) > 0
        samples.append((trace["sender_loss_event_rate"][1:][events].mean(),
                        trace["sender_rtt_ns"].mean() / 1e9,
                        trace["sender_rto_ns"].mean() / 1e9))
    return np.mean(samples, axis=0)


def equation_difference(result, name, p):
    """Difference ratio of the equation's rate at p and of TFRC's own; p is a
    number, or None for E[1/theta^]."""
    estimate, rtt, rto = mean_estimate(result, name)
    with Core() as core:
        rate = core.rate(estimate if p is None else p, rtt, rto)
    return flow_metrics.difference_ratio(rate,
                                         rhee_measures.rate(result, name))


def at_mean_of_inverse(result, name):
    """f(E[1/theta^]) and TFRC."""
    return equation_difference(result, name, None)


def at_inverse_of_mean(result, name):
    """f(1/E[theta]) = f(p) and TFRC."""
    return equation_difference(
        result, name, rhee_measures.loss_event_rate(result, name))


def gap(result, name):
    """What the convexity of 1/theta makes."""
    return at_inverse_of_mean(result, name) - at_mean_of_inverse(result, name)


def tcp_equation_difference(result, name):
    """f(p) of TCP's own loss event rate and TCP's rate."""
    _, rtt, rto = mean_estimate(result, name)
    with Core() as core:
        rate = core.rate(rhee_measures.tcp_loss_event_rate(result), rtt, rto)
    return flow_metrics.difference_ratio(rate,
                                         rhee_measures.rate(result, "tcp"))


# Measures of all runs.

def mean(measure, name, low=0.0, high=1.0):
    """The measure in each of the runs whose TFRC flows of that name have a
    loss event rate between low and high."""
    def over_runs(results):
        return [measure(result, name) for result in of(results, name)
                if low <= rhee_measures.loss_event_rate(result, name) < high]
    return over_runs


def growth(measure, name):
    """Its change with the loss event rate of TFRC."""
    def over_runs(results):
        return flow_metrics.slope([
            (rhee_measures.loss_event_rate(result, name),
             measure(result, name))
            for result in in_the_figures(results, name)])
    return over_runs


def tcp_growth(results):
    """How f(p) and TCP drift apart with TCP's own loss event rate."""
    return flow_metrics.slope([
        (rhee_measures.tcp_loss_event_rate(result),
         tcp_equation_difference(result, "tfrc-8"))
        for result in of(results, "tfrc-8")])


def closer(results):
    """Mean distance of f(E[1/theta^]) from TFRC's rate by that of
    f(1/E[theta])."""
    distances = [np.mean([abs(measure(result, "tfrc-8"))
                          for result in in_the_figures(results, "tfrc-8")])
                 for measure in (at_mean_of_inverse, at_inverse_of_mean)]
    return float(distances[0] / distances[1])


def from_8_to_16(measure):
    """Its mean with 16 intervals less its mean with 8."""
    def over_runs(results):
        means = [np.mean([measure(result, name)
                          for result in in_the_figures(results, name)])
                 for name in HISTORIES]
        return float(means[1] - means[0])
    return over_runs


def largest(measure):
    return lambda results: max(map(measure, of(results, "tfrc-8")))


def tfrc_loss_event_rate(result):
    return rhee_measures.loss_event_rate(result, "tfrc-8")


def plot(results, figure):
    axes = figure.subplots(1, 3)
    for name, style in (("tfrc-8", "o"), ("tfrc-16", "^")):
        selected = of(results, name)
        p = [rhee_measures.loss_event_rate(result, name)
             for result in selected]
        for axis, measure, label in (
                (axes[0], at_inverse_of_mean, "f(1/E[theta])"),
                (axes[0], at_mean_of_inverse, "f(E[1/theta])"),
                (axes[1], rhee_measures.rate_difference, "TFRC to TCP"),
                (axes[2], rhee_measures.loss_difference, "TFRC to TCP")):
            axis.plot(p, [measure(result, name) for result in selected],
                      style, label=f"{label}, {name[5:]} intervals")
        if name == "tfrc-8":
            axes[1].plot(p, [tcp_equation_difference(result, name)
                             for result in selected], "k+",
                         label="f(p of TCP) to TCP")
    axes[0].set_ylim(-0.2, 0.4)
    for axis, title in zip(axes, ("the equation to TFRC", "throughput",
                                  "loss event rate")):
        axis.axhline(0, color="gray", linewidth=0.8)
        axis.set_title(title)
        axis.set_xlabel("loss event rate of TFRC")
        axis.set_ylabel("difference ratio")
        axis.legend()


SCENARIOS = [Scenario(
    "rhee-equation", source=RHEE_XU + ", figures 6 to 11",
    what="5 TCP and TFRC flows with 8 and 16 intervals, TCP's RTO, among 5 "
    "to 400 TCP flows",
    runs=runs, plot=plot, claims=rhee_dumbbell.over_seeds([
        Claim("f(E[1/theta]) and TFRC, p < 0.03 [difference ratio]",
              "0 or little below", mean(at_mean_of_inverse, "tfrc-8", 0, .03),
              scales=NOT_QUICK),
        Claim("f(E[1/theta]) and TFRC, p > 0.05 [difference ratio]",
              "above 0", mean(at_mean_of_inverse, "tfrc-8", 0.05)),
        Claim("distance of f(E[1/theta]) from TFRC by that of f(1/E[theta])",
              "much closer", closer, scales=NOT_QUICK),
        Claim("f(1/E[theta]) less f(E[1/theta]) [difference ratios], 8 "
              "intervals", "above 0", mean(gap, "tfrc-8"), scales=NOT_QUICK),
        Claim("the same gap: growth with the loss event rate", "above 0",
              growth(gap, "tfrc-8"),
              scales=NOT_QUICK),
        Claim("the same gap, from 8 to 16 intervals", "smaller",
              from_8_to_16(gap),
              scales=NOT_QUICK),
        Claim("throughput of TFRC and TCP [difference ratio], 8 intervals, "
              "p > 0.05", "below 0",
              mean(rhee_measures.rate_difference, "tfrc-8", 0.05)),
        Claim("the same throughput: growth with the loss event rate",
              "below 0",
              growth(rhee_measures.rate_difference, "tfrc-8"),
              scales=NOT_QUICK),
        Claim("the same throughput, from 8 to 16 intervals",
              "little nearer to 0",
              from_8_to_16(rhee_measures.rate_difference), scales=NOT_QUICK),
        Claim("f(p of TCP) and TCP, p > 0.05 [difference ratio]", "above 0",
              mean(tcp_equation_difference, "tfrc-8", 0.05), scales=NOT_QUICK),
        Claim("the same: growth with TCP's loss event rate", "above 0",
              tcp_growth, scales=NOT_QUICK),
        Claim("largest loss event rate of TCP", 0.11,
              largest(rhee_measures.tcp_loss_event_rate), scales=NOT_QUICK,
              note="with 400 background flows"),
        Claim("largest loss event rate of TFRC", 0.16,
              largest(tfrc_loss_event_rate), scales=NOT_QUICK),
        Claim("loss event rates of TFRC and TCP [difference ratio]",
              "above 0", mean(rhee_measures.loss_difference, "tfrc-8")),
        Claim("these loss event rates: growth with that of TFRC", "above 0",
              growth(rhee_measures.loss_difference, "tfrc-8"),
              scales=NOT_QUICK),
        Claim("these loss event rates, from 8 to 16 intervals", "no change",
              from_8_to_16(rhee_measures.loss_difference), scales=NOT_QUICK),
        Claim("loss event rates of TFRC and TCP [difference ratio], both "
              "counted as TFRC counts", "above 0",
              mean(rhee_measures.loss_difference_alike, "tfrc-8"),
              scales=NOT_QUICK),
    ]))]
