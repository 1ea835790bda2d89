#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Keeps what run.sh --json told in tests/evaluation/evidence/networks.json, and writes the
documents from that, between markers: in results/networks.md every claim with its
figures, how many hold in each scenario, and shares and smoothness beside TCP, in
evaluation.md the count.

    publish.py [FILE...]

Of a scenario that is in several files the last one counts; what was kept of one that
is in none stays.  Claims are judged by the ranges that the cases have now.  The
figures are those that run.sh --figures docs/figures drew."""

import json
import pathlib
import re
import sys

import run  # noqa: F401  (the path to the simulation's modules)
import claims
from claims import Claim, Outcome
from report import between_markers, table

HERE = pathlib.Path(__file__).resolve().parent
DOCS = HERE.parents[2] / "docs"
KEPT = HERE.parent / "evidence" / "networks.json"
BEGIN = "<!-- begin: written by tests/evaluation/net/publish.py -->"
COUNTS = "<!-- begin: counts, written by tests/evaluation/net/publish.py -->"
SHARES = "<!-- begin: shares, written by tests/evaluation/net/publish.py -->"
SMOOTHNESS = "<!-- begin: smoothness, written by tests/evaluation/net/publish.py -->"
SHARE = "TFRC's rate by the mean TCP's, {}, {} TCP"
SMOOTH = "TFRC's CoV at 1 s by TCP's, {}, {} TCP"
EXPECTED = re.compile(r"RFC 8312 expects of CUBIC (\S+) of Reno's")
TCPS = ("reno", "cubic", "bbr")
RATES = ("5", "20")  # Mbit/s
QUEUES = ("drop-tail-50", "drop-tail-200", "red")
FLOWS = ("1", "3", "7")
# What a scenario's figure draws, and its JSON has.
IN_FIGURE = re.compile(r"CoV of \w+ at \S+ s, \d TCP, all queues")
# Of what the project asks of itself: no paper tells.
VERDICTS = ("holds", "explained", "missed", "published")
HEAD = ["claim", "measured", "accepted", "verdict", "note"]


def load(path=KEPT):
    """[scenario], by name."""
    return json.loads(path.read_text(encoding="utf-8"))


def keep(listings, kept):
    """What is kept with those of run.sh --json besides."""
    found = {one["scenario"]: one for one in kept}
    for listing in listings:
        for one in listing:
            found[one["scenario"]] = {
                **{key: one[key] for key in ("scenario", "source", "what", "measured",
                                             "load")},
                "claims": [told for told in map(kept_claim, one["claims"])
                           if not left_out(told)]}
    return [found[name] for name in sorted(found)]


def kept_claim(told):
    """Without the paper's number, for there is none, and what is empty."""
    # That of each run stands beside the claim in figures.
    note = "; ".join(part for part in told["note"].split("; ")
                     if not part.startswith("runs: "))
    found = {key: told[key] for key in ("claim", "measured", "values", "low", "high",
                                        "verdict")} | {"note": note}
    return {key: value for key, value in found.items()
            if key == "measured" or value not in (None, "", [])}


def left_out(told):
    """What the scenario's figure shows, and that no run failed."""
    return IN_FIGURE.match(told["claim"]) or (
        told["claim"] == "runs that failed" and told["verdict"] == "holds")


def save(kept, path=KEPT):
    """A claim a line."""
    def lines(one):
        head = {key: value for key, value in one.items() if key != "claims"}
        return f'{json.dumps(head)[:-1]}, "claims": [\n' + ",\n".join(
            map(json.dumps, one["claims"])) + "]}"
    path.write_text("[" + ",\n".join(map(lines, kept)) + "]\n", encoding="utf-8")


def ranges():
    """{(scenario, claim): Claim} as the cases have them now."""
    return {(name, claim.claim): claim
            for name, scenario in claims.load_scenarios(HERE / "cases").items()
            for claim in scenario.judged_at(claims.Scale.STANDARD)}


def outcome(name, told, present):
    """A claim judged; one that the cases do not have any more by its range of then."""
    now = present.get((name, told["claim"]))
    low, high = (now.low, now.high) if now else (told.get("low"), told.get("high"))
    values = told.get("values") or [
        told[end] for end in ("least", "most") if end in told] or [told["measured"]]
    explained = told["verdict"] == "explained"
    middle, note = told["measured"], told.get("note", "")
    return Outcome(
        None, Claim(told["claim"], "", None, low, high, note=note,
                    explained=note * explained),
        tuple(values), middle, middle is not None
        and (low is None or middle >= low) and (high is None or middle <= high))


def judged(kept):
    """{scenario: [Outcome]}"""
    present = ranges()
    return {one["scenario"]: [outcome(one["scenario"], told, present)
                              for told in one["claims"]] for one in kept}


def sections(kept, found, figures):
    return "\n".join(section(one, found[one["scenario"]], figures) for one in kept)


def section(one, outcomes, figures):
    lines = [f"### {one['scenario']}\n",
             one["what"][0].upper() + one["what"][1:]
             + f" ({one['source']}).\n"]
    figure = f"net-{one['scenario']}.svg"
    if (figures / figure).exists():
        lines.append(f"![{one['scenario']}](../figures/{figure})\n")
    rows = [row(told) for told in outcomes if told.verdict != "published"]
    more = len(outcomes) - len(rows)
    lines += [table(HEAD, rows)] * bool(rows) + [
        f"{more} numbers without a range are in the data.\n"] * bool(more) + [stamp(one)]
    return "\n".join(lines)


def stamp(one):
    commit, before, date = re.fullmatch(r"(\w+)( and before)? (\S+)",
                                        one["measured"]).groups("")
    return f"*Measured at {commit}{before} ({date}): " \
        f"`tests/evaluation/net/run.sh {one['scenario']}`.*\n"


def row(one):
    return [one.claim.claim, one.measured_text, one.range_text, one.verdict,
            one.claim.note]


def beside(found, form, cell):
    """A table of the scenarios beside-KIND-RATE: what is outside of its range is
    bold."""
    rows = []
    for tcp in TCPS:
        for rate in RATES:
            told = {one.claim.claim: one for one
                    in found.get(f"beside-{tcp}-{rate}", ())}
            for queue in QUEUES:
                cells = [told.get(form.format(queue, flows)) for flows in FLOWS]
                if any(cells):
                    rows.append([tcp, rate, queue] + [
                        one and cell(one) or "" for one in cells])
    return table(["TCP", "Mbit/s", "queue"]
                 + [f"beside {flows}" for flows in FLOWS], rows)


def ratio(one):
    bold = "**" * (one.verdict == "missed")
    return f"{bold}{one.measured:.3g}{bold}"


def share(one):
    """In square brackets what RFC 8312 expects of CUBIC, by Reno's rate, where that
    is not the same."""
    expected = EXPECTED.search(one.claim.note)
    return ratio(one) + (
        f" [{expected[1]}]" if expected and expected[1] != "1.00" else "")


def summary(kept, found):
    rows = [[f"[{one['scenario']}](#{one['scenario']})", one["what"]]
            + [str(number) for number in counts(found[one["scenario"]])]
            for one in kept]
    rows.append(["all", ""] + [f"**{number}**" for number in totals(found)])
    return table(["scenario", "what"] + list(VERDICTS), rows)


def counts(outcomes):
    verdicts = [one.verdict for one in outcomes]
    return [verdicts.count(verdict) for verdict in VERDICTS]


def totals(found):
    return [sum(column) for column in zip(*map(counts, found.values()))]


def sentence(found):
    holds, explained, missed, only = totals(found)
    return (f"**Of {holds + explained + missed} claims of {len(found)} scenarios "
            f"{missed} are missed**; {only} more numbers have no range.\n")


def pages(kept, docs=DOCS):
    """{path: text}"""
    found = judged(kept)
    parts = {
        docs / "results" / "networks.md": {
            BEGIN: sections(kept, found, docs / "figures"),
            SHARES: beside(found, SHARE, share),
            SMOOTHNESS: beside(found, SMOOTH, ratio),
            COUNTS: summary(kept, found)},
        docs / "evaluation.md": {BEGIN: sentence(found)}}
    texts = {}
    for path, by_marker in parts.items():
        texts[path] = path.read_text(encoding="utf-8")
        for marker, part in by_marker.items():
            texts[path] = between_markers(texts[path], part, marker)
    return texts


def main(arguments):
    if any(argument.startswith("-") for argument in arguments):
        print(__doc__)
        return 0 if arguments in (["-h"], ["--help"]) else 2
    if arguments:
        save(keep((json.loads(pathlib.Path(path).read_text()) for path in arguments),
                  load()))
    for path, text in pages(load()).items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
