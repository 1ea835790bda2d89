# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figures 6, 7 and 8: n TCP and n TFRC share a bottleneck.

The last two thirds of 90 s count, over 5 seeds.  At the standard scale 8+8
and more on 60 Mbit/s have 45 s; 1+1 takes longer to fill the link after slow
start.  The paper has rates of 1 to 64 Mbit/s.  The quick scale has one cell for
30 s."""

import statistics

from claims import Claim, FLOYD, NOT_QUICK, Scale, Scenario
from scenarios import floyd_common as floyd
from simulation import dumbbell

QUEUES = {"drop-tail": floyd.drop_tail, "red": floyd.red_of_figure_8}
# Figure 8 compares the two: for that drop-tail has the buffer of RED.
DEEP = "deep drop-tail"
MAKE = {**QUEUES,
        DEEP: lambda rate_bit_s: floyd.drop_tail(rate_bit_s, packets=250)}
# (rate [Mbit/s], flows of each kind)
GRID = {
    Scale.QUICK: [(15, 8)],
    Scale.STANDARD: [(rate, n) for rate in (15, 60)
                     for n in (1, 8, 16, 32)] + [(15, 64)],
}
CELL_NOTE = ("RTT 80 to 120 ms, starts within 10 s; buffer of 100 packets "
             "per 15 Mbit/s, RED of footnote 2 (25/125 of 250)")


def seconds(rate, n, scale):
    if scale is Scale.QUICK:
        return 30
    return 45 if rate > 15 and n > 1 else 90


def run(queue, rate, n, seed, scale, **settings):
    return dumbbell(rate * 1e6, floyd.BOTTLENECK_DELAY_MS,
                    MAKE[queue](rate * 1e6),
                    [floyd.tfrc(n, **settings), floyd.tcp(n)],
                    seconds(rate, n, scale), seed=seed)


def runs(scale):
    cells = [(queue, rate, n) for queue in QUEUES for rate, n in GRID[scale]]
    if scale is not Scale.QUICK:
        cells.append((DEEP, 15, 16))
    return {(*cell, seed): run(*cell, seed, scale) for cell in cells
            for seed in floyd.seeds(scale, 1, 5)}


def judged(result):
    """The part of the run that counts."""
    return result.seconds / 3, result.seconds


def tcp_share(result):
    return result.normalised("tcp", *judged(result))


def tcp_window(result):
    """Mean window of a TCP in packets: its rate by its RTT."""
    start, end = judged(result)
    mean_queue, _ = result.queue()
    rows = slice(round(start / result.bin_s), round(end / result.bin_s))
    rtt_s = (sum(floyd.RTT_MS) / 2000
             + mean_queue[rows].mean() * 1000 / result.capacity(start, end))
    return result.throughput("tcp", start, end) * rtt_s / 1000


def by_seed(results, measure, summary):
    """[summary of measure over the seed's cells] for each seed."""
    seeds = sorted({key[-1] for key in results})
    return [summary([measure(result) for key, result in results.items()
                     if key[-1] == seed]) for seed in seeds]


def utilisation(result):
    return result.utilisation(*judged(result))


def spread(name):
    """Standard deviation of the normalised throughputs of a name's flows."""
    def measure(result):
        rates = result.throughputs(name, *judged(result))
        fair = result.capacity(*judged(result)) / len(result.flows)
        return statistics.pstdev(rates / fair)
    return measure


def mean_spread(results, name, n=None):
    return statistics.fmean(
        results.each(spread(name), "red", 15, n)
        + results.each(spread(name), "drop-tail", 15, n))


def spread_ratio(results):
    return statistics.fmean(mean_spread(results, "tfrc", n)
                            / mean_spread(results, "tcp", n)
                            for n in (8, 16, 32))


def spread_by_rate(name):
    """With 117 kbit/s for a flow by that with 938."""
    return lambda results: (mean_spread(results, name, 64)
                            / mean_spread(results, name, 8))


def smoothness(name, queue):
    return lambda results: results.each(
        lambda result: result.cov(name, 0.15, *judged(result)), queue, 15, 16)


def smoothness_ratio(queue):
    return lambda results: [
        tfrc / tcp for tfrc, tcp in zip(smoothness("tfrc", queue)(results),
                                        smoothness("tcp", queue)(results))]


def loss_by_queue(results):
    return [red / tail for red, tail in zip(
        *(results.each(lambda result: result.drop_rate(*judged(result)),
                       queue, 15, 16) for queue in ("red", DEEP)))]


def cell_claim(queue, rate, n):
    return Claim(
        f"normalised TCP throughput, {queue}, {n}+{n} on {rate} Mbit/s",
        "about 1",
        lambda results: results.each(tcp_share, queue, rate, n),
        note=CELL_NOTE,
        scales=(frozenset(Scale) if (rate, n) == (15, 8) else NOT_QUICK))


def window_claim(queue, n):
    return Claim(
        f"mean TCP window, {queue}, {n}+{n} on 15 Mbit/s [packets]",
        "reported", lambda results: results.each(tcp_window, queue, 15, n),
        scales=NOT_QUICK)


def small_window_claim(queue):
    return Claim(
        f"normalised TCP throughput, {queue}, 64+64 on 15 Mbit/s",
        "less than 1 where TCP's window is very small",
        lambda results: results.each(tcp_share, queue, 15, 64),
        scales=NOT_QUICK, note="a mean window below 4 packets")


def plot(results, figure):
    axes = figure.subplots(1, 2, sharey=True)
    for ax, queue in zip(axes, QUEUES):
        for rate in sorted({key[1] for key in results}):
            counts = sorted({key[2] for key in results.select(queue, rate)})
            shares = [results.each(tcp_share, queue, rate, n)
                      for n in counts]
            means = [statistics.fmean(share) for share in shares]
            ax.errorbar([2 * n for n in counts], means,
                        [[mean - min(share) for mean, share
                          in zip(means, shares)],
                         [max(share) - mean for mean, share
                          in zip(means, shares)]],
                        marker="o", capsize=3, label=f"{rate} Mbit/s")
        ax.axhspan(0.8, 1.25, color="0.9", zorder=0)
        ax.axhline(1, color="0.6", linewidth=0.8)
        ax.set(title=queue, xlabel="flows (half of them TCP)",
               xscale="log", ylim=(0, 1.6))
        ax.set_xticks([2, 16, 32, 64, 128], ["2", "16", "32", "64", "128"])
        ax.legend()
    axes[0].set_ylabel("normalised TCP throughput")


SCENARIOS = [Scenario(
    "floyd-fairness", source=FLOYD + ", figures 6 to 8",
    what="n TCP + n TFRC, drop-tail and RED", runs=runs, plot=plot,
    claims=[cell_claim(queue, rate, n) for queue in QUEUES
            for rate, n in GRID[Scale.STANDARD] if n < 64] + [
        window_claim(queue, n) for queue in QUEUES for n in (32, 64)] + [
        small_window_claim(queue) for queue in QUEUES] + [
        Claim("least utilisation over the grid", "over 0.9, often over 0.99",
              lambda results: by_seed(results, utilisation, min)),
        Claim("spread of the TFRC flows by that of the TCP flows, 15 Mbit/s",
              "TCP has the higher variance", spread_ratio, scales=NOT_QUICK,
              note="standard deviation of the normalised throughputs, mean "
              "over 8+8, 16+16 and 32+32 and both queues"),
        Claim("spread of TFRC flows with 64+64 by that with 8+8, 15 Mbit/s",
              "grows with less bandwidth per flow", spread_by_rate("tfrc"),
              scales=NOT_QUICK),
        Claim("spread of TCP flows with 64+64 by that with 8+8, 15 Mbit/s",
              "grows with less bandwidth per flow", spread_by_rate("tcp"),
              scales=NOT_QUICK),
    ] + [
        Claim(f"CoV at 0.15 s, TFRC by TCP, {queue}, 16+16 on 15 Mbit/s",
              "TFRC smoother", smoothness_ratio(queue), scales=NOT_QUICK,
              note=f"the authors' ns-2 code: {authors}")
        for queue, authors in (("red", ".25 by .56 = .45"),
                               (DEEP, ".164 by .63 = .26"))
    ] + [
        Claim("drop rate with RED by that with drop-tail, 16+16 on 15 Mbit/s",
              "RED needs the higher one", loss_by_queue, scales=NOT_QUICK,
              note="the same buffer of 250 packets (deep drop-tail)"),
    ])]
