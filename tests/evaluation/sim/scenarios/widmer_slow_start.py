# SPDX-License-Identifier: LGPL-2.1-or-later
"""Section 4.4, figure 11: the highest rate of slow start against the number of
receivers, where TFMCC's fair rate is 1 Mbit/s: alone on the link, with one
TCP, with two and with fifteen.

All receivers are behind the one bottleneck, and all begin at the same time.
How far slow start gets depends on the buffer, which the paper does not give:
ours is the default of its ns-2, 50 packets.  Single runs are anything between
.02 and 2.5 times the fair rate, so ratios are those of two means."""

import plots
from claims import (Claim, NOT_QUICK, Scale, Scenario, WIDMER, by_seed,
                    ratio_of_means)
from scenarios import widmer_setup as setup
from simulation import Link, Queue, Run

FAIR_BIT_S = 1e6
RECEIVERS = (2, 32, 512)
# Number of TCPs.
ALONE, ONE, TWO, MANY = 0, 1, 2, 15
BUFFER = Queue(kind="drop-tail", packets=50)
START_S, SECONDS = 20, 50


def run(n_tcp, receivers, seed):
    rate = FAIR_BIT_S * (n_tcp + 1)
    tcp = [setup.tcp(count=n_tcp, rtt_ms=(50, 70), start_s=START_S)] \
        if n_tcp else []
    return Run(
        links=(Link(rate_bit_s=rate, delay_ms=10, queue=BUFFER),),
        flows=(setup.tfmcc(setup.many(receivers), start_s=START_S), *tcp),
        seconds=SECONDS, seed=seed, bin_ms=100)


def runs(scale):
    if scale is Scale.QUICK:
        return {(ALONE, 8, 1): run(ALONE, 8, 1)}
    return {(n_tcp, receivers, seed): run(n_tcp, receivers, seed)
            for n_tcp in (ALONE, ONE, TWO, MANY) for receivers in RECEIVERS
            for seed in setup.seeds(scale, 64)}


def highest(result):
    """By the fair rate."""
    return setup.group(result).summary["slow_start_rate"] * 8 / FAIR_BIT_S


def by_receivers(n_tcp):
    """With the most receivers by that with the fewest."""
    return lambda results: ratio_of_means(
        *(results.each(highest, n_tcp, receivers)
          for receivers in (RECEIVERS[-1], RECEIVERS[0])))


def plot(results, figure):
    axes = figure.subplots()
    for n_tcp, label in ((ALONE, "only TFMCC"), (ONE, "one TCP"),
                         (TWO, "two TCP"), (MANY, "15 TCP")):
        plots.ours(axes, RECEIVERS,
                   [results.each(highest, n_tcp, n) for n in RECEIVERS],
                   label)
    axes.axhline(1, color="0.6", linewidth=0.8)
    plots.paper_line(axes, 2, "paper, only TFMCC")
    axes.set(xscale="log", xlabel="receivers", ylim=(0, 3),
             ylabel="highest rate of slow start by the fair one")
    axes.set_xticks(RECEIVERS, map(str, RECEIVERS))
    axes.legend(ncols=5, loc="upper right")


CLAIMS = [
    Claim("most by the bottleneck, empty link", "at most twice",
          by_seed(lambda results: max(results.each(highest, ALONE)))),
    Claim("highest rate of slow start by the bottleneck, empty link",
          "roughly 2", lambda results: results.each(highest, ALONE),
          scales=NOT_QUICK,
          note="the true bound is twice the bottleneck; how near the last "
          "round comes depends on where the one before it ended"),
    Claim("highest rate of slow start by the fair one, one TCP",
          "below 1", lambda results: results.each(highest, ONE),
          scales=NOT_QUICK),
    Claim("that with 512 receivers by that with 2, one TCP",
          "relatively independent", by_receivers(ONE),
          scales=NOT_QUICK),
    Claim("highest rate of slow start by the fair one, 15 TCP",
          "most of the increase comes after slow start",
          lambda results: results.each(highest, MANY),
          scales=NOT_QUICK),
    Claim("that with 512 receivers by that with 2, two TCP",
          "considerably less", by_receivers(TWO),
          scales=NOT_QUICK),
    Claim("that with 512 receivers by that with 2, 15 TCP",
          "considerably less", by_receivers(MANY),
          scales=NOT_QUICK),
]

SCENARIOS = [Scenario(
    "widmer-slow-start", source=WIDMER + ", figure 11",
    what="how far slow start gets by receivers and competitors", runs=runs,
    plot=plot, claims=CLAIMS)]
