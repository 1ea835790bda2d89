# SPDX-License-Identifier: LGPL-2.1-or-later
"""The picture of a session with a group: the group's rate, the rate that
each receiver calculates, and who limits when."""

import pathlib

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as pyplot  # noqa: E402
import numpy as np  # noqa: E402

from .group_results import clr_periods  # noqa: E402
from .plot import (  # noqa: E402
    BIN_S, BLACK, GREEN, ORANGE, PURPLE, VERMILION)
from .results import metrics  # noqa: E402

STYLES = [dict(color=ORANGE, linestyle="-"),
          dict(color=GREEN, linestyle=(0, (5, 1))),
          dict(color=VERMILION, linestyle=(0, (3, 1, 1, 1))),
          dict(color=PURPLE, linestyle=(0, (1, 1)))]


def _draw_rates(axes, recording, plan):
    sent = recording.sender("bytes")
    when, rates = metrics.rate_series(
        sent.times, sent.values, 0, recording.seconds, BIN_S)
    rates = metrics.kbit_s(rates)
    axes.plot(when, rates, color=BLACK, linewidth=2.2, label="sent to all")
    for member, style in zip(plan.members, STYLES):
        series = recording.member(member.name, "calculated-bitrate")
        axes.plot(series.times, np.asarray(series.values) / 1000,
                  drawstyle="steps-post", linewidth=1.2,
                  label=f"calculated: {member.name}", **style)
    # A receiver that has not lost anything yet calculates far above.
    axes.set_ylim(0, 2.2 * max([100.0, *rates]))
    axes.set_ylabel("rate (kbit/s)")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncol=5,
                frameon=False)


def _draw_limiter(axes, recording, plan):
    for row, (member, style) in enumerate(zip(plan.members, STYLES)):
        spans = [(since, until - since)
                 for since, until, owner in clr_periods(recording)
                 if owner == member.name]
        axes.broken_barh(spans, (row - 0.35, 0.7), color=style["color"])
    axes.set_yticks(range(len(plan.members)),
                    [member.name for member in plan.members])
    axes.set_ylim(len(plan.members) - 0.5, -0.5)
    axes.set_ylabel("limits")
    axes.set_xlabel("time (s)")


def draw(recording, plan, path, title):
    figure, (rates, limiter) = pyplot.subplots(
        2, 1, sharex=True, figsize=(10, 6.5), constrained_layout=True,
        gridspec_kw={"height_ratios": [4, 1]})
    _draw_rates(rates, recording, plan)
    _draw_limiter(limiter, recording, plan)
    figure.suptitle(title, x=0.01, ha="left")
    for axes in (rates, limiter):
        axes.grid(color="0.85", linewidth=0.6)
        axes.set_axisbelow(True)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        for name, joined in recording.joined.items():
            for when in (joined, recording.left.get(name)):
                if when is not None:
                    axes.axvline(when, color="0.4", linewidth=0.8)
    for name, joined in recording.joined.items():
        rates.annotate(f"{name} joins", (joined, 0.98), fontsize=8,
                       xycoords=("data", "axes fraction"), va="top",
                       xytext=(3, 0), textcoords="offset points")
        if name in recording.left:
            rates.annotate(
                "leaves", (recording.left[name], 0.98), fontsize=8,
                xycoords=("data", "axes fraction"), va="top",
                xytext=(3, 0), textcoords="offset points")
    limiter.set_xlim(0, recording.seconds)
    for suffix in (".png", ".svg"):
        figure.savefig(pathlib.Path(path).with_suffix(suffix), dpi=110)
    pyplot.close(figure)
