# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rhee and Xu 2005, figures 1 to 5: flows of different rates through one RED
queue lose the same share of packets and see different loss event rates."""

import numpy as np

import flow_metrics
import plots
from claims import Claim, NOT_QUICK, RHEE_XU, Scale, Scenario
from scenarios import rhee_dumbbell, rhee_measures
from scenarios.rhee_theorem import CBR_KBIT_S, cbr_flows, cbr_name

RATE_BIT_S = 20e6
LOADS = {Scale.QUICK: (70,), Scale.STANDARD: (5, 35, 100, 200, 400)}
SEEDS = {Scale.QUICK: 1, Scale.STANDARD: 5}
# Flows of TFRC, and of those of figure 5, which send four times as much: the
# paper's 5 would change the load of the rest.
PLAIN, SCALED = 5, 2
# The least loss event rate of TFRC in figure 4.
LOADED = 0.038


def runs(scale):
    """Key: load, seed."""
    measured = cbr_flows(rhee_dumbbell.RTT_MS) + [
        rhee_dumbbell.tcp(),
        rhee_dumbbell.tfrc("tfrc", rhee_dumbbell.TCP_RTO, PLAIN),
        rhee_dumbbell.tfrc("tfrc-x4", rhee_dumbbell.rate_scaled(4), SCALED)]
    return {(load, seed): rhee_dumbbell.run(
        scale, measured, load, rate_bit_s=RATE_BIT_S, seed=seed)
        for load in LOADS[scale] for seed in range(1, SEEDS[scale] + 1)}


def cbr_loss_event_rates(result):
    return np.array([rhee_measures.loss_event_rate(result, cbr_name(kbit_s))
                     for kbit_s in CBR_KBIT_S])


def cbr_loss_event_rate_at(result, rate):
    """p of a CBR flow of this rate [bytes/s], between those that run."""
    kbit_s = np.log(np.clip(rate * 8 / 1000, CBR_KBIT_S[0], CBR_KBIT_S[-1]))
    return float(np.interp(kbit_s, np.log(CBR_KBIT_S),
                           cbr_loss_event_rates(result)))


# Measures of one run.

def packet_loss_spread(result):
    """Packet loss of TCP, TFRC and CBR: largest less smallest, by the mean."""
    shares = [rhee_measures.packet_loss(result, names) for names in (
        ["tcp"], ["tfrc"], [cbr_name(kbit_s) for kbit_s in CBR_KBIT_S])]
    return (max(shares) - min(shares)) / float(np.mean(shares))


def slower_with_more_losses(result):
    """Of the CBR flows slower than TCP, the share with a higher p."""
    slower = np.array(CBR_KBIT_S) < tcp_kbit_s(result)
    p = cbr_loss_event_rates(result)[slower]
    return float(np.mean(p > rhee_measures.tcp_loss_event_rate(result)))


def faster_with_fewer_losses(result):
    """p of the 500 kbit/s and 1 Mbit/s flows by TCP's."""
    return float(np.mean(cbr_loss_event_rates(result)[-2:])) \
        / rhee_measures.tcp_loss_event_rate(result)


def balance_kbit_s(result):
    """The rate of a CBR flow that has TCP's loss event rate."""
    p = np.minimum.accumulate(cbr_loss_event_rates(result))
    return float(np.exp(np.interp(
        -rhee_measures.tcp_loss_event_rate(result), -p, np.log(CBR_KBIT_S))))


def tcp_kbit_s(result):
    return rhee_measures.rate(result, "tcp") * 8 / 1000


def cbr_as_fast_as(result, name):
    """Difference ratio of the loss event rates of a CBR flow at the rate of
    TCP (measurement M1) or TFRC (M2) and of those."""
    p = rhee_measures.tcp_loss_event_rate(result) if name == "tcp" \
        else rhee_measures.loss_event_rate(result, name)
    return flow_metrics.difference_ratio(
        cbr_loss_event_rate_at(result, rhee_measures.rate(result, name)), p)


def tfrc_loss_difference(result):
    return rhee_measures.loss_difference(result, "tfrc")


def tfrc_rate_difference(result):
    return rhee_measures.rate_difference(result, "tfrc")


def tfrc_loss_event_rate(result):
    return rhee_measures.loss_event_rate(result, "tfrc")


# Measures of all runs.

def rate_correlation(results):
    """Spearman's correlation of the CBR flows' rates and their loss event
    rates, the mean over the runs of each by its run's mean: the slowest
    flows lose only tens of packets in a run."""
    rates = [cbr_loss_event_rates(result) for result in results.values()]
    shapes = [p / p.mean() for p in rates]
    return flow_metrics.rank_correlation(CBR_KBIT_S, np.mean(shapes, axis=0))


def each(measure):
    return lambda results: results.each(measure)


def at_load(load, measure):
    return lambda results: results.each(measure, load)


def loaded(measure):
    """Where TFRC's loss event rate is as high as in figure 4."""
    def over_runs(results):
        return [measure(result) for result in results.values()
                if tfrc_loss_event_rate(result) >= LOADED]
    return over_runs


def growth(measure):
    """How a measure changes with the loss event rate of TFRC."""
    def over_runs(results):
        return flow_metrics.slope([(tfrc_loss_event_rate(result),
                                     measure(result))
                                    for result in results.values()])
    return over_runs


def scaled(measure):
    """A measure of TFRC x 4 by that of TCP, where TCP's loss event rate is
    below 0.08."""
    def over_runs(results):
        return [measure(result) for result in results.values()
                if rhee_measures.tcp_loss_event_rate(result) < 0.08]
    return over_runs


def scaled_loss(result):
    return rhee_measures.loss_event_rate(result, "tfrc-x4") \
        / rhee_measures.tcp_loss_event_rate(result)


def scaled_rate(result):
    return rhee_measures.rate(result, "tfrc-x4") \
        / rhee_measures.rate(result, "tcp")


def plot(results, figure):
    """Figures 2, 3 and 4 of the paper, over the background's size."""
    loads = sorted({key[0] for key in results})
    left, middle, right = figure.subplots(1, 3)

    def line(axes, measure, label, style):
        axes.plot(loads, [float(np.mean(results.each(measure, load)))
                          for load in loads], style, label=label)

    for kbit_s in (16, 80, 195, 500, 1000):
        def loss(result, name=cbr_name(kbit_s)):
            return rhee_measures.loss_event_rate(result, name)

        line(left, loss, f"CBR {kbit_s} kbit/s", "-")
    for axes, measures in (
            (left, (rhee_measures.tcp_loss_event_rate,
                    tfrc_loss_event_rate,
                    lambda result: rhee_measures.loss_event_rate(
                        result, "tfrc-x4"))),
            (middle, [lambda result, name=name: rhee_measures.rate(
                result, name) * 8 / 1000
                for name in ("tcp", "tfrc", "tfrc-x4")])):
        for measure, label, style in zip(
                measures, ("TCP", "TFRC", "TFRC x 4"),
                ("k*-", "k^--", "kv:")):
            line(axes, measure, label, style)
    plots.paper(left, [35], [0.038], "paper: TFRC")
    plots.paper(middle, [35], [165], "paper: TCP")
    for measure, label in (
            (lambda result: cbr_as_fast_as(result, "tcp"), "CBR to TCP, M1"),
            (lambda result: cbr_as_fast_as(result, "tfrc"),
             "CBR to TFRC, M2"),
            (tfrc_loss_difference, "TFRC to TCP, M1")):
        line(right, measure, label, "o-")
    for axes, label in ((left, "loss event rate"),
                        (middle, "sending rate [kbit/s]"),
                        (right, "difference ratio of loss event rates")):
        axes.set_xlabel("background TCP flows")
        axes.set_ylabel(label)
        axes.legend()
    middle.set_yscale("log")


SCENARIOS = [Scenario(
    "rhee-loss-events", source=RHEE_XU + ", figures 1 to 5",
    what="14 CBR, 5 TCP, 5 TFRC and TFRC x 4 on 20 Mbit/s, RED, among 5 "
    "to 400 TCP flows",
    runs=runs, plot=plot, claims=rhee_dumbbell.over_seeds([
        Claim("packet loss of TCP, TFRC and CBR [spread by mean]", "the same",
              each(packet_loss_spread)),
        Claim("rank correlation of the CBR flows' rates and loss event rates",
              "the slower, the larger", rate_correlation, scales=NOT_QUICK),
        Claim("CBR flows slower than TCP with a larger loss event rate "
              "[share]", "all", each(slower_with_more_losses),
              scales=NOT_QUICK),
        Claim("loss event rate of CBR at 500 kbit/s and 1 Mbit/s by that of "
              "TCP", "below 1", each(faster_with_fewer_losses)),
        Claim("rate of the CBR flow with TCP's loss event rate [kbit/s]",
              195, each(balance_kbit_s), scales=NOT_QUICK,
              note="over all loads"),
        Claim("loss event rate of TFRC, 35 background flows", 0.038,
              at_load(35, tfrc_loss_event_rate), scales=NOT_QUICK),
        Claim("sending rate of TCP, 35 background flows [kbit/s]", 165,
              at_load(35, tcp_kbit_s),
              scales=NOT_QUICK),
        Claim("loss event rates of TFRC and TCP [difference ratio]",
              "above 0 in all runs", each(tfrc_loss_difference)),
        Claim("loss event rates of TFRC and TCP [difference ratio], both "
              "counted as TFRC counts", "above 0 in all runs",
              each(lambda result: rhee_measures.loss_difference_alike(
                  result, "tfrc")), scales=NOT_QUICK),
        Claim("the same: growth with the loss event rate", "above 0",
              growth(tfrc_loss_difference), scales=NOT_QUICK),
        Claim("loss event rates of CBR at TCP's rate and TCP [difference "
              "ratio, M1]", "above 0",
              loaded(lambda result: cbr_as_fast_as(result, "tcp"))),
        Claim("loss event rates of CBR at TFRC's rate and TFRC [difference "
              "ratio, M2], less that of M1", "below 0",
              loaded(lambda result: cbr_as_fast_as(result, "tfrc")
                     - cbr_as_fast_as(result, "tcp"))),
        Claim("loss event rates: TFRC to TCP less CBR to TCP [difference "
              "ratios, M1]", "above 0",
              loaded(lambda result: tfrc_loss_difference(result)
                     - cbr_as_fast_as(result, "tcp"))),
        Claim("throughput of TFRC and TCP [difference ratio]", "-1 to -3",
              loaded(tfrc_rate_difference)),
        Claim("loss event rate of TFRC x 4 by that of TCP, where that is "
              "below 0.08", "below 1", scaled(scaled_loss)),
        Claim("throughput of TFRC x 4 by that of TCP", "almost 4",
              scaled(scaled_rate)),
    ]))]
