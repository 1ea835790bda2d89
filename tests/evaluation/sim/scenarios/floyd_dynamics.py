# SPDX-License-Identifier: LGPL-2.1-or-later
"""How a single TFRC flow answers: figure 2 (periodic loss that changes),
appendix A.1 (the end of losses, figure 19) and A.2 (persistent congestion,
figures 20 and 21).

The link is fast and loses what its pattern says.  84 ms is the RTT at which
100 packets at 1 % loss take the 0.75 s of figure 19.  Seeds draw the start,
which moves the losses against the reports."""

import statistics

import numpy as np

from claims import (AtLeast, Claim, FLOYD, NOT_QUICK, RFC_5348, Scale,
                    Scenario)
from scenarios import floyd_common as floyd
from simulation import Link, Loss, Queue, Run

RTT_S = 0.084
FIGURE_2_RTT_S = 0.04
CHANGE_S = 10


def run(loss, seconds, seed=1, rtt_s=RTT_S, **parameters):
    link = Link(rate_bit_s=100e6, delay_ms=10, queue=Queue(packets=1000),
                loss=tuple(Loss(**phase) for phase in loss))
    flow = floyd.tfrc(rtt_ms=1000 * rtt_s, start_s=(0, 0.5), trace=True,
                      parameters=parameters)
    return Run(links=(link,), flows=(flow,), seconds=seconds, seed=seed)


def every(n, until_s=None):
    return {"kind": "every-nth", "n": n, "until_s": until_s}


def packets_per_rtt(result, rtt_s=RTT_S):
    """(times, X in packets per RTT) at each report."""
    trace = result.trace("tfrc")
    return trace["time_s"], trace["sender_allowed_rate"] * rtt_s / 1000


def rises(result, start, end, rtt_s=RTT_S):
    """X in packets per RTT minus that of an RTT before, at each report."""
    times, rates = packets_per_rtt(result, rtt_s)
    inside = (times >= start + rtt_s) & (times < end)
    return rates[inside] - np.interp(times[inside] - rtt_s, times, rates)


def rtts_to_halve(result, change_s, rtt_s=RTT_S):
    """From the change on, until a report halves X, or the run ends."""
    times, rates = packets_per_rtt(result, rtt_s)
    before = np.interp(change_s, times, rates)
    halved = times[(times > change_s) & (rates <= before / 2)]
    return (halved[0] - change_s) / rtt_s if len(halved) \
        else AtLeast((times[-1] - change_s) / rtt_s)


# Figure 2.

def figure_2_runs(scale):
    return {(seed,): run([every(100, 6), every(10, 9), every(200)], 16, seed,
                         FIGURE_2_RTT_S)
            for seed in floyd.seeds(scale, 1, 5)}


def stable_loss_event_rate(result):
    """Standard deviation of p by its mean, over the second before 6."""
    trace = result.trace("tfrc")
    rates = trace["sender_loss_event_rate"][
        (trace["time_s"] > 5) & (trace["time_s"] < 6)]
    return rates.std() / rates.mean()


def plot_figure_2(results, figure):
    trace = results[1,].trace("tfrc")
    top, middle, bottom = figure.subplots(3, 1, sharex=True)
    trace = trace[trace["time_s"] > 3]
    top.plot(trace["time_s"], 1 / trace["sender_loss_event_rate"])
    top.set(ylabel="mean loss\ninterval [packets]", ylim=(0, 250))
    middle.plot(trace["time_s"], trace["sender_loss_event_rate"])
    middle.set(ylabel="loss event rate", ylim=(0, 0.15))
    bottom.plot(trace["time_s"], trace["sender_allowed_rate"] / 1000)
    bottom.set(ylabel="X [kbyte/s]", xlabel="time [s]", xlim=(3, 16))


# Figure 19.

DISCOUNTS = {"RFC 5348": {}, "paper": floyd.PAPERS_DISCOUNT,
             "none": {"discounting": False}}


def figure_19_runs(scale):
    return {(name, seed): run([every(100, CHANGE_S), {"kind": "none"}], 14,
                              seed, **parameters)
            for name, parameters in DISCOUNTS.items()
            for seed in floyd.seeds(scale, 1, 5)}


def last_loss_s(result):
    times, _ = result.losses("tfrc")
    return times.max()


def first_rise_s(result):
    times, rates = packets_per_rtt(result)
    end = last_loss_s(result)
    before = np.interp(end, times, rates)
    return times[(times > end) & (rates > 1.002 * before)][0] - end


def rise_without_discount(result):
    """Mean per RTT from the first rise until 200 packets have come."""
    start = last_loss_s(result)
    return statistics.fmean(rises(result, start + 0.95, start + 1.5))


def rise_with_discount(result):
    """Largest mean over four RTTs: X is known to the report only."""
    start = last_loss_s(result)
    times, rates = packets_per_rtt(result)
    later = times[(times > start + 1.5) & (times < 13.5)]
    return max((np.interp(time + 4 * RTT_S, times, rates)
                - np.interp(time, times, rates)) / 4 for time in later)


def of(name, measure):
    return lambda results: results.each(measure, name)


def plot_figure_19(results, figure):
    ax = figure.subplots()
    for name in DISCOUNTS:
        times, rates = packets_per_rtt(results[name, 1])
        ax.plot(times - last_loss_s(results[name, 1]), rates, marker=".",
                label=f"discounting: {name}")
    for after, what in ((0.75, "first rise"), (1.5, "discounting")):
        ax.axvline(after, color="0.6", linestyle=":")
        ax.annotate(f"{what}, paper", (after + 0.02, 19))
    ax.set(xlim=(-0.5, 3.5), ylim=(9, 21),
           xlabel="time since the last loss [s]",
           ylabel="X [packets per RTT]")
    ax.legend(loc="lower right")


# Figures 20 and 21.

# One packet in so many is lost before.
UP_TO_10 = (200, 100, 50, 30, 20, 15, 10)
LOSSES_BEFORE = {Scale.QUICK: (100, 10), Scale.STANDARD: UP_TO_10 + (7, 5, 4)}
RANGE_BEFORE = "0.5 to 25 %"
# Of the X before: what the next report would not bring by itself.
LOWER = 0.98


def figure_20_runs(scale):
    return {(n, seed): run([every(n, CHANGE_S), every(2)], 14, seed)
            for n in LOSSES_BEFORE[scale]
            for seed in floyd.seeds(scale, 1, 5)}


def halving_rtts(result):
    return rtts_to_halve(result, CHANGE_S)


def halving_from_first_cut(result):
    """The same in RTTs from the first report that lowers X."""
    times, rates = packets_per_rtt(result)
    after = times > CHANGE_S
    before = np.interp(CHANGE_S, times, rates)
    first, halved = (times[after & (rates <= before * part)]
                     for part in (LOWER, 0.5))
    return (halved[0] - first[0]) / RTT_S if len(halved) \
        else AtLeast((times[-1] - first[0]) / RTT_S)


def halving_events(result):
    """Loss events from the change on until X is halved."""
    rtts = halving_rtts(result)
    trace = result.trace("tfrc")
    events = np.interp([CHANGE_S, CHANGE_S + RTT_S * rtts],
                       trace["time_s"], trace["receiver_loss_events"])
    return type(rtts)(round(events[1]) - int(events[0]))


def means_by_rate(results, measure, rates=None):
    return [mean_of(results.each(measure, n))
            for n in sorted({key[0] for key in results})
            if rates is None or n in rates]


def mean_of(values):
    mean = statistics.fmean(values)
    return AtLeast(mean) if any(map(is_censored, values)) else mean


def is_censored(value):
    return isinstance(value, AtLeast)


def plot_figure_21(results, figure):
    left, right = figure.subplots(1, 2)
    times, rates = packets_per_rtt(results[100, 1])
    left.plot(times, rates, marker="o")
    left.axhline(np.interp(CHANGE_S, times, rates) / 2, color="0.6",
                 linestyle=":")
    left.set(xlim=(9.5, 12), ylim=(0, 14), xlabel="time [s]",
             ylabel="X [packets per RTT]")
    counts = sorted({key[0] for key in results})
    halved = [n for n in counts
              if not any(map(is_censored, results.each(halving_rtts, n)))]
    never = [n for n in counts if n not in halved]
    for measure, label in ((halving_rtts, "RTTs until X is halved"),
                           (halving_events, "loss events of these")):
        right.plot([1 / n for n in halved],
                   means_by_rate(results, measure, halved), "o-", label=label)
    right.plot([1 / n for n in never], [11.5] * len(never), "^",
               label="not halved in each run")
    right.plot([0.01], [5], "k*", label="paper, figure 20")
    right.axhspan(3, 8, color="0.9", zorder=0, label="paper, figure 21")
    right.set(xlabel="loss rate before", ylabel="RTTs to half the rate",
              ylim=(0, 12))
    right.legend()


SCENARIOS = [
    Scenario(
        "floyd-loss-intervals", source=FLOYD + ", figure 2",
        what="periodic loss of 1 %, then 10 %, then 0.5 %",
        runs=figure_2_runs, plot=plot_figure_2, claims=[
            Claim("CoV of p under periodic loss, before 6 s",
                  "completely stable",
                  lambda results: results.each(stable_loss_event_rate)),
            Claim("RTTs to half the rate after 6 s", "rapidly",
                  lambda results: results.each(lambda result: rtts_to_halve(
                      result, 6, FIGURE_2_RTT_S)),
                  note="five intervals of 10 packets must close (appendix "
                  "A.2): 60 packets at a rate that falls from 11 to 5.6 per "
                  "RTT take 7.1 RTTs, and the loss is known 2 or 3 later"),
            Claim("largest rise in an RTT after 9 s [packets per RTT]",
                  "smooth, no step", lambda results: results.each(
                      lambda result: rises(result, 9, 16, FIGURE_2_RTT_S)
                      .max()),
                  note="RFC 5348's bound with discounting down to 0.25 is "
                  "0.49; the naive mean steps by packets as each interval "
                  "of 10 leaves"),
        ]),
    Scenario(
        "floyd-increase", source=FLOYD + ", figure 19",
        what="no more losses after 10 s", runs=figure_19_runs,
        plot=plot_figure_19, claims=[
            Claim("first rise after the last loss [s]", 0.75,
                  of("RFC 5348", first_rise_s)),
            Claim("rise per RTT before discounting [packets per RTT]", 0.12,
                  of("paper", rise_without_discount),
                  note="the paper's bounds are 0.12 and 0.14 (simple and "
                  "full equation)"),
            Claim("the same without discounting, until 13.5 s", "at most 0.14",
                  of("none", rise_with_discount)),
            Claim("largest rise with the paper's discounting, down to 0.5 "
                  "[packets per RTT]", 0.29, of("paper", rise_with_discount),
                  note="0.314 by computation: DF itself moves with I_0"),
        ]),
    Scenario(
        "floyd-increase-rfc", source=RFC_5348 + ", section 5.5",
        what="the same with the RFC's discounting, down to 0.25",
        runs=figure_19_runs, claims=[
            Claim("largest rise [packets per RTT]",
                  "0.48 (computed; 0.29 with the 2000 paper's discounting)",
                  of("RFC 5348", rise_with_discount),
                  note="still under TCP's 1"),
        ]),
    Scenario(
        "floyd-response", source=FLOYD + ", figures 20 and 21",
        what="every other packet lost after 10 s", runs=figure_20_runs,
        plot=plot_figure_21, claims=[
            Claim("RTTs until X is halved, 1 % loss before", 5,
                  lambda results: results.each(halving_rtts, 100)),
            Claim(f"fewest RTTs, over loss rates of {RANGE_BEFORE} before", 3,
                  lambda results: min(means_by_rate(results, halving_rtts)),
                  scales=NOT_QUICK),
            Claim(f"most RTTs, over loss rates of {RANGE_BEFORE} before", 8,
                  lambda results: max(means_by_rate(results, halving_rtts)),
                  scales=NOT_QUICK),
            Claim("RTTs from the first report that lowers X, 1 % loss before",
                  5, lambda results: results.each(halving_from_first_cut, 100)),
            Claim("fewest RTTs from that report, over loss rates of 0.5 to 10 "
                  "% before", 3, lambda results: min(means_by_rate(
                      results, halving_from_first_cut, UP_TO_10)),
                  scales=NOT_QUICK),
            Claim("most RTTs from that report, over loss rates of 0.5 to 10 "
                  "% before", 8, lambda results: max(means_by_rate(
                      results, halving_from_first_cut, UP_TO_10)),
                  scales=NOT_QUICK),
            Claim("loss events until X is halved, 1 % loss before", 5,
                  lambda results: results.each(halving_events, 100)),
            Claim("fewest loss events, over loss rates of 0.5 to 10 % before",
                  3, lambda results: min(means_by_rate(
                      results, halving_events, UP_TO_10))),
            Claim("most loss events, over loss rates of 0.5 to 10 % before",
                  8, lambda results: max(means_by_rate(
                      results, halving_events, UP_TO_10))),
        ]),
]
