#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes what run.sh --json told between markers into results/cost.md.

    publish.py FILE...

Of a part that is in several files the last one counts; what was published of
one that is in none stays, and the cells are one part.  Each says where and when
it was measured."""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
DOCS = HERE.parents[2] / "docs"
sys.path[1:1] = [str(HERE.parent / "sim"), str(HERE.parents[1] / "support")]

from report import END, between_markers, table  # noqa: E402
from run import CELLS, PARTS, format_summary  # noqa: E402

BEGIN = "<!-- begin: written by tests/evaluation/bench/publish.py -->"
ENDS = ("send", "receive")
GOALS = {  # cell: {variant: greatest ratio}
    "paced_2": {"queue": 1.15},
    "paced_100": {"queue": 1.0, "rtp": 1.0},
    "paced_2_srtp": {"queue": 1.1},
}
START_MS = 50
LATE_US = {"late_p50_us": 60, "late_p99_us": 150}
LATE_RATE = "2"  # Mbit/s that those are of


def merge(listings):
    """{part: (its result, where it comes from)}."""
    return {name: (listing[name], listing["measured"])
            for listing in listings for name in [*CELLS, *PARTS]
            if name in listing}


def verdict(value, goal):
    return f"{goal:g}: {'met' if value <= goal else 'missed'}"


def of_ends(values, key, form):
    return [form.format(values[end][key]["median"]) if values[end][key] else "-"
            for end in ENDS]


def cost_rows(cells):
    return [[f"`{name}`", f"`{variant}`", format_summary(values["cpu_us"], "{:.0f}"),
             *of_ends(values, "cpu_us", "{:.0f}"),
             *of_ends(values, "wakes", "{:.2f}"),
             *of_ends(values, "calls", "{:.2f}"),
             f"{values['received_share']['low']:.3f}"]
            for name, cell in cells.items()
            for variant, values in cell["variants"].items()]


def ratio_rows(cells):
    rows = []
    for name, cell in cells.items():
        for key, ratio in cell.items():
            if not key.startswith("ratio_"):
                continue
            variant = key.removeprefix("ratio_")
            goal = GOALS.get(name, {}).get(variant)
            rows.append([f"`{name}`", f"`{variant}`", format_summary(ratio, "{:.2f}"),
                         verdict(ratio["median"], goal) if goal else ""])
    return rows


def write_cells(cells):
    return (table(["cell", "variant", "CPU, both ends (µs)", "sender", "receiver",
                   "wake-ups, sender", "receiver", "system calls, sender",
                   "receiver", "least share that arrived"], cost_rows(cells))
            + "\n" + table(["cell", "CPU of tfrc by that of", "ratio", "goal"],
                           ratio_rows(cells)))


def flow_rows(flows):
    return [[f"`{variant}`"]
            + [f"{ends[end][key]:.1f}" if key == "threads" else f"{ends[end][key]:.0f}"
               for key in ("threads", "rss_kib", "cpu_us") for end in ENDS
               if key in ends[end]]
            for variant, ends in flows.items()]


def write_streams(streams):
    return table(["flows", "", "threads, sender", "receiver", "memory, sender (KiB)",
                  "receiver", "CPU a packet, sender (µs)", "receiver"],
                 [[n, *row] for n, flows in streams.items()
                  for row in flow_rows(flows)])


def write_idle(idle):
    return table(["an idle flow", "threads, sender", "receiver",
                  "memory, sender (KiB)", "receiver"], flow_rows(idle))


def write_lateness(lateness):
    return table(["late against the nominal time at", "median (µs)", "goal",
                  "99th percentile (µs)", "goal"],
                 [[f"{rate} Mbit/s"] + [
                     cell for key, goal in LATE_US.items()
                     for cell in (format_summary(late[key], "{:.0f}"),
                                  verdict(late[key]["median"], goal)
                                  if rate == LATE_RATE else "")]
                  for rate, late in lateness.items()])


def write_start(start):
    return table(["from gst_element_set_state to a packet on a socket", "ms", "goal"],
                 [[f"`{variant}`", format_summary(summary, "{:.0f}"),
                   verdict(summary["median"], START_MS) if variant == "tfrc" else ""]
                  for variant, summary in start.items()])


HEADS = {"cells": "| cell |", "streams": "| flows |", "idle": "| an idle flow |",
         "lateness": "| late against", "start": "| from gst_element_set_state"}
WRITERS = {"streams": write_streams, "idle": write_idle,
           "lateness": write_lateness, "start": write_start}


def origin(measured):
    return (f"*Measured at {measured['commit']} ({measured['date']}): "
            f"`tests/evaluation/bench/run.sh {measured['arguments']}`.*\n")


def published(text):
    """{part: [(origin, table)]} of what stands between the markers."""
    found, said = {}, ""
    for block in text.partition(BEGIN)[2].partition(END)[0].split("\n\n"):
        block = block.strip("\n") + "\n"
        if block.startswith("*Measured"):
            said = block
        for name, head in HEADS.items():
            if block.startswith(head):
                found.setdefault(name, []).append((said, block))
    return found


def write_all_cells(parts):
    """[(origin, tables)]: cells of one origin share them."""
    origins = []
    for name in CELLS:
        if name in parts and parts[name][1] not in origins:
            origins.append(parts[name][1])
    return [(origin(measured), write_cells(
        {name: parts[name][0] for name in CELLS
         if name in parts and parts[name][1] == measured}))
        for measured in origins]


def write(parts, kept=None):
    """The text between the markers."""
    kept = kept or {}
    blocks = write_all_cells(parts) or list(kept.get("cells", []))
    for name in PARTS:
        if name in parts:
            result, measured = parts[name]
            blocks.append((origin(measured), WRITERS[name](result)))
        else:
            blocks += kept.get(name, [])
    text, said = [], None
    for measured, block in blocks:
        if measured != said:
            text.append(measured)
        text.append(block)
        said = measured
    return "\n".join(text)


def main(arguments):
    if not arguments or arguments[0].startswith("-"):
        print(__doc__)
        return 2
    parts = merge([json.loads(pathlib.Path(one).read_text()) for one in arguments])
    results = DOCS / "results" / "cost.md"
    text = results.read_text()
    results.write_text(between_markers(text, write(parts, published(text)), BEGIN))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
