# SPDX-License-Identifier: LGPL-2.1-or-later
"""Theorem 4.1 of Rhee and Xu 2005 under its own assumption: every packet is
lost independently with the same probability.  No queue fills."""

import numpy as np

from claims import Claim, NOT_QUICK, RHEE_XU, Scale, Scenario
from scenarios import rhee_dumbbell
from simulation import Flow, Link, Loss, Queue, Run

RTT_S = rhee_dumbbell.RTT_MS / 1000
# 14 flows from 16 kbit/s to 1 Mbit/s; the paper names 165, 195 and 500.
CBR_KBIT_S = (16, 24, 32, 48, 64, 80, 100, 120, 140, 165, 195, 250, 500, 1000)
LOSS = {"1 %": 0.01, "3 %": 0.03, "10 %": 0.1}
SECONDS = {Scale.QUICK: 300, Scale.STANDARD: 1000}
SEEDS = {Scale.QUICK: 1, Scale.STANDARD: 5}


def cbr_name(kbit_s):
    return f"cbr-{kbit_s}"


def cbr_flows(rtt_ms):
    """Gaps are drawn, against phase effects, as in the paper."""
    return [Flow(name=cbr_name(kbit_s), kind="cbr", rtt_ms=rtt_ms,
                 start_s=(0, 1),
                 parameters={"rate_bit_s": kbit_s * 1e3, "jitter": 0.5})
            for kbit_s in CBR_KBIT_S]


def runs(scale):
    flows = cbr_flows(rhee_dumbbell.RTT_MS) + [
        Flow(name="tcp", kind="tcp", count=4, rtt_ms=rhee_dumbbell.RTT_MS,
             start_s=(0, 1), parameters=rhee_dumbbell.TCP)]
    return {(name, seed): Run(
        links=(Link(rate_bit_s=20e6, delay_ms=50, queue=Queue(packets=10000),
                    loss=(Loss(kind="bernoulli", p=p),)),),
        flows=tuple(flows), seconds=SECONDS[scale], bin_ms=1000, seed=seed)
        for name, p in LOSS.items() for seed in range(1, SEEDS[scale] + 1)}


def loss_event_rate(result, name):
    return result.loss_event_rate(name, rtt_s=RTT_S)


def window(kbit_s):
    """Packets per RTT of a CBR flow."""
    return kbit_s * 1e3 / 8000 * RTT_S


def expectation(kbit_s, p):
    """1 / (1/p + W): after a loss, the W packets of one RTT do not count, and
    the next loss is 1/p packets behind them."""
    return 1 / (1 / p + window(kbit_s))


def inversions(results):
    """Of all pairs of CBR flows whose expectations differ by a fifth and more,
    the share in which the faster one has the larger loss event rate.  Slower
    flows than these lose too few packets to tell."""
    pairs = []
    for name, p in LOSS.items():
        result, = results.select(name).values()
        rates = {kbit_s: loss_event_rate(result, cbr_name(kbit_s))
                 for kbit_s in CBR_KBIT_S if kbit_s >= 100}
        pairs += [rates[fast] >= rates[slow]
                  for slow in rates for fast in rates
                  if expectation(slow, p) > 1.2 * expectation(fast, p)]
    return float(np.mean(pairs))


def expectation_error(result, p):
    """Mean relative error against the expectation."""
    errors = [loss_event_rate(result, cbr_name(kbit_s))
              / expectation(kbit_s, p) - 1
              for kbit_s in CBR_KBIT_S if kbit_s >= 100]
    return float(np.mean(np.abs(errors)))


def slower_against_tcp(result):
    """p of all CBR flows at half of TCP's rate or less, by that of TCP."""
    tcp_kbit_s = result.throughput("tcp", 0, result.seconds) * 8 / 1000
    slower = [kbit_s for kbit_s in CBR_KBIT_S if kbit_s <= tcp_kbit_s / 2]
    if not slower:
        return None
    # Packets, not flows, have the same weight.
    p = np.average([loss_event_rate(result, cbr_name(kbit_s))
                    for kbit_s in slower], weights=slower)
    return float(p) / loss_event_rate(result, "tcp")


def fastest_against_tcp(results):
    """p of the 1 Mbit/s flow by TCP's, at 10 % loss: more packets per RTT
    than TCP ever has."""
    result, = results.select("10 %").values()
    return loss_event_rate(result, cbr_name(1000)) \
        / loss_event_rate(result, "tcp")


def plot(results, figure):
    axes = figure.subplots()
    rates = np.geomspace(16, 1000, 50)
    for name, p in LOSS.items():
        result = results[name, 1]
        line, = axes.loglog(
            CBR_KBIT_S, [loss_event_rate(result, cbr_name(kbit_s))
                         for kbit_s in CBR_KBIT_S], "o", label=f"CBR, {name}")
        axes.loglog(rates, [expectation(rate, p) for rate in rates],
                    "-", color=line.get_color(), linewidth=0.8)
        axes.loglog([result.throughput("tcp", 0, result.seconds) * 8 / 1000],
                    [loss_event_rate(result, "tcp")], "*", markersize=12,
                    color=line.get_color(), label=f"TCP, {name}")
    axes.set_xlabel("sending rate [kbit/s]")
    axes.set_ylabel("loss event rate")
    axes.set_title("independent losses; lines: 1 / (1/p + W)")
    axes.legend(ncols=2)


SCENARIOS = [Scenario(
    "rhee-theorem", source=RHEE_XU + ", theorem 4.1",
    what="14 CBR and 4 TCP flows, independent losses of 1, 3 and 10 %",
    runs=runs, plot=plot, claims=rhee_dumbbell.over_seeds([
        Claim("pairs of CBR flows, the faster of which has the larger loss "
              "event rate [share]", "none",
              inversions,
              note="pairs that should differ by a fifth; others lose too few "
              "packets to tell"),
        Claim("loss event rate against 1 / (1/p + W), flows of 100 kbit/s "
              "and more [mean relative error]", 0,
              lambda results: [expectation_error(
                  *results.select(name).values(), p)
                               for name, p in LOSS.items()],
              scales=NOT_QUICK,
              note="the paper's windows follow each other; RFC 5348 counts "
              "the RTT from the loss, hence W and not (W - 1) / 2; in "
              "--quick there are too few losses"),
        Claim("loss event rate of the CBR flows at half TCP's rate or less by "
              "that of TCP", "above 1",
              lambda results: results.each(slower_against_tcp)),
        Claim("loss event rate of 1 Mbit/s CBR by that of TCP, 10 % loss",
              "below 1", fastest_against_tcp,
              note="1 Mbit/s is more than TCP's largest window there"),
    ]))]
