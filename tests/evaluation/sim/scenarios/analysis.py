# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the papers derive without simulation, asked of the core itself: its
equation, loss intervals, loss events and t_RTO (../core.py).  Nothing is
simulated, so these are the same at every scale."""

import math

from claims import BANSAL, Claim, FLOYD, RHEE_XU, Scenario
from core import Core
import plots

NO_DISCOUNTING, RFC_3448, RFC_5348 = 1.0, 0.5, 0.25


def no_runs(scale):
    return {}


def ask(question, *arguments):
    """A claim's measure that asks the core."""
    def measure(results):
        with Core() as core:
            return question(core, *arguments)
    return measure


def increases(core, threshold, rtts=150, interval=100):
    """Packets per RTT that the rate gains in each RTT without loss, after
    intervals of 100 packets; the mean of eight RTTs, because intervals are
    whole packets."""
    open_interval, rates = 1.0, [core.window(1 / interval)]
    for _ in range(rtts):
        open_interval += rates[-1]
        p, _ = core.intervals([interval] * 8, open_interval,
                              threshold=threshold)
        rates.append(core.window(p))
    return [(rates[i + 8] - rates[i]) / 8 for i in range(len(rates) - 8)]


def largest_increase(core, threshold):
    return max(increases(core, threshold))


def rtts_to_halve(core, p):
    """RTTs until half of the rate, when after intervals of 1 / p every other
    packet is lost: a loss event per RTT, each of as many packets as the
    rate lets through."""
    closed = [1 / p] * 8
    before = rate = core.window(p)
    for rtt in range(1, 50):
        closed = closed[1:] + [rate]
        rate = core.window(core.intervals(closed, 1, threshold=RFC_5348)[0])
        if rate <= before / 2:
            return rtt
    return None


def halvings(choose, *rates):
    return ask(lambda core: choose(rtts_to_halve(core, p) for p in rates))


def faster_flows_with_more_events(core):
    """Of all pairs of flows that lose independently, those in which the
    faster one does not see the smaller loss event rate."""
    wrong = 0
    for p in (0.005, 0.02, 0.1):
        rates = [core.events(window, p, 400000)[0] / 400000
                 for window in (1, 2, 4, 8, 16, 32, 64)]
        wrong += sum(later >= earlier for i, earlier in enumerate(rates)
                     for later in rates[i + 1:])
    return wrong


def inflection(core):
    """The theta at which 1 / f (p), over p = 1 / theta, changes from convex
    to concave: R = 100 ms, t_RTO = 400 ms."""
    def curvature(theta):
        p, step = 1 / theta, 1 / theta / 50
        return sum(sign / core.rate(p + shift, 0.1, 0.4) for sign, shift
                   in ((1, step), (-2, 0), (1, -step)))
    low, high = 10.0, 100.0
    while high - low > 0.01:
        middle = (low + high) / 2
        if curvature(middle) > 0:
            low = middle
        else:
            high = middle
    return low


def rto_ratio(core, p, rtt):
    """Rate by RFC 5348's t_RTO over the rate by TCP's."""
    return (core.rate(p, rtt, core.rto("rfc5348", rtt))
            / core.rate(p, rtt, core.rto("tcp", rtt)))


def backed_off_rate(n):
    """Packets per RTT of an AIMD flow that loses n packets in a row, waits
    twice as long after each, and gets the next one through (Bansal et al.,
    appendix A)."""
    return (n + 1) / sum(2 ** stage for stage in range(n + 1))


def equation_by_upper_bound(core):
    """The largest of: the equation by the bounds that the appendix gives for
    TCP, pure AIMD below p = 1/3 and AIMD with timeouts from 1/2 on."""
    return max(
        [core.window(p) / math.sqrt(1.5 / p) for p in (0.001, 0.01, 0.1, 0.33)]
        + [core.window(n / (n + 1)) / backed_off_rate(n)
           for n in (1, 2, 3, 4)])


def plot_increases(results, figure):
    axes = figure.subplots()
    with Core() as core:
        for threshold, label in ((NO_DISCOUNTING, "no discounting"),
                                 (RFC_3448, "down to 0.5, as in 2000"),
                                 (RFC_5348, "down to 0.25, RFC 5348")):
            plots.series(axes, 1, increases(core, threshold), label)
    plots.paper_line(axes, 0.12, "paper, without and with")
    plots.paper_line(axes, 0.29, None)
    axes.set(xlabel="RTTs since the last loss, 1 % before",
             ylabel="packets per RTT gained per RTT")
    axes.legend()


def plot_rto_ratios(results, figure):
    rates = [0.005 * 1.15 ** i for i in range(30)]
    panels = figure.subplots(1, 2)
    with Core() as core:
        for axes, rtt, points in zip(panels, (0.01, 0.5), (
                ((0.05, 8.5), (0.15, 18)), ((0.3, 1 / 2),))):
            axes.plot(rates, [rto_ratio(core, p, rtt) for p in rates],
                      label="ours")
            plots.paper(axes, *zip(*points))
            axes.set(title=f"RTT {1000 * rtt:g} ms", xlabel="loss event rate",
                     ylabel="rate, t_RTO = 4 R by TCP's", ylim=(0, None))
            axes.legend()


SCENARIOS = [
    Scenario(
        "core-increase", source=FLOYD + ", section A.1", runs=no_runs,
        what="packets per RTT gained in each RTT after the last loss",
        plot=plot_increases,
        claims=[
            Claim("without discounting", "at most 0.14",
                  ask(largest_increase, NO_DISCOUNTING)),
            Claim("with discounting to 0.5, as in 2000", 0.29,
                  ask(largest_increase, RFC_3448),
                  note="the paper derives 0.28 and sees 0.29; the mean of "
                  "eight RTTs, because intervals are whole packets"),
            Claim("with discounting to 0.25, as in RFC 5348",
                  "does not exceed one", ask(largest_increase, RFC_5348)),
        ]),
    Scenario(
        "core-halving", source=FLOYD + ", section A.2", runs=no_runs,
        what="RTTs of persistent congestion until half of the rate",
        claims=[
            Claim("1 % loss before", 5, halvings(max, 0.01)),
            Claim("least, 0.05 to 2 % before", "not after four",
                  halvings(min, 0.0005, 0.001, 0.005, 0.01, 0.02)),
        ]),
    Scenario(
        "core-slower-flows", source=RHEE_XU + ", corollary 4.2", runs=no_runs,
        what="loss events of flows at 1 to 64 packets per RTT",
        claims=[Claim("pairs in which the faster flow does not see the "
                      "smaller loss event rate, of 63", 0,
                      ask(faster_flows_with_more_events))]),
    Scenario(
        "core-convexity", source=RHEE_XU + ", section 5.1", runs=no_runs,
        what="where 1 / f (p) turns from convex to concave",
        claims=[Claim("loss interval (packets)", 35, ask(inflection))]),
    Scenario(
        "core-rto", source=RHEE_XU + ", figure 13", runs=no_runs,
        what="the equation with t_RTO = 4 R by the same with TCP's",
        plot=plot_rto_ratios,
        claims=[
            Claim("RTT 10 ms, p = 0.15", "around 18",
                  ask(rto_ratio, 0.15, 0.01)),
            Claim("RTT 10 ms, p = 0.05", "around 8.5",
                  ask(rto_ratio, 0.05, 0.01)),
            Claim("RTT 500 ms, p = 0.3, times smaller", "around 2",
                  ask(lambda core: 1 / rto_ratio(core, 0.3, 0.5))),
            Claim("RTT 500 ms, p = 0.15, times smaller", "around 2",
                  ask(lambda core: 1 / rto_ratio(core, 0.15, 0.5)),
                  note="the ratio tends to 2 as p grows"),
        ]),
    Scenario(
        "core-responsiveness", source=BANSAL + ", section 3", runs=no_runs,
        what="TFRC's responsiveness and aggressiveness",
        claims=[
            Claim("RTTs until half of the rate, least", 4,
                  halvings(min, 0.001, 0.01, 0.05)),
            Claim("RTTs until half of the rate, most", 6,
                  halvings(max, 0.001, 0.01, 0.05)),
        ]),
    Scenario(
        "aimd-model", source=BANSAL + ", appendix A",
        what="AIMD below one packet per RTT, as the bound of the equation",
        runs=no_runs, claims=[
            Claim("packets per RTT at p = 1/2 with timeouts", "2/3",
                  lambda results: backed_off_rate(1)),
            Claim("our equation by the upper bound for TCP, most",
                  "below the line", ask(equation_by_upper_bound)),
        ]),
]
