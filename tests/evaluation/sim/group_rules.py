#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints what the scenarios of Widmer and Handley 2001 measure with the rules by which
a group starts and recovers (D35, D61 of docs/rules.md) and without, as a table.

    group_rules.py [SCENARIO...]

By default those that take a minute each; widmer-scaling takes six, widmer-response
and widmer-rtt half an hour."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[2]
BUILD = pathlib.Path(os.environ.get("TFRC_BUILD_DIR", TOP / "build"))
FOLDER = pathlib.Path("tests/evaluation/sim")
PROGRAMS = ("tfrc-sim", "core-calculator")
RULES = "known-successor,measured-max-rtt,start-delay"
SCENARIOS = ["widmer-fairness", "widmer-late-join"]


def measure(scenarios, without):
    """{(scenario, claim): what is measured}; runs of either are kept apart."""
    with tempfile.TemporaryDirectory() as folder:
        copies = pathlib.Path(folder, FOLDER)
        copies.mkdir(parents=True)
        for program in PROGRAMS:
            shutil.copy2(BUILD / FOLDER / program, copies / program)
        found = pathlib.Path(folder, "found.json")
        subprocess.run(
            [sys.executable, HERE / "run.py", "--json", found, *scenarios],
            env={**os.environ, "TFRC_BUILD_DIR": folder, "TFRC_WITHOUT": without},
            stdout=subprocess.DEVNULL, check=False)
        return {(one["scenario"], claim["claim"]): claim["measured"]
                for one in json.loads(found.read_text())
                for claim in one["claims"]}


def main():
    scenarios = sys.argv[1:] or SCENARIOS
    ours, without = (measure(scenarios, rules) for rules in ("", RULES))
    print("| scenario | what | with the rules | without |\n|---|---|--:|--:|")
    for key, value in ours.items():
        if value is not None and without[key] is not None:
            print(f"| {' | '.join(key)} | {value:.3g} | {without[key]:.3g} |")


if __name__ == "__main__":
    main()
