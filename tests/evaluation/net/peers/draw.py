# SPDX-License-Identifier: LGPL-2.1-or-later
"""The figures of the comparison."""

import math
import statistics

import numpy as np

import evidence
import intervals
import plots
from evidence import AGE, BESIDE, BESIDE_TCP, QUANTILES, SHARE

SHOWN = evidence.CONTROLS[:5]
COLOURS = dict(zip(SHOWN, plots.CYCLE))
SCATTERED = ("2-200", "2-1000", "loss-1", "loss-3", "steps", "cellular")


def half(values):
    return intervals.half_width(values) or 0


def ellipse(xs, ys):
    """Where a bivariate normal of these is one standard deviation from its mean; xs
    in decades."""
    points = np.array([[math.log10(x) for x in xs], ys])
    values, vectors = np.linalg.eigh(np.cov(points))
    turn = np.linspace(0, 2 * math.pi, 49)
    circle = np.sqrt(np.maximum(values, 0))[:, None] * [np.cos(turn), np.sin(turn)]
    x, y = points.mean(axis=1)[:, None] + vectors @ circle
    return 10 ** x, y


def scatter(told):
    def plot(figure):
        panels = figure.subplots(2, 3).flat
        for axes, cell in zip(panels, SCATTERED):
            for control in SHOWN:
                pairs = [list(told.values(one, cell, control).values())
                         for one in (AGE, SHARE)]
                if not all(pairs):
                    continue
                colour = COLOURS[control]
                axes.plot([statistics.geometric_mean(pairs[0])],
                          [statistics.fmean(pairs[1])], "o", color=colour,
                          label=control)
                axes.plot(*ellipse(*pairs), color=colour, linewidth=0.8)
            axes.set(title=cell, xscale="log", xlim=(80, 8000), ylim=(0, 1.05))
            ticks = (100, 200, 500, 1000, 2000, 5000)
            axes.set_xticks(ticks, [f"{tick}" for tick in ticks])
            axes.set_xticks([], minor=True)
        figure.axes[0].set_ylabel("share of the link")
        figure.axes[3].set(ylabel="share of the link",
                           xlabel="p95 of a picture's age [ms]")
        figure.axes[0].legend(loc="lower right")
    return plot


def ages(told):
    def plot(figure):
        for axes, cell in zip(figure.subplots(1, 3, sharey=True),
                              ("2-200", "steps", "cellular")):
            for control in SHOWN:
                runs = told.of(cell, control)
                columns = list(zip(*(run["age_ms"] for run in runs
                                     if run["age_ms"][0] is not None)))
                means = [statistics.fmean(column) for column in columns]
                if means:
                    axes.plot(means, QUANTILES, color=COLOURS[control], label=control)
            axes.set(title=cell, xscale="log", xlabel="age [ms]")
            ticks = (100, 200, 500, 1000, 2000, 5000)
            axes.set_xticks(ticks, [f"{tick}" for tick in ticks])
            axes.set_xticks([], minor=True)
        figure.axes[0].set_ylabel("pictures that are younger [%]")
        figure.axes[2].legend(loc="lower right")
    return plot


def step(told):
    def plot(figure):
        rows = figure.subplots(2, 1, sharex=True)
        for control in SHOWN:
            for axes, name in zip(rows, ("rate_series_kbit_s", "queue_series_ms")):
                series = [run[name] for run in told.of("steps", control)]
                means = [statistics.fmean(there) if there else float("nan")
                         for there in ([one for one in at if one is not None]
                                       for at in zip(*series))]
                plots.series(axes, told.head["series_s"], means, control,
                             start=told.head["from_s"], color=COLOURS[control])
        rows[0].set(ylabel="sent [kbit/s]", ylim=(0, 2600))
        rows[1].set(ylabel="queue [ms]", xlabel="s since the link went to 500 kbit/s")
        rows[1].legend(loc="upper right", ncols=3)
    return plot


def beside(told):
    def plot(figure):
        axes = figure.subplots()
        controls = [one for one in SHOWN if not one.startswith("fixed")]
        for place, control in enumerate(controls):
            found = [list(told.values(BESIDE_TCP, cell, control).values())
                     for cell in BESIDE]
            there = [i for i, values in enumerate(found) if values]
            axes.errorbar(
                [i + 0.15 * (place - 1.5) for i in there],
                [statistics.fmean(found[i]) for i in there],
                yerr=[half(found[i]) for i in there], fmt="o",
                color=COLOURS[control], capsize=2, label=control)
        axes.axhline(1, color="0.5", linewidth=0.8)
        axes.set(ylabel="rate by the mean TCP flow's", ylim=(0, None))
        axes.set_xticks(range(len(BESIDE)), [
            "1 CUBIC", "3 CUBIC", "1 Reno", "1 BBR"])
        axes.legend(loc="upper left")
    return plot


FIGURES = {"peers-scatter.svg": scatter, "peers-ages.svg": ages,
           "peers-step.svg": step, "peers-beside.svg": beside}


def save(told, folder):
    for name, figure in FIGURES.items():
        plot = figure(told)
        plots.save(plot, folder / name, plots.digest(plot))
