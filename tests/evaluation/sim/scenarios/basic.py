# SPDX-License-Identifier: LGPL-2.1-or-later
"""The smallest scenario, for `tests/run.sh --quick` and as the pattern of
all others: one TFRC and one TCP share a drop-tail link.  And what our code
costs in a simulation."""

from claims import Claim, FLOYD, PRESENT_DAY, Scale, Scenario
from simulation import Flow, Queue, dumbbell

SECONDS = {Scale.QUICK: 30, Scale.STANDARD: 90}
SEEDS = {Scale.QUICK: 1, Scale.STANDARD: 32}
# The start, with slow start's overshoot, does not count.
SETTLED_AFTER_S = {30: 10, 90: 30}
RATE_BIT_S = 15e6


def runs(scale):
    return {("drop-tail", seed): dumbbell(
        RATE_BIT_S, 25, Queue(packets=100),
        [Flow(name="tfrc", kind="tfrc", start_s=(0, 5), rtt_ms=(80, 120)),
         Flow(name="tcp", kind="tcp", start_s=(0, 5), rtt_ms=(80, 120))],
        SECONDS[scale], seed=seed) for seed in range(1, SEEDS[scale] + 1)}


def timed_run(scale):
    return {("timed", 1): dumbbell(
        RATE_BIT_S, 25, Queue(kind="red", packets=100, min_packets=10,
                              max_packets=50),
        [Flow(name="tfrc", kind="tfrc", count=16, start_s=(0, 5),
              rtt_ms=(80, 120))], 30, core_time=True)}


def utilisation(result):
    return result.utilisation(SETTLED_AFTER_S[result.seconds], result.seconds)


def tcp_share(result):
    """1 is half of the link."""
    return result.normalised("tcp", SETTLED_AFTER_S[result.seconds],
                             result.seconds)


SCENARIOS = [Scenario(
    "basic", source=FLOYD + ", figure 6",
    what="1 TFRC and 1 TCP on 15 Mbit/s, drop-tail", runs=runs, claims=[
        Claim("utilisation of the link", "over 0.9",
              lambda results: results.each(utilisation)),
        Claim("normalised throughput of TCP", "about 1",
              lambda results: results.each(tcp_share)),
    ]),
    Scenario(
        "core-cost", source=PRESENT_DAY + ", benchmark",
        what="time in gst/protocol, 16 TFRC on 15 Mbit/s", runs=timed_run,
        claims=[
            Claim("ns per data packet, both sides and their reports",
                  "no paper's", lambda results: results.each(
                      lambda result: result.core_ns_per_packet()),
                  note="includes the two readings of the clock around each "
                  "call; calls of 100 us and more, when another process had "
                  "the CPU, are left out"),
        ])]
