# SPDX-License-Identifier: LGPL-2.1-or-later
"""Section 4.2, figure 8: a star of four links with 0.1, 0.5, 2.5 and 12.5 %
loss and an RTT of 60 ms.  Receivers join from 100 s on every 50 s, those with
less loss first, and leave from 250 s on in reverse; a TCP is on each link."""

import dataclasses
import statistics

import numpy as np

import plots
from claims import Claim, NOT_QUICK, Scale, Scenario, WIDMER
from core import Core
from scenarios import widmer_setup as setup
from simulation import Link, Loss, Members, Queue, Run

LOSSES = (0.001, 0.005, 0.025, 0.125)
RTT_S = setup.RTT_MS / 1000
SECONDS = 400
# (join, leave) by the paper; the first stays.
STAYS = ((0, None), (100, 350), (150, 300), (200, 250))
# When this receiver is the slowest: (from, to) on the way down and up.
SLOWEST = (((50, 100), (360, 400)), ((110, 150), (310, 350)),
           ((160, 200), (260, 300)), ((210, 250),))
RTO_SECONDS = 300
# The paper's initial RTT of 500 ms counts for R_max until it is measured, and T is
# 4 R_max (section 2.5).
INITIAL = {"unmeasured_rtt_ms": 500, "feedback_rtts": setup.PAPERS_ROUND}


def link(loss):
    """Nothing is lost but by the loss pattern."""
    return Link(rate_bit_s=setup.FAST_BIT_S, delay_ms=10,
                queue=Queue(kind="drop-tail", packets=1000),
                loss=(Loss(kind="bernoulli", p=loss),))


def star(seed, **parameters):
    members = [Members(join_s=join or None, leave_s=leave)
               for join, leave in STAYS]
    return Run(
        links=tuple(map(link, LOSSES)),
        flows=(setup.tfmcc(members[:1], to_link=0,
                           parameters={"sample_ms": 100, **parameters}),
               *(setup.branch(f"{loss:.1%}", i, members[i:i + 1])
                 for i, loss in enumerate(LOSSES) if i > 0),
               *(setup.tcp(i, name=f"tcp {loss:.1%}")
                 for i, loss in enumerate(LOSSES))),
        seconds=SECONDS, seed=seed, bin_ms=100)


def lone_tcp(rto_ms, seed):
    """A TCP with that least RTO on the worst link."""
    tcp = setup.tcp(0)
    tcp = dataclasses.replace(
        tcp, parameters={**tcp.parameters, "min_rto_ms": rto_ms})
    return Run(links=(link(LOSSES[-1]),), flows=(tcp,), seconds=RTO_SECONDS,
               seed=seed, bin_ms=100)


def runs(scale):
    if scale is Scale.QUICK:
        return {}
    seeds = setup.seeds(scale, 6)
    return {**{("star", 4, seed): star(seed) for seed in seeds},
            **{("initial", 4, seed): star(seed, **INITIAL) for seed in seeds},
            **{("tcp", rto_ms, seed): lone_tcp(rto_ms, seed)
               for rto_ms in (200, 1000) for seed in seeds}}


def star_each(measure, kind="star"):
    return lambda results: results.each(measure, kind)


def equation(i):
    """TFMCC's rate while receiver i is the slowest, by the equation's for
    the link's loss rate."""
    def measure(result):
        return spans(result, i, lambda start, end: setup.sent_rate(
            result, start, end)) / equations_rate(i)
    return star_each(measure)


def equations_rate(i):
    with Core() as core:
        return core.rate(LOSSES[i], RTT_S, segment=setup.PACKET_BYTES)


def spans(result, i, measure):
    """Mean of a measure over the times when receiver i is the slowest."""
    return statistics.fmean(measure(start, end) for start, end in SLOWEST[i])


def share(i, kind="star"):
    """TFMCC's rate while receiver i is the slowest, by what the TCP on its
    link gets over the whole run."""
    def measure(result):
        rate = spans(result, i, lambda start, end: setup.sent_rate(
            result, start, end) * (1 - LOSSES[i]))
        return rate / result.throughput(f"tcp {LOSSES[i]:.1%}", 20, SECONDS)
    return star_each(measure, kind)


def join_delays(result):
    """Seconds from the join of each later receiver until it is the CLR."""
    return [setup.group(result).clr_since([i], STAYS[i][0])
            for i in range(1, len(STAYS))]


def join_delay(i, kind="star"):
    return star_each(lambda result: join_delays(result)[i - 1], kind)


def tcp_by_equation(rto_ms):
    def measure(result):
        return result.throughput("tcp", 20, RTO_SECONDS) \
            / equations_rate(len(LOSSES) - 1)
    return lambda results: results.each(measure, "tcp", rto_ms)


def share_claim(i):
    return Claim(f"TFMCC's rate by TCP's at {LOSSES[i]:.1%} loss",
                 "matches closely", share(i), scales=NOT_QUICK)


def plot(results, figure):
    axes = figure.subplots()
    stars = results.select("star")
    if not stars:
        return
    result = next(iter(stars.values()))
    for i, loss in enumerate(LOSSES):
        rate = result.series(f"tcp {loss:.1%}", 5.0)[:, 0] * 8
        plots.series(axes, 5.0, rate / 1e3, f"TCP, {loss:.1%}",
                     linewidth=0.8)
    rate = result.sent_series("tfmcc", 1.0)[:, 0] * 8
    plots.series(axes, 1.0, np.maximum(rate, 1) / 1e3, "TFMCC", color="black")
    axes.set(xlabel="s", ylabel="kbit/s", yscale="log", ylim=(30, None))
    axes.legend(ncols=5, loc="upper center")


CLAIMS = [
    share_claim(i) for i in range(len(LOSSES))
] + [
    Claim(f"TFMCC's rate by the equation's at {loss:.1%} loss", 1,
          equation(i), scales=NOT_QUICK,
          note="two spans of 40 s; 12.5 %: one, with 20 packets a second")
    for i, loss in enumerate(LOSSES)
] + [
    Claim("TCP's rate by the equation's at 12.5% loss, RTO of at least 1 s",
          1, tcp_by_equation(1000), scales=NOT_QUICK,
          note="4 RTTs, as the equation has it, are "
          "0.24 s; TCP's RTO backs off"),
    Claim("TCP's rate by the equation's at 12.5% loss, RTO of at least "
          "0.2 s", "not given", tcp_by_equation(200), scales=NOT_QUICK,
          note="not the equation's t_RTO: what TCP of "
          "today would get"),
] + [
    Claim(f"seconds until the receiver with {LOSSES[i]:.1%} is the CLR",
          "roughly 1 to 3", join_delay(i), scales=NOT_QUICK)
    for i in range(1, len(LOSSES))
] + [
    Claim(f"seconds until the receiver with {LOSSES[i]:.1%} is the CLR, initial "
          "RTT of 500 ms", "roughly 1 to 3", join_delay(i, "initial"),
          scales=NOT_QUICK)
    for i in range(1, len(LOSSES))
] + [
    Claim(f"TFMCC's rate by TCP's at {loss:.1%} loss, initial RTT of 500 ms",
          "matches closely", share(i, "initial"), scales=NOT_QUICK)
    for i, loss in enumerate(LOSSES)]

SCENARIOS = [Scenario(
    "widmer-response", source=WIDMER + ", figure 8",
    what="receivers with more and more loss join and leave", runs=runs,
    plot=plot, claims=CLAIMS)]
