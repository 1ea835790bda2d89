# SPDX-License-Identifier: LGPL-2.1-or-later
"""How many of a group report, and who: RFC 4654 sections 3.4 and 4.5 with
TFMCC's sender and all receivers, over a link.  The timers without a network
are in widmer_feedback.py, closed forms in tests/evaluation/sim/group_metrics.py."""

import numpy as np

from claims import Claim, EVERY_SCALE, NOT_QUICK, RFC_4654, Scale, Scenario
import group_metrics
from simulation import Flow, Link, Loss, Members, Queue, Run
import plots

RTT_MS = 100
B, GAMMA, C = 6, 0.25, 3
SIZES = (100, 1000, 10000)
# Of equal rates: when slow start is over, and the end.  The reports of a round
# scatter by as much as their mean: that of 60 s, which is less than a hundred
# rounds, scatters by a tenth from seed to seed.
SECONDS = {scale: (20, 420) for scale in (Scale.QUICK, Scale.STANDARD)}
# 10,000 receivers take half a second of the processor for one of theirs.
LARGE_SECONDS = {Scale.STANDARD: (20, 120)}
CONGESTED_AT_S, CONGESTED_UNTIL_S = 30, 50


def group(members, seconds, loss=None, seed=1):
    """Everybody has the same RTT, and knows it by synchronised clocks."""
    flow = Flow(name="tfmcc", kind="tfmcc", rtt_ms=RTT_MS, parameters={
        "members": tuple(members), "synchronised_error_ms": 0})
    return Run(links=(Link(rate_bit_s=20e6, delay_ms=1,
                           queue=Queue(packets=1000), loss=loss),),
               flows=(flow,), seconds=seconds, seed=seed, bin_ms=1000)


# All rates equal: what is lost is lost by all.

def equal_runs(scale):
    """Key: members, seed."""
    loss = (Loss(kind="every-nth", n=50),)
    found = {}
    for members in SIZES:
        span = (LARGE_SECONDS if members > 1000 else SECONDS).get(scale)
        if span:
            found[members, 1] = group([Members(count=members)], span[1],
                                      loss)
    return found


def settled_rounds(result, start=20):
    return result.group("tfmcc").rounds_between(start, result.seconds)


def counts(results, members):
    [result] = results.select(members).values()
    return settled_rounds(result)["reports"]


def closed_form(results, members):
    """(tau, gap, (1 - gamma) T), their means over the rounds."""
    [result] = results.select(members).values()
    rounds = settled_rounds(result)
    gap = rounds["packet_interval"]
    span = (1 - GAMMA) * B * np.maximum(told(rounds["max_rtt"]),
                                        (C + 1) * gap)
    return RTT_MS / 1000, float(gap.mean()), float(span.mean())


def told(max_rtt):
    """R_max as its code on the wire has it: sixteenths, rounded up."""
    step = 2 ** np.floor(np.log2(max_rtt * 1000)) / 16 / 1000
    return np.ceil(max_rtt / step) * step


def expected(results, members):
    delay, gap, span = closed_form(results, members)
    return group_metrics.expected_reports(members, delay, span, gap)


def by_closed_form(members):
    return lambda results: float(counts(results, members).mean()
                                 / expected(results, members))


def above_three_times(members):
    return lambda results: float(np.mean(
        counts(results, members) > 3 * expected(results, members)))


def above_by_law(members):
    return lambda results: above_three_times(members)(results) \
        / lawful_share(results, members)


def lawful_share(results, members):
    """The same share by the law of the timers."""
    delay, gap, span = closed_form(results, members)
    return group_metrics.share_of_rounds_above(
        3 * expected(results, members), members, delay + gap / 2, span)


def most(members):
    return lambda results: float(counts(results, members).max())


def most_by_closed_form(members):
    return lambda results: float(counts(results, members).max()
                                 / expected(results, members))


def plot_equal(results, figure):
    for axes, members in zip(figure.subplots(1, len(SIZES), sharey=True),
                             SIZES):
        found = counts(results, members)
        delay, gap, span = closed_form(results, members)
        edges = np.arange(0, 61)
        axes.plot(edges, [np.mean(found > edge) for edge in edges],
                  drawstyle="steps-post", label="ours")
        axes.plot(edges, [group_metrics.share_of_rounds_above(
            edge, members, delay + gap / 2, span) for edge in edges], "k:",
            label="law of the timers")
        axes.axvline(3 * expected(results, members), color="0.7",
                     label="three times the mean")
        axes.set(title=f"{members} receivers", xlabel="reports",
                 yscale="log", ylim=(1e-3, 1.1))
    figure.axes[0].set_ylabel("share of rounds with more")
    figure.axes[0].legend()


# The whole group is congested at once.

def congested_runs(scale):
    """Key: who loses, members, seed.  From 1 % of the packets to 20 %, which
    all lose together or each for itself."""
    light = {"kind": "every-nth", "n": 100}
    kinds = {
        "together": ((Loss(until_s=CONGESTED_AT_S, **light),
                      Loss(kind="bernoulli", p=0.2)), {}),
        "each": ((Loss(**light),), {"losses": ((CONGESTED_AT_S, 0.2),)})}
    return {(who, members, seed): group(
        [Members(count=members, **own)], CONGESTED_UNTIL_S, loss, seed)
        for who, (loss, own) in kinds.items() for members in SIZES
        for seed in range(1, 2 if members > 1000 else 4)}


def worst_round(who, members):
    """Reports of the worst round since the congestion."""
    def over_seeds(results):
        return [float(rounds["reports"][
            rounds["end"] > CONGESTED_AT_S].max())
            for rounds in results.each(
                lambda result: result.group("tfmcc").rounds, who, members)]
    return over_seeds


# Static rates that differ.

def static_runs(scale):
    """Each loses every n-th packet, 50 to 250: rates within a factor of
    2.5.  One seed is 400 receivers."""
    return {("static", seed): group(
        [Members(count=4, every_nth=n) for n in range(50, 250, 2)],
        40 if scale is Scale.QUICK else 220, seed=seed)
        for seed in range(1, 2 if scale is Scale.QUICK else 6)}


def plot_static(results, figure):
    left, right = figure.subplots(1, 2)
    for result in results.values():
        left.hist(others_excess(result) * 100, bins=np.arange(-1, 14),
                  histtype="step", label=f"seed {result.run.seed}")
        right.hist(settled_rounds(result)["reports"], bins=20,
                   histtype="step")
    left.axvline(13, color="0.5", linestyle=":", label="limit")
    left.set(xlabel="lowest report of others above their lowest [%]",
             ylabel="rounds")
    left.legend(loc="center")
    right.set(xlabel="reports", ylabel="rounds")


def others_excess(result):
    """Lowest rate reported in a round by who is not the CLR, by the lowest
    of all who are not, less 1."""
    rounds = settled_rounds(result)
    rounds = rounds[rounds["reports"] > 0]
    return rounds["lowest_reported_others"] / rounds["lowest_others_end"] - 1


def anybodys_excess(result):
    return result.group("tfmcc").quality(20, result.seconds)


def furthest(excess, choose=max):
    return lambda results: float(choose(
        choose(excess(result)) for result in results.values()))


FALLING = ("the rate falls to less than a fifth within one round, so the "
           "packet that tells of the first report comes later than the "
           "timers were made for; a small group is silent until they end")

SCENARIOS = [
    Scenario(
        "group-reports", source=RFC_4654 + ", section 4.5",
        what="reports in a round when all receivers calculate the same rate",
        runs=equal_runs, plot=plot_equal, claims=[
            *[Claim(f"{n} receivers: mean by the closed form at (1 - gamma) "
                    "T, tau with the gap to the next packet", 1.0,
                    by_closed_form(n),
                    scales=NOT_QUICK if n > 1000 else EVERY_SCALE)
              for n in SIZES],
            *[Claim(f"{n} receivers: rounds with more than three times the "
                    "closed form, by what the law of the timers gives", 1.0,
                    above_by_law(n), scales=NOT_QUICK)
              for n in SIZES[:2]],
            *[Claim(f"{n} receivers: most reports in a round, by the closed "
                    "form", "no more than 3", most_by_closed_form(n),
                    scales=NOT_QUICK) for n in SIZES],
            *[Claim(f"{n} receivers: most reports in a round", "-", most(n),
                    scales=NOT_QUICK, note="one draw from a long tail; its "
                    "law is judged above") for n in SIZES],
        ]),
    Scenario(
        "group-reports-congested", source=RFC_4654 + ", section 4.5",
        what="reports in the worst round since the whole group is congested "
        "at once", runs=congested_runs, claims=[
            Claim(f"{n} receivers, {words}", "-", worst_round(who, n),
                  scales=NOT_QUICK,
                  note=FALLING if n == SIZES[0] else "as above")
            for n in SIZES for who, words in (
                ("together", "common loss"), ("each", "independent loss"))]),
    Scenario(
        "group-reports-lowest", source=RFC_4654 + ", section 4.5",
        what="whether the lowest of 400 static rates is reported in each "
        "round", runs=static_runs, plot=plot_static, claims=[
            Claim("lowest report of any receiver by the lowest rate, less 1, "
                  "worst round", 0, furthest(anybodys_excess),
                  note="1 / (1 - theta) and twice the rounding of the rate's "
                  "code, 1/128"),
            Claim("the same of all but the CLR, which reports in each RTT",
                  "at most 0.11", furthest(others_excess), note="as above"),
            Claim("the lowest of them, over all rounds: no report is lower "
                  "than the lowest rate", 0, furthest(others_excess, min)),
        ]),
]
