# SPDX-License-Identifier: LGPL-2.1-or-later
"""What was measured, kept in the tree: records/SCENARIO.json.

The pages are written from these, so that a tolerance, a verdict or a word can
change without a simulation, and a simulation without its fellows.  Each says
at which commit of the core and of the engine it was made."""

import dataclasses
import json
import pathlib
import subprocess

import claims
import parameters

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE / "records"
TOP = HERE.parents[1]
# What the figures depend on.
SOURCES = ("gst/protocol", "gst/wire", "tests/sim/engine")


@dataclasses.dataclass(frozen=True)
class Record:
    """commit, date   of the sources that it was made with
    scale          that of the runs
    runs           their parameters in a line
    claims         {claim: {"measured", "least", "most", "at_least"}}"""
    commit: str
    date: str
    scale: str
    runs: str
    claims: dict

    def outcome(self, scenario, claim):
        """The Outcome, judged anew; None if it was not measured."""
        told = self.claims.get(claim.claim)
        if told is None:
            return None
        measured = told["measured"]
        if measured is None:
            return claims.Outcome(scenario, claim, (), None, False,
                                  "no answer")
        most = told.get("most", measured)
        return claims.Outcome(
            scenario, claim, (told.get("least", measured),
                              claims.AtLeast(most) if told.get("at_least")
                              else most), measured, True)


def load(folder=FOLDER):
    """{scenario: Record}."""
    return {path.stem: Record(**json.loads(path.read_text()))
            for path in sorted(folder.glob("*.json"))}


def save(evaluated, scale, folder=FOLDER):
    """Those that were just measured, at the sources' present commit."""
    commit, date = git("log", "-1", "--format=%h %cs", "--abbrev=8", "--",
                       *SOURCES).split()
    for one in evaluated:
        record = Record(commit, date, scale.value,
                        parameters.describe(one.results),
                        {outcome.claim.claim: told(outcome)
                         for outcome in one.outcomes})
        (folder / f"{one.scenario.name}.json").write_text(
            json.dumps(dataclasses.asdict(record), indent=1,
                       ensure_ascii=False) + "\n")


def told(outcome):
    """A claim's measured numbers, as published."""
    if outcome.measured is None:
        return {"measured": None}
    found = {"measured": _rounded(outcome.measured)}
    low, high = _rounded(min(outcome.values)), _rounded(max(outcome.values))
    if low != high:
        found |= {"least": low, "most": high}
    if outcome.censored:
        found["at_least"] = True
    return found


def changed_sources():
    """Whether they differ from what is committed."""
    return bool(git("status", "--porcelain", "--", *SOURCES))


def stale(record):
    """Commits to the sources since then."""
    return git("log", "--format=%h %s", f"{record.commit}..HEAD", "--",
               *SOURCES).splitlines()


def git(*arguments):
    return subprocess.run(["git", "-C", TOP, *arguments], check=True,
                          capture_output=True, text=True).stdout.strip()


def _rounded(value):
    return float(f"{value:.4g}")
