#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that the documents on the protocol name what exists: functions and
tests in docs/rfc-map.md, tests in docs/deviations.md, and numbered deviations."""

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
    """(line number, cells) of each row of a table, but for its head."""
    for number, line in enumerate(text.split("\n"), 1):
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if cells and not set(line) <= set("|-") and cells[0] != "section":
            yield number, cells


def check_map(text, code, tests, deviations):
    count = 0
    for number, cells in rows(text):
        count += 1
        if len(cells) != 5:
            yield number, "has not five cells"
            continue
        for name in NAME.findall(cells[3]):
            if not re.search(rf"\b{name} \(", code):
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


def check_deviations(text, tests):
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("Held by ") or line.startswith("| "):
            for name in NAME.findall(line):
                if name not in tests:
                    yield number, f"no test {name}"


def main():
    code = read_all("gst/**/*.[ch]")
    tests = set(TEST.findall(read_all("tests/**/*.c")))
    rfc_map = (TOP / "docs/rfc-map.md").read_text()
    deviations = (TOP / "docs/deviations.md").read_text()
    numbers = re.findall(r"^### D(\d+) ", deviations, re.MULTILINE)
    findings = [("docs/rfc-map.md", *finding) for finding in
                check_map(rfc_map, code, tests, numbers)]
    findings += [("docs/deviations.md", *finding) for finding in
                 check_deviations(deviations, tests)]
    if len(numbers) != len(set(numbers)):
        findings.append(("docs/deviations.md", 1, "have a number twice"))
    for path, line, text in findings:
        print(f"{path}:{line}: {text}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
