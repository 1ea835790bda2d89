#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes what run.sh --json told into the documents, between markers: in
results/networks.md every claim with its figures and how many hold in each
scenario, in evaluation.md the shares beside TCP and the count.

    publish.py FILE...

Of a scenario that is in several files the last one counts; what was published
of one that is in none stays.  The figures are those that run.sh --figures
docs/figures drew."""

import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
DOCS = HERE.parents[2] / "docs"
sys.path[:0] = [str(HERE.parent / "sim"), str(HERE.parents[1] / "support")]

from claims import Claim, Outcome  # noqa: E402
from report import END, between_markers, table  # noqa: E402

BEGIN = "<!-- begin: written by tests/evaluation/net/publish.py -->"
COUNTS = "<!-- begin: counts, written by tests/evaluation/net/publish.py -->"
SHARES = "<!-- begin: shares, written by tests/evaluation/net/publish.py -->"
SHARE = re.compile(
    r"\| TFRC's rate by the mean TCP's, (?P<queue>\S+), (?P<flows>\d) TCP "
    r"\| (?P<ratio>\S+).*?\|.*?\| (?P<verdict>\w+) \| (?P<note>.*?) ?\|")
EXPECTED = re.compile(r"RFC 8312 expects of CUBIC (\S+) of Reno's")
TCPS = ("reno", "cubic", "bbr")
RATES = ("5", "20")  # Mbit/s
FLOWS = ("1", "3", "7")
# What a scenario's figure draws, and its JSON has.
IN_FIGURE = re.compile(r"CoV of \w+ at \S+ s, \d TCP, all queues")
# Of what the project asks of itself: no paper tells.
VERDICTS = ("holds", "explained", "missed", "published")
HEAD = ["claim", "measured", "accepted", "verdict", "note"]


def merge(listings):
    """[scenario as in the JSON], by name."""
    merged = {one["scenario"]: one for listing in listings for one in listing}
    return [merged[name] for name in sorted(merged)]


def outcomes(one):
    """A scenario's Outcomes, but for runs that did not fail and what its figure
    shows."""
    found = [outcome(told) for told in one["claims"]]
    return [judged for judged in found
            if not IN_FIGURE.match(judged.claim.claim)
            and (judged.claim.claim != "runs that failed" or not judged.ok)]


def outcome(told):
    # That of each run stands beside the claim in figures.
    note = "; ".join(part for part in told["note"].split("; ")
                     if not part.startswith("runs: "))
    claim = Claim(told["claim"], told["paper"], None, told["low"],
                  told["high"], note=note, explained=(
                      note if told["verdict"] == "explained" else ""))
    return Outcome(None, claim, tuple(told["values"]), told["measured"],
                   told["ok"])


def published(text):
    """{scenario: its section} of results/networks.md."""
    body = between(text, BEGIN)
    starts = [found.start()
              for found in re.finditer(r"^### ", body, re.MULTILINE)]
    found = [body[start:end] for start, end
             in zip(starts, starts[1:] + [len(body)])]
    return {one.split(None, 2)[1]: one.strip() + "\n" for one in found}


def published_counts(text):
    """{scenario: its row of verdicts} of results/networks.md."""
    rows = [[cell.strip() for cell in line.strip("|\n").split("|")]
            for line in between(text, COUNTS).splitlines() if line.startswith("| [")]
    return {row[0].partition("]")[0][1:]: row for row in rows}


def between(text, marker):
    return text.partition(marker)[2].partition(END)[0]


def sections(listing, figures, kept=None):
    new = {one["scenario"]: section(one, figures) for one in listing}
    texts = {**(kept or {}), **new}
    return "\n".join(texts[name] for name in sorted(texts))


def section(one, figures):
    lines = [f"### {one['scenario']}\n",
             one["what"][0].upper() + one["what"][1:]
             + f" ({one['source']}).\n"]
    figure = f"net-{one['scenario']}.svg"
    if (figures / figure).exists():
        lines.append(f"![{one['scenario']}](../figures/{figure})\n")
    lines.append(table(HEAD, [row(judged) for judged in outcomes(one)]))
    return "\n".join(lines)


def row(judged):
    return [judged.claim.claim, judged.measured_text, judged.range_text,
            judged.verdict, judged.claim.note]


def shares(texts):
    """The ratios of the scenarios beside-KIND-RATE, as published, in a table:
    what is outside of its range is bold, and in square brackets stands what
    RFC 8312 expects of CUBIC, by Reno's rate, where that is not the same."""
    rows = []
    for tcp in TCPS:
        for rate in RATES:
            found = list(SHARE.finditer(texts.get(f"beside-{tcp}-{rate}", "")))
            for queue in dict.fromkeys(one["queue"] for one in found):
                cells = {one["flows"]: share(one) for one in found
                         if one["queue"] == queue}
                rows.append([tcp, rate, queue]
                            + [cells.get(flows, "") for flows in FLOWS])
    return table(["TCP", "Mbit/s", "queue"]
                 + [f"beside {flows}" for flows in FLOWS], rows)


def share(found):
    expected = EXPECTED.search(found["note"])
    bold = "**" * (found["verdict"] == "missed")
    return f"{bold}{found['ratio']}{bold}" + (
        f" [{expected[1]}]" if expected and expected[1] != "1.00" else "")


def summary(listing, kept=None):
    rows = dict(kept or {})
    for one in listing:
        found = [judged.verdict for judged in outcomes(one)]
        rows[one["scenario"]] = (
            [f"[{one['scenario']}](#{one['scenario']})",
             one["what"]]
            + [str(found.count(verdict)) for verdict in VERDICTS])
    listed = [rows[name] for name in sorted(rows)]
    listed.append(["all", ""] + [f"**{number}**" for number in sums(rows)])
    return table(["scenario", "what"] + list(VERDICTS), listed)


def sums(rows):
    """Of each verdict over all scenarios."""
    return [sum(int(row[i]) for row in rows.values())
            for i in range(2, 2 + len(VERDICTS))]


def sentence(rows):
    holds, explained, missed, only = sums(rows)
    return (f"**Of {holds + explained + missed} claims of {len(rows)} scenarios "
            f"{missed} are missed**; {only} more numbers have no range.\n")


def write(listing, docs):
    results = docs / "results" / "networks.md"
    old = results.read_text()
    new = between_markers(between_markers(
        old, sections(listing, docs / "figures", published(old)), BEGIN),
        summary(listing, published_counts(old)), COUNTS)
    results.write_text(new)
    for page, text, marker in (
            (docs / "evaluation.md", shares(published(new)), SHARES),
            (docs / "evaluation.md", sentence(published_counts(new)), BEGIN)):
        page.write_text(between_markers(page.read_text(), text, marker))


def main(arguments):
    if not arguments or arguments[0].startswith("-"):
        print(__doc__)
        return 0 if arguments else 2
    write(merge(json.loads(pathlib.Path(path).read_text())
                for path in arguments), DOCS)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
