# SPDX-License-Identifier: LGPL-2.1-or-later
"""Section 4.3.  Figure 9: how many of 1000 receivers have measured their RTT,
where all have the same losses and begin with 500 ms.  Figure 10: how soon the
group follows a receiver whose RTT grows among others with the same loss rate.

The paper gives neither the bottleneck of figure 9 nor the loss rate and RTTs
of figure 10.  Ours: 1 Mbit/s; 2 % and 60 ms, that grow to 300.

In RFC 4654 section 3.2 R_max falls to what the sender sees of the RTTs, within
20 s here.  A third group of figure 9 has R_max held at 500 ms, which all
receivers begin with."""

import statistics

import numpy as np

import plots
from claims import AtLeast, Claim, NOT_QUICK, Scale, Scenario, WIDMER
from scenarios import widmer_setup as setup
from simulation import Link, Members, Queue, Run

# Figure 9.
GROUP = 1000
SECONDS = 200
# 60 to 140 ms: the flow's own and so much each way.
EXTRA_MS = (0, 40)
BOTTLENECK_BIT_S = 1e6
LOOKS_S = (10, 25, 50, 75, 100, 150, 199)

HELD = "held"

# Figure 10.
SIZES = (40, 200, 1000)
LOSS = 0.02
FAR_MS = 120
AFTER_S = 60
CHANGES_S = (5, 20, 50, 100)


def acquisition(rtts, seed, **parameters):
    return Run(
        links=(Link(rate_bit_s=BOTTLENECK_BIT_S, delay_ms=10,
                    queue=setup.drop_tail(BOTTLENECK_BIT_S)),),
        flows=(setup.tfmcc(setup.many(GROUP, delay_ms=EXTRA_MS),
                           parameters={"feedback_rtts": rtts,
                                       **parameters}),),
        seconds=SECONDS, seed=seed, bin_ms=1000)


def change(size, when, seed):
    far = Members(loss=LOSS, delays=((when, FAR_MS),))
    return Run(
        links=(Link(rate_bit_s=setup.FAST_BIT_S, delay_ms=10,
                    queue=Queue(kind="drop-tail", packets=1000)),),
        flows=(setup.tfmcc([far, Members(count=size - 1, loss=LOSS)]),),
        seconds=when + AFTER_S, seed=seed, bin_ms=1000)


def runs(scale):
    if scale is Scale.QUICK:
        return {}
    made = {("acquisition", rtts, seed): acquisition(rtts, seed)
            for rtts in (setup.RFC_ROUND, setup.PAPERS_ROUND)
            for seed in setup.seeds(scale, 2)}
    # "R_max = max (R_max, 8 s/X + ts_gran)".
    made.update({("acquisition", HELD, seed): acquisition(
        setup.PAPERS_ROUND, seed, granularity_us=500000)
        for seed in setup.seeds(scale, 2)})
    made.update({("change", size, when, seed): change(size, when, seed)
                 for size in SIZES for when in CHANGES_S
                 for seed in setup.seeds(scale, 8 if size < 1000 else 4)})
    return made


def acquired(time):
    """Receivers with an RTT of their own at that time."""
    return lambda result: float(np.count_nonzero(
        (setup.group(result).members["first_rtt"] >= 0)
        & (setup.group(result).members["first_rtt"] <= time)))


def per_round(start, end):
    """First measurements of an RTT in a round."""
    def measure(result):
        rounds = setup.group(result).rounds_between(start, end)
        return (acquired(end)(result) - acquired(start)(result)) \
            / max(len(rounds), 1)
    return measure


def last_per_round(result):
    """The same while the last twentieth of the group measures its RTT."""
    first = np.sort(setup.group(result).members["first_rtt"])
    return per_round(float(first[-GROUP // 20]),
                     float(first[-1]) + 1e-3)(result) \
        if first[0] >= 0 else None


def reaction(result):
    """Seconds from the change until its receiver is the CLR; all that was
    waited for if it never was."""
    when = result.seconds - AFTER_S
    waited = setup.group(result).clr_since([0], when)
    return AtLeast(AFTER_S) if waited is None else waited


def mean_reaction(size=None, when=None):
    return lambda results: results.each(reaction, "change", size, when)


def late_by_early(size):
    def measure(results):
        early, late = (statistics.fmean(mean_reaction(size, when)(results))
                       for when in (CHANGES_S[0], CHANGES_S[-1]))
        return late / early
    return measure


def large_by_small(when):
    def measure(results):
        small, large = (statistics.fmean(mean_reaction(size, when)(results))
                        for size in (SIZES[0], SIZES[-1]))
        return large / small
    return measure


def plot(results, figure):
    left, right = figure.subplots(1, 2)
    for rtts in (setup.RFC_ROUND, setup.PAPERS_ROUND):
        plots.ours(left, LOOKS_S,
                   [results.each(acquired(time), "acquisition", rtts)
                    for time in LOOKS_S], f"T = {rtts} R_max")
    plots.ours(left, LOOKS_S,
               [results.each(acquired(time), "acquisition", HELD)
                for time in LOOKS_S], "T = 4 R_max, R_max = 500 ms")
    plots.paper(left, [200], [700])
    left.set(xlabel="s", ylabel="receivers with an RTT", ylim=(0, GROUP))
    left.legend()
    for size in SIZES:
        plots.ours(right, CHANGES_S,
                   [mean_reaction(size, when)(results)
                    for when in CHANGES_S], f"{size} receivers")
    right.set(xlabel="time of the change [s]", ylabel="delay [s]",
              ylim=(0, None))
    right.legend()


def of_acquisition(rtts, measure):
    return lambda results: results.each(measure, "acquisition", rtts)


CLAIMS = [
    Claim("receivers with an RTT after 199 s, T = 4 R_max", 700,
          of_acquisition(setup.PAPERS_ROUND, acquired(199)), scales=NOT_QUICK),
    Claim("receivers with an RTT after 199 s, T = 6 R_max", 700,
          of_acquisition(setup.RFC_ROUND, acquired(199)), scales=NOT_QUICK),
    Claim("receivers with an RTT after 199 s, T = 4 R_max, R_max held at "
          "500 ms", 700, of_acquisition(HELD, acquired(199)),
          scales=NOT_QUICK),
    Claim("first measurements per round from 0 to 20 s, T = 4 R_max",
          "E[f]: a few, figure 2",
          of_acquisition(setup.PAPERS_ROUND, per_round(0, 20)),
          scales=NOT_QUICK,
          note="21 is figure 2's for T' = 3 RTTs"),
    Claim("first measurements per round from 0 to 20 s, T = 6 R_max",
          "E[f]: a few, figure 2",
          of_acquisition(setup.RFC_ROUND, per_round(0, 20)), scales=NOT_QUICK,
          note="7.8 by the closed form for T' = 4.5 RTTs"),
    Claim("first measurements per round of the last 50 receivers, T = 4 "
          "R_max", "drops to one",
          of_acquisition(setup.PAPERS_ROUND, last_per_round),
          scales=NOT_QUICK),
] + [
    Claim(f"seconds until a changed RTT is the CLR's, change at {when} s, "
          f"{size} receivers", "reported", mean_reaction(size, when),
          scales=NOT_QUICK,
          note="few runs of a time that varies much; how it falls is judged "
          "below")
    for size in SIZES for when in CHANGES_S
] + [
    Claim(f"delay with a change at {CHANGES_S[-1]} s by that at "
          f"{CHANGES_S[0]} s, {size} receivers", "falls with the time",
          late_by_early(size),
          scales=NOT_QUICK)
    for size in SIZES
] + [
    Claim(f"delay with 1000 receivers by that with 40, change at "
          f"{CHANGES_S[0]} s", "more receivers, longer",
          large_by_small(CHANGES_S[0]),
          scales=NOT_QUICK),
]

SCENARIOS = [Scenario(
    "widmer-rtt", source=WIDMER + ", figures 9 and 10",
    what="1000 receivers measure their RTT; one of them changes", runs=runs,
    plot=plot, claims=CLAIMS)]
