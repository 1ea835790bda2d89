#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes what bench-delay printed between markers: every cell and the shares
beside TCP into results/delay.md, how many hold their goals into delay.md.

    build/tests/evaluation/bench/bench-delay --markdown >cells.md
    publish_delay.py cells.md"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
DOCS = HERE.parents[2] / "docs"
sys.path[1:1] = [str(HERE.parent / "sim"), str(HERE.parents[1] / "support")]

from report import between_markers, table  # noqa: E402

BY = "written by tests/evaluation/bench/publish_delay.py -->"
CELLS = f"<!-- begin: cells, {BY}"
SHARES = f"<!-- begin: shares, {BY}"
COUNTS = f"<!-- begin: counts, {BY}"
BESIDE = re.compile(r"(?P<tcp>reno|cubic)(?P<flows>[137])(?P<order>-first|-second|)"
                    r"-(?P<rate>5|20)-(?P<queue>50|200|red)$")
FIGURES = ("use", "p50", "p95", "loss", "share", "h99", "start", "back", "drops",
           "away")
COLUMNS = [(flows, order) for flows in "13" for order in ("", "-first", "-second")] \
    + [("7", "")]


def cells_of(row):
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def read(text):
    """{cell: {variant: {column: as printed}}}, in their order."""
    lines = [cells_of(line) for line in text.splitlines() if line.startswith("|")]
    head, found = lines[0], {}
    for row in lines[2:]:
        found.setdefault(row[0], {})[row[1] or "plain"] = dict(zip(head[2:], row[2:]))
    return found


def change(cell, column):
    return f"{cell['plain'][column]} -> {cell['default'][column]}"


def goal(cell):
    return cell["default"]["goals"]


def cell_table(found):
    """Of all cells but those beside TCP."""
    return table(["cell", *FIGURES, "goals"], [
        [name, *(change(cell, column) for column in FIGURES), goal(cell)]
        for name, cell in found.items() if not BESIDE.match(name)])


def share(found, name):
    if name not in found:
        return ""
    plain, default = (found[name][one]["share"] for one in ("plain", "default"))
    return f"{float(plain):.2f}, " + (
        f"**{float(default):.2f}**" if "misses" in goal(found[name])
        else f"{float(default):.2f}")


def share_table(found):
    rows = dict.fromkeys((one["tcp"], one["rate"], one["queue"])
                         for one in map(BESIDE.match, found) if one)
    return table(
        ["TCP", "Mbit/s", "queue", *(flows + order.replace("-", " ")
                                     for flows, order in COLUMNS)],
        [[tcp, rate, queue, *(share(found, f"{tcp}{flows}{order}-{rate}-{queue}")
                              for flows, order in COLUMNS)]
         for tcp, rate, queue in rows])


def counts(found):
    """How many cells miss their goals, and which."""
    told = []
    for what, names in (
            ("without TCP", [one for one in found if not BESIDE.match(one)]),
            ("beside TCP", [one for one in found if BESIDE.match(one)])):
        missed = [f"`{one}` ({goal(found[one]).removeprefix('misses ')})"
                  for one in names if "misses" in goal(found[one])]
        told.append(f"- {what}: of {sum(bool(goal(found[one])) for one in names)} cells "
                    f"{len(missed)} miss a goal: {', '.join(missed) or 'none'}.\n")
    return "".join(told)


def pages(found, stamp, docs=DOCS):
    """{path: text}"""
    page, results = docs / "delay.md", docs / "results" / "delay.md"
    text = between_markers(page.read_text(), counts(found), COUNTS)
    told = between_markers(results.read_text(), cell_table(found) + stamp, CELLS)
    return {page: text, results: between_markers(told, share_table(found) + stamp,
                                                 SHARES)}


def main(arguments):
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__)
        return 2
    import records
    commit, date = records.present().split()
    stamp = f"\n*Measured at {commit} ({date}): " \
        "`build/tests/evaluation/bench/bench-delay --markdown`.*\n"
    for path, text in pages(read(pathlib.Path(arguments[0]).read_text()), stamp).items():
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
