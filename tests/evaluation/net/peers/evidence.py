# SPDX-License-Identifier: LGPL-2.1-or-later
"""What measure.py kept, and its statistics: means over the rounds with 95 %
intervals, and differences within the rounds."""

import dataclasses
import json
import math
import pathlib
import statistics
import sys
from typing import Callable

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[3]
sys.path[:0] = [str(TOP / "tests" / "support")]

import intervals  # noqa: E402

FILE = HERE.parents[1] / "evidence" / "peers.json"
OURS, REPAIRS = "ours", "default"
OTHERS = ("rfc5348", "gcc", "nada", "fixed-0.8")
CONTROLS = (OURS, *OTHERS, REPAIRS)
GROUPS = {"steady": ("2-50", "2-200", "2-1000"), "loss": ("loss-1", "loss-3"),
          "changing": ("steps", "fade", "cellular"),
          "6 Mbit/s": ("6-50", "6-200", "6-1000")}
BESIDE = ("1-cubic", "3-cubic", "1-reno", "1-bbr")
WITH_TCP = (*BESIDE, "8867-5.6", "8867-5.7")
# Each by itself.
RECORDED = "recorded"
FURTHER = (RECORDED, "wifi", "late", "8867-5.1", "8867-5.2", "8867-5.4", "8867-5.6",
           "8867-5.7")
CELLS = tuple(cell for cells in GROUPS.values() for cell in cells) + BESIDE + FURTHER


@dataclasses.dataclass(frozen=True)
class Measure:
    """of: what it is of a run, or None.  badness: what is less the better."""
    words: str
    form: str
    of: Callable[[dict], float]
    badness: Callable[[float], float]


def _same(value):
    return value


def _age(per_cent):
    return lambda run: run["age_ms"][QUANTILES.index(per_cent)]


def _field(name, scale=1):
    return lambda run: None if run.get(name) is None else scale * run[name]


def _alone(name):
    """Beside TCP link and queue are TCP's."""
    return lambda run: None if run["cell"] in WITH_TCP else run[name]


def _until_the_end(name, part):
    """Of a time that may not have been over when that part of the run was."""
    def of(run):
        ends = STEP_S.get(run["cell"])
        return ends and (ends[part] if run.get(name) is None else run[name])
    return of


# Behind the step down, and back up.
STEP_S = {"steps": (14, 14), "fade": (10, 18)}
QUANTILES = (1, 5, 10, 25, 50, 75, 90, 95, 98, 99, 100)
SHARE = Measure("share of the link", ".2f", _alone("link_share"),
                lambda value: -value)
QUEUE = Measure("p95 of the queue [ms]", ".0f", _alone("queue_p95_ms"), _same)
AGE = Measure("p95 of a picture's age [ms]", ".0f", _age(95), _same)
FROZEN = Measure("time in freezes [%]", ".1f", _field("frozen_share", 100), _same)
VMAF = Measure("VMAF", ".0f", _field("vmaf"), lambda value: -value)
SSIM = Measure("SSIM", ".3f", _field("ssim"), lambda value: -value)
# As far from 1 is half as twice.
BESIDE_TCP = Measure("rate by the mean TCP's", ".2f", _field("tcp_share"),
                     lambda value: abs(math.log(value)))
JAIN = Measure("Jain's index", ".3f", _field("jain"), lambda value: -value)
JUDGED = (SHARE, QUEUE, AGE, FROZEN, VMAF, BESIDE_TCP, JAIN)
PUBLISHED = (
    Measure("sent [kbit/s]", ".0f", _field("sent_kbit_s"), _same), SHARE,
    Measure("queue p50 [ms]", ".0f", _field("queue_p50_ms"), _same),
    Measure("p95", ".0f", _field("queue_p95_ms"), _same),
    Measure("age p50 [ms]", ".0f", _age(50), _same),
    Measure("p95", ".0f", _age(95), _same),
    Measure("p99", ".0f", _age(99), _same),
    Measure("freezes", ".1f", _field("freezes"), _same),
    Measure("longest [ms]", ".0f", _field("longest_freeze_ms"), _same), FROZEN,
    Measure("not shown [%]", ".1f", _field("not_shown", 100), _same), VMAF, SSIM,
    BESIDE_TCP, JAIN,
    Measure("reaction [s]", ".1f", _until_the_end("reaction_s", 0), _same),
    Measure("recovery [s]", ".1f", _until_the_end("recovery_s", 1), _same),
    Measure("repair [%]", ".1f", _field("repair_share", 100), _same))


class Evidence:
    def __init__(self, path=FILE):
        self.told = json.loads(path.read_text(encoding="utf-8"))
        self.head, self.runs = self.told["head"], self.told["runs"]
        assert tuple(self.head["quantiles"]) == QUANTILES

    def batches(self):
        """[(commit, machine, runs)] of what was measured together, by date."""
        kinds = {}
        for run in sorted(self.runs, key=lambda one: one["began"]):
            kinds.setdefault((run["commit"], run["machine"]), []).append(run)
        return [(commit, self.head["machines"][number], runs)
                for (commit, number), runs in kinds.items()]

    def of(self, cell, control):
        return [run for run in self.runs
                if (run["cell"], run["control"]) == (cell, control)]

    def values(self, measure, cell, control):
        """{seed: value}"""
        found = {run["seed"]: measure.of(run) for run in self.of(cell, control)}
        return {seed: value for seed, value in found.items() if value is not None}

    def over(self, measure, cells, control):
        """{seed: mean over the cells}, of the rounds that have them all."""
        each = [self.values(measure, cell, control) for cell in cells]
        seeds = set.intersection(*map(set, each))
        return {seed: statistics.fmean(one[seed] for one in each)
                for seed in sorted(seeds)}

    def difference(self, measure, cell, other):
        """(mean, half width) of how much worse ours is than the other within a
        round; None: they have no two rounds in common."""
        ours, theirs = ({seed: measure.badness(value) for seed, value in
                         self.values(measure, cell, control).items()}
                        for control in (OURS, other))
        by_round = [ours[seed] - theirs[seed] for seed in ours.keys() & theirs.keys()]
        half = intervals.half_width(by_round)
        return None if half is None else (statistics.fmean(by_round), half)

    def verdict(self, measure, cell, other):
        """"ahead", "behind", "undecided", or None."""
        told = self.difference(measure, cell, other)
        if told is None:
            return None
        mean, half = told
        return "undecided" if abs(mean) <= half else "behind" if mean > 0 else "ahead"
