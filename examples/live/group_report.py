# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the folder that a session with a group leaves: plot.png,
series.csv, summary.txt and result.json."""

import numpy as np

from . import group_results
from .report import (
    STEP_S, install_plotting, line, metrics, number, per_cent, write_files)


def series_rows(recording):
    """Header and rows, ten a second; columns as the elements name them."""
    columns = [(f"{end}.{name}", series)
               for end, fields in sorted(recording.stats.items())
               for name, series in fields.items()]
    yield ["time-s"] + [name for name, _ in columns] + ["sender.sent-rate"]
    sent = recording.sender("bytes")
    for when in STEP_S * np.arange(1, int(recording.seconds / STEP_S) + 1):
        rate = metrics.mean_rate(
            sent.times, sent.values, when - STEP_S, when)
        yield ([f"{when:.1f}"]
               + [series.at(when, "") for _, series in columns]
               + ["" if rate is None else round(rate, 1)])


def summary(recording, values, title):
    text = title + "\n\n" + line("ran", f"{values['seconds']:.1f} s")
    text += line("sent to the group",
                 number(values["group_kbit_s"], " kbit/s"))
    if "recovery_s" in values:
        text += line("around the guest", (
            f"{number(values['group_kbit_s_before_guest'])} kbit/s before, "
            f"{number(values['group_kbit_s_with_guest'])} with it"))
        text += line("the guest limits after",
                     number(values["guest_limits_after_s"], " s"))
        text += line("the guest at first", (
            f"loses {per_cent(values['guest_first_loss'])} in 2 s, sees "
            f"after {number(values['guest_sees_after_s'], ' s')}"))
        text += line("recovered after it left",
                     number(values["recovery_s"], " s"))
    text += line("reports received", number(values["reports_received"]))
    for one in values["receivers"]:
        text += line("receiver " + one["name"], (
            f"{number(one.get('received_kbit_s'), ' kbit/s')}, "
            f"loss {per_cent(one.get('loss_fraction'))}, "
            f"RTT {number(one['rtt_ms_mean'], ' ms')}, "
            f"limits for {number(one['clr_seconds'], ' s')}, "
            f"{number(one['reports'])} reports, "
            f"{one['frames_decoded']} frames decoded"))
        for change in one.get("rungs", []):
            text += line(f"at {change['at']:.1f} s", (
                f"{one['name']} listens to rung {change['rung']}"))
    for change in values["clr_changes"]:
        text += line(f"limited at {change['at']:.1f} s by",
                     change["receiver"] or "nobody")
    for when, warning in recording.warnings:
        text += line(f"warning at {when:.1f} s", warning)
    return text


def write(recording, plan, title):
    """All but the picture; returns (numbers, text of the summary)."""
    folder = plan.folder
    folder.mkdir(parents=True, exist_ok=True)
    values = group_results.results(recording, plan)
    text = summary(recording, values, title)
    write_files(folder, series_rows(recording), values, text)
    return values, text


def draw(recording, plan, title):
    install_plotting()
    from . import group_plot
    group_plot.draw(recording, plan, plan.folder / "plot.png", title)
