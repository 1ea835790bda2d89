# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes what was measured into the documents: in simulation.md, between
markers of their own, the count and every claim with its figures, in
evaluation.md and README.md the count.  What stands outside of the markers is written by hand and kept, but
for the age of what was measured by hand.  All ages are those at one commit of
the core, which the pages name."""

import collections
import dataclasses
import functools
import operator
import pathlib
import re

import claims
import measured
import plots
import records
from claims import (MET, MISSED, NOT_REPRODUCED, PAPER_VERDICTS,
                    REPRODUCED)

BEGIN = "<!-- begin: written by tests/sim/run.sh --report -->"
CLAIMS = "<!-- begin: claims, written by tests/sim/run.sh --report -->"
END = "<!-- end -->"
# More phases of losses than these are told by the first ones and their number.
MOST_PHASES = 4
# And more claims that were not measured.
MOST_MISSING = 2
HEAD = ["where", "claim", "paper", "ours", "accepted", "verdict", "note"]
# Those that are asked whether they hold, of kinds that do not count.
KINDS = {"rig": "checks of the rig", "experiment": "experiments",
         "goal": "goals of ours"}


def write(kept, docs, as_of=None):
    """The text between the markers of the documents, with the ages at the
    commit `as_of`; None is the core's last one."""
    as_of = as_of or records.present().split()[0]
    chapters = read(kept, as_of)
    head = summary(chapters) + "\n" + age(chapters, as_of)
    for path, text, marker in [
            (docs / "simulation.md", head, BEGIN),
            (docs / "simulation.md", sections(chapters), CLAIMS),
            (docs / "evaluation.md", head, BEGIN),
            (docs.parent / "README.md", sentence(chapters) + "\n", BEGIN)]:
        path.write_text(measured.mark(
            between_markers(path.read_text(), text, marker), as_of))


class Chapter:
    """A scenario, its record and the outcomes of its claims; `older` is the
    number of commits to the core since."""

    def __init__(self, scenario, record, older=0):
        self.scenario = scenario
        self.record = record
        self.older = older
        self.outcomes = [
            outcome for claim in scenario.claims
            if claims.Scale(record.scale) in claim.scales
            for outcome in [record.outcome(scenario, claim)] if outcome]

        self.missing = records.lacking(record, scenario)

    @property
    def seeds(self):
        """How many its runs had."""
        told = re.search(r" with (\d+) seeds", self.record.runs)
        return int(told[1]) if told else 1

    def of_kind(self, *kinds):
        return [one for one in self.outcomes
                if one.claim.tolerance.kind in kinds]


def read(kept, as_of):
    """[Chapter] of the scenarios that have a record.  A cause counts as
    measured where its experiment came to what the paper has."""
    chapters = [Chapter(scenario, kept[name],
                        len(records.stale(kept[name], as_of)))
                for name, scenario in claims.load_scenarios().items()
                if name in kept]
    shown = {f"{chapter.scenario.name}: {one.claim.claim}":
             one.measured_text for chapter in chapters
             for one in chapter.outcomes if one.verdict in (MET, REPRODUCED)}
    for chapter in chapters:
        chapter.outcomes = [
            with_cause(one, shown.get(one.claim.tolerance.differs_by))
            if one.verdict == claims.DIFFERS else one
            for one in chapter.outcomes]
    return chapters


def with_cause(outcome, measured):
    """With what its experiment measured; without a cause if that is None."""
    tolerance = outcome.claim.tolerance
    return dataclasses.replace(outcome, claim=dataclasses.replace(
        outcome.claim, tolerance=dataclasses.replace(
            tolerance, differs_by=f"{tolerance.differs_by}: {measured}"
            if measured else "")))


def draw_figures(evaluated, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for one in evaluated:
        if one.scenario.plot:
            plots.draw(one.scenario, one.results,
                       folder / figure_name(one.scenario))
            for result in one.results.values():
                result.forget()


def figure_name(scenario):
    return f"sim-{scenario.name}.svg"


def between_markers(document, text, marker=BEGIN):
    """The document with the text between its markers."""
    head, begin, rest = document.partition(marker)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the document lacks '{marker}' or '{END}'")
    return f"{head}{marker}\n\n{text}\n{END}{tail}"


def count(outcomes, verdicts=PAPER_VERDICTS):
    found = [one.verdict for one in outcomes]
    return {verdict: found.count(verdict) for verdict in verdicts}


def of_papers(chapters, papers=claims.PAPERS):
    return [outcome for chapter in chapters
            if chapter.scenario.paper in papers
            for outcome in chapter.of_kind("paper")]


def sentence(chapters):
    """The count of the five papers in words."""
    counts = count(of_papers(chapters))
    of = sum(counts.values())
    share = f" ({100 * counts[REPRODUCED] / of:.0f} %)" if of else ""
    return (f"Of {of} claims of the five papers {counts[REPRODUCED]} are "
            f"reproduced{share}, {counts[claims.DIFFERS]} differ for a cause "
            f"that is measured, {counts[NOT_REPRODUCED]} are not reproduced, "
            f"{counts[claims.NOT_COMPARABLE]} not comparable.")


def age(chapters, as_of):
    """How many records are of another core than that of `as_of`."""
    older = sum(one.older > 0 and not one.record.outdated
                for one in chapters)
    outdated = sum(bool(one.record.outdated) for one in chapters)
    return (f"At core `{as_of}`: {len(chapters) - older - outdated} of "
            f"{len(chapters)} records are of this core or confirmed with it, "
            f"{older} older and not confirmed, {outdated} outdated.\n")


def summary(chapters):
    """The claims that have a paper's number or order, by source; and what
    else is asked, apart."""
    rows = []
    for source in claims.SOURCES:
        counts = count(of_papers(chapters, [source]))
        if sum(counts.values()):
            rows.append([source] + [str(counts[verdict])
                                    for verdict in PAPER_VERDICTS])
    apart = []
    for kind, name in KINDS.items():
        counts = count([outcome for chapter in chapters
                        for outcome in chapter.of_kind(kind)], (MET, MISSED))
        if sum(counts.values()):
            apart.append([name] + [str(number) for number in counts.values()])
    return (f"**{sentence(chapters)}**\n\n"
            + table(["source"] + list(PAPER_VERDICTS), rows) + "\n"
            + table(["not in the count", MET, MISSED], apart))


def sections(chapters):
    """A chapter for each source, a section for each scenario; then the
    checks of the rig."""
    parts = [few_seeds(chapters)]
    for source in claims.SOURCES:
        mine = [one for one in chapters if one.scenario.paper == source]
        if mine:
            parts.append(f"## {source}\n")
            parts += [section(one) for one in mine]
    rig = [[chapter.scenario.name, *row(outcome)] for chapter in chapters
           for outcome in chapter.of_kind("rig")]
    if rig:
        parts.append(
            "## Checks of the rig\n\nWhat the papers say of TCP, of CBR "
            "flows or of a formula, and what ours is: of the simulator, not "
            "of TFRC.\n\n" + table(["scenario"] + HEAD, rig))
    return "\n".join(parts)


def few_seeds(chapters):
    """Whose claims rest on few runs, and why that is enough, or until they
    are recorded anew."""
    few = [one for one in chapters if one.of_kind("paper")
           and one.record.runs and one.seeds < claims.FEWEST_SEEDS]
    told = [f"{one.scenario.name} ({one.seeds}"
            + f", {one.scenario.few_seeds}" * bool(one.scenario.few_seeds)
            + ")" for one in few]
    count = sum(len(one.of_kind("paper")) for one in few
                if not one.scenario.few_seeds)
    return f"Measured with fewer than {claims.FEWEST_SEEDS} seeds, {count} " \
        f"claims without a reason: {', '.join(told)}.\n" if told else ""


def section(chapter):
    scenario, record = chapter.scenario, chapter.record
    lines = [f"### {scenario.name}: {scenario.what}\n"]
    lines.append(f"{setup(record.runs)} "[not record.runs:]
                 + f"Commit {record.commit} ({record.date})"
                 f"{aged(chapter)}.\n")
    if scenario.plot:
        lines.append(f"![{scenario.name}: {scenario.what}]"
                     f"(figures/{figure_name(scenario)})\n")
    rows, told = [], {}
    for outcome in chapter.of_kind("paper", "experiment", "goal",
                                   "published"):
        cells = row(outcome)
        # What several rows have to say is said once.
        if cells[-1] and cells[-1] in told:
            cells[-1] = f"as {told[cells[-1]]} above"
        elif len(cells[-1]) > 60:
            told[cells[-1]] = f"“{outcome.claim.claim}”"
        rows.append(cells)
    if chapter.missing:
        more = len(chapter.missing) - MOST_MISSING
        lines.append("Not measured yet: "
                     + "; ".join(chapter.missing[:MOST_MISSING])
                     + f", and {more} more" * (more > 0) + ".\n")
    if rows:
        lines.append(table(HEAD, rows))
    else:
        lines.append("All of its claims are "
                     "[checks of the rig](#checks-of-the-rig).\n")
    return "\n".join(lines)


def setup(runs):
    """What a record says of its runs, for people: what alternatives have in
    common once, and of many phases of losses the first ones."""
    return "; ".join(_setup(part) for part in runs.split("; "))


def _setup(part):
    head, _, values = part.partition(": ")
    if head == "flows" and ", ... " not in values:
        return f"{head}: {_factored(values.rstrip('.').split(' or '))}" \
            + "." * values.endswith(".")
    phases = values.split(", ")
    if head == "losses" and len(phases) > MOST_PHASES and " or " not in values:
        return f"{head}: {', '.join(phases[:MOST_PHASES])}, ... " \
            f"({len(phases)} phases)."
    return part


def _factored(sums):
    """Sums of flows, what all of them have in front of what differs."""
    sums = [collections.Counter(one.split(" + ")) for one in sums]
    common = functools.reduce(operator.and_, sums)
    if len(sums) == 1 or not common:
        return " or ".join(" + ".join(one.elements()) for one in sums)
    told = " or ".join(" + ".join((one - common).elements()) or "nothing"
                       for one in sums)
    return " + ".join(common.elements()) + f" + ({told})"


def aged(chapter):
    """What has become of a record since it was made."""
    record = chapter.record
    if record.outdated:
        return f"; **outdated**: its shortest runs differ at {record.outdated}"
    same = f", the same at {records.since(record)}" if record.confirmed else ""
    return same + (f"; **old**: {chapter.older} commits to the core since"
                   if chapter.older else "")


def row(outcome):
    claim, tolerance = outcome.claim, outcome.claim.tolerance
    return [tolerance.where, claim.claim,
            f"{claim.paper:g}" if isinstance(claim.paper, float)
            else str(claim.paper), outcome.measured_text, outcome.range_text,
            verdict(outcome),
            "; ".join(filter(None, [*remarks(outcome), claim.note,
                                    outcome.trouble]))]


def verdict(outcome):
    """In words; a goal's and an experiment's with what it is."""
    kind = outcome.claim.tolerance.kind
    return f"{kind}: {outcome.verdict}" if kind in ("goal", "experiment") \
        else outcome.verdict


def remarks(outcome):
    tolerance = outcome.claim.tolerance
    if tolerance.kind == "paper" and tolerance.why:
        yield f"{tolerance.why} ({tolerance.since})"
    elif tolerance.why:
        yield tolerance.why
    if outcome.verdict == claims.DIFFERS:
        yield f"shown by {tolerance.differs_by}"
    if outcome.verdict in (NOT_REPRODUCED, MISSED) \
            and tolerance.kind in ("paper", "rig"):
        yield "cause not known" + (
            f", supposed: {tolerance.supposed}" * bool(tolerance.supposed))
    if tolerance.not_comparable:
        yield tolerance.not_comparable


def table(head, rows):
    """Markdown; a bar in a cell would end it."""
    lines = [head, ["---"] * len(head)] + rows
    return "".join(
        "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ")
                          for cell in line) + " |\n" for line in lines)
