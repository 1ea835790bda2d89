# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figure 5, loss events against losses, and figure 18, the number of loss
intervals that predicts the loss rate best."""

import functools

import numpy as np

import core
import loss_prediction

from claims import Claim, FLOYD, NOT_QUICK, Scenario
from scenarios import floyd_background

# Figure 5.  Flows at the rate of the equation, its double and its half.
FACTORS = {"calculated": 1, "double": 2, "half": 0.5}
ALL_LOSS_RATES = np.linspace(0.001, 0.5, 500)
CORE_LOSS_RATES = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
# Some 5000 events at a loss rate of 0.02: 1 % of deviation.
CORE_PACKETS = 300000


def window(p):
    """Packets per RTT, equation 2 (t_RTO is 4 RTTs)."""
    return 1 / (np.sqrt(2 * p / 3)
                + 12 * np.sqrt(3 * p / 8) * p * (1 + 32 * p ** 2))


def event_fraction(p, packets_per_rtt):
    """Of independent losses, section 3.5.1; with less than a packet per RTT
    each is an event."""
    packets = np.maximum(1, packets_per_rtt)
    return (1 - (1 - p) ** packets) / packets


def largest_difference(factor, reference):
    """Over all loss rates, relative to `reference` (of p)."""
    events = event_fraction(ALL_LOSS_RATES, factor * window(ALL_LOSS_RATES))
    return float(np.max(np.abs(events / reference(ALL_LOSS_RATES) - 1)))


@functools.lru_cache(maxsize=None)
def core_events():
    """{(p, factor): events per packet} that our loss history finds."""
    with core.Core() as calculator:
        return {(p, factor): calculator.events(
            factor * window(p), p, CORE_PACKETS)[0] / CORE_PACKETS
            for p in CORE_LOSS_RATES for factor in FACTORS.values()}


def renewals(p, packets_per_rtt):
    """Events per packet when each covers the RTT after its first loss, in
    whole packets."""
    return p / (1 + p * np.floor(packets_per_rtt))


def largest_core_deviation(_):
    return max(abs(events / renewals(p, factor * window(p)) - 1)
               for (p, factor), events in core_events().items())


def largest_core_difference(_):
    return max(abs(core_events()[p, 1] / p - 1) for p in CORE_LOSS_RATES)


def plot_events(_, figure):
    ax = figure.subplots()
    for name, factor in FACTORS.items():
        line, = ax.plot(ALL_LOSS_RATES, event_fraction(
            ALL_LOSS_RATES, factor * window(ALL_LOSS_RATES)),
            label=f"{name} rate, the paper's formula")
        ax.plot(CORE_LOSS_RATES,
                [core_events()[p, factor] for p in CORE_LOSS_RATES], "o",
                color=line.get_color(), label=f"{name} rate, our history")
    ax.plot([0, 0.25], [0, 0.25], "k:", label="every loss an event")
    ax.set(xlim=(0, 0.25), ylim=(0, 0.25), xlabel="loss probability",
           ylabel="loss events per packet")
    ax.legend()


# Figure 18.  Flows over paths whose loss rate changes as on the Internet.
SIZES = (2, 4, 8, 16, 32)
LOSSY = (60, 80, 100, 130)


def predictor_runs(scale):
    """Those of figures 11 to 13: about 1, 3, 13 and 30 % loss."""
    return {key: run for key, run in floyd_background.runs(scale).items()
            if key[0] in LOSSY}


@functools.lru_cache(maxsize=None)
def errors(result, size, decreasing):
    times, sequence = result.losses("tfrc")
    intervals = loss_prediction.loss_intervals(
        times, sequence, result.flow("tfrc")["rtt_ms"] / 1000)
    return loss_prediction.errors(intervals, size, decreasing, max(SIZES))


def mean_error(results, size, decreasing=True):
    """Mean over the paths, each relative to its loss event rate."""
    return float(np.mean([
        np.mean(errors(result, size, decreasing))
        / np.mean(errors(result, 8, True)) for result in results.values()]))


def compared(size, decreasing=True):
    return lambda results: mean_error(results, size, decreasing)


def plot_errors(results, figure):
    ax = figure.subplots()
    for decreasing, label in ((False, "equal weights"),
                              (True, "decreasing weights")):
        ax.plot(SIZES, [mean_error(results, size, decreasing)
                        for size in SIZES], marker="o", label=label)
    ax.set(xscale="log", ylim=(0, None), xlabel="loss intervals",
           ylabel="mean error, 1 = ours (8, decreasing)")
    ax.set_xticks(SIZES, [str(size) for size in SIZES])
    ax.legend()


SCENARIOS = [
    Scenario(
        "floyd-loss-events", source=FLOYD + ", figure 5",
        what="loss events against losses, by formula and by the core",
        runs=lambda scale: {}, plot=plot_events, claims=[
            Claim("loss event fraction at the calculated rate against the "
                  "loss probability, largest difference", "at most 0.1",
                  lambda _: largest_difference(1, lambda p: p),
                  note="by the formula of section 3.5.1"),
            Claim("the same at half the rate", "at most 0.1",
                  lambda _: largest_difference(0.5, lambda p: p),
                  note="by the formula"),
            Claim("the same at the double rate", "at most 0.1",
                  lambda _: largest_difference(2, lambda p: p),
                  note="by the formula"),
            Claim("loss event fraction at twice or half the rate against "
                  "that at the calculated rate, largest difference",
                  "not very sensitive, at most 0.1",
                  lambda _: max(largest_difference(
                      factor, lambda p: event_fraction(p, window(p)))
                      for factor in (2, 0.5)), note="by the formula"),
            Claim("our loss events against p / (1 + p W), largest deviation",
                  "an event covers one RTT", largest_core_deviation,
                  note="independent losses through the core's loss history"),
            Claim("our loss events at the calculated rate against the loss "
                  "probability, largest difference", "at most 0.1",
                  largest_core_difference,
                  note="through the core's loss history"),
        ]),
    Scenario(
        "floyd-predictor", source=FLOYD + ", figure 18",
        what="error of the loss predictor by intervals and weights",
        runs=predictor_runs, plot=plot_errors, claims=[
            Claim(f"error with {size} intervals by that with 8",
                  "8 is a good compromise", compared(size), scales=NOT_QUICK,
                  note="decreasing weights; paths with 60 to 130 ON/OFF "
                  "sources in place of the paper's Internet paths")
            for size in SIZES if size != 8
        ] + [
            Claim("error with equal weights by that with decreasing ones, 8 "
                  "intervals", "not very sensitive to the weights",
                  compared(8, False),
                  scales=NOT_QUICK),
        ])]
