# SPDX-License-Identifier: LGPL-2.1-or-later
"""Section 3's measures of one flow: RTTs to halve the rate in persistent
congestion (responsiveness), and the increase per RTT without any
(aggressiveness).  Before both every 100th packet is lost."""

import numpy as np

import metrics
import transient_metrics
from claims import BANSAL, Claim, Scenario
from scenarios import bansal_setup as setup
from scenarios.bansal_smoothness import alone
from simulation import Loss

CHANGE_S = 20
SECONDS = 24
STEP_S = 0.001
# Over so many RTTs: single reports jump by a packet.
SLOPE_RTTS = 10
STEADY = Loss(kind="every-nth", n=100, until_s=CHANGE_S)
# One loss event per RTT as long as an RTT has two packets.
CONGESTED = (STEADY, Loss(kind="every-nth", n=2))
FREE = (STEADY, Loss(kind="none"))


def runs(scale):
    # ns-2 had no PRR, which takes a round trip or two for halving, by the
    # version of ns-3.
    tcp = setup.tcp(2, name="flow", start_s=0,
                    parameters={"classic_recovery": True})
    tfrc = setup.tfrc(8, name="flow", start_s=0)
    half = setup.tfrc(8, name="flow", start_s=0,
                      parameters={"discount_threshold": 0.5})
    plain = setup.tfrc(8, name="flow", discounting=False, start_s=0)
    return {(name, 1): alone(flow, loss, SECONDS, trace=True)
            for name, flow, loss in (
                ("tcp congested", tcp, CONGESTED),
                ("tfrc congested", tfrc, CONGESTED),
                ("tcp free", tcp, FREE), ("tfrc free", tfrc, FREE),
                ("0.5 free", half, FREE), ("plain free", plain, FREE))}


def packets_per_rtt(result):
    """At the end of each millisecond, with an RTT that stays."""
    trace = result.trace("flow")
    if "cwnd_packets" in trace.dtype.names:
        levels = trace["cwnd_packets"]
    else:
        rtt_s = np.median(trace["sender_rtt_ns"]) / 1e9
        levels = trace["sender_allowed_rate"] * rtt_s \
            / trace["sender_segment_size"]
    return np.array([metrics.level_at(trace["time_s"], levels, when)
                     for when in np.arange(STEP_S, SECONDS, STEP_S)])


def halving(name):
    """RTTs from the first additional loss that is known of."""
    def measure(results):
        result = results[(name, 1)]
        times, _ = result.losses("flow")
        known = times[times > CHANGE_S][0] + setup.RTT_S
        return transient_metrics.halving_rtts(
            packets_per_rtt(result), STEP_S, known, setup.RTT_S)
    return measure


def smoothness(name):
    """The largest ratio of the rates in two consecutive RTTs while every
    100th packet is lost."""
    def measure(results):
        first, last = (round(time / STEP_S) for time in (CHANGE_S / 2,
                                                         CHANGE_S))
        rates = packets_per_rtt(results[(name, 1)])[first:last]
        rtt = round(setup.RTT_S / STEP_S)
        ratios = rates[rtt:] / rates[:-rtt]
        return float(max(ratios.max(), 1 / ratios.min()))
    return measure


def backed_off_rate(drops):
    """Packets per RTT where all but the last of drops + 1 packets are lost
    and the pause doubles with each (appendix A)."""
    pauses = [2 ** stage for stage in range(drops + 1)]
    return len(pauses) / sum(pauses)


def steepest(name):
    """Largest increase per RTT [packets per RTT]."""
    def measure(results):
        result = results[(name, 1)]
        rate = packets_per_rtt(result)[round(CHANGE_S / STEP_S):]
        reach = round(SLOPE_RTTS * setup.RTT_S / STEP_S)
        return float((rate[reach:] - rate[:-reach]).max()) / SLOPE_RTTS
    return measure


CLAIMS = [
    Claim("RTTs until TCP halves its window", 1, halving("tcp congested")),
    Claim("RTTs until TFRC halves its rate", "4 to 6",
          halving("tfrc congested"),
          note="Floyd et al. 2000, which it cites, has 3 to 8 by the loss "
               "rate before"),
    Claim("largest ratio of TFRC's rates in consecutive RTTs, periodic loss",
          1, smoothness("tfrc free")),
    Claim("largest ratio of TCP's windows in consecutive RTTs, periodic loss",
          2, smoothness("tcp free"),
          note="1 / (1 - b)"),
    Claim("packets per RTT of AIMD with timeouts at p = 1/2, computed", 0.667,
          lambda results: backed_off_rate(1)),
    Claim("increase of TCP's window per RTT [packets]", 1,
          steepest("tcp free")),
    Claim("increase of TFRC's rate per RTT, no discounting "
          "[packets per RTT]", 0.14, steepest("plain free")),
    Claim("increase of TFRC's rate per RTT, discounting down to 0.5 "
          "[packets per RTT]", 0.28, steepest("0.5 free"),
          note="ns-2's bound for the weight of old intervals"),
    Claim("increase of TFRC's rate per RTT, RFC 5348 [packets per RTT]",
          0.28, steepest("tfrc free")),
]

SCENARIOS = [Scenario(
    "bansal-response", source=BANSAL + ", section 3",
    what="one flow: halving in congestion, increase without", runs=runs,
    claims=CLAIMS)]
