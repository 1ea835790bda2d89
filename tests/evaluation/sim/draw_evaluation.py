#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws pictures from what is kept: for docs/evaluation.md fairness from
evidence/networks.json, for results/networks.md the same beside the records, for
results/simulation.md smoothness and cost from the records and results/cost.md."""

import json
import math
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]
                       / "support"))

import plots
import records
from scenarios import ns2

DOCS = records.TOP / "docs"
NETWORKS = pathlib.Path(__file__).resolve().parents[1] / "evidence" / "networks.json"
RATIO = re.compile(r"TFRC's rate by the mean TCP's, (?P<queue>[^,]+), \d TCP$")
# RFC 8868 section 2.1.
GUIDELINE = (1 / 3, 3)
QUEUES = {"drop-tail-50": "50 ms", "drop-tail-200": "200 ms", "red": "RED"}
OUTSIDE = "#C00000"
AS_NS_2 = "as ns-2"


def beside(kind):
    """[(queue, median, least, most)] beside the kernel's TCP."""
    kept = {one["scenario"]: one["claims"]
            for one in json.loads(NETWORKS.read_text(encoding="utf-8"))}
    found = []
    for told in kept[f"beside-{kind}-5"] + kept[f"beside-{kind}-20"]:
        named = RATIO.match(told["claim"])
        if named:
            values = told.get("values") or [told.get(end, told["measured"])
                                            for end in ("least", "most")]
            found.append((QUEUES[named["queue"]], told["measured"], min(values),
                          max(values)))
    return found


def simulated(record):
    """The same of figure 6 in ns-3: TFRC by TCP from TCP's share."""
    found = []
    for claim, told in record.claims.items():
        if claim.startswith("normalised TCP throughput"):
            queue = "RED" if ", red, " in claim else "drop-tail"
            mean, low, high = (2 / told.get(key, told["measured"]) - 1 for key
                               in ("measured", "most", "least"))
            found.append((queue, mean, low, high))
    return found


def draw_shares(figure):
    axes = figure.subplots()
    groups = [(name, beside(name.lower()))
              for name in ("Reno", "CUBIC", "BBR")]
    kept = records.load()
    groups += [("ns-3", simulated(kept["floyd-fairness"])),
               (AS_NS_2, simulated(kept["ns2-shares"]))]
    at, ticks, labels = 0, [], []
    for name, points in groups:
        for queue in dict.fromkeys(point[0] for point in points):
            mine = [point for point in points if point[0] == queue]
            places = [at + 0.7 * (i - len(mine) / 2 + 0.5) / len(mine)
                      for i in range(len(mine))]
            for x, (_, mean, least, most) in zip(places, mine):
                fair = GUIDELINE[0] <= mean <= GUIDELINE[1]
                colour = plots.COLOURS["tfrc"] if fair else OUTSIDE
                axes.plot([x, x], [least, most], color=colour, linewidth=0.8)
                axes.plot([x], [mean], "o", color=colour, markersize=3)
            if name == AS_NS_2:
                rings = [2 / share - 1 for (kind, _), share
                         in ns2.SHARES.items() if kind == queue.lower()]
                axes.plot(places, rings, "o",
                          markerfacecolor="none", color="black",
                          markersize=5,
                          label="ns-2" if queue == "RED" else None)
            ticks.append(at)
            labels.append(f"{name}\n{queue}")
            at += 1
    axes.axhspan(*GUIDELINE, color="0.93", zorder=0)
    axes.axhline(1, color="0.5", linewidth=0.8)
    axes.set(yscale="log", ylim=(0.025, 10), ylabel="TFRC by the mean TCP")
    ticks_y = [0.05, 0.1, 0.2, 0.5, 1, 2, 5]
    axes.set_yticks(ticks_y, [f"{tick:g}" for tick in ticks_y])
    axes.set_xticks(ticks, labels)
    axes.legend(loc="lower right")


def draw_fairness(figure):
    """A column for each queue and number of flows, a row for each TCP and rate;
    colours by doublings."""
    kept = {one["scenario"]: {told["claim"]: told["measured"] for told in one["claims"]}
            for one in json.loads(NETWORKS.read_text(encoding="utf-8"))}
    rows = [(tcp, rate) for tcp in ("Reno", "CUBIC", "BBR") for rate in (5, 20)]
    columns = [(queue, flows) for queue in QUEUES for flows in (1, 3, 7)]
    ratios = [[kept[f"beside-{tcp.lower()}-{rate}"][
        f"TFRC's rate by the mean TCP's, {queue}, {flows} TCP"]
        for queue, flows in columns] for tcp, rate in rows]
    axes = figure.subplots()
    axes.imshow([[math.log2(ratio) for ratio in row] for row in ratios],
                cmap="RdBu_r", vmin=-3, vmax=3, aspect="auto")
    for y, row in enumerate(ratios):
        for x, ratio in enumerate(row):
            dark = abs(math.log2(ratio)) > 2
            axes.text(x, y, f"{ratio:.2g}", ha="center", va="center",
                      color="white" if dark else "black")
        # So that the picture's digest has them.
        axes.plot(range(len(row)), row, visible=False)
    axes.set_xticks(range(len(columns)), [
        f"{flows}\n{QUEUES[queue] if flows == 3 else ''}" for queue, flows in columns])
    axes.set_yticks(range(len(rows)), [f"{tcp}, {rate} Mbit/s" for tcp, rate in rows])
    axes.set(xlabel="TCP flows, queue", xlim=(-0.5, len(columns) - 0.5),
             ylim=(len(rows) - 0.5, -0.5))
    axes.grid(False)


def draw_smoothness_and_cost(figure):
    smoothness, cost = figure.subplots(1, 2, width_ratios=(2, 1))
    told = records.load()["ns2-timescales"].claims
    times = list(ns2.COVS)
    for name, colour in (("TFRC", "tfrc"), ("TCP", "tcp")):
        points = [told[f"CoV of {name} at {time:g} s"] for time in times]
        smoothness.plot(times, [one["measured"] for one in points], "o-",
                        color=plots.COLOURS[colour], label=name)
        smoothness.fill_between(
            times, [one["least"] for one in points],
            [one["most"] for one in points], alpha=0.3,
            color=plots.COLOURS[colour], linewidth=0)
    for column, name in enumerate(("tfrc", "tcp")):
        plots.paper(smoothness, times, [ns2.COVS[time][column]
                                        for time in times],
                    label=f"{name.upper()} in ns-2",
                    color=plots.COLOURS[name])
    smoothness.set(xscale="log", ylim=(0, None), xlabel="timescale [s]",
                   ylabel="CoV of the rate",
                   title="16 TFRC and 16 TCP on 15 Mbit/s, RED")
    smoothness.set_xticks(times, [f"{time:g}" for time in times])
    smoothness.legend()
    used = {(int(rate), variant): float(us) for rate, variant, us in re.findall(
        r"^\| `paced_(\d+)` \| `(\w+)` \| (\d+) ",
        (DOCS / "results/cost.md").read_text(), re.MULTILINE)}
    rates = sorted({rate for rate, _ in used})
    for column, (label, variant) in enumerate((
            ("queue", "queue"), ("rtpsink and rtpsrc", "rtp"),
            ("tfrc", "tfrc"))):
        cost.bar([i + 0.25 * (column - 1) for i in range(len(rates))],
                 [used[rate, variant] for rate in rates], 0.22, label=label)
    cost.set_xticks(range(len(rates)), rates)
    cost.set(xlabel="Mbit/s", ylabel="µs of CPU per packet",
             title="cost")
    cost.legend(loc="upper right")
    # The legend above the highest.
    cost.set_ylim(0, 1.5 * max(used.values()))


PICTURES = {"evaluation-fairness.svg": draw_fairness,
            "evaluation-shares.svg": draw_shares,
            "evaluation-smoothness.svg": draw_smoothness_and_cost}


def draw(folder):
    for name, picture in PICTURES.items():
        plots.save(picture, folder / name, plots.digest(picture))


if __name__ == "__main__":
    draw(DOCS / "figures")
