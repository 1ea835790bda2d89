# SPDX-License-Identifier: LGPL-2.1-or-later
"""The variant in the text on figure 6: where TCP's mean window is very small
it falls behind TFRC, and "when we modify TFRC to send two packets every two
inter-packet intervals, TCP competes more fairly".

40 + 40 flows on 8 Mbit/s have a fair share of 12.5 packets/s: a window of
about two packets."""

from claims import Claim, FLOYD, Scale, Scenario
from scenarios import floyd_common as floyd
from simulation import dumbbell

SPACINGS = {"single": {}, "pairs": {"packets_per_burst": 2}}
RATE_BIT_S = 8e6
SECONDS = {Scale.QUICK: 30, Scale.STANDARD: 90, Scale.FULL: 90}
FLOWS = 40


def runs(scale):
    return {(spacing, seed): dumbbell(
        RATE_BIT_S, floyd.BOTTLENECK_DELAY_MS, floyd.drop_tail(RATE_BIT_S),
        [floyd.tfrc(FLOWS, parameters=parameters), floyd.tcp(FLOWS)],
        SECONDS[scale], seed=seed)
        for spacing, parameters in SPACINGS.items()
        for seed in floyd.seeds(scale, 1, 5, 10)}


def tcp_share(result):
    return result.normalised("tcp", result.seconds / 3, result.seconds)


def share(spacing):
    return lambda results: results.each(tcp_share, spacing)


def gain(results):
    return [pairs - single for pairs, single
            in zip(share("pairs")(results), share("single")(results))]


SCENARIOS = [Scenario(
    "floyd-pairs", source=FLOYD + ", text on figure 6",
    what="two packets every two intervals, small TCP windows",
    runs=runs, claims=[
        Claim("what TCP gains by pairs, in its normalised throughput",
              "TCP competes more fairly", gain, low=0.03,
              note="drop-tail, 40+40 flows on 8 Mbit/s"),
        Claim("normalised TCP throughput, evenly spaced TFRC", "TCP suffers",
              share("single"), low=0.8, high=1.4,
              explained="not our TCP: SACK, limited transmit and an RTO of "
              "0.2 s serve a window of two packets better than the ns-2 TCP "
              "of 2000 did, and at over 10 % loss the equation with t_RTO of "
              "4 RTTs asks for less than TCP takes (Rhee and Xu 2005)"),
        Claim("normalised TCP throughput, TFRC in pairs",
              "TCP competes more fairly", share("pairs"), low=1, high=1.6,
              explained="as above, so that the pairs make TFRC the loser"),
    ])]
