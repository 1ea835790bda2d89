# SPDX-License-Identifier: LGPL-2.1-or-later
"""The picture of a session: rates against the link's capacity, loss event
rate, and what the packets waited for, over time."""

import math
import pathlib

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as pyplot  # noqa: E402
import numpy as np  # noqa: E402

from . import results  # noqa: E402

metrics = results.metrics

# Okabe and Ito's colours can be told apart by the colour-blind; the lines
# differ in width and dash as well.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILION, PURPLE = "#0072B2", "#D55E00", "#CC79A7"
BIN_S = 0.5


def _rate(axes, times, counter, seconds, **style):
    when, rates = metrics.rate_series(times, counter, 0, seconds, BIN_S)
    axes.plot(when, metrics.kbit_s(rates), **style)
    return float(metrics.kbit_s(rates).max()) if len(rates) else 0.0


def _level(axes, series, factor, **style):
    values = [value * factor if math.isfinite(value) else np.nan
              for value in series.values]
    axes.plot(series.times, values, drawstyle="steps-post", **style)


def _most(times, values):
    """The largest value of each tenth of a second that has one."""
    if not len(times):
        return np.array([]), np.array([])
    tenths = np.floor(np.asarray(times) * 10).astype(int)
    starts = np.flatnonzero(np.diff(tenths, prepend=tenths[0] - 1))
    return tenths[starts] / 10, np.maximum.reduceat(values, starts)


def _draw_rates(axes, recording):
    link, seconds = recording.link, recording.seconds
    top = 100.0
    if link:
        times = np.append(link.times, seconds)
        capacity = np.append(link.capacity, link.capacity[-1:]) * 8 / 1000
        axes.fill_between(times, capacity, step="post", color="0.9",
                          linewidth=0)
        axes.plot(times, capacity, drawstyle="steps-post", color=BLACK,
                  linewidth=1.2, label="link capacity")
        finite = capacity[np.isfinite(capacity)]
        top = max(top, finite.max() if len(finite) else 0)
    _level(axes, recording.sender("allowed-rate"), 8 / 1000, color=ORANGE,
           linewidth=1.2, label="allowed rate")
    if link:
        top = max(top, _rate(
            axes, link.times, link.offered_bytes, seconds, color=BLUE,
            linewidth=1.8, label="sent"))
    top = max(top, _rate(
        axes, recording.encoded_bytes.times, recording.encoded_bytes.values,
        seconds, color=VERMILION, linewidth=1.0, linestyle=(0, (4, 2)),
        label="encoder"))
    # The allowed rate may stand far above what anybody uses.
    axes.set_ylim(0, 1.35 * top)
    axes.set_ylabel("rate (kbit/s)\nmeans of 0.5 s")


def _draw_loss(axes, recording):
    series = recording.sender("loss-event-rate")
    _level(axes, series, 100, color=PURPLE, linewidth=1.5,
           label="loss event rate p")
    axes.set_ylim(0, max([1.0] + [130 * value for value in series.values]))
    axes.set_ylabel("p (%)")


def _draw_delays(axes, recording):
    link = recording.link
    top = 100.0
    if link:
        when, most = _most(link.times, link.queue_delay_s)
        axes.fill_between(when, most * 1000, step="post", color=SKY,
                          alpha=0.5, linewidth=0,
                          label="queueing delay of the link (most in 0.1 s)")
        top = max([top] + list(most * 1000))
    _level(axes, recording.sender("pacer-delay-ns"), 1e-6, color=VERMILION,
           linewidth=1.0, linestyle=(0, (4, 2)), label="waiting in the pacer")
    _level(axes, recording.sender("rtt-ns"), 1e-6, color=GREEN,
           linewidth=1.8, label="round-trip time")
    _level(axes, recording.glass_to_glass_ms, 1, color=BLACK, linewidth=1.0,
           label="glass to glass")
    top = max([top] + recording.glass_to_glass_ms.values)
    for name in ("pacer-delay-ns", "rtt-ns"):
        top = max([top] + [value / 1e6
                           for value in recording.sender(name).values])
    axes.set_ylim(0, 1.3 * top)
    axes.set_ylabel("time (ms)")
    axes.set_xlabel("time (s)")


def draw(recording, path, title):
    figure, (rates, loss, delays) = pyplot.subplots(
        3, 1, sharex=True, figsize=(10, 8.5), constrained_layout=True,
        gridspec_kw={"height_ratios": [5, 2, 4]})
    _draw_rates(rates, recording)
    _draw_loss(loss, recording)
    _draw_delays(delays, recording)
    rates.set_title(title, loc="left")
    warmup = results.warmup_of(recording.seconds)
    for axes in (rates, loss, delays):
        axes.grid(color="0.85", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.axvspan(0, warmup, facecolor="none", edgecolor="0.8",
                     hatch="///", linewidth=0)
        axes.legend(loc="upper right", ncol=4, framealpha=0.9)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    rates.annotate("not counted", (warmup / 2, 0.02),
                   xycoords=("data", "axes fraction"), ha="center",
                   fontsize=8, color="0.3")
    delays.set_xlim(0, recording.seconds)
    for suffix in (".png", ".svg"):
        figure.savefig(pathlib.Path(path).with_suffix(suffix), dpi=110)
    pyplot.close(figure)
