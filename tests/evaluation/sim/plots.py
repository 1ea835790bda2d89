# SPDX-License-Identifier: LGPL-2.1-or-later
"""One look for all figures of the simulations: ours as lines with the spread
of the seeds, the paper's points as open squares beside them.

A scenario's plot (results, figure) draws with these; report.py saves it."""

import hashlib
import io
import json
import pathlib
import re

import numpy as np

# A hundredth of a point is enough for the coordinates of a line.
LINE = re.compile(r' d="[^"]*"')
LONG_NUMBER = re.compile(r"(\d+\.\d\d)\d+")
# Okabe and Ito's colours can be told apart by the colour-blind.
COLOURS = {"tfrc": "#0072B2", "tcp": "#D55E00", "rap": "#009E73",
           "sqrt": "#CC79A7", "iiad": "#E69F00", "cubic": "#E69F00",
           "bbr": "#CC79A7", "other": "#56B4E9", "paper": "#000000"}
CYCLE = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9",
         "#000000"]
STYLE = {
    "axes.grid": True, "grid.color": "0.9", "grid.linewidth": 0.6,
    "axes.spines.top": False, "axes.spines.right": False,
    "font.size": 8, "axes.titlesize": 8, "legend.fontsize": 7,
    "legend.frameon": False, "lines.linewidth": 1.2, "lines.markersize": 4,
    # Text stays text, and the same data give the same file.
    "svg.fonttype": "none", "svg.hashsalt": "tfrc",
    "path.simplify_threshold": 0.5}


def draw(scenario, results, path):
    """The scenario's figure as an SVG file."""
    save(lambda figure: scenario.plot(results, figure), path)


def save(plot, path, description=None):
    """What plot (figure) draws, as an SVG file, with a line of text that is
    not shown."""
    # Only who draws waits for this import: it takes a second.
    import matplotlib
    from matplotlib.figure import Figure

    colours = {"axes.prop_cycle": matplotlib.cycler(color=CYCLE)}
    with matplotlib.rc_context(STYLE | colours):
        figure = Figure(figsize=(7, 3.2), layout="constrained")
        plot(figure)
        text = io.StringIO()
        figure.savefig(text, format="svg",
                       metadata={"Date": None, "Creator": None,
                                 "Description": description})
    pathlib.Path(path).write_text(LINE.sub(
        lambda line: LONG_NUMBER.sub(r"\1", line.group()), text.getvalue()))


def digest(plot):
    """Of the points and bars that plot (figure) draws, whatever version of
    matplotlib makes which paths of them."""
    from matplotlib.figure import Figure

    figure = Figure()
    plot(figure)
    drawn = [[[[f"{number:.6g}" for number in point]
               for point in line.get_xydata()] for line in axes.lines]
             + [[f"{bar.get_x():.6g}", f"{bar.get_height():.6g}"]
                for bars in axes.containers for bar in bars
                if hasattr(bar, "get_height")]
             for axes in figure.axes]
    return hashlib.sha256(json.dumps(drawn).encode()).hexdigest()


def ours(axes, x, values, label, **style):
    """Our points: values[i] is a number or the seeds' numbers at x[i].  What
    has no answer is left out."""
    points = [(at, [one for one in np.atleast_1d(
        np.asarray(value, dtype=float)) if np.isfinite(one)])
        for at, value in zip(x, values)]
    points = [(at, numbers) for at, numbers in points if numbers]
    means = np.array([np.mean(numbers) for _, numbers in points])
    low = means - [min(numbers) for _, numbers in points]
    high = [max(numbers) for _, numbers in points] - means
    style = {"marker": "o", "capsize": 2, "elinewidth": 0.8, **style}
    axes.errorbar([at for at, _ in points], means, yerr=[low, high],
                  label=label, **style)


def paper(axes, x, y, label="paper", **style):
    """The paper's points, as far as it gives numbers."""
    axes.plot(x, y, linestyle="", marker="s", markerfacecolor="none",
              markersize=6, label=label,
              **{"color": COLOURS["paper"], **style})


def paper_line(axes, y, label="paper"):
    """A value of the paper that holds for all x."""
    axes.axhline(y, color=COLOURS["paper"], linestyle=":", linewidth=1,
                 label=label)


def series(axes, bin_s, values, label, start=0.0, **style):
    """A rate or another series over time, one value per bin."""
    times = start + bin_s * (np.arange(len(values)) + 0.5)
    axes.plot(times, values, label=label, **style)
