# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the folder that a session leaves: series.csv, plot.png, frame.png
(by the receiver), summary.txt and result.json."""

import csv
import importlib.util
import json
import pathlib
import subprocess

import numpy as np

from . import results

metrics = results.metrics

STEP_S = 0.1
PACKAGES = (pathlib.Path(__file__).resolve().parents[2] / "tests" / "support"
            / "install-packages.sh")


def write_json(path, values):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")


def series_rows(recording):
    """Header and rows, ten a second.  The elements' columns keep their
    names, with `sender.` or `receiver.` in front; rates are bytes/s."""
    ends = [(f"{end}.{name}", recording.stats[end][name])
            for end in ("sender", "receiver")
            for name in recording.stats[end]]
    link = recording.link
    header = ["time-s"] + [name for name, _ in ends] + [
        "encoder.rate", "screen.glass-to-glass-ns"]
    grid = STEP_S * np.arange(1, int(recording.seconds / STEP_S) + 1)
    if link:
        header += ["link.capacity", "link.queue-delay-ns", "link.sent-rate",
                   "link.delivered-rate", "link.dropped-packets"]
    encoded = recording.encoded_bytes

    def rate(times, counter, when):
        found = metrics.mean_rate(times, counter, when - STEP_S, when)
        return "" if found is None else round(found, 1)

    yield header
    for when in grid:
        row = [f"{when:.1f}"]
        row += [series.at(when, "") for _, series in ends]
        row.append(rate(encoded.times, encoded.values, when))
        delay_ms = recording.glass_to_glass_ms.at(when)
        row.append("" if delay_ms is None else int(delay_ms * 1e6))
        if link:
            row += [
                float(metrics.level_at(link.times, link.capacity, when)),
                int(metrics.level_at(
                    link.times, link.queue_delay_s, when) * 1e9),
                rate(link.times, link.offered_bytes, when),
                rate(link.times, link.delivered_bytes, when),
                int(metrics.level_at(
                    link.times, link.dropped_packets, when))]
        yield row


def number(value, unit=""):
    return "unknown" if value is None else f"{value:g}{unit}"


def milliseconds(value):
    return "unknown" if value is None else f"{value:.0f} ms"


def per_cent(value):
    return "unknown" if value is None else f"{value * 100:.1f} %"


def line(name, text):
    return f"{name:24}{text}\n"


def columns(*texts):
    """For a line; at least two blanks part them."""
    return "".join(f"{text:<20}  " for text in texts).rstrip()


def steps(name, answers):
    """What reaction or recovery each step of the capacity had."""
    def answer(step):
        return f"none within {step['within']:.1f} s" \
            if step["seconds"] is None else f"{step['seconds']:g} s"

    return "".join(line(name, (
        f"{step['from']:g} -> {step['to']:g} kbit/s at "
        f"{step['at']:.1f} s: {answer(step)}")) for step in answers or [])


def summary(recording, values, title):
    text = title + "\n\n" + line("ran", (
        f"{values['seconds']:.1f} s, of which the first "
        f"{values['warmup_seconds']:.1f} s are not counted"))
    for name, key in (
            ("link capacity", "capacity_kbit_s"), ("sent", "sent_kbit_s"),
            ("received", "received_kbit_s"), ("encoder", "encoder_kbit_s"),
            ("allowed", "allowed_kbit_s"), ("feedback", "feedback_kbit_s")):
        text += line(name, number(values[key], " kbit/s"))
    text += line("utilisation", per_cent(values["utilisation"]))
    text += line("loss", per_cent(values["loss_fraction"]) + " of packets, p "
                 + per_cent(values["loss_event_rate"]))
    text += line("round-trip time", number(values["rtt_ms_mean"], " ms"))
    text += line("queueing delay", "median "
                 + number(values["queue_delay_ms_p50"], " ms") + ", p95 "
                 + number(values["queue_delay_ms_p95"], " ms"))
    text += line("waiting in the pacer", "p95 "
                 + number(values["pacer_delay_ms_p95"], " ms"))
    text += line("glass to glass", "median "
                 + number(values["glass_to_glass_ms_p50"], " ms") + ", p95 "
                 + number(values["glass_to_glass_ms_p95"], " ms"))
    text += line("variation of the rate", number(values["rate_cov_200ms"])
                 + " at 0.2 s, " + number(values["rate_cov_1s"]) + " at 1 s")
    text += line("frames", (
        f"{values['frames_encoded']} encoded, "
        f"{number(values['frames_dropped_by_pacer'])} dropped by the pacer, "
        f"{values['frames_decoded']} decoded, "
        f"{per_cent(values['frames_intact'])} intact, "
        f"{values['keyframe_requests']} key frames asked for"))
    text += line("repair", per_cent(values["repair_share"])
                 + " of the bytes sent")
    text += steps("reaction", values["reaction"])
    text += steps("recovery", values["recovery"])
    if recording.seconds:
        for end, cpu_s in sorted(recording.cpu_s.items()):
            text += line(f"CPU of the {end}",
                         per_cent(cpu_s / recording.seconds) + " of a core")
    for when, warning in recording.warnings:
        text += line(f"warning at {when:.1f} s", warning)
    return text


def install_plotting():
    """Now and not with the rest: nobody waits for it before the first frame.
    ImportError or CalledProcessError: there is none."""
    if importlib.util.find_spec("matplotlib") is None:
        subprocess.run([PACKAGES, "plot"], check=True)
        importlib.invalidate_caches()


def write_numbers(folder, values, text):
    write_json(folder / "result.json", values)
    (folder / "summary.txt").write_text(text, encoding="utf-8")


def write_files(folder, rows, values, text):
    """All but the pictures."""
    with (folder / "series.csv").open("w", newline="",
                                      encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    write_numbers(folder, values, text)


def write(recording, folder, title):
    """All but the pictures; returns (numbers, text of the summary)."""
    folder.mkdir(parents=True, exist_ok=True)
    values = results.results(recording)
    text = summary(recording, values, title)
    write_files(folder, series_rows(recording), values, text)
    return values, text


def draw(recording, folder, title):
    install_plotting()
    from . import plot
    plot.draw(recording, folder / "plot.png", title)
