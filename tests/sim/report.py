# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes what was judged into the documents: between the markers of
simulation.md every claim with its figures, in evaluation.md the count.  What
stands outside of the markers is written by hand and kept."""

import pathlib

import claims
import parameters
import plots

BEGIN = "<!-- begin: written by tests/sim/run.sh --report -->"
END = "<!-- end -->"
HEAD = ["where", "claim", "paper", "ours", "accepted", "verdict", "note"]


def write(evaluated, docs):
    """docs/simulation.md, docs/evaluation.md and docs/figures/."""
    figures = docs / "figures"
    for old in figures.glob("sim-*.svg"):
        old.unlink()
    draw_figures(evaluated, figures)
    for name, text in [("simulation.md", sections(evaluated)),
                       ("evaluation.md", summary(evaluated))]:
        path = docs / name
        path.write_text(between_markers(path.read_text(), text))


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


def summary(evaluated):
    """How many of the claims hold, by source."""
    rows = []
    for source in claims.SOURCES:
        counts = count(one for one in evaluated
                       if one.scenario.paper == source)
        if sum(counts.values()):
            rows.append([source] + [str(counts[verdict])
                                    for verdict in VERDICTS])
    counts = count(one for one in evaluated
                   if one.scenario.paper in claims.PAPERS)
    of = counts["holds"] + counts["explained"] + counts["missed"]
    share = f" ({100 * counts['holds'] / of:.0f} %)" if of else ""
    return (f"**{counts['holds']} of {of} claims of the papers"
            f" hold{share}.**\n\n"
            + table(["source"] + list(VERDICTS), rows))


# Of a claim without a range nothing can be said but its number.
VERDICTS = ("holds", "explained", "missed", "published")


def count(evaluated):
    counts = dict.fromkeys(VERDICTS, 0)
    for one in evaluated:
        for outcome in one.outcomes:
            counts[outcome.verdict] += 1
    return counts


def sections(evaluated):
    """A chapter for each source, a section for each scenario."""
    parts = [summary(evaluated)]
    for source in claims.SOURCES:
        mine = [one for one in evaluated if one.scenario.paper == source]
        if mine:
            parts.append(f"## {source}\n")
            parts += [section(one) for one in mine]
    return "\n".join(parts)


def section(one):
    scenario = one.scenario
    lines = [f"### {scenario.name}: {scenario.what}\n"]
    described = parameters.describe(one.results)
    if described:
        lines.append(described + "\n")
    if scenario.plot:
        lines.append(f"![{scenario.name}: {scenario.what}]"
                     f"(figures/{figure_name(scenario)})\n")
    lines.append(table(HEAD, [row(scenario, outcome)
                              for outcome in one.outcomes]))
    return "\n".join(lines)


def row(scenario, outcome):
    claim = outcome.claim
    return [claim.figure or scenario.figure, claim.claim,
            f"{claim.paper:g}" if isinstance(claim.paper, float)
            else str(claim.paper), outcome.measured_text, outcome.range_text,
            outcome.verdict,
            "; ".join(filter(None, [claim.explained, claim.note,
                                    outcome.trouble]))]


def table(head, rows):
    """Markdown; a bar in a cell would end it."""
    lines = [head, ["---"] * len(head)] + rows
    return "".join(
        "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ")
                          for cell in line) + " |\n" for line in lines)
