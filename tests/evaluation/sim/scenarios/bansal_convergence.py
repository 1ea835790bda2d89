# SPDX-License-Identifier: LGPL-2.1-or-later
"""How long a second flow of the same kind takes to its share: the 0.1-fair
convergence of figures 10 to 12."""

import math

import plots
import transient_metrics
from claims import BANSAL, NOT_QUICK, Claim, Scenario
from scenarios import bansal_setup as setup

RATE_BIT_S = 10e6
PACKETS_PER_S = RATE_BIT_S / 8 / 1000
DELTA = 0.1
# The first flow has the link to itself until then.
SECOND_AT_S = 30
BIN_S = 0.1
# TCP's sawtooth at half of this link is about as long.
WINDOW_S = 2
MAKES = [*(("tcp", gamma, setup.tcp) for gamma in (2, 4, 32)),
         *(("tfrc", length, setup.tfrc) for length in (4, 32))]
CONVERGENCE_S = 200
SEEDS = 5


def runs(_scale):
    return {(kind, gamma, seed): setup.shared_link(
        RATE_BIT_S, [make(gamma, name="first", start_s=0),
                     second(kind, gamma, make, seed)],
        SECOND_AT_S + CONVERGENCE_S, seed=seed)
        for kind, gamma, make in MAKES for seed in setup.seeds(SEEDS)}


def second(kind, gamma, make, seed):
    """The flow that comes later, at a random phase of the first.  TCP begins
    with b_0, one packet per RTT, and without slow start, which is no part of
    what the paper computes; TFRC's start cannot be told apart from it."""
    settings = {"parameters": {"initial_window": 1, "initial_ssthresh": 1}} \
        if kind == "tcp" else {}
    return make(gamma, name="second",
                start_s=(SECOND_AT_S, SECOND_AT_S + WINDOW_S), **settings)


def convergence(result):
    """Seconds to 0.1-fairness; None if never."""
    first, other = (result.series(name, BIN_S)[:, 0]
                    for name in ("first", "second"))
    return transient_metrics.fair_convergence_s(
        first, other, BIN_S, result.flow("second")["start_s"], DELTA,
        WINDOW_S)


def acks(loss_rate, b):
    """log_{1 - bp} delta."""
    return math.log(DELTA) / math.log(1 - b * loss_rate)


def over_prediction(result):
    """Convergence over the model's, with the p of this very run."""
    b = result.run.flows[0].parameters["b"]
    start = result.flow("second")["start_s"]
    time = convergence(result)
    events = [result.loss_event_rate(name, start, start + time)
              for name in ("first", "second")]
    return time * PACKETS_PER_S / acks(setup.mean(events), b)


def mean_time(results, *key):
    return setup.mean(results.each(convergence, *key))


def slower(kind, many, few):
    return lambda results: mean_time(results, kind, many) \
        / mean_time(results, kind, few)


def plot(results, figure):
    axes = figure.subplots()
    for kind, label in (("tcp", "TCP(1/γ)"), ("tfrc", "TFRC(γ)")):
        gammas = sorted({key[1] for key in results.select(kind)})
        plots.ours(axes, gammas, [
            [time for time in results.each(convergence, kind, gamma)
             if time is not None] for gamma in gammas], label,
            color=plots.COLOURS[kind])
    axes.set(xlabel="γ", ylabel="time to 0.1-fairness [s]", xscale="log",
             yscale="log")
    axes.legend()


CLAIMS = [
    Claim("ACKs to 0.1-fairness by the model, p = 0.1, b = 1/2", 44.9,
          lambda results: acks(0.1, 0.5), scales=NOT_QUICK),
    Claim("ACKs by the model at b = 1/16 over those at b = 0.2",
          "b >= 0.2 is rapid, less takes exponentially longer",
          lambda results: acks(0.1, 1 / 16) / acks(0.1, 0.2),
          scales=NOT_QUICK),
    Claim("time to 0.1-fairness of TCP(1/2), over the model's",
          "low loss rates: the model applies",
          lambda results: results.each(over_prediction, "tcp", 2),
          scales=NOT_QUICK, note="expected values against single runs"),
    Claim("time to 0.1-fairness of TCP(1/32), over the model's",
          "low loss rates: the model applies",
          lambda results: results.each(over_prediction, "tcp", 32),
          scales=NOT_QUICK),
    Claim("time of TCP(1/32) over that of TCP(1/4)", "exponentially longer",
          slower("tcp", 32, 4),
          scales=NOT_QUICK, note="b is 8 times smaller"),
    Claim("time of TFRC(32) over that of TFRC(4), by that of TCP(1/32) over "
          "TCP(1/4)", "does not increase as rapidly",
          lambda results: slower("tfrc", 32, 4)(results)
          / slower("tcp", 32, 4)(results), scales=NOT_QUICK),
]

SCENARIOS = [Scenario(
    "bansal-convergence", source=BANSAL + ", figures 10-12",
    what="a second flow beside one that has all of 10 Mbit/s", runs=runs,
    claims=CLAIMS, plot=plot)]
