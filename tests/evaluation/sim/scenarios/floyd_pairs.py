# SPDX-License-Identifier: LGPL-2.1-or-later
"""The variant in the text on figure 6: where TCP's mean window is very small
it falls behind TFRC, and "when we modify TFRC to send two packets every two
inter-packet intervals, TCP competes more fairly".

40 + 40 flows on 8 Mbit/s have a fair share of 12.5 packets/s: a window of
about two packets."""

from claims import Claim, FLOYD, NOT_QUICK, Scale, Scenario
from scenarios import floyd_common as floyd
from simulation import dumbbell

SPACINGS = {"single": {}, "pairs": {"packets_per_burst": 2}}
# What TCP has since then: without it a window of two packets has timeouts.
TCPS = {"with SACK": {}, "of 1998": {"sack": False, "limited_transmit": False,
                                     "min_rto_ms": 1000}}
RATE_BIT_S = 8e6
SECONDS = {Scale.QUICK: 30, Scale.STANDARD: 90}
FLOWS = 40


def runs(scale):
    return {(tcp, spacing, seed): dumbbell(
        RATE_BIT_S, floyd.BOTTLENECK_DELAY_MS, floyd.drop_tail(RATE_BIT_S),
        [floyd.tfrc(FLOWS, parameters=parameters),
         floyd.tcp(FLOWS, parameters=TCPS[tcp])],
        SECONDS[scale], seed=seed)
        for tcp in TCPS if tcp == "with SACK" or scale is not Scale.QUICK
        for spacing, parameters in SPACINGS.items()
        for seed in floyd.seeds(scale, 1, 5)}


def tcp_share(result):
    return result.normalised("tcp", result.seconds / 3, result.seconds)


def share(spacing, tcp="with SACK"):
    return lambda results: results.each(tcp_share, tcp, spacing)


def gain(tcp="with SACK"):
    return lambda results: [
        pairs - single for pairs, single
        in zip(share("pairs", tcp)(results), share("single", tcp)(results))]


def unfairness(tcp="with SACK"):
    return lambda results: [
        abs(pairs - 1) / abs(single - 1) for pairs, single
        in zip(share("pairs", tcp)(results), share("single", tcp)(results))]


SCENARIOS = [Scenario(
    "floyd-pairs", source=FLOYD + ", text on figure 6",
    what="two packets every two intervals, small TCP windows",
    runs=runs, claims=[
        Claim("what TCP gains by pairs, in its normalised throughput",
              "TCP competes more fairly", gain(),
              note="drop-tail, 40+40 flows on 8 Mbit/s"),
        Claim("normalised TCP throughput, evenly spaced TFRC", "TCP suffers",
              share("single")),
        Claim("how far TCP's throughput is from its share, pairs by evenly "
              "spaced TFRC", "TCP competes more fairly", unfairness(),
              scales=NOT_QUICK),
        Claim("normalised TCP throughput, evenly spaced TFRC, TCP without "
              "SACK and Limited Transmit, RTO of 1 s or more", "TCP suffers",
              share("single", "of 1998"), scales=NOT_QUICK),
        Claim("the same, TFRC in pairs", "TCP competes more fairly",
              share("pairs", "of 1998"), scales=NOT_QUICK),
        Claim("how far that TCP's throughput is from its share, pairs by "
              "evenly spaced TFRC", "TCP competes more fairly",
              unfairness("of 1998"), scales=NOT_QUICK),
    ])]
