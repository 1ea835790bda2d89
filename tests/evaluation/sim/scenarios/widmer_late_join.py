# SPDX-License-Identifier: LGPL-2.1-or-later
"""Section 4.5, figures 12 and 13: eight receivers and seven TCP on 8 Mbit/s; a
receiver behind a link of 200 kbit/s joins at 50 s and leaves at 100 s.  In
figure 13 a TCP is on that link as well."""

import numpy as np

import plots
from claims import AtLeast, Claim, NOT_QUICK, Scale, Scenario, WIDMER
from scenarios import widmer_setup as setup
from simulation import Link, Members, Run

SHARED_BIT_S, SLOW_BIT_S = 8e6, 200e3
N_TCP, N_RECEIVERS = 7, 8
JOIN_S, LEAVE_S, SECONDS = 50, 100, 140
JOINER = N_RECEIVERS
# The joiner's losses of the first seconds are in its history for a while.
SETTLED_S = 70
SLOW = "slow tcp"


def run(scale, slow_tcp, seed):
    slow = [setup.tcp(1, name=SLOW, start_s=20)] if slow_tcp else []
    return Run(
        links=(Link(rate_bit_s=SHARED_BIT_S, delay_ms=10,
                    queue=setup.drop_tail(SHARED_BIT_S)),
               Link(rate_bit_s=SLOW_BIT_S, delay_ms=10,
                    queue=setup.drop_tail(SLOW_BIT_S))),
        flows=(setup.tfmcc(setup.many(N_RECEIVERS), to_link=0,
                           parameters={"sample_ms": 100}),
               setup.branch("joiner", 1, [Members(join_s=JOIN_S,
                                                  leave_s=LEAVE_S)]),
               setup.tcp(count=N_TCP, rtt_ms=(50, 70)), *slow),
        seconds=SECONDS, seed=seed, bin_ms=100)


def runs(scale):
    if scale is Scale.QUICK:
        return {}
    return {(slow_tcp, seed): run(scale, slow_tcp, seed)
            for slow_tcp in (False, True) for seed in setup.seeds(scale, 6)}


def each(slow_tcp, measure):
    return lambda results: results.each(measure, slow_tcp)


def seconds_until_level(result, start, level):
    """From `start` until what is sent in 2 s is 0.9 of that level, or until
    the joiner or the end comes."""
    end = JOIN_S if start < JOIN_S else SECONDS
    rates = result.sent_series("tfmcc", 2.0, start, end)[:, 0]
    there = np.flatnonzero(rates >= 0.9 * level)
    return 2.0 * (float(there[0]) + 1) if len(there) \
        else AtLeast(end - start)


def fair_level(result):
    """What a TCP has before the joiner comes."""
    return result.throughput("tcp", 25, JOIN_S)


def start_s(result):
    return seconds_until_level(result, 0, fair_level(result))


def back_s(result):
    return seconds_until_level(result, LEAVE_S, fair_level(result))


def settled_share(result):
    """By the mean TCP before the joiner comes."""
    return result.throughput("tfmcc", 25, JOIN_S) \
        / result.throughput("tcp", 25, JOIN_S)


def until_clr(result):
    return setup.group(result).clr_since([JOINER], JOIN_S)


def least_rate(result):
    """Lowest sending rate while the joiner is there, by its link's."""
    state = setup.group(result).state
    there = (state["time"] > JOIN_S) & (state["time"] < LEAVE_S)
    return float(state["sending_rate"][there].min()) * 8 / SLOW_BIT_S


def slow_share(result):
    """Of the slow link, once the joiner has settled."""
    return result.throughput("joiner", SETTLED_S, LEAVE_S) * 8 / SLOW_BIT_S


def overload_s(result):
    """Seconds until what is sent over a second is at most the slow link."""
    rates = result.sent_series("tfmcc", 0.5, JOIN_S)[:, 0] * 8
    below = np.flatnonzero(rates <= SLOW_BIT_S)
    return 0.5 * float(below[0]) if len(below) else None


def longest_silence(start, end):
    """Longest time without a byte of the slow TCP [s]."""
    def measure(result):
        silent = result.series(SLOW, 0.1, start, end)[:, 0] == 0
        edges = np.flatnonzero(np.diff(np.concatenate(
            ([False], silent, [False])).astype(int)))
        return 0.1 * float(max(np.diff(edges)[::2], default=0))
    return measure


def slow_balance(result):
    """TFMCC by TCP on the slow link."""
    return result.throughput("joiner", SETTLED_S, LEAVE_S) \
        / result.throughput(SLOW, SETTLED_S, LEAVE_S)


def plot(results, figure):
    for ax, slow_tcp, title in zip(
            figure.subplots(1, 2, sharey=True), (False, True),
            ("figure 12", "figure 13: a TCP on the slow link")):
        result = next(iter(results.select(slow_tcp).values()))
        together = result.series("tcp", 1.0)[:, 0] * 8 / 1e6
        plots.series(ax, 1.0, together, "one of 7 TCP", linewidth=0.7,
                     color=plots.COLOURS["tcp"])
        if slow_tcp:
            plots.series(ax, 1.0, result.series(SLOW, 1.0)[:, 0] * 8 / 1e6,
                         "TCP on 200 kbit/s", color=plots.COLOURS["other"])
        rates = result.sent_series("tfmcc", 1.0)[:, 0] * 8 / 1e6
        plots.series(ax, 1.0, rates, "TFMCC", color=plots.COLOURS["tfrc"])
        ax.set(xlabel="s", title=title, ylim=(0, 3))
        ax.legend()
    figure.axes[0].set_ylabel("Mbit/s")


CLAIMS = [
    Claim("seconds from the start to the fair rate", "roughly 20",
          each(False, start_s), note="until 0.9 of what a TCP has from 25 "
          "to 50 s",
          scales=NOT_QUICK),
    Claim("TFMCC's rate by the mean TCP, 25 to 50 s", "about 1",
          each(False, settled_share), scales=NOT_QUICK,
          note="25 s of one flow"),
] + [
    Claim(f"seconds until the joiner is the CLR{words}",
          "a very few seconds", each(slow_tcp, until_clr), scales=NOT_QUICK)
    for slow_tcp, words, figure in (
        (False, "", "figure 12"),
        (True, ", a TCP on its link", "figure 13"))
] + [
    Claim("seconds until no more is sent than the slow link takes",
          "a limited time", each(False, overload_s), scales=NOT_QUICK),
    Claim("lowest rate while it is there by the slow link's",
          "does not drop to zero", each(False, least_rate), scales=NOT_QUICK),
    Claim("share of the slow link from 70 to 100 s", "it is used",
          each(False, slow_share),
          scales=NOT_QUICK),
    Claim("longest silence of the slow TCP from 50 to 60 s [s]",
          "a timeout", each(True, longest_silence(50, 60)), scales=NOT_QUICK,
          note="an RTO with its RTT"),
    Claim("TFMCC's rate by TCP's on the slow link, 70 to 100 s",
          "fairly", each(True, slow_balance), scales=NOT_QUICK,
          note="30 s of two flows with a few packets per RTT each"),
    Claim("seconds from the leave to that rate", "not given",
          each(False, back_s), scales=NOT_QUICK,
          note="the paper tells of the join only"),
]

SCENARIOS = [Scenario(
    "widmer-late-join", source=WIDMER + ", figures 12 and 13",
    what="a receiver behind 200 kbit/s comes and goes", runs=runs, plot=plot,
    claims=CLAIMS)]
