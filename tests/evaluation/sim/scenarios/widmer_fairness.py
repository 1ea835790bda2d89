# SPDX-License-Identifier: LGPL-2.1-or-later
"""Section 4.1, figures 6 and 7: one TFMCC and 15 TCP over one bottleneck, and
one TFMCC whose sixteen receivers each share a tail of their own with a TCP.

The paper gives a typical run of 200 s; ours begin to count after 60 s, when
slow start and the way up from it are over."""

import statistics

import plots
from claims import Claim, NOT_QUICK, Scale, Scenario, WIDMER
from scenarios import widmer_setup as setup
from simulation import Link, Run

SHARED, TAILS = "shared", "tails"
N_TCP = 15
N_TAILS = 16
SHARED_BIT_S = 8e6
TAIL_BIT_S = 1e6
RTT_MS = 100
# On one bottleneck: equal ones would win or lose by phase.
TCP_RTT_MS = (80, 120)
STARTS_S = (0, 10)
START_S = 60
SECONDS = {Scale.QUICK: 160, Scale.STANDARD: 200}


def shared(scale, seed):
    return Run(
        links=(Link(rate_bit_s=SHARED_BIT_S, delay_ms=20,
                    queue=setup.drop_tail(SHARED_BIT_S)),),
        flows=(setup.tfmcc(setup.many(1), rtt_ms=RTT_MS),
               setup.tcp(count=N_TCP, rtt_ms=TCP_RTT_MS, start_s=STARTS_S)),
        seconds=SECONDS[scale], seed=seed, bin_ms=100)


def tails(scale, n, seed):
    """The first tail is the tfmcc flow's own.  "Identical": where the TCPs
    have other RTTs than the receivers, TFMCC follows the tail with the least
    left for it."""
    link = Link(rate_bit_s=TAIL_BIT_S, delay_ms=20,
                queue=setup.drop_tail(TAIL_BIT_S))
    branches = [setup.branch(f"tail {i}", i, setup.many(1), rtt_ms=RTT_MS)
                for i in range(1, n)]
    return Run(
        links=(link,) * n,
        flows=(setup.tfmcc(setup.many(1), rtt_ms=RTT_MS, to_link=0),
               *branches,
               *(setup.tcp(i, rtt_ms=RTT_MS, start_s=STARTS_S)
                 for i in range(n))),
        seconds=SECONDS[scale], seed=seed, bin_ms=100)


def runs(scale):
    made = {}
    for seed in setup.seeds(scale, 5):
        made[(SHARED, N_TCP, seed)] = shared(scale, seed)
        made[(TAILS, N_TAILS, seed)] = tails(scale, N_TAILS, seed)
        if scale is not Scale.QUICK:
            made[(TAILS, 1, seed)] = tails(scale, 1, seed)
    return made


def share(result):
    """TFMCC's throughput at its receivers by the mean one of the TCPs."""
    def mean(kind):
        names = [flow.name for flow in result.run.flows
                 if flow.kind.startswith(kind)]
        return statistics.fmean(
            rate for name in dict.fromkeys(names)
            for rate in result.throughputs(name, START_S, result.seconds))
    return mean("tfmcc") / mean("tcp")


def smoothness(bin_s):
    def measure(result):
        return (result.cov("tfmcc", bin_s, START_S, result.seconds)
                / result.cov("tcp", bin_s, START_S, result.seconds))
    return measure


def each(measure, *pattern):
    return lambda results: results.each(measure, *pattern)


def plot(results, figure):
    axes = figure.subplots(1, 2)
    one = results.select(SHARED)
    result = next(iter(one.values()))
    for name, label in (("tcp", "two of 15 TCP"), ("tfmcc", "TFMCC")):
        rows = result.series(name, 1.0)[:, :2]
        for i, column in enumerate(rows.T):
            plots.series(axes[0], 1.0, column * 8 / 1e6,
                         None if i else label, linewidth=0.8,
                         color=plots.COLOURS["tfrc" if name == "tfmcc"
                                             else "tcp"])
    axes[0].axhline(SHARED_BIT_S / 16e6, color="0.6", linewidth=0.8)
    axes[0].set(title="one bottleneck of 8 Mbit/s, mean over 1 s",
                xlabel="s", ylabel="Mbit/s", ylim=(0, None))
    axes[0].legend()
    counts = (1, N_TAILS)
    plots.ours(axes[1], counts,
               [results.each(share, TAILS, n) for n in counts], "ours")
    plots.paper(axes[1], [N_TAILS], [0.7])
    axes[1].set(title="tails of 1 Mbit/s with a TCP each",
                xlabel="tails", ylabel="TFMCC's rate by TCP's",
                xlim=(0, N_TAILS + 1), ylim=(0, 1.5))
    axes[1].legend()


SCENARIOS = [Scenario(
    "widmer-fairness", source=WIDMER + ", figures 6 and 7",
    what="TFMCC and TCP on one bottleneck, and on sixteen", runs=runs,
    plot=plot, claims=[
        Claim("TFMCC's throughput by the mean TCP, one bottleneck",
              "closely matches", each(share, SHARED),
              note="RTT 80 to 120 ms, buffer of 53 packets"),
        Claim("CoV of TFMCC by that of TCP at 1 s, one bottleneck",
              "smoother", each(smoothness(1.0), SHARED)),
        Claim("TFMCC's throughput by the mean TCP, sixteen tails of 1 Mbit/s",
              0.7, each(share, TAILS, N_TAILS),
              note="a buffer of 12 packets"),
        Claim("TFMCC's throughput by TCP's, one tail of 1 Mbit/s",
              "1 at 16 tails without the minimum over their losses",
              each(share, TAILS, 1), scales=NOT_QUICK,
              note="what of the 70 % is not the number of the tails"),
    ])]
