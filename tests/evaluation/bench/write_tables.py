#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes tables that programs of this tree print in virtual time, or of one
machine, into the documents, between markers, with the commit of the sources.

    write_tables.py [--list] [NAME...]

Without a name all are measured, which takes half an hour; sources are pushed
before, as a rebase gives their commit another name. Of the table of figures
in docs/results/rules.md the words are kept, and the numbers replaced."""

import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[2]
sys.path[1:1] = [str(HERE.parent / "sim"), str(HERE.parents[1] / "support")]

from report import END, between_markers, table  # noqa: E402

BUILD = pathlib.Path(os.environ.get("TFRC_BUILD_DIR", TOP / "build"))
BENCH = "build/tests/evaluation/bench/"
REPORTS = "build/tests/unit/test-pair-reception-reports"
LINKS = ("steady bloat steps outage loss1 loss2-10m wifi lte cellular lan dialup "
         "satellite jitter reorder far").split()
PLAYOUT = f"{BENCH}bench-playout " + " ".join(
    f"data/links/{link}.link" for link in LINKS)
# Name: page, command, and which of the tables that it prints.
TABLES = {
    "figures": ("results/rules.md", f"{BENCH}bench-ablation", 0),
    **{name: ("results/rules.md", f"{BENCH}bench-ablation --{name}", 0)
       for name in ("links", "networks", "beside", "groups")},
    "reordering": ("results/rules.md", f"{BENCH}bench-reordering", 0),
    "reports": ("results/rules.md", f"{REPORTS} --table", 0),
    "report-steps": ("results/rules.md", f"{REPORTS} --steps", 0),
    "report-losses": ("results/rules.md", f"{REPORTS} --losses", 0),
    "starts": ("results/rules.md", f"{REPORTS} --starts", 0),
    "group-start": ("results/groups.md", f"{BENCH}bench-group-start", 0),
    "group-restart": ("results/groups.md", f"{BENCH}bench-group-start", 1),
    "group-delay": ("results/groups.md", f"{BENCH}bench-group-delay", 0),
    "group-video": ("results/groups.md", f"{BENCH}bench-group-video", 0),
    "group-guest": ("results/groups.md", f"{BENCH}bench-group-video", 1),
    "group-return": ("results/groups.md", f"{BENCH}bench-group-video", 2),
    "group-slow": ("results/groups.md", f"{BENCH}bench-group-video", 3),
    "parity": ("results/repair.md", f"{BENCH}bench-parity", 0),
    "playout": ("results/playout.md", PLAYOUT, 0),
    "encoders": ("results/encoders.md", f"{BENCH}bench-encoders", 0),
}
# Of tests, which print rows alone.
HEADS = {
    "reports": ("link, RTT", "no other losses", "1 %"),
    "report-steps": ("reports every", "a tenth near the threshold takes",
                     "share, lost", "below", "back"),
    "report-losses": ("losses, RTT", "5 s, each alone", "5 s", "0.5 s, each alone",
                      "0.5 s"),
    "starts": ("link, RTT", "start rate, by the link's", "first report",
               "lost until then", "share of the first and second minute"),
}
# Of bench-reordering: Mbit/s, RTT [ms], overtaken by so many packets, their share.
PATHS = [("20", "50", "0", "0"), ("0.3", "300", "6", "0.05"), ("2", "50", "20", "0.05"),
         ("20", "1", "6", "0.05"), ("20", "50", "6", "0.05"), ("20", "50", "20", "0.01"),
         ("20", "300", "6", "0.01"), ("100", "50", "6", "0.05"),
         ("100", "300", "20", "0.05")]
REORDERED = re.compile(r"(?P<name>\w+)" + 4 * r" +([\d.]+)" + 2 * r" \| +(\S+) +(\S+)")
# (part, its column, heading, format)
LEARNT = [("free", 0, "start of a greedy flow [s]", ".1f"),
          ("free", 1, "its reports per s", ".0f"),
          ("video", 0, "an encoder's rate, by what it can use", ".2f"),
          ("full", 0, "use of a full link", ".2f"),
          ("full", 1, "the same, 1 % lost", ".2f"),
          ("losses", 0, "a loss is known after [ms]", ".1f")]
FIGURE = re.compile(r"^(?P<rule>\S+) .* (?P<with>\S+) +(?P<without>\S+)$")
# Of the table of figures: its last two cells are measured.
ROW = re.compile(r"^\| \[(?P<rule>[\w-]+)\](?P<what>.*?) \| [^|]* \| [^|]* \|$")
TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)


def marker(name):
    return f"<!-- begin: {name}, written by tests/evaluation/bench/write_tables.py -->"


def three_digits(value):
    return format(float(value), ".3g" if abs(float(value)) < 1000 else ".0f")


def with_figures(text, printed):
    """A table of rules.md with what bench-ablation printed, row by row."""
    found = collections.defaultdict(list)
    for line in printed.splitlines():
        told = FIGURE.match(line)
        if told:
            found[told["rule"]].append(told.group("with", "without"))
    return "".join(
        f"| [{row['rule']}]{row['what']} | "
        + " | ".join(three_digits(value) for value in found[row["rule"]].pop(0))
        + " |\n" if (row := ROW.match(line)) else line + "\n"
        for line in text.strip().splitlines())


def of_reordering(printed):
    """A detector that counts to three / one that learns."""
    found = {(one["name"], *one.groups()[1:5]): one.groups()[5:]
             for one in map(REORDERED.match, printed.splitlines()) if one}
    rows = []
    for path in PATHS:
        rate, rtt, by, share = path
        rows.append([f"{rate} Mbit/s, {rtt} ms",
                     f"by {by}, {float(share) * 100:g} %" if share != "0" else "none"]
                    + [" / ".join(format(float(found[part, *path][column + which]), form)
                                  for which in (0, 2))
                       for part, column, _, form in LEARNT])
    return table(["path", "overtaken", *(heading for *_, heading, _ in LEARNT)], rows)


def table_of(name, text, printed):
    """What goes into the text of the page."""
    if name == "figures":
        old = text.partition(marker(name))[2].partition(END)[0]
        return with_figures(TABLE.search(old)[0], printed)
    if name == "reordering":
        return of_reordering(printed)
    found = TABLE.findall(printed)[TABLES[name][2]]
    head = HEADS.get(name, ())
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, ["---"] * len(head))
                   if row) + found


def measure(command):
    program, *arguments = command.split()
    return subprocess.run([BUILD / program.removeprefix("build/"), *arguments],
                          cwd=TOP, check=True, stdout=subprocess.PIPE,
                          text=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--list", action="store_true", help="tables and commands")
    parser.add_argument("names", metavar="NAME", nargs="*",
                        help=f"of {', '.join(TABLES)}")
    chosen = parser.parse_args()
    unknown = set(chosen.names) - set(TABLES)
    if unknown:
        parser.error(f"no table '{min(unknown)}'")
    if chosen.list:
        for name, (page, command, _) in TABLES.items():
            print(f"{name:12} {page:20} {command}")
        return 0
    import records
    commit, date = records.present().split()
    printed = {}
    for name in chosen.names or TABLES:
        page, command, _ = TABLES[name]
        if command not in printed:
            printed[command] = measure(command)
        path = TOP / "docs" / page
        text = path.read_text()
        path.write_text(between_markers(
            text, table_of(name, text, printed[command])
            + f"\n*Measured at {commit} ({date}): `{command}`.*\n", marker(name)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
