#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that docs/rules.md names what exists: functions and tests in the tables
of the RFCs' rules, tests, settings and functions in what is said of ours, and
their numbers."""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
NAME = re.compile(r"`([a-z][a-z0-9_]+)`")
DEVIATION = re.compile(r"\bD(\d+)\b")
TEST = re.compile(r"START_TEST \((\w+)\)")


def read_all(pattern):
    return "\n".join(path.read_text() for path in sorted(TOP.glob(pattern)))


def rows(text):
    """(line number, cells) of each row of the tables by section, but for their
    heads."""
    in_table = False
    for number, line in enumerate(text.split("\n"), 1):
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if cells[:1] == ["section"]:
            in_table = True
        elif not cells:
            in_table = False
        elif in_table and not set(line) <= set("|-"):
            yield number, cells


def check_map(text, functions, tests, deviations):
    count = 0
    for number, cells in rows(text):
        count += 1
        if len(cells) != 5:
            yield number, "has not five cells"
            continue
        for name in NAME.findall(cells[3]):
            if name not in functions:
                yield number, f"no function {name}"
        for name in NAME.findall(cells[4]):
            if name not in tests:
                yield number, f"no test {name}"
        for name in DEVIATION.findall(cells[2]):
            if name not in deviations:
                yield number, f"no deviation D{name}"
        if not NAME.search(cells[4]) and "not offered" not in cells[3]:
            yield number, "has no test"
    if count < 40:
        yield 1, f"only {count} rules"


def check_deviations(text, tests, words):
    """Tests are named from "Held by" to the end of the entry; elsewhere
    settings, which are of several words."""
    held = False
    listed = {number for number, _ in rows(text)}
    for number, line in enumerate(text.split("\n"), 1):
        if number in listed:
            continue
        held = line.startswith("Held by ") or (held and line != "")
        known = tests if held or line.startswith("| ") else words
        for name in NAME.findall(line):
            if name not in known and (held or "_" in name):
                yield number, f"no test or setting {name}"


def main():
    code = read_all("gst/**/*.[ch]")
    tests = set(TEST.findall(read_all("tests/**/*.c")))
    page = (TOP / "docs/rules.md").read_text()
    words = set(re.findall(r"\w+", code))
    numbers = re.findall(r"^### D(\d+) ", page, re.MULTILINE)
    functions = set(re.findall(r"(\w+) \(", code))
    findings = [*check_map(page, functions, tests, numbers),
                *check_deviations(page, tests, words)]
    if len(numbers) != len(set(numbers)):
        findings.append((1, "has a number twice"))
    for line, text in findings:
        print(f"docs/rules.md:{line}: {text}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
