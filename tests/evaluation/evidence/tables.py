#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the tables of tables.json into the documents, between markers; each has the
commit, the day and the command of its numbers.

    tables.py                      writes them
    COMMAND | tables.py NAME [I]   first takes the rows of NAME from the I-th table (from 0
                                   on) that COMMAND prints, as measured now
    tables.py --list               names, pages and commands"""

import argparse
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "sim"), str(HERE.parents[1] / "support")]

import records  # noqa: E402
from report import between_markers  # noqa: E402

DOCS = HERE.parents[2] / "docs"
KEPT = HERE / "tables.json"
TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)


def marker(name):
    return f"<!-- begin: {name}, written by tests/evaluation/evidence/tables.py -->"


def load(path=KEPT):
    """{name: {"page", "commit", "date", "command", "head", "rule", "rows"}}"""
    return json.loads(path.read_text(encoding="utf-8"))


def save(kept, path=KEPT):
    """A row a line."""
    def lines(name, one):
        head = {key: value for key, value in one.items() if key != "rows"}
        rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in one["rows"])
        return f"{json.dumps(name)}: " \
            f"{json.dumps(head, ensure_ascii=False)[:-1]}, \"rows\": [\n{rows}]}}"
    path.write_text("{" + ",\n".join(lines(name, kept[name]) for name in sorted(kept))
                    + "}\n", encoding="utf-8")


def cells(line):
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|")
            .split("|")]


def text_of(one):
    def line(row):
        return f"| {' | '.join(row)} |\n".replace("|  |", "| |")
    return line(one["head"]) + one["rule"] + "\n" + "".join(map(line, one["rows"]))


def taken(one, printed, number, commit, date):
    """The table with the rows of the one that was printed."""
    head, _, *rows = [cells(line) for line
                      in TABLE.findall(printed)[number].strip().split("\n")]
    if len(head) != len(one["head"]):
        raise ValueError(f"{len(head)} columns in place of {len(one['head'])}")
    return {**one, "commit": commit, "date": date, "rows": rows}


def pages(kept, docs=DOCS):
    """{path: text}"""
    found = {}
    for name, one in kept.items():
        path = docs / one["page"]
        found[path] = between_markers(
            found.get(path) or path.read_text(encoding="utf-8"), text_of(one),
            marker(name))
    return found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("name", nargs="?")
    parser.add_argument("number", nargs="?", type=int, default=0)
    chosen = parser.parse_args()
    kept = load()
    if chosen.list:
        for name, one in kept.items():
            print(f"{name:32} {one['page']:20} {one['command']}")
        return 0
    if chosen.name:
        if chosen.name not in kept:
            parser.error(f"no table '{chosen.name}'")
        kept[chosen.name] = taken(kept[chosen.name], sys.stdin.read(), chosen.number,
                                  *records.present().split())
        save(kept)
    for path, text in pages(kept).items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
