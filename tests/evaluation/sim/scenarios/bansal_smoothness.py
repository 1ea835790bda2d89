# SPDX-License-Identifier: LGPL-2.1-or-later
"""One flow whose losses follow a pattern, not its rate (figures 17 to 19),
and section 3's measures of a single flow."""

import numpy as np

import metrics
import plots
from claims import BANSAL, Claim, Scale, Scenario
from scenarios import bansal_setup as setup
from simulation import Link, Loss, Queue, Run

# More than any of the flows takes: what is lost is the pattern's.
RATE_BIT_S = 15e6
# "three losses, each after 50 packet arrivals, followed by three more losses,
# each after 400 packet arrivals".
MILD = (Loss(kind="pattern", counts=(50, 50, 50, 400, 400, 400)),)
# "a six-second low-congestion phase where every 200th packet is dropped,
# followed by a one-second heavy-congestion phase where every fourth packet is
# dropped".
LOW_S, HEAVY_S = 6, 1
SECONDS = {Scale.QUICK: 62, Scale.STANDARD: 132}
SETTLED_S = 20
KINDS = {"tfrc": (setup.tfrc, 8), "tcp(1/8)": (setup.tcp, 8),
         "tcp": (setup.tcp, 2), "sqrt": (setup.sqrt, 2),
         "iiad": (setup.iiad, 1.5)}
LABELS = {"tfrc": "TFRC", "tcp(1/8)": "TCP(1/8)", "tcp": "TCP(1/2)",
          "sqrt": "SQRT(1/2)", "iiad": "IIAD(2/3)"}
# Both figures average over these.
SHORT_S, LONG_S = 0.2, 1.0


def alone(flow, loss, seconds, **settings):
    link = Link(rate_bit_s=RATE_BIT_S, delay_ms=20, loss=tuple(loss),
                queue=Queue(packets=1000))
    return Run(links=(link,), flows=(flow,), seconds=seconds, **settings)


def bursts(seconds):
    phases, time = [], 0
    while time < seconds:
        phases += [Loss(kind="every-nth", n=200, until_s=time + LOW_S),
                   Loss(kind="every-nth", n=4,
                        until_s=time + LOW_S + HEAVY_S)]
        time += LOW_S + HEAVY_S
    return phases


def runs_with(pattern, kinds):
    def runs(scale):
        seconds = SECONDS[scale]
        loss = MILD if pattern == "mild" else bursts(seconds)
        return {(kind, 1): alone(KINDS[kind][0](
            KINDS[kind][1], name="flow", start_s=0), loss, seconds)
            for kind in kinds}
    return runs


def sent_rates(result, bin_s):
    return result.sent_series("flow", bin_s, SETTLED_S)[:, 0]


def cov(bin_s):
    return lambda result: metrics.coefficient_of_variation(
        sent_rates(result, bin_s))


def worst_step(result):
    """The largest ratio of the rates in two consecutive bins: the smoothness
    metric, over 0.2 s instead of one RTT."""
    rates = sent_rates(result, SHORT_S)
    ratios = np.maximum(rates[1:], rates[:-1]) \
        / np.maximum(np.minimum(rates[1:], rates[:-1]), 1)
    return float(ratios.max())


def throughput(result):
    return float(sent_rates(result, LONG_S).mean())


def over(measure, one, other):
    return lambda results: setup.ratios(results, measure, (one,), (other,))


def plot(kinds):
    """Sending rates over 0.2 s and 1 s, and a mark for each drop."""
    def draw(results, figure):
        for axes, kind in zip(figure.subplots(len(kinds), 1, sharex=True),
                              kinds):
            result = next(iter(results.select(kind).values()))
            for bin_s, style in ((SHORT_S, "-"), (LONG_S, "--")):
                plots.series(axes, bin_s, sent_rates(result, bin_s) / 1000,
                             f"over {bin_s:g} s", SETTLED_S, linestyle=style)
            times, _ = result.losses("flow")
            axes.plot(times, 0 * times, "k|")
            axes.set(ylabel=f"{LABELS[kind]} [kB/s]", ylim=(0, None),
                     xlim=(SETTLED_S, SETTLED_S + 40))
        figure.axes[0].legend()
        figure.axes[-1].set_xlabel("time [s]")
    return draw


MILD_CLAIMS = [
    Claim("CoV of TFRC over TCP(1/8)'s, rates over 0.2 s",
          "considerably smoother", over(cov(SHORT_S), "tfrc", "tcp(1/8)")),
    Claim("largest step of TFRC from 0.2 s to the next, over TCP(1/8)'s",
          "considerably smoother", over(worst_step, "tfrc", "tcp(1/8)")),
    Claim("throughput of TFRC over TCP(1/8)'s", "slightly higher",
          over(throughput, "tfrc", "tcp(1/8)")),
]
BURST_CLAIMS = [
    Claim("throughput of TFRC over TCP(1/8)'s", "considerably worse",
          over(throughput, "tfrc", "tcp(1/8)")),
    Claim("throughput of TFRC over TCP(1/2)'s", "worse",
          over(throughput, "tfrc", "tcp")),
    Claim("CoV of TFRC over TCP(1/8)'s, rates over 1 s",
          "worse in smoothness", over(cov(LONG_S), "tfrc", "tcp(1/8)")),
    Claim("CoV of TFRC over TCP(1/2)'s, rates over 1 s",
          "worse in smoothness", over(cov(LONG_S), "tfrc", "tcp")),
]
BINOMIAL_CLAIMS = [
    Claim("CoV of IIAD over SQRT's, rates over 0.2 s", "smoother",
          over(cov(SHORT_S), "iiad", "sqrt")),
    Claim("throughput of IIAD over SQRT's", "at the cost of throughput",
          over(throughput, "iiad", "sqrt")),
]

SCENARIOS = [
    Scenario("bansal-mild-bursts", source=BANSAL + ", figure 17",
             what="3 losses after 50 packets each, 3 after 400 each",
             runs=runs_with("mild", ("tfrc", "tcp(1/8)")),
             claims=MILD_CLAIMS, plot=plot(("tfrc", "tcp(1/8)"))),
    Scenario("bansal-bursts", source=BANSAL + ", figure 18",
             what="6 s of every 200th packet lost, 1 s of every fourth",
             runs=runs_with("bursts", ("tfrc", "tcp(1/8)", "tcp")),
             claims=BURST_CLAIMS, plot=plot(("tfrc", "tcp(1/8)", "tcp"))),
    Scenario("bansal-binomial", source=BANSAL + ", figure 19",
             what="the losses of figure 17 for SQRT and IIAD",
             runs=runs_with("mild", ("sqrt", "iiad")),
             claims=BINOMIAL_CLAIMS, plot=plot(("iiad", "sqrt"))),
]
