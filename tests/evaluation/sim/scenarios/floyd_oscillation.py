# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figures 3 and 4: one TFRC flow alone on a drop-tail link, with buffers of 2
to 64 packets, with and without the spacing by the square root of the RTT.

The paper weighs an RTT sample with 0.05, RFC 5348 with 0.1: our R follows a
growing queue twice as fast, so the undamped flow swings less than the
paper's.  Rate and delay of its Dummynet are not given; the figure's axis ends
at 300 kbyte/s."""

from claims import Claim, FLOYD, Scale, Scenario
from scenarios import floyd_common as floyd
from simulation import Queue, dumbbell

RATE_BIT_S = 2e6
RTT_MS = 60
BUFFERS = (2, 8, 32, 64)
DAMPING = {"damped": True, "undamped": False}
SECONDS = {Scale.QUICK: 90, Scale.STANDARD: 180}
SETTLED_AFTER_S = 30
# Several samples in a swing, each longer than an RTT.
BIN_S = 0.2


def runs(scale):
    return {(name, buffer, seed): dumbbell(
        RATE_BIT_S, RTT_MS / 2, Queue(packets=buffer),
        [floyd.tfrc(rtt_ms=RTT_MS, start_s=0,
                    parameters={"oscillation_damping": damping})],
        SECONDS[scale], seed=seed)
        for name, damping in DAMPING.items() for buffer in BUFFERS
        for seed in floyd.seeds(scale, 1, 5)}


def swing(result):
    """Of the rate of sending."""
    return result.sent_cov("tfrc", BIN_S, SETTLED_AFTER_S, result.seconds)


def swings(name, buffer):
    return lambda results: results.each(swing, name, buffer)


def swing_ratio(buffer):
    return lambda results: [
        damped / undamped for damped, undamped in zip(
            swings("damped", buffer)(results),
            swings("undamped", buffer)(results))]


def plot(results, figure):
    buffers = BUFFERS[1:]
    axes = figure.subplots(len(buffers), 2, sharex=True, sharey=True)
    for row, buffer in zip(axes, buffers):
        for ax, name in zip(row, ("undamped", "damped")):
            result = results[name, buffer, 1]
            series = result.sent_series("tfrc", BIN_S)[:, 0]
            ax.plot([BIN_S * i for i in range(len(series))], series / 1000,
                    linewidth=0.7)
            ax.set(ylim=(0, 300))
            ax.annotate(f"buffer {buffer}, {name}", (0.02, 0.1),
                        xycoords="axes fraction", fontsize="small")
    for ax in axes[-1]:
        ax.set_xlabel("time [s]")
    figure.supylabel("sent [kbyte/s]")


SCENARIOS = [Scenario(
    "floyd-oscillation", source=FLOYD + ", figures 3 and 4",
    what="one flow, buffers of 2 to 64, with and without damping",
    runs=runs, plot=plot, claims=[
        Claim(f"CoV of the rate at 0.2 s, damped by undamped, buffer {buffer}",
              "oscillations prevented", swing_ratio(buffer))
        for buffer in (8, 32, 64)
    ] + [
        Claim("CoV of the rate at 0.2 s, damped, buffer 64",
              "nearly a line", swings("damped", 64)),
        Claim("utilisation, damped, buffer 32", "the link's rate",
              lambda results: results.each(
                  lambda result: result.utilisation(SETTLED_AFTER_S,
                                                    result.seconds),
                  "damped", 32)),
    ])]
