# SPDX-License-Identifier: LGPL-2.1-or-later
"""RFC 8867 sections 6.1 and 6.3: flows of different priority, and a flow over
two bottlenecks.  Section 6.2, ECN, is of tests/evaluation/net, with the kernel's RED."""

from claims import Claim, RFC_8867, Scenario
from scenarios import _figures
from scenarios._video import (
    MEDIA_MAX_BIT_S, each, greedy, link, lowest_bit_s, media, seeds, used)
from simulation import Run

MBIT = 1e6

# 6.1: section 5.4's flows, the first of which has priority 2, the others 1.

PRIORITY_BIT_S = 3.5 * MBIT
# A flow of priority 2 sends twice what the equation gives.
TWICE = {"rate_scale": 2}
NAMES = ["S1", "S2", "S3"]
KINDS = {"greedy": greedy, "video": media}
# What S1 has by the mean of the others where shares are as priorities: an
# encoder takes 1.5 of its 1.75 Mbit/s, and leaves 1 to each of the others.
BY_PRIORITY = {"greedy": 2, "video": MEDIA_MAX_BIT_S * 2 / (
    PRIORITY_BIT_S - MEDIA_MAX_BIT_S)}


def priority_runs(scale):
    """Key: kind of flows, seed."""
    return {(kind, seed): Run(
        links=(link(PRIORITY_BIT_S, 50),), seconds=120, seed=seed,
        flows=tuple(make(name, TWICE if name == "S1" else {}, start_s=20 * i,
                         stop_s=119) for i, name in enumerate(NAMES)))
        for kind, make in KINDS.items() for seed in seeds(scale)}


def first_by_others(result):
    first, *others = (result.throughput(name, 60, 119) for name in NAMES)
    return first / (sum(others) / len(others))


def priority_claims(kind):
    return [
        Claim(f"{kind}: throughput of S1 by the mean of S2 and S3, by what "
              f"priorities of 2 and 1 give, {BY_PRIORITY[kind]:g}",
              "approximately twice",
              each(lambda result: first_by_others(result)
                   / BY_PRIORITY[kind], kind),
              note="streams of one sender share its rate by `priority` "
              "instead"),
        Claim(f"{kind}: used of 3.5 Mbit/s, 60 to 119 s", "",
              each(used(NAMES, 60, 119), kind)),
        Claim(f"{kind}: worst second of any, 60 to 119 s (bit/s)",
              "no starvation", each(lambda result: min(
                  lowest_bit_s(name, 60, 119)(result) for name in NAMES),
                  kind), note="an encoder's minimum"),
    ]


PRIORITY = Scenario(
    "rfc8867-priority", source=RFC_8867 + ", section 6.1",
    what="three flows on 3.5 Mbit/s, the first with twice the rate of the "
    "equation", runs=priority_runs,
    plot=_figures.capacity(("video", 1), NAMES, "3 videos, priorities 2 1 1"),
    claims=[claim for kind in KINDS for claim in priority_claims(kind)])

# 6.3: S1 over all three links, S2 over the first, S3 over the last.

LINKS_BIT_S = (2 * MBIT, 8 * MBIT, 1.5 * MBIT)
SECONDS = 300
SETTLED_S = 60
# Max-min fair: S1 and S3 share the narrow link, S2 has what S1 leaves it.
SHARES_BIT_S = {"S1": 0.75 * MBIT, "S2": 1.25 * MBIT, "S3": 0.75 * MBIT}


def bottleneck_runs(scale):
    """One-way delays of 100, 40 and 40 ms, of which each link is 20."""
    return {("bottlenecks", seed): Run(
        links=tuple(link(rate, 20) for rate in LINKS_BIT_S),
        seconds=SECONDS, seed=seed, flows=(
            media("S1", rtt_ms=200),
            media("S2", rtt_ms=80, to_link=0),
            media("S3", rtt_ms=80, from_link=2)))
        for seed in seeds(scale)}


def used_of_link(number):
    return lambda result: result.utilisation(SETTLED_S, SECONDS, number)


def least_share(result):
    return min(8 * result.throughput(name, SETTLED_S, SECONDS) / fair
               for name, fair in SHARES_BIT_S.items())


BOTTLENECKS = Scenario(
    "rfc8867-bottlenecks", source=RFC_8867 + ", section 6.3",
    what="a video over links of 2, 8 and 1.5 Mbit/s, one over the first and "
    "one over the last", runs=bottleneck_runs,
    plot=_figures.capacity(("bottlenecks", 1), NAMES,
                           "S1 over both bottlenecks"),
    claims=[
        Claim("used of the first bottleneck", "full utilisation",
              each(used_of_link(0), "bottlenecks"),
              note="S2 can take 1.5 of 2 Mbit/s"),
        Claim("used of the second bottleneck", "full utilisation",
              each(used_of_link(2), "bottlenecks")),
        Claim("smallest share of a fair one", "a fair share",
              each(least_share, "bottlenecks"),
              note="RFC 8868's guideline of 1/3, although it is for similar "
              "RTTs; S1 has the larger one and the losses of both"),
        Claim("throughput of S1 by a fair share", "",
              each(lambda result: 8 * result.throughput(
                  "S1", SETTLED_S, SECONDS) / SHARES_BIT_S["S1"],
                  "bottlenecks")),
        Claim("worst second of any (bit/s)", "no starvation",
              each(lambda result: min(lowest_bit_s(
                  name, SETTLED_S, SECONDS)(result) for name in NAMES),
                  "bottlenecks"), note="an encoder's minimum"),
    ])

SCENARIOS = [PRIORITY, BOTTLENECKS]
