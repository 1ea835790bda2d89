# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figures of the tables with live video: rates over time against the
capacity, and below them the queue."""

import numpy as np

from scenarios._video import packet_bytes

BIN_S = 0.5


def capacity(key, names, title, total=()):
    """The received rate of each flow of one run, in half seconds; of those
    in `total` together."""
    def draw(results, figure):
        result = results[key]
        upper, lower = figure.subplots(2, 1, sharex=True,
                                       height_ratios=(3, 1))
        _draw_rates(upper, result, names, total)
        _draw_queue(lower, result)
        upper.set_title(title, fontsize="medium")
    return draw


def _draw_rates(axes, result, names, total):
    edges, rates = capacity_steps(result)
    axes.step(edges, rates / 1e6, where="post", color="0.4", linewidth=1,
              linestyle="--", label="capacity")
    for name in names:
        rows = result.series(name, BIN_S)
        if name in total:
            rows = rows.sum(axis=1, keepdims=True)
        for i, column in enumerate(rows.T):
            times = (np.arange(len(column)) + 0.5) * BIN_S
            axes.plot(times, column * 8 / 1e6, linewidth=1,
                      label=name if i == 0 else None)
    axes.set_ylabel("Mbit/s")
    axes.set_ylim(bottom=0)
    axes.legend(fontsize="x-small", loc="upper right", ncols=3, frameon=True)


def _draw_queue(axes, result):
    """Delay of a packet that comes last, were all of the mean size."""
    _, most = result.queue()
    many = round(BIN_S / result.bin_s)
    whole = len(most) // many
    most = most[:whole * many].reshape(whole, many).max(axis=1)
    times = (np.arange(whole) + 0.5) * BIN_S
    edges, rates = capacity_steps(result)
    places = np.searchsorted(edges, times, side="right") - 1
    axes.fill_between(
        times, most * packet_bytes(result) * 8 / rates[places] * 1000,
        step="mid", alpha=0.5)
    axes.set_ylabel("queue, ms")
    axes.set_xlabel("s")
    axes.set_ylim(bottom=0)


def capacity_steps(result):
    link = result.run.links[0]
    steps = [(0.0, link.rate_bit_s), *(link.schedule or ())]
    steps.append((result.seconds, steps[-1][1]))
    return tuple(map(np.array, zip(*steps)))
