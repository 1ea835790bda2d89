# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figures 1 to 4 of Widmer and Handley: what the feedback timers do for
themselves.  Asked of the core (../core.py): its timers, the sender's round
and an RTT between them; no network is simulated, so these are the same at
every scale.  Closed forms come from tests/evaluation/sim/group_metrics.py."""

import functools

import numpy as np

from claims import Claim, EVERY_SCALE, NOT_QUICK, RFC_4654, Scenario, WIDMER
from core import Core
import group_metrics
import plots

SIZES = (1, 10, 100, 1000, 10000)
LARGE = (100, 1000, 10000)
# T in RTTs.
PAPER_B, RFC_B = 4.0, 6.0
# Its random part, (1 - gamma) T.
RFC_SPAN = (1 - 0.25) * RFC_B
CANCELLING = ((0.0, "higher ones suppressed"),
              (0.1, "those above 10 % lower suppressed"),
              (1.0, "all suppressed"))
BIASES = (("unbiased", {"bias": 0.0}), ("offset", {"plain_offset": True}),
          ("modified offset", {}))
SPANS = (2.0, 3.0, 4.0, 5.0, 6.0)
# The paper does not tell; with these its numbers come out.
CONGESTED = (0.5, 1.0)
EQUAL = (0.5, 0.5)
# RTTs; a report at once then waits half of it, as others do on average.
GAP = 0.4


def no_runs(scale):
    return {}


@functools.lru_cache(maxsize=None)
def rounds_of(receivers, **settings):
    """Reports, delay and quality of the first: columns of an array."""
    with Core() as core:
        return core.feedback(
            receivers, rounds=300 if receivers > 1000 else 1000,
            **settings).T


def reports(receivers, **settings):
    return float(rounds_of(receivers, **settings)[0].mean())


def delay(receivers, **settings):
    return float(rounds_of(receivers, **settings)[1].mean())


def excess(receivers, **settings):
    """Lowest reported rate above the lowest one."""
    return float(rounds_of(receivers, **settings)[2].mean() - 1)


# Figure 1.

def cancelling(receivers, margin, b=PAPER_B):
    return reports(receivers, margin=margin, rtts=b, rates=CONGESTED)


def marginally_more(results):
    least, little, most = (cancelling(10000, margin)
                           for margin in (1.0, 0.1, 0.0))
    return (little - least) / (most - least)


def growth(margin):
    """From 1000 to 10,000 receivers."""
    return lambda results: cancelling(10000, margin) / cancelling(1000,
                                                                  margin)


def worst_excess(results):
    """In any round."""
    return max(rounds_of(receivers, margin=0.1, rtts=PAPER_B,
                         rates=CONGESTED)[2].max() - 1
               for receivers in SIZES)


def plot_cancelling(results, figure):
    for axes, b in zip(figure.subplots(1, 2), (PAPER_B, RFC_B)):
        for margin, label in CANCELLING:
            axes.plot(SIZES, [cancelling(n, margin, b) for n in SIZES],
                      marker="o", label=label)
        axes.set(xscale="log", xlabel="receivers",
                 ylabel="reports in a round",
                 title=f"T = {b:g} RTTs" + ", the paper's" * (b == PAPER_B))
        axes.legend()


# Figure 2.

def equal_rates(receivers, span, gap=0.01):
    """T' without bias."""
    return reports(receivers, bias=0.0, rtts=span, rates=EQUAL, gap=gap)


def by_closed_form(choose, spans=SPANS, gap=0.01):
    return lambda results: choose(
        equal_rates(n, span, gap)
        / group_metrics.expected_reports(n, 1, span, gap)
        for n in SIZES for span in spans)


def desired(choose):
    return lambda results: choose(equal_rates(n, span) for n in (100, 1000)
                                  for span in (3.0, 4.0))


# The defaults, when all rates are equal.

def default(receivers):
    return rounds_of(receivers, rates=EQUAL)[0]


def default_by_closed_form(receivers):
    return lambda results: float(default(receivers).mean()) \
        / group_metrics.expected_reports(receivers, 1, RFC_SPAN, 0.01)


def above_three_times(receivers):
    """Share of rounds with more than three times the closed form."""
    limit = 3 * group_metrics.expected_reports(receivers, 1, RFC_SPAN)
    return lambda results: float(np.mean(default(receivers) > limit))


def plot_expected_reports(results, figure):
    axes = figure.subplots()
    finer = np.logspace(0, 4, 60)
    for span in SPANS:
        line, = axes.plot(SIZES, [equal_rates(n, span) for n in SIZES],
                          "o", label=f"T' = {span:g} RTTs")
        axes.plot(finer, [group_metrics.expected_reports(n, 1, span)
                          for n in finer], color=line.get_color())
    axes.set(xscale="log", yscale="log", xlabel="receivers",
             ylabel="reports in a round (lines: closed form)")
    axes.legend()


# Figures 3 and 4.

def biased(measure, method, receivers, margin=1.0):
    return measure(receivers, rtts=PAPER_B, margin=margin, rates=CONGESTED,
                   **dict(BIASES)[method])


def delay_by_closed_form(choose):
    return lambda results: choose(
        biased(delay, "unbiased", n)
        / group_metrics.expected_first_report(n, PAPER_B)
        for n in SIZES[:-1])


def per_decade(method):
    """RTTs less for ten times the receivers, from 10 to 1000."""
    return lambda results: (biased(delay, method, 10)
                            - biased(delay, method, 1000)) / 2


def apart(results):
    """Most that two methods differ by, RTTs."""
    return max(np.ptp([biased(delay, method, n) for method, _ in BIASES])
               for n in SIZES)


def edge(results):
    """Delay of the modified offset by that of the regular one, at most."""
    return max(biased(delay, "modified offset", n)
               / biased(delay, "offset", n) for n in SIZES)


def largest_excess(method):
    return lambda results: max(biased(excess, method, n) for n in SIZES)


def plot_biases(results, figure):
    left, right = figure.subplots(1, 2)
    for method, _ in BIASES:
        for axes, measure in ((left, delay), (right, excess)):
            axes.plot(SIZES, [biased(measure, method, n) for n in SIZES],
                      marker="o", label=method)
    right.plot(SIZES, [biased(excess, "modified offset", n, margin=0.1)
                       for n in SIZES], "k--",
               label="modified offset, 10 % lower ones cancel")
    plots.paper_line(right, 0.2, "paper, unbiased: nearly")
    left.set(ylabel="RTTs until the first report")
    right.set(ylabel="lowest reported rate above the lowest", ylim=(0, 0.32))
    for axes in (left, right):
        axes.set(xscale="log", xlabel="receivers")
        axes.legend(loc="upper right")


RATES = ("the paper does not tell the rates; here uniform from half of the "
         "sending rate to all of it, T = 4 RTTs")

GEOMETRIC = (
    "timers run out ever faster, so how many do within tau of the first is "
    "all but geometrically distributed: about exp (-3) of the rounds have "
    "more than three times the mean, whatever T, gamma and N are")

SCENARIOS = [
    Scenario(
        "core-cancelling", source=WIDMER + ", figure 1", runs=no_runs,
        what="reports in a round by what cancels a timer",
        plot=plot_cancelling, claims=[
            Claim("10,000 receivers, only lower rates cancel", "100 to 120",
                  lambda results: cancelling(10000, 0.0),
                  note="the end of the figure's axis; " + RATES,
                  scales=NOT_QUICK),
            Claim("10,000 receivers, rates down to 10 % lower cancel: above "
                  "those when all cancel, by the same when only lower ones "
                  "do", "marginally higher", marginally_more),
            Claim("only lower rates cancel: growth from 1000 to 10,000 "
                  "receivers", "logarithmic", growth(0.0),
                  note="4/3 for a logarithm alone, more with the growing "
                  "crowd at T = 0. The paper's text says this of zeta = 1, "
                  "which its own figure and equation 5 contradict: there it "
                  "is the constant one", scales=NOT_QUICK),
            Claim("down to 10 % lower cancel: growth from 1000 to 10,000 "
                  "receivers", "approximately constant", growth(0.1),
                  scales=NOT_QUICK),
            Claim("lowest reported rate above the lowest, down to 10 % lower "
                  "cancel, worst of all rounds", "no worse than 0.1",
                  worst_excess),
        ]),
    Scenario(
        "core-expected-reports", source=WIDMER + ", figure 2",
        runs=no_runs, what="reports in a round, all rates equal, by the "
        "group's size and T'", plot=plot_expected_reports, claims=[
            Claim("by equation 5, least over n = 1 to 10,000 and T' = 2 to 6 "
                  "RTTs", 1.0, by_closed_form(min),
                  scales=NOT_QUICK),
            Claim("by equation 5, most over n = 1 to 10,000 and T' = 2 to 6 "
                  "RTTs",
                  1.0, by_closed_form(max), scales=NOT_QUICK,
                  note="1000 rounds each, 300 with 10,000 receivers: 3 % of "
                  "standard deviation"),
            Claim("fewest with 100 and 1000 receivers, T' = 3 and 4 RTTs",
                  "more than 1 or 2", desired(min)),
            Claim("most of them", "around 20", desired(max)),
            Claim("by equation 5, T' = 4 RTTs, 0.4 RTTs between data "
                  "packets: least", 1.0,
                  by_closed_form(min, (4.0,), GAP),
                  note="tau takes the time to the next data packet in",
                  scales=NOT_QUICK),
            Claim("by equation 5, T' = 4 RTTs, 0.4 RTTs between data packets: "
                  "most", 1.0, by_closed_form(max, (4.0,), GAP),
                  scales=NOT_QUICK),
        ]),
    Scenario(
        "core-biasing", source=WIDMER + ", figures 3 and 4", runs=no_runs,
        what="the first report and the lowest one of a round by the bias of "
        "the timers", plot=plot_biases, claims=[
            Claim("unbiased: RTTs until the first report by the timers' law, "
                  "least over n = 1 to 1000", 1.0,
                  delay_by_closed_form(min), scales=NOT_QUICK),
            Claim("the same, most", 1.0, delay_by_closed_form(max),
                  scales=NOT_QUICK),
            *[Claim(f"{method}: RTTs less for ten times the receivers",
                    "logarithmic", per_decade(method))
              for method in ("unbiased", "offset", "modified offset")],
            Claim("most that two methods are apart [RTTs]", "not great",
                  apart,
                  scales=NOT_QUICK),
            Claim("modified offset by the regular one, most", "slight edge",
                  edge,
                  scales=NOT_QUICK),
            Claim("unbiased: lowest reported rate above the lowest, most "
                  "over n", "nearly 0.2", largest_excess("unbiased"),
                  note=RATES + ", and any report cancels: if only rates down "
                  "to 10 % lower did, nothing could be further off than "
                  "0.11", scales=NOT_QUICK),
            Claim("the same, offset", "considerably closer",
                  largest_excess("offset"), scales=NOT_QUICK),
            Claim("the same, modified offset", "a few percent",
                  largest_excess("modified offset")),
        ]),
    Scenario(
        "core-report-counts", source=RFC_4654 + ", section 4.5", runs=no_runs,
        what="reports in a round when all rates are equal: T = 6 RTTs, "
        "gamma = 1/4, theta = 0.1", claims=[
            *[Claim(f"{n} receivers: mean by the closed form at (1 - gamma) "
                    "T", 1.0, default_by_closed_form(n),
                    scales=NOT_QUICK if n > 1000 else EVERY_SCALE)
              for n in LARGE],
            *[Claim(f"{n} receivers: rounds with more than three times the "
                    "closed form [share]", share, above_three_times(n),
                    scales=NOT_QUICK,
                    note=note)
              for n, share, note in ((100, 0.042, GEOMETRIC),
                                     (1000, 0.042, "as above"))],
            *[Claim(f"{n} receivers: most reports in a round of "
                    f"{300 if n > 1000 else 1000}", "-",
                    lambda results, n=n: float(default(n).max()),
                    scales=NOT_QUICK, note="one draw from a long tail; its "
                    "law is judged above") for n in LARGE],
        ]),
]
