#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs examples/webrtc.sh with Chromium on some links and prints a table of
medians.  A run in which the machine held up the link by more than 50 ms is made
again, once.

    webrtc_browser.py [--rounds N] [--seconds N] |
        ../evidence/tables.py interop-browser"""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[3]
CELLS = [("steady", ""), ("steps", ""), ("steps", "--no-nack"), ("loss1", "")]
NAMES = {"loss1": "1 % loss"}
MOST_LATE_MS = 50


def run(link, options, seconds):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "run.json"
        for _ in range(2):
            subprocess.run(
                [TOP / "examples/webrtc.sh", "--headless", "--seconds",
                 str(seconds), "--link", link, "--json", path,
                 *options.split()], stdout=subprocess.DEVNULL, check=True)
            found = json.loads(path.read_text())
            if found["link_lateness_ms_max"] <= MOST_LATE_MS:
                break
        return found


def median(runs, key):
    return statistics.median(one[key] for one in runs)


def freezes(runs):
    if not any(one["freezes"] for one in runs):
        return "none"
    sums = ", ".join(f"{one['freezes_ms'] / 1e3:.1f}" for one in runs)
    return f"{median(runs, 'freezes'):.0f}: " \
        f"{median(runs, 'longest_freeze_ms') / 1e3:.1f}, " \
        f"{median(runs, 'freezes_ms') / 1e3:.1f} ({sums})"


def changes(runs):
    """The first step down and the first step up; "never" is None."""
    def seconds(key):
        found = [one[key][0]["seconds"] for one in runs]
        found = [float("inf") if one is None else one for one in found]
        middle = statistics.median(found)
        return "never" if middle == float("inf") else f"{middle:.2f}"
    if not runs[0]["reaction"]:
        return ""
    return f"{seconds('reaction')}, {seconds('recovery')}"


def line(link, options, runs):
    return " | ".join((
        f"| {NAMES.get(link, link)}", f"`{options}`" if options else "",
        f"{median(runs, 'sent_kbit_s'):.0f}",
        f"{median(runs, 'utilisation'):.2f}",
        f"{median(runs, 'queue_delay_ms_p95'):.0f}",
        f"{median(runs, 'frames_per_second'):.1f}",
        freezes(runs), f"{changes(runs)} |"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=60)
    chosen = parser.parse_args()
    runs = {cell: [] for cell in CELLS}
    for _ in range(chosen.rounds):
        for cell in CELLS:
            runs[cell].append(run(*cell, chosen.seconds))
    print("| link | options | sent kbit/s | utilisation | queue p95 ms "
          "| frames/s | freezes: longest, together s | reaction, recovery s |")
    print("|---|---|--:|--:|--:|--:|---|---|")
    for cell, found in runs.items():
        print(line(*cell, found))


if __name__ == "__main__":
    main()
