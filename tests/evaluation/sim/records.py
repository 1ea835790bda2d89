# SPDX-License-Identifier: LGPL-2.1-or-later
"""What was measured, kept in the tree: records/SCENARIO.json.

The pages are written from these, so that a tolerance, a verdict or a word can
change without a simulation, and a simulation without its fellows.  Each says
at which commit it was made.  It is current while the sources of then are those
of now, but for comments and layout, or the traces that it depends on are
(keys.py), and so is the source of its runs and of what they measure."""

import dataclasses
import functools
import json
import pathlib
import re
import subprocess

import claims
import engine_behaviour
import intervals
import keys
import parameters
import samples
from engine_behaviour import behaviour

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE / "records"
TOP = HERE.parents[2]
# What they did, and what the figures depend on.
TRACES = ("tests/virtual/behaviour.json", "tests/evaluation/sim/engine_behaviour.json")
SOURCES = (*behaviour.SOURCES, *engine_behaviour.SOURCES, *TRACES)
# More scripts that moved are told by their number.
MOST_CHANGED = 3


@dataclasses.dataclass(frozen=True)
class Record:
    """commit, date   of the sources that it was made with
    scale          that of the runs
    runs           their parameters in a line
    claims         {claim: {"measured", "least", "most", "at_least", "values"}};
                   older ones have no values
    measure        keys.measure() of its scenario
    samples        {run: digest} of its shortest runs
    confirmed      "commit date" of the last sources with which these gave the
                   same, or ""
    outdated       "commit date" of the first ones that were seen to give
                   something else, or """""
    commit: str
    date: str
    scale: str
    runs: str
    claims: dict
    measure: str = ""
    samples: dict = dataclasses.field(default_factory=dict)
    confirmed: str = ""
    outdated: str = ""

    @property
    def seeds(self):
        """How many its runs had."""
        told = re.search(r" with (\d+) seeds", self.runs)
        return int(told[1]) if told else 1

    @property
    def fewest_seeds(self):
        """That any of its runs had."""
        return min(map(int, re.findall(r" with (\d+) seeds", self.runs)), default=1)

    def half_width(self, told):
        """Half of the 95 % interval of a claim's mean; of older records by the
        range of its values, and None for one number of several seeds."""
        if "values" in told:
            return intervals.half_width(told["values"])
        if "least" in told:
            return intervals.half_width_by_range(
                told["least"], told["most"], self.fewest_seeds)
        return 0.0 if self.fewest_seeds == 1 else None

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
                              else most), measured, True,
            half=self.half_width(told))


def lacking(record, scenario):
    """The claims that the scenario has had since."""
    return [claim.claim for claim in scenario.claims
            if claims.Scale(record.scale) in claim.scales
            and claim.claim not in record.claims]


def has_fewer_seeds(record, scenario):
    """Whether the scenario has had more of them since."""
    least = scenario.least_seeds(claims.Scale(record.scale))
    return bool(record.runs and least and record.seeds < least)


def load(folder=FOLDER):
    """{scenario: Record}."""
    return {path.stem: Record(**json.loads(path.read_text()))
            for path in sorted(folder.glob("*.json"))}


def save(evaluated, scale, folder=FOLDER):
    """Those that were just measured, at the sources' present commit."""
    commit, date = present().split()
    for one in evaluated:
        write(one.scenario.name, Record(
            commit, date, scale.value, parameters.describe(one.results),
            all_told(one.outcomes), keys.measure(one.scenario),
            samples.digests(
                samples.choose(one.scenario, scale), one.results.values())),
            folder)


def write(name, record, folder=FOLDER):
    """What is empty is left out."""
    kept = {key: value for key, value in dataclasses.asdict(record).items()
            if value or key in ("runs", "claims")}
    (folder / f"{name}.json").write_text(
        json.dumps(kept, indent=1, ensure_ascii=False) + "\n")


def compare(record, found):
    """The record with what its samples gave with the present sources: found
    is {run: digest}, or {claim: what is told of it} where it has no runs.
    What the scenario has since then is no sample of the record's."""
    before = record.samples or record.claims
    if before == {name: found[name] for name in before if name in found}:
        return dataclasses.replace(record, confirmed=present(), outdated="")
    return dataclasses.replace(record, outdated=record.outdated or present())


def present():
    """"commit date" of the sources."""
    return git("log", "-1", "--format=%h %cs", "--abbrev=8", "--", *SOURCES)


def all_told(outcomes):
    return {outcome.claim.claim: told(outcome) for outcome in outcomes}


def told(outcome):
    """A claim's measured numbers, as published."""
    if outcome.measured is None:
        return {"measured": None}
    found = {"measured": _rounded(outcome.measured)}
    low, high = _rounded(min(outcome.values)), _rounded(max(outcome.values))
    if low != high:
        found |= {"least": low, "most": high}
    if len(outcome.values) > 1:
        found["values"] = [_rounded(one) for one in outcome.values]
    if outcome.censored:
        found["at_least"] = True
    return found


def changed_sources():
    """Whether they differ from what is committed."""
    return bool(git("status", "--porcelain", "--", *SOURCES))


def since(record):
    """"commit (date)" at which it was measured, or last confirmed."""
    commit, date = record.confirmed.split() if record.confirmed \
        else (record.commit, record.date)
    return f"{commit} ({date})"


def older(record, scenario, until=None):
    """What has changed up to the commit `until`, or the sources' last one:
    scripts that moved, and what is measured."""
    changed = []
    for path in TRACES:
        then, now = (kept_at(commit, path) for commit in (
            since(record).split()[0], until or present().split()[0]))
        if not then["traces"]:
            changed = ["all, as nothing was traced then"]
        elif then["sources"] != now["sources"]:
            changed += [name for name in keys.scripts(scenario, now["traces"])
                        if then["traces"].get(name, now["traces"][name])
                        != now["traces"][name]]
    return changed + ["what is measured"] * (
        record.measure != keys.measure(scenario))


def tell(changed):
    """That in words; "" where nothing has."""
    more = len(changed) - MOST_CHANGED
    return bool(changed) * ("moved since: " + ", ".join(
        changed[:MOST_CHANGED]) + f" and {more} more" * (more > 0))


@functools.lru_cache(maxsize=None)
def kept_at(commit, path):
    """The traces that were kept there, in whatever folder."""
    name = path.rpartition("/")[2]
    try:
        for there in git("ls-tree", "-r", "--name-only", commit).splitlines():
            if there.endswith(f"/{name}"):
                return behaviour.parse(git("show", f"{commit}:{there}"))
    except subprocess.CalledProcessError:
        pass
    return behaviour.parse("")


@functools.lru_cache(maxsize=None)
def commits(first, last, sources):
    """Those after `first` up to `last` that changed one of the sources."""
    return git("log", "--format=%h %s", f"{first}..{last}", "--",
               *sources).splitlines()


def is_current(record, scenario, scale):
    """Whether measuring it again would show nothing."""
    return record is not None and not record.outdated \
        and record.scale == scale.value and not older(record, scenario)


def git(*arguments):
    return subprocess.run(["git", "-C", TOP, *arguments], check=True,
                          capture_output=True, text=True).stdout.strip()


def _rounded(value):
    return float(f"{value:.4g}")
