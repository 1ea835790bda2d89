# SPDX-License-Identifier: LGPL-2.1-or-later
"""Scenarios of RFC 8867 and of Floyd et al. once more, with delay control in
every TFRC flow: the same runs, the same claims in the same ranges, and the
queue.  They count for no paper: none has it."""

import dataclasses
import statistics

import numpy as np

from claims import NOT_QUICK, PRESENT_DAY, Claim, Scale
from scenarios import (
    floyd_fairness, rfc8867_capacity, rfc8867_fairness, rfc8867_tcp)
from scenarios._video import each, packet_bytes

TARGET_MS = 8
PREFIX = "delay-"
CONTROLLED = ("media", "tfrc")


def with_control(run):
    return dataclasses.replace(run, flows=tuple(
        dataclasses.replace(flow, parameters={
            **flow.parameters, "delay_target_ms": TARGET_MS})
        if flow.kind in CONTROLLED else flow for flow in run.flows))


def queue_ms(per_cent, result):
    """Of the queue at the ends of the bins, over the time that counts: from
    10 s on."""
    mean, _ = result.queue()
    first = round(10 / result.bin_s)
    rate = result.capacity(10, result.seconds)
    return float(np.percentile(mean[first:], per_cent)) \
        * packet_bytes(result) / rate * 1000


def queue_claims(scenario):
    """Published: TCP's part of it is in there where TCP is."""
    cells = sorted({key[:-1] for key in scenario.runs(Scale.STANDARD)},
                   key=str)
    for cell in cells:
        yield Claim(
            "queue, p95 from 10 s on [ms], "
            + ", ".join(map(str, cell)), "", each(
                lambda result: queue_ms(95, result), *cell),
            scales=NOT_QUICK, middle=statistics.median,
            note="a goal for flows that are alone only")


def controlled(scenario):
    def runs(scale):
        return {key: with_control(run) for key, run
                in scenario.runs(scale).items()} if scale in NOT_QUICK else {}
    return dataclasses.replace(
        scenario, name=PREFIX + scenario.name,
        source=f"{PRESENT_DAY}, {scenario.source.replace(',', '')}",
        what=scenario.what + ", with delay control", runs=runs,
        claims=[dataclasses.replace(claim, scales=claim.scales & NOT_QUICK)
                for claim in (*scenario.claims, *queue_claims(scenario))])


SCENARIOS = [controlled(scenario) for module in (
    rfc8867_capacity, rfc8867_fairness, rfc8867_tcp, floyd_fairness)
    for scenario in module.SCENARIOS]
