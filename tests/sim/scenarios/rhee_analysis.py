# SPDX-License-Identifier: LGPL-2.1-or-later
"""What Rhee and Xu 2005 compute, asked of the protocol core: the equation
with the RTO of TFRC and of TCP, its convexity, the loss events of flows of
different rates.  Nothing is simulated."""

import numpy as np

from claims import Claim, RHEE_XU, Scenario
from core import Core

WINDOWS = (1, 2, 5, 10, 20, 50)
PACKETS = 200000


def asked(measure):
    """A measure of the core instead of results."""
    def ask(_):
        with Core() as core:
            return measure(core)
    return ask


def rate_with_both(core, p, rtt):
    """The equation with the t_RTO of RFC 5348 by that with TCP's."""
    rates = [core.rate(p, rtt, core.rto(mode, rtt))
             for mode in ("rfc5348", "tcp")]
    return rates[0] / rates[1]


def convexity_change(core):
    """The loss interval theta at which 1/f (p) turns from concave to convex:
    R = 0.1 s, t_RTO = 0.4 s."""
    step = 1e-4
    p = np.arange(0.005, 0.1, step)
    inverse = np.array([1 / core.rate(one, 0.1, 0.4) for one in p])
    bend = inverse[2:] - 2 * inverse[1:-1] + inverse[:-2]
    return float(1 / p[1:-1][np.argmax(bend > 0)])


def events_fall(core):
    """Loss event rates from 1 to 50 packets per RTT at 5 % independent loss:
    the share of steps that go down."""
    rates = [core.events(window, 0.05, PACKETS)[0] / PACKETS
             for window in WINDOWS]
    return float(np.mean(np.diff(rates) < 0))


def plot(_, figure):
    axes = figure.subplots()
    p = np.linspace(0.001, 0.2, 100)
    with Core() as core:
        for rtt in (0.01, 0.5):
            ratios = [rate_with_both(core, one, rtt) for one in p]
            axes.plot(p, [ratio - 1 if ratio >= 1 else 1 - 1 / ratio
                          for ratio in ratios],
                      label=f"RTT {1000 * rtt:.0f} ms")
    axes.plot([0.15, 0.05], [17, 8.5], "rs", label="paper, 10 ms")
    axes.plot([0.15], [-1], "r^", label="paper, 500 ms")
    axes.set_xlabel("loss event rate")
    axes.set_ylabel("difference ratio of the equation: 4 R to TCP's RTO")
    axes.legend()


SCENARIOS = [Scenario(
    "rhee-analysis", source=RHEE_XU + ", figure 13",
    what="the equation with TFRC's and TCP's RTO, its convexity; no runs",
    runs=lambda scale: {}, plot=plot, claims=[
        Claim("RTT 10 ms, p = 0.15: rate with RTO 40 ms by rate with 1 s",
              "around 18", asked(lambda core: rate_with_both(
                  core, 0.15, 0.01)), low=17, high=19),
        Claim("RTT 10 ms, p = 0.05: the same as difference ratio",
              "around 8.5", asked(lambda core: rate_with_both(
                  core, 0.05, 0.01) - 1), low=7.5, high=9,
              note="read from a curve"),
        Claim("RTT 500 ms: rate with RTO 1 s by rate with 2 s, p = 0.4",
              "around 2 at high p", asked(lambda core: 1 / rate_with_both(
                  core, 0.4, 0.5)), low=1.8, high=2,
              note="2 is the limit; it is 1.54 at p = 0.15"),
        Claim("loss interval where 1/f turns convex, R 0.1 s, RTO 0.4 s "
              "[packets]", 35, asked(convexity_change), low=33, high=37,
              figure="section 5.1"),
        Claim("loss event rate from 1 to 50 packets per RTT: steps down "
              "[share]", 1, asked(events_fall), low=1, high=1,
              figure="theorem 4.1"),
    ])]
