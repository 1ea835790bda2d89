#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the tables of docs/evaluation.md out of what tests/evaluation/net/run.sh --json wrote
of the scenarios peers-alone, peers-cellular and peers-beside: table.py FILE..."""

import json
import re
import sys

CLAIM = re.compile(r"(.*), ([\w-]+), ([\w.-]+)$")
ALONE = {"share of the link": ".2f", "queue p95 [ms]": ".0f",
         "age of a picture p95 [ms]": ".0f", "share of the time frozen": ".3f"}
SHARE = "rate by the mean TCP flow's"


def claims_of(paths):
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for scenario in json.load(file):
                yield from scenario["claims"]


def values(paths):
    """{(cell, control): {measure: value}}"""
    found = {}
    for claim in claims_of(paths):
        parts = CLAIM.match(claim["claim"])
        if parts:
            measure, cell, control = parts.groups()
            found.setdefault((cell, control), {})[measure] = claim["measured"]
    return found


def text(measures):
    if SHARE in measures:
        return f"{measures[SHARE]:.2f}"
    return "; ".join(format(measures[name], form) if isinstance(
        measures.get(name), (int, float)) else "-"
        for name, form in ALONE.items())


def table(found, cells, controls):
    print("| | " + " | ".join(cells) + " |")
    print("|---|" + "---|" * len(cells))
    for control in controls:
        print(f"| {control} | " + " | ".join(
            text(found.get((cell, control), {})) for cell in cells) + " |")
    print()


def main(paths):
    found = values(paths)
    controls = list(dict.fromkeys(control for _, control in found))
    beside = {cell for (cell, _), one in found.items() if SHARE in one}
    cells = list(dict.fromkeys(cell for cell, _ in found))
    alone = [cell for cell in cells if cell not in beside]
    for chosen in alone[:5], alone[5:]:
        table(found, chosen, controls)
    table(found, [cell for cell in cells if cell in beside],
          [one for one in controls if not one.startswith("fixed")])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
