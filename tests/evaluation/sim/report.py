# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes what was measured into the documents, between markers: in
results/simulation.md every claim that a source has with its figures, in
results/simulation-today.md those of ours, in evaluation.md and README.md the
counts.  What stands outside of the markers is written by hand and kept, but
for the age of what was measured by hand.  All ages are those at one commit of
the core, which the pages name."""

import collections
import dataclasses
import functools
import itertools
import operator
import pathlib

import beside_ns2
import claims
import measured
import plots
import records
import rto_modes
import tolerances
from claims import (MET, MISSED, NOT_REPRODUCED, PAPER_VERDICTS,
                    REPRODUCED)

BEGIN = "<!-- begin: written by tests/evaluation/sim/run.sh --report -->"
NS_2 = "<!-- begin: beside ns-2, written by tests/evaluation/sim/run.sh --report -->"
MODES = "<!-- begin: modes, written by tests/evaluation/sim/run.sh --report -->"
TODAYS = "<!-- begin: today, written by tests/evaluation/sim/run.sh --report -->"
SOURCES = "<!-- begin: sources, written by tests/evaluation/sim/run.sh --report -->"
CLAIMS = "<!-- begin: claims, written by tests/evaluation/sim/run.sh --report -->"
END = "<!-- end -->"
# More phases of losses than these are told by the first ones and their number.
MOST_PHASES = 4
# And more claims that were not measured.
MOST_MISSING = 2
# What several rows have to say is told below them, if it is longer than this.
LONG_NOTE = 24
HEAD = ["where", "claim", "paper", "ours", "accepted", "verdict", "note"]
# Of those that are like others, which have delay control.
BESIDE = ["with delay control", "verdict"]
# Of these results/simulation-today.md tells.
TODAY = (claims.RFC_5348, claims.RFC_8867, claims.PRESENT_DAY)
# Those that are asked whether they hold, of kinds that do not count.
KINDS = {"rig": "checks of the rig", "experiment": "experiments",
         "goal": "goals of ours"}
# Those that stand with their scenario.
ASKED = ("paper", "experiment", "goal")


def write(kept, docs, as_of=None):
    """The text between the markers of the documents, with the ages at the
    commit `as_of`; None is the core's last one."""
    as_of = as_of or records.present().split()[0]
    chapters = read(kept, as_of)
    head = summary(chapters) + "\n" + age(chapters, as_of)
    counted = by_source(chapters)
    for path, text, marker in [
            (docs / "results" / "simulation.md", table(rto_modes.HEAD, list(
                rto_modes.rows(kept))) + "\n"
             + measured.oldest(kept, rto_modes.COMPARED), MODES),
            (docs / "results" / "simulation.md",
             "TCP's throughput by its share beside as many TFRC flows, figure "
             "6:\n\n" + table(*beside_ns2.shares(kept))
             + "\nCoefficients of variation, figures 9 and 10:\n\n"
             + table(*beside_ns2.smoothness(kept)) + "\n"
             + measured.oldest(kept, beside_ns2.RECORDS), NS_2),
            (docs / "evaluation.md", of_today(chapters) + "\n" + cases(chapters),
             TODAYS),
            (docs / "results" / "simulation.md", few_seeds(chapters) + sections(
                chapters, [one for one in claims.SOURCES
                           if one not in TODAY]) + checks(chapters), CLAIMS),
            (docs / "results" / "simulation-today.md", today(chapters), CLAIMS),
            (docs / "evaluation.md", head, BEGIN),
            (docs / "results" / "simulation.md", counted, SOURCES),
            (docs.parent / "README.md", sentence(chapters) + "\n", BEGIN)]:
        path.write_text(between_markers(path.read_text(), text, marker))
    for path in [docs.parent / "README.md", *sorted(docs.rglob("*.md"))]:
        text = path.read_text()
        if measured.mark(text, as_of) != text:
            path.write_text(measured.mark(text, as_of))


class Chapter:
    """A scenario, its record and the outcomes of its claims; `older` is what
    has changed since."""

    def __init__(self, scenario, record, older=()):
        self.scenario = scenario
        self.record = record
        self.older = older
        self.outcomes = [
            outcome for claim in scenario.claims
            if claims.Scale(record.scale) in claim.scales
            for outcome in [record.outcome(scenario, claim)] if outcome]

        self.missing = records.lacking(record, scenario)

    def of_kind(self, *kinds):
        return [one for one in self.outcomes
                if one.claim.tolerance.kind in kinds]


def read(kept, as_of):
    """[Chapter] of the scenarios that have a record.  A cause counts as
    measured where its experiment came to what the paper has."""
    chapters = [Chapter(scenario, kept[name],
                        records.older(kept[name], scenario, as_of))
                for name, scenario in claims.load_scenarios().items()
                if name in kept]
    measured_by = {f"{chapter.scenario.name}: {one.claim.claim}": one
                   for chapter in chapters for one in chapter.outcomes}
    for chapter in chapters:
        chapter.outcomes = [
            with_cause(one, measured_by.get(one.claim.tolerance.differs_by))
            if one.verdict == claims.DIFFERS else one
            for one in chapter.outcomes]
    return chapters


def with_cause(outcome, experiment):
    """With what its experiment measured; without a cause if that is None or
    did not come to what the paper has."""
    claim, tolerance = outcome.claim, outcome.claim.tolerance
    told = f"{tolerance.differs_by}: {experiment.measured_text}" \
        if experiment else ""
    shown = experiment and experiment.verdict in (MET, REPRODUCED)
    return dataclasses.replace(outcome, claim=dataclasses.replace(
        claim, note="; ".join(filter(None, [
            f"not shown by {told}" * bool(told and not shown), claim.note])),
        tolerance=dataclasses.replace(
            tolerance, differs_by=told if shown else "")))


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
    outcomes = of_papers(chapters)
    parts = []
    for basis in tolerances.BASES:
        counts = count([one for one in outcomes
                        if one.claim.tolerance.basis == basis])
        parts.append(f"of {sum(counts.values())} {basis} {counts[REPRODUCED]} "
                     f"({counts[claims.UNDECIDED]} undecided)")
    return (f"Reproduced of the five papers, by 95 % intervals: {', '.join(parts)}.")


def in_all_runs(outcome):
    """Whether each seed alone would have the mean's verdict."""
    return all(map(outcome.claim.tolerance.accepts, outcome.values))


def by_place(chapters):
    """What many claims of one figure do not outweigh."""
    places = collections.defaultdict(list)
    for chapter in chapters:
        for one in of_papers([chapter]):
            places[chapter.scenario.paper, one.claim.tolerance.where].append(
                one.verdict)
    whole = sum(set(verdicts) == {REPRODUCED} for verdicts in places.values())
    none = sum(REPRODUCED not in verdicts for verdicts in places.values())
    return (f"By figures, tables and sections: of {len(places)} all claims "
            f"of {whole} are reproduced, none of {none}.\n")


def age(chapters, as_of):
    """How many records are of a core that behaved as that of `as_of`."""
    older = sum(bool(one.older) and not one.record.outdated
                for one in chapters)
    outdated = sum(bool(one.record.outdated) for one in chapters)
    return (f"At core `{as_of}`: {len(chapters) - older - outdated} of "
            f"{len(chapters)} records are of this behaviour or confirmed with "
            f"it, {older} older and not confirmed, {outdated} outdated.\n")


def summary(chapters):
    """The claims that have a paper's number or order, by what they are."""
    rows = [[basis] + [str(number) for number in count([
        one for one in of_papers(chapters)
        if one.claim.tolerance.basis == basis]).values()]
        for basis in tolerances.BASES]
    return (f"**{sentence(chapters)}**\n\n{by_place(chapters)}\n"
            + table(["of the five papers"] + list(PAPER_VERDICTS), rows))


def by_source(chapters):
    """The same, and what else is asked, apart."""
    rows = []
    for source in claims.SOURCES:
        counts = count(of_papers(chapters, [source]))
        if sum(counts.values()):
            rows.append([source + ", apart" * (source not in claims.PAPERS)]
                        + [str(counts[verdict]) for verdict in PAPER_VERDICTS])
    apart = []
    for kind, name in KINDS.items():
        counts = count([outcome for chapter in chapters
                        for outcome in chapter.of_kind(kind)], (MET, MISSED))
        if sum(counts.values()):
            apart.append([name] + [str(number) for number in counts.values()])
    return (table(["source"] + list(PAPER_VERDICTS), rows) + "\n"
            + table(["not in the count", MET, MISSED], apart))


def sections(chapters, sources):
    """A chapter for each source, a section for each scenario."""
    parts = []
    ours = {one.scenario.name for one in chapters
            if one.scenario.paper in TODAY}
    names = {name: other for name, other in tolerances.like().items()
             if other in ours}
    beside = {names[one.scenario.name]: one for one in chapters
              if one.scenario.name in names}
    for source in sources:
        mine = [one for one in chapters if one.scenario.paper == source]
        if mine:
            parts.append(f"## {source}\n")
            parts += [section(one, beside.get(one.scenario.name),
                              names.get(one.scenario.name)) for one in mine]
    return "\n".join(parts)


def checks(chapters):
    """The table of the checks of the rig."""
    rig = [(chapter.scenario.name, outcome) for chapter in chapters
           for outcome in chapter.of_kind("rig")]
    names, outcomes = zip(*rig) if rig else ((), ())
    return "\n## Checks of the rig\n\nWhat the papers say of TCP, of CBR " \
        "flows or of a formula, and what ours is: of the simulator, not of " \
        "TFRC.\n\n" + judged(outcomes, names) if rig else ""


def of_today(chapters):
    """The count of the goals in words."""
    counts = count([outcome for chapter in chapters
                    if chapter.scenario.paper in TODAY
                    for outcome in chapter.of_kind("goal")], (MET, MISSED))
    return (f"**Of {sum(counts.values())} goals {counts[MISSED]} are missed.**"
            "\n")


def cases(chapters):
    """Goals of RFC 8867 to 8869, met and missed, without and with delay
    control."""
    rows = {}
    for chapter in chapters:
        name = chapter.scenario.name.removeprefix("delay-")
        if not name.startswith("rfc886") or not chapter.of_kind("goal"):
            continue
        row = rows.setdefault(name, {})
        row[name != chapter.scenario.name] = count(chapter.of_kind("goal"),
                                                   (MET, MISSED))
        if name == chapter.scenario.name:
            place = common_place(chapter.of_kind(*ASKED)) or "RFC " + name[3:7]
            row["what"] = [name, place, chapter.scenario.what]
    return table(["case", "where", "what", "met", "missed", "with delay control: met",
                  "missed"],
                 [row["what"] + [str(row[delay][verdict]) if delay in row else ""
                                 for delay in (False, True)
                                 for verdict in (MET, MISSED)]
                  for row in rows.values() if "what" in row])


def today(chapters):
    """The goals that are missed, then all of them, folded."""
    mine = [one for one in chapters if one.scenario.paper in TODAY]
    missed = [(chapter.scenario.name, outcome) for chapter in mine
              for outcome in chapter.of_kind("goal")
              if outcome.verdict == MISSED]
    names, outcomes = zip(*missed) if missed else ((), ())
    return (of_today(mine) + "\n" + (judged(outcomes, names) + "\n") * bool(missed)
            + sections(chapters, TODAY))


def few_seeds(chapters):
    """Whose claims rest on few runs, and why that is enough, or until they
    are recorded anew."""
    few = [one for one in chapters if one.of_kind("paper")
           and one.record.runs
           and one.record.seeds < claims.FEWEST_SEEDS]
    told = [f"{one.scenario.name} ({one.record.seeds}"
            + f", {one.scenario.few_seeds}" * bool(one.scenario.few_seeds)
            + ")" for one in few]
    count = sum(len(one.of_kind("paper")) for one in few
                if not one.scenario.few_seeds)
    return f"Measured with fewer than {claims.FEWEST_SEEDS} seeds, {count} " \
        f"claims without a reason: {', '.join(told)}.\n\n" if told else ""


def section(chapter, beside=None, like=None):
    """What is reproduced as a whole is folded, and goals of ours, as the page
    begins with those that are missed.  `beside` is what is judged like it, in the same table, if that
    is of ours; `like` is the name of the one whose table has this one."""
    scenario, record = chapter.scenario, chapter.record
    place = common_place(chapter.of_kind(*ASKED))
    lines = [f"### {scenario.name}: {scenario.what}\n",
             f"{place[:1].upper()}{place[1:]}. " * bool(place)
             + f"Commit {record.commit} ({record.date}){aged(chapter)}.\n"]
    if scenario.plot:
        lines.append(f"![{scenario.name}](../figures/"
                     f"{figure_name(scenario)})\n")
    if chapter.missing:
        more = len(chapter.missing) - MOST_MISSING
        lines.append("Not measured yet: "
                     + "; ".join(chapter.missing[:MOST_MISSING])
                     + f", and {more} more" * (more > 0) + ".\n")
    outcomes = chapter.of_kind(*ASKED)
    if outcomes and scenario.paper not in TODAY:
        whole = {verdict(one) for one in outcomes} == {REPRODUCED}
        lines.append(folded(f"{len(outcomes)} reproduced", judged(outcomes))
                     if whole else judged(outcomes))
    elif outcomes and like:
        lines.append(f"Its goals are in the table of {like}.\n")
    elif outcomes:
        counts = count(outcomes, (MET, MISSED))
        lines.append(folded(", ".join(
            f"{number} {verdict}" for verdict, number in counts.items()
            if number), judged(outcomes, beside=beside)))
    elif chapter.of_kind("rig"):
        lines.append("All of its claims are [checks of the rig]"
                     "(#checks-of-the-rig).\n")
    runs, _, rest = setup(record.runs).partition("; ")
    published = len(chapter.of_kind("published"))
    more = f"{published} more measured, in records/{scenario.name}.json" \
        * bool(published)
    if rest:
        lines.append(folded("; ".join(filter(None, [runs, more])),
                            rest[:1].upper() + rest[1:] + "\n"))
    elif runs or more:
        told = "; ".join(filter(None, [runs, more]))
        lines.append(f"{told[:1].upper()}{told[1:]}.\n")
    return "\n".join(lines)


def folded(summary, text):
    return f"<details>\n<summary>{summary}</summary>\n\n{text}\n" \
        "</details>\n"


def judged(outcomes, names=(), beside=None):
    """The table of claims that are asked whether they hold, each with its
    scenario's name if there are names, and with what a chapter `beside` has.
    What several rows have to say is said once, below."""
    told = collections.Counter(
        part for outcome in outcomes for part in dict.fromkeys(
            notes(outcome)) if len(part) > LONG_NOTE)
    shared = [part for part, number in told.items() if number > 1]

    def note(outcome):
        return "; ".join(f"({shared.index(part) + 1})" if part in shared
                         else part for part in dict.fromkeys(notes(outcome)))

    others = {one.claim.claim: [one.measured_text, verdict(one)]
              for one in beside.outcomes} if beside else {}
    rows = [[name, *row(outcome), *others.get(outcome.claim.claim, ["", ""]),
             note(outcome)] for name, outcome in itertools.zip_longest(
                 names, outcomes, fillvalue="")]
    if not names and common_place(outcomes):
        rows = [["", "", *cells[2:]] for cells in rows]
    head = ["scenario", *HEAD[:-1], *BESIDE, HEAD[-1]]
    return (table(*trimmed(head, rows)) if rows else "") + "".join(
        f"\n({i}) {part}" + "  " * (part is not shared[-1])
        for i, part in enumerate(shared, 1)) + "\n" * bool(shared)


def common_place(outcomes):
    """Where a source has all of them, or ""."""
    places = {one.claim.tolerance.where for one in outcomes}
    return places.pop() if len(places) == 1 else ""


def trimmed(head, rows):
    """Without the columns in which nothing stands."""
    kept = [i for i in range(len(head)) if any(cells[i] for cells in rows)]
    return [head[i] for i in kept], [[cells[i] for i in kept]
                                     for cells in rows]


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
    if not chapter.older:
        return ""
    same = f", the same at {records.since(record)}" if record.confirmed else ""
    return f"{same}; **old**, {records.tell(chapter.older)}"


def row(outcome):
    """The cells, but for the note."""
    claim = outcome.claim
    return [claim.tolerance.where, claim.claim,
            f"{claim.paper:g}" if isinstance(claim.paper, float)
            else str(claim.paper), outcome.measured_text, outcome.range_text,
            verdict(outcome)]


def verdict(outcome):
    """In words; a goal's and an experiment's with what it is."""
    kind = outcome.claim.tolerance.kind
    named = kind == "experiment" or kind == "goal" \
        and outcome.scenario.paper not in TODAY
    text = f"{kind}: " * named + outcome.verdict
    return text + " on the mean" * (outcome.verdict == MET
                                    and not in_all_runs(outcome))


def notes(outcome):
    """What is to be said of it, in parts."""
    tolerance = outcome.claim.tolerance
    if tolerance.why:
        yield tolerance.why + f" ({tolerance.since})" * bool(tolerance.since)
    if outcome.verdict == claims.DIFFERS:
        yield f"shown by {tolerance.differs_by}"
    if outcome.verdict == claims.UNDECIDED:
        yield "one number of all seeds" if outcome.interval is None \
            else f"95 %: {outcome.interval[0]:.3g} to {outcome.interval[1]:.3g}"
    if outcome.verdict in (NOT_REPRODUCED, MISSED) \
            and tolerance.kind != "experiment":
        yield f"supposed: {tolerance.supposed}" if tolerance.supposed \
            else "cause not known"
    yield from filter(None, [tolerance.not_comparable, outcome.claim.note,
                             outcome.trouble])


def table(head, rows):
    """Markdown; a bar in a cell would end it."""
    lines = [head, ["---"] * len(head)] + rows
    return "".join(
        "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ")
                          for cell in line) + " |\n" for line in lines)
