#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the comparison out of tests/evaluation/evidence/peers.json: between markers
of docs/evaluation.md and README.md, the whole of docs/results/peers.md, and the figures
docs/figures/peers-*.svg."""

import collections
import pathlib
import re
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "sim")]

import draw  # noqa: E402
import evidence  # noqa: E402
import intervals  # noqa: E402
import measured  # noqa: E402
from evidence import (AGE, BESIDE_TCP, CELLS, CONTROLS, FROZEN, FURTHER,  # noqa: E402
                      GROUPS, JAIN, JUDGED, OTHERS, OURS, PUBLISHED, QUEUE,
                      RECORDED, REPAIRS, SHARE, VMAF)
from report import between_markers, table  # noqa: E402

DOCS = evidence.TOP / "docs"
BY = "written by tests/evaluation/net/peers/publish_peers.py -->"
BEHIND = f"<!-- begin: behind, {BY}"
TABLES = f"<!-- begin: peers, {BY}"
OVERVIEW = f"<!-- begin: overview, {BY}"
HEADLINE = f"<!-- begin: headline, {BY}"
COMMAND = "tests/evaluation/net/peers/run.sh"
# Of these the list of what is worse tells; a short queue is no worth by itself.
FELT = (SHARE, AGE, FROZEN, VMAF, BESIDE_TCP, JAIN)
# For README.md.
NAMES = {REPAIRS: "`tfrcsink`", OURS: "without repair", "rfc5348": "plain RFC 5348",
         "gcc": "`rtpgccbwe` (Google's)", "nada": "NADA (RFC 8698)"}
COLUMNS = {"steady": (SHARE, QUEUE, AGE, FROZEN, VMAF),
           "loss": (SHARE, AGE, FROZEN, VMAF),
           "changing": (SHARE, QUEUE, AGE, FROZEN, VMAF),
           "6 Mbit/s": (SHARE, QUEUE, AGE, FROZEN, VMAF)}
# Of each further cell and control.
FURTHER_COLUMNS = (SHARE, QUEUE, AGE, FROZEN, VMAF, JAIN, BESIDE_TCP)
# Of all controls in one table.
OVERALL = (("steady: share", SHARE, "steady"), ("queue p95 [ms]", QUEUE, "steady"),
           ("age p95 [ms]", AGE, "steady"),
           ("changing: share", SHARE, "changing"), ("age p95 [ms]", AGE, "changing"),
           ("frozen [%]", FROZEN, "changing"), ("VMAF", VMAF, "changing"),
           ("lossy: share", SHARE, "loss"), ("frozen [%]", FROZEN, "loss"),
           ("VMAF", VMAF, "loss"), ("beside a CUBIC: its rate", BESIDE_TCP, ("1-cubic",)),
           ("frozen [%]", FROZEN, ("1-cubic",)), ("VMAF", VMAF, ("1-cubic",)))
PAGE = """# Beside other controls, cell by cell

All written by `tests/evaluation/net/peers/publish_peers.py` from `tests/evaluation/evidence/peers.json`; what the cells and controls
are, and what it says, is in [evaluation.md](../evaluation.md). Means over the runs, with the half of their 95 % interval.
Who did not react until the link came back, nor recover until the end, counts with that time.

{stamp}
{begin}

## By groups of cells

{groups}

![Rate by the mean TCP flow's beside CUBIC, Reno and BBR](../figures/peers-beside.svg)

In how many cells ours is ahead, behind or undecided, by the 95 % interval of the difference within the rounds:

{score}
{cells}
<!-- end -->
"""


def number(measure, values):
    """Mean and half interval."""
    values = list(values)
    if not values:
        return "-"
    half = intervals.half_width(values)
    mean = format(statistics.fmean(values), measure.form)
    return mean if half is None else f"{mean} ± {half:{measure.form}}"


def stamp(told):
    """Of each batch when and where; of them all how the machine was."""
    batches = told.batches()
    lines = []
    for commit, machine, runs in batches:
        cells = [cell for cell in CELLS if any(run["cell"] == cell for run in runs)]
        some = "" if len(batches) == 1 else " --only " + ",".join(cells)
        some += " --traces FOLDER" * (RECORDED in cells)
        lines.append(f"*Measured at {commit} ({runs[-1]['began'][:10]}): "
                     f"`{COMMAND}{some}`.*\n\n{len(runs)} runs with {machine}.\n")
    return "\n".join(lines) + "\n" + calmness(told)


def calmness(told):
    runs = told.runs
    repeated = len(told.told["spoilt"])
    kept_stalled = sum(not run["calm"] for run in runs)
    counts = collections.Counter(
        (run["cell"], run["control"]) for run in runs).values()
    loads = [run["load"] for run in runs]
    late = [run["lateness_ms"] for run in runs]
    jobs = sorted({run["jobs"] for run in runs})
    return (
        f"In all {len(runs)} runs, {' to '.join(map(str, sorted({min(counts), max(counts)})))} "
        f"of each control in each cell, {' or '.join(map(str, jobs))} at a time.\n"
        f"Load was {min(loads):.0f} to "
        f"{max(loads):.0f}, nearly all of it work of lower priority; a link was late by "
        f"{statistics.median(late):.0f} ms at the worst instant of the median run and "
        f"{max(late):.0f} of any.\n{repeated} runs were made again, as the "
        f"emulator was late or an encoder starved; {kept_stalled} went wrong three times, and "
        "count.\n")


def group_table(told, group):
    columns = COLUMNS[group]
    rows = [[control] + [number(one, told.over(one, GROUPS[group], control).values())
                         for one in columns]
            for control in CONTROLS
            if any(told.over(one, GROUPS[group], control) for one in columns)]
    return table([group] + [one.words for one in columns], rows)


def overview(told):
    rows = []
    for control in CONTROLS:
        each = [told.over(measure, GROUPS.get(cells, cells), control)
                for _, measure, cells in OVERALL]
        rows.append([control] + [
            number(measure, values.values())
            for (_, measure, _), values in zip(OVERALL, each)])
    return table(["control"] + [words for words, *_ in OVERALL], rows)


def beside_table(told):
    rows = [[control] + [number(BESIDE_TCP, told.values(
        BESIDE_TCP, cell, control).values()) for cell in evidence.BESIDE]
        for control in CONTROLS if told.of("1-cubic", control)]
    return table(["rate by the mean TCP's"] + list(evidence.BESIDE), rows)


def further_table(told):
    rows = [[cell, control] + [number(one, told.values(one, cell, control).values())
                               for one in FURTHER_COLUMNS]
            for cell in FURTHER for control in CONTROLS if told.of(cell, control)]
    return table(["cell", "control"] + [one.words for one in FURTHER_COLUMNS], rows)


def score(told):
    """Of how many cells ours is ahead, behind and undecided."""
    rows = []
    for measure in JUDGED:
        row = [measure.words]
        for other in OTHERS:
            found = collections.Counter(
                told.verdict(measure, cell, other) for cell in CELLS)
            row.append(" / ".join(str(found[one]) for one in (
                "ahead", "behind", "undecided")) if sum(found.values()) > found[None]
                else "-")
        rows.append(row)
    return table(["ahead / behind / undecided", *OTHERS], rows)


def worse(told):
    """The list of what is worse than somebody's, by measure."""
    lines = []
    for measure in FELT:
        cells = []
        for cell in CELLS:
            better = [other for other in OTHERS
                      if told.verdict(measure, cell, other) == "behind"]
            if better:
                cells.append(f"`{cell}` " + number(
                    measure, told.values(measure, cell, OURS).values()) + ": "
                    + ", ".join(f"{other} " + number(measure, told.values(
                        measure, cell, other).values()) for other in better))
        if any(told.values(measure, cell, OURS) for cell in CELLS):
            lines.append(f"- *{measure.words}*: " + ("; ".join(cells) or "nowhere")
                         + ".\n")
    return "".join(lines)


def headline(told):
    """For README.md: beside those that control."""
    rows = []
    for what, measure, cells in (
            ("share of the link, steady 2 Mbit/s, queue of 50 to 1000 ms", SHARE,
             GROUPS["steady"]),
            ("p95 of the queue there [ms]", QUEUE, GROUPS["steady"]),
            ("p95 of a picture's age there, glass to glass [ms]", AGE, GROUPS["steady"]),
            ("share of the link where it changes: steps, a fade, like LTE", SHARE,
             GROUPS["changing"]),
            ("share of the link, recorded LTE and 3G", SHARE, (RECORDED,)),
            ("p95 of a picture's age there [ms]", AGE, (RECORDED,)),
            ("time in freezes there [%]", FROZEN, (RECORDED,)),
            ("quality of the picture there, VMAF", VMAF, (RECORDED,)),
            ("share of the link, 3 % lost at random", SHARE, ("loss-3",)),
            ("quality of the picture there, VMAF", VMAF, ("loss-3",)),
            ("rate beside one CUBIC, by its", BESIDE_TCP, ("1-cubic",)),
            ("quality of the picture there, VMAF", VMAF, ("1-cubic",)),
            ("p95 of a picture's age there [ms]", AGE, ("1-cubic",))):
        rows.append([what] + [number(measure, told.over(measure, cells, one).values())
                              for one in NAMES])
    return table(["what"] + list(NAMES.values()), rows)


def cell_tables(told):
    parts = []
    for cell in CELLS:
        columns = [one for one in PUBLISHED if told.values(one, cell, OURS)
                   or told.values(one, cell, REPAIRS)]
        rows = [[control, str(len(told.of(cell, control)))]
                + [number(one, told.values(one, cell, control).values())
                   for one in columns]
                for control in CONTROLS if told.of(cell, control)]
        parts.append(f"## {cell}\n\n" + table(
            ["control", "runs"] + [one.words for one in columns], rows))
    return "\n".join(parts)


def aged(text, evaluation):
    """With how many commits the elements have had since, up to the one that the
    page is of."""
    as_of = re.search(r"^At core `([0-9a-f]{8})`", evaluation, re.MULTILINE)
    return measured.mark(text, as_of[1]) if as_of else text


def pages(told, docs=DOCS):
    """{path: text}"""
    evaluation, readme = docs / "evaluation.md", docs.parent / "README.md"
    text = evaluation.read_text(encoding="utf-8")
    for marker, part in (
            (BEHIND, worse(told)), (OVERVIEW, overview(told))):
        text = between_markers(text, part, marker)
    told_of = {evaluation: text,
               readme: between_markers(readme.read_text(encoding="utf-8"),
                                       headline(told), HEADLINE),
               docs / "results" / "peers.md":
                   PAGE.format(stamp=stamp(told), begin=TABLES, score=score(told),
                               groups="\n".join([group_table(told, group)
                                                 for group in GROUPS]
                                                + [beside_table(told),
                                                   further_table(told)]),
                               cells=cell_tables(told))}
    return {path: aged(one, text) for path, one in told_of.items()}


def main():
    told = evidence.Evidence()
    for path, text in pages(told).items():
        path.write_text(text, encoding="utf-8")
    draw.save(told, DOCS / "figures")


if __name__ == "__main__":
    sys.exit(main())
