# SPDX-License-Identifier: LGPL-2.1-or-later
"""A link of 2, 0.5 and again 2 Mbit/s with one flow on it: TFRC, Reno, and
TFRC with delay control."""

import numpy as np

from claims import Claim, NOT_QUICK, PRESENT_DAY, Scale, Scenario
from scenarios import _figures
from scenarios._video import drop_tail, greedy, packet_bytes, seeds, tcp
from simulation import Link, Run

MBIT = 1e6
STEPS = ((20, 0.5 * MBIT), (40, 2 * MBIT))
SECONDS = 60
KINDS = {"TFRC": greedy(name="flow"), "Reno": tcp(name="flow"),
         "TFRC, delay-target=8": greedy(
             name="flow", parameters={"delay_target_ms": 8})}


def runs(scale):
    if scale is Scale.QUICK:
        return {}
    return {(kind, seed): Run(
        links=(Link(rate_bit_s=2 * MBIT, delay_ms=25,
                    queue=drop_tail(2 * MBIT, 100), schedule=STEPS),),
        flows=(flow,), seconds=SECONDS, seed=seed)
        for kind, flow in KINDS.items() for seed in seeds(scale)}


def used(start, end):
    return lambda result: result.utilisation(start, end)


def queue_ms(result):
    """Of each bin, by the rate that the link has then."""
    mean, _ = result.queue()
    starts, rates = _figures.capacity_steps(result)
    now = np.searchsorted(starts, np.arange(len(mean)) * result.bin_s,
                          side="right") - 1
    return mean * packet_bytes(result) * 8 / rates[now] * 1000


def queue_p95(start, end):
    return lambda result: float(np.percentile(
        queue_ms(result)[round(start / result.bin_s):
                         round(end / result.bin_s)], 95))


def recovery(result):
    """Seconds after 40 s until nine tenths of the link are used."""
    rates = result.series("flow", 0.5, 40)[:, 0] * 8
    there = np.flatnonzero(rates >= 0.9 * 2 * MBIT)
    return 0.5 * (float(there[0]) + 1) if len(there) else None


def plot(results, figure):
    rate, queue = figure.subplots(2, 1, sharex=True)
    for kind in KINDS:
        result = results[kind, 1]
        values = result.series("flow", 0.5)[:, 0] * 8 / MBIT
        rate.plot(0.5 * (np.arange(len(values)) + 0.5), values, label=kind)
        waiting = queue_ms(result)
        many = round(0.5 / result.bin_s)
        waiting = waiting[:len(waiting) // many * many].reshape(-1, many)
        queue.plot(0.5 * (np.arange(len(waiting)) + 0.5),
                   waiting.mean(axis=1), label=kind)
    edges, rates = _figures.capacity_steps(results["TFRC", 1])
    rate.step(edges, rates / MBIT, where="post", color="0.4", linewidth=1,
              linestyle="--", label="capacity")
    rate.set(ylabel="Mbit/s", ylim=(0, None))
    queue.set(ylabel="queue [ms]", ylim=(0, None), xlabel="s")
    rate.legend()


SCENARIOS = [Scenario(
    "capacity-steps", source=PRESENT_DAY,
    what="one flow on a link of 2, 0.5 and again 2 Mbit/s", runs=runs,
    plot=plot, claims=[
        claim for kind in KINDS for claim in (
            Claim(f"{kind}: used before the step, 10 to 20 s", "",
                  lambda results, kind=kind: results.each(
                      used(10, 20), kind), scales=NOT_QUICK),
            Claim(f"{kind}: queue before the step, p95 [ms]", "",
                  lambda results, kind=kind: results.each(
                      queue_p95(10, 20), kind), scales=NOT_QUICK),
            Claim(f"{kind}: queue in the 5 s after the step, p95 [ms]", "",
                  lambda results, kind=kind: results.each(
                      queue_p95(20, 25), kind), scales=NOT_QUICK),
            Claim(f"{kind}: seconds until 1.8 Mbit/s are back", "",
                  lambda results, kind=kind: results.each(recovery, kind),
                  scales=NOT_QUICK))
    ])]
