# SPDX-License-Identifier: LGPL-2.1-or-later
"""The modes of t_RTO against other TCPs than that of rhee_rto.py: the one
that the equation models, which has more timeouts, and the one that users
meet, whose timeouts are shorter.  Which mode is nearest to TCP depends on
it."""

from claims import Claim, NOT_QUICK, PRESENT_DAY, RHEE_XU, Scenario
from scenarios import rhee_dumbbell, rhee_measures
from scenarios.rhee_rto import (
    LOADS, RTTS_MS, SEEDS, change_with_load, closer, differences, least,
    loss_differences, most, published, rtts_of, scaled)

# Linux' least RTO in place of RFC 6298's.
FLOOR_200 = {"rto_floor_ms": 200}
MODES = {"rfc5348": rhee_dumbbell.RFC_5348,
         "tcp/1": rhee_dumbbell.rto_scaled(1),
         "tcp/3": rhee_dumbbell.rto_scaled(3)}
MODES_TODAY = {
    **MODES,
    "tcp/1, 200 ms": {**rhee_dumbbell.rto_scaled(1), **FLOOR_200},
    "tcp/3, 200 ms": {**rhee_dumbbell.rto_scaled(3), **FLOOR_200}}


def runs_against(modes, tcp_parameters):
    """Key: RTT, load, seed."""
    def runs(scale):
        found = {}
        for rtt_ms in RTTS_MS[scale]:
            found.update(rhee_dumbbell.variant_runs(
                scale, (rtt_ms,), modes, LOADS[scale], rtt_ms,
                seeds=range(1, SEEDS[scale] + 1),
                tcp_parameters=tcp_parameters))
        return found
    return runs


def shares(results, name):
    """TFRC's throughput by that of TCP, a number a run."""
    return [rhee_measures.rate(result, name)
            / rhee_measures.rate(result, "tcp")
            for result in rhee_dumbbell.of_variant(results, name)]


def plot_against(modes):
    def plot(results, figure):
        by_rtt = figure.subplots(1, len(rtts_of(results)), sharey=True,
                                 squeeze=False)[0]
        for axes, rtt_ms in zip(by_rtt, rtts_of(results)):
            for name in modes:
                selected = rhee_dumbbell.of_variant(results, name, rtt_ms)
                axes.plot([rhee_measures.loss_event_rate(result, name)
                           for result in selected],
                          [rhee_measures.rate_difference(result, name)
                           for result in selected], "o-", label=name)
            axes.axhline(0, color="gray", linewidth=0.8)
            axes.set_title(f"RTT {rtt_ms} ms")
            axes.set_xlabel("loss event rate of TFRC")
        by_rtt[0].set_ylabel("difference ratio of throughput")
        by_rtt[-1].legend()
    return plot


OF_1998 = Scenario(
    "rhee-rto-1998", source=RHEE_XU + ", figure 14",
    what="modes of t_RTO against TCP without SACK and Limited Transmit, RTT "
    "10 to 500 ms",
    runs=runs_against(MODES, rhee_dumbbell.TCP_OF_1998),
    plot=plot_against(MODES), claims=rhee_dumbbell.over_seeds([
        Claim("RTT 10 ms: largest difference ratio of throughput, RTO 4 R",
              "more than 20", most("rfc5348", 10),
              scales=NOT_QUICK),
        Claim("RTT 10 ms: mean difference ratio of throughput, RTO 4 R",
              "far above 0", lambda results: differences(
                  results, "rfc5348", 10), scales=NOT_QUICK),
        Claim("RTT 10 ms: mean absolute difference ratio of TCP's RTO by "
              "that of RTO 4 R", "far below 1", closer(
                  scaled(1), "rfc5348", 10), scales=NOT_QUICK),
        # What differs beside the TCP of rhee_rto.py.
        Claim("RTT 10 ms: least difference ratio of loss event rates, RTO "
              "4 R", -0.6, lambda results: min(
                  loss_differences(results, "rfc5348", 10)),
              scales=NOT_QUICK),
        Claim("RTT 10 ms: change of the difference ratio from the least to "
              "the largest loss event rate", "falls",
              change_with_load("rfc5348", 10, 10), scales=NOT_QUICK),
        Claim("RTT 500 ms: least difference ratio of throughput, RTO 4 R",
              -9.8, least("rfc5348", 500), scales=NOT_QUICK),
        Claim("RTT 500 ms: largest difference ratio of loss event rates, RTO "
              "4 R", 0.5, lambda results: max(
                  loss_differences(results, "rfc5348", 500)),
              scales=NOT_QUICK),
        *published(MODES),
    ]))

TODAY = Scenario(
    "rhee-rto-today", source=PRESENT_DAY,
    what="modes of t_RTO against TCP with a least RTO of 200 ms, SACK and "
    "delayed ACKs, RTT 10 to 500 ms",
    runs=runs_against(MODES_TODAY, rhee_dumbbell.TCP_OF_TODAY),
    plot=plot_against(MODES_TODAY), claims=rhee_dumbbell.over_seeds([
        Claim("throughput of TFRC by that of TCP, RTO 4 R: least over all "
              "runs", "", lambda results: min(shares(results, "rfc5348")),
              note="what a user of the default may meet", scales=NOT_QUICK),
        Claim("the same: most", "",
              lambda results: max(shares(results, "rfc5348")),
              note="what a user of the default may meet", scales=NOT_QUICK),
        *published(MODES_TODAY),
    ]))

SCENARIOS = [OF_1998, TODAY]
