# SPDX-License-Identifier: LGPL-2.1-or-later
"""The dumbbell of Rhee and Xu 2005, section 3, that all their figures share.

15 Mbit/s, adaptive RED, a buffer of twice the bandwidth-delay product.  5
TCP and 5 TFRC flows are measured; a number of background TCP flows makes the
load.  In both directions: web sessions and short TCP transfers; forward:
bursts of UDP and a ping.  The paper gives no more of that traffic than its
shares (20 to 60 %, 1 to 2 %); what makes them here is below.

Several kinds of TFRC flows are beside each other in one run, where the paper
made a run for each: all of a run see the same loss, and the run costs once.
The price is a higher least load, and fewer flows of each.  The paper measures
from 200 to 1000 s of a run; five seeds are measured from 30 to 120 s here."""

import dataclasses
import statistics

from claims import Results, Scale
from simulation import Flow, Queue, bandwidth_delay_packets, dumbbell

RATE_BIT_S = 15e6
# 2 (50 + 4 x 1 to 3) ms: the link and four access links of 1 to 3 ms.
RTT_MS = 108
RTT_SPREAD_MS = 4
STARTS_S = (0, 10)

SECONDS = {Scale.QUICK: 80, Scale.STANDARD: 120}
SKIPPED_S = {80: 20, 120: 30}

# RFC 2988's minimum, no delayed ACKs (the paper's b is 1), two packets first
# (ns-2's); SACK and Limited Transmit.
TCP = {"congestion": "newreno", "delayed_ack": 1, "min_rto_ms": 1000,
       "clock_granularity_ms": 10, "initial_window": 2, "timestamps": False}
# The TCP that the equation models (Padhye et al. 1998): it needs three
# duplicate ACKs from one window, and has timeouts where windows are small.
TCP_OF_1998 = {**TCP, "sack": False, "limited_transmit": False}
# What users meet: Linux' timers and delayed ACKs.
TCP_OF_TODAY = {"congestion": "linux-reno"}

# The kinds of TFRC that the figures compare.
RFC_5348 = {"rto_mode": "rfc5348"}
TCP_RTO = {"rto_mode": "tcp"}
TCP_RTO_16 = {"rto_mode": "tcp", "history_length": 16}


def rto_scaled(factor):
    return {"rto_mode": "scaled", "rto_scale": factor}


def rate_scaled(factor):
    return {"rto_mode": "tcp", "rate_scale": factor}


def skipped_s(result):
    """What does not count at the beginning."""
    return SKIPPED_S[result.seconds]


def background(rtt_ms, load, tcp_parameters=TCP):
    """All that is not measured, with `load` long TCP flows."""
    rtt = _spread(rtt_ms)
    objects = {"pause": {"kind": "exponential", "mean": 3},
               "objects": {"kind": "exponential", "mean": 5},
               "object_bytes": {"kind": "pareto", "mean": 12e3, "shape": 1.2,
                                "bound": 5e6}, **tcp_parameters}
    transfers = {"pause": {"kind": "exponential", "mean": 20},
                 "object_bytes": {"kind": "uniform", "low": 50e3,
                                  "high": 200e3}, **tcp_parameters}
    common = dict(rtt_ms=rtt, start_s=STARTS_S)
    return [
        Flow(name="background", kind="tcp", count=load,
             parameters=tcp_parameters, **common),
        Flow(name="web", kind="web", count=40, parameters=objects, **common),
        Flow(name="web-back", kind="web", count=20, reverse=True,
             parameters=objects, **common),
        Flow(name="short", kind="web", count=25, parameters=transfers,
             **common),
        Flow(name="short-back", kind="web", count=25, reverse=True,
             parameters=transfers, **common),
        Flow(name="bursts", kind="on-off", count=3, **common, parameters={
            "rate_bit_s": 250e3,
            "on": {"kind": "pareto", "mean": 1, "shape": 1.5},
            "off": {"kind": "pareto", "mean": 2, "shape": 1.5}}),
        Flow(name="ping", kind="cbr", rtt_ms=rtt, packet_bytes=100,
             parameters={"rate_bit_s": 8e3, "jitter": 0.5}),
    ]


def tfrc(name, parameters, count, rtt_ms=RTT_MS):
    return Flow(name=name, kind="tfrc", count=count, start_s=STARTS_S,
                rtt_ms=_spread(rtt_ms), trace=True, parameters=parameters)


def tcp(rtt_ms=RTT_MS, parameters=TCP):
    return Flow(name="tcp", kind="tcp", count=5, start_s=STARTS_S,
                rtt_ms=_spread(rtt_ms), parameters=parameters)


def run(scale, measured, load, rtt_ms=RTT_MS, rate_bit_s=RATE_BIT_S, seed=1,
        tcp_parameters=TCP):
    """A Run of the measured flows among a background."""
    packets = 2 * bandwidth_delay_packets(rate_bit_s, rtt_ms)
    return dumbbell(
        rate_bit_s, (rtt_ms - 2 * RTT_SPREAD_MS) / 2,
        Queue(kind="adaptive-red", packets=round(packets)),
        measured + background(rtt_ms, load, tcp_parameters),
        SECONDS[scale], seed=seed, bin_ms=1000)


def variant_runs(scale, key, variants, loads, rtt_ms=RTT_MS, seeds=(1,),
                 together=3, tcp_parameters=TCP):
    """{key + (load, seed): Run} with `together` flows of each of the kinds of
    TFRC `variants` ({name: parameters}) beside each other."""
    def one(measured, load, seed):
        return run(scale, [tcp(rtt_ms, tcp_parameters)] + measured, load,
                   rtt_ms, seed=seed, tcp_parameters=tcp_parameters)

    places = [(load, seed) for load in loads for seed in seeds]
    return {key + place: one(
        [tfrc(name, parameters, together, rtt_ms)
         for name, parameters in variants.items()], *place)
        for place in places}


def of_variant(results, name, *pattern):
    """The results in which flows of that name are measured."""
    return [result for result in results.select(*pattern).values()
            if any(flow["name"] == name for flow in result.flows)]


def over_seeds(claims):
    """The claims with an answer for each seed: over that seed's runs, their
    mean where it is one for each load."""
    return [dataclasses.replace(claim, measure=_by_seed(claim.measure))
            for claim in claims]


def _by_seed(measure):
    def answers(results):
        found = []
        for seed in sorted({one.run.seed for one in results.values()}):
            answer = measure(Results({
                key: one for key, one in results.items()
                if one.run.seed == seed}))
            found.append(statistics.fmean(answer)
                         if isinstance(answer, list) else answer)
        return found
    return answers


def _spread(rtt_ms):
    return (rtt_ms - RTT_SPREAD_MS, rtt_ms + RTT_SPREAD_MS)


