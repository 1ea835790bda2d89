# SPDX-License-Identifier: LGPL-2.1-or-later
"""Scenarios and their claims, and how a claim is judged.

A module in scenarios/ holds SCENARIOS, a list.  A scenario says which runs it
needs at a scale and what must be true of their results:

    Scenario("fair", source=FLOYD + ", figure 6", what="n TFRC and n TCP",
             runs=lambda scale: {("red", 8, seed): Run(...), ...},
             claims=[Claim("TCP's share, RED", "about 1", share("red"))])

What it is judged by stands in tolerances.toml.  The cases of tests/evaluation/net have
no paper's numbers, and ranges of their own."""

import dataclasses
import enum
import importlib
import math
import pathlib
import statistics
import sys
from typing import Callable, Optional, Union

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))

import intervals  # noqa: E402
import tolerances  # noqa: E402

FLOYD = "Floyd et al. 2000"
RHEE_XU = "Rhee and Xu 2005"
BANSAL = "Bansal et al. 2001"
RHEE_XU_JOURNAL = "Rhee and Xu 2007"
WIDMER = "Widmer and Handley 2001"
RFC_4654 = "RFC 4654"
RFC_5348 = "RFC 5348"
RFC_8867 = "RFC 8867"
# What no paper has: the competitors and queues that users meet now.
PRESENT_DAY = "present day"
# The authors' code, which no paper has with these parameters.
NS_2 = "ns-2.35"

# That a claim which counts rests on, or there is a reason.
FEWEST_SEEDS = 5

PAPERS = (FLOYD, RHEE_XU, BANSAL, RHEE_XU_JOURNAL, WIDMER)
SOURCES = PAPERS + (NS_2, RFC_4654, RFC_5348, RFC_8867, PRESENT_DAY)


class Scale(enum.Enum):
    """How long, how often and with how many flows a scenario runs."""
    QUICK = "quick"        # in tests/run.sh: seconds
    STANDARD = "standard"  # what the documents publish: minutes
    FULL = "full"          # of tests/evaluation/net alone: its soak


# Of simulations.
SCALES = (Scale.QUICK, Scale.STANDARD)
EVERY_SCALE = frozenset(Scale)
NOT_QUICK = frozenset({Scale.STANDARD, Scale.FULL})


class Results(dict):
    """{key: Result} of a scenario's runs; keys are tuples."""

    def select(self, *pattern):
        """The Results whose key begins with the pattern; None in it stands
        for anything: select("red", None, 8) is over all rates and seeds."""
        return Results({
            key: result for key, result in self.items()
            if len(key) >= len(pattern)
            and all(want is None or want == have
                    for want, have in zip(pattern, key))})

    def each(self, measure, *pattern):
        """[measure(result)] of the runs that the pattern selects: what a
        claim over several seeds returns."""
        return [measure(result) for result in self.select(*pattern).values()]


def by_seed(measure):
    """measure(results) of each seed's results alone: so a number that is made of
    several runs has an interval."""
    def of(results):
        return [measure(Results({key: result for key, result in results.items()
                                 if key[-1] == seed}))
                for seed in sorted({key[-1] for key in results})]
    return of


def ratio_of_means(over, under):
    """mean (over) / mean (under), as a number for each seed: their mean is the
    ratio, and their spread that of its first derivatives, for ratios of single
    values have no mean where some of `under` are near 0."""
    mean = statistics.fmean(under)
    ratio = statistics.fmean(over) / mean
    return [ratio + (one - ratio * other) / mean
            for one, other in zip(over, under, strict=True)]


@dataclasses.dataclass(frozen=True)
class Claim:
    """`measure` answers with a number, or with a list of numbers, one for
    each seed: their mean is judged, or their median, and their spread is
    published.  None, or a None among them, is no answer, and the claim is
    missed.

    claim      what is claimed, with the unit
    paper      the paper's value as number, or in its words
    low, high  outside of it a run of the tests fails; None leaves a side
               open, both: published but not judged
    tolerance  what the verdict depends on; None: on low and high
    note       where the range comes from, what was scaled down
    scales     where it is judged; a shortened run cannot show everything
    explained  why ours differs from the paper for a reason that is not ours;
               the range is then for what must follow instead, and the claim
               does not count as the paper's
    middle     of several numbers: statistics.fmean or statistics.median"""
    claim: str
    paper: Union[str, float]
    measure: Callable[[Results], object]
    low: Optional[float] = None
    high: Optional[float] = None
    note: str = ""
    scales: frozenset = EVERY_SCALE
    explained: str = ""
    middle: Callable[[tuple], float] = statistics.fmean
    tolerance: Optional[tolerances.Tolerance] = None


@dataclasses.dataclass(frozen=True)
class Scenario:
    """`runs` makes {key: Run} for a scale; keys are tuples that begin with
    what distinguishes the runs and end with the seed.  `plot (results,
    figure)` draws on a matplotlib Figure (see plots.py).  `few_seeds` says
    why there are fewer than FEWEST_SEEDS."""
    name: str
    source: str
    what: str
    runs: Callable[[Scale], dict]
    claims: list
    plot: Optional[Callable] = None
    few_seeds: str = ""

    @property
    def paper(self):
        return self.source.split(",")[0]

    @property
    def figure(self):
        return self.source.partition(",")[2].strip()

    def judged_at(self, scale):
        return [claim for claim in self.claims if scale in claim.scales]


    def least_seeds(self, scale):
        """With how many each kind of its runs is made at least, or None."""
        seeds = {}
        for (*kind, _), run in self.runs(scale).items():
            seeds.setdefault(tuple(kind), set()).add(run.seed)
        return min(map(len, seeds.values())) if seeds else None


class AtLeast(float):
    """A measured time that was not over when the run was."""


# Of a claim with a tolerance.  Only the first five count.
REPRODUCED = "reproduced"
UNDECIDED = "undecided"
DIFFERS = "differs"
NOT_REPRODUCED = "not reproduced"
NOT_COMPARABLE = "not comparable"
PAPER_VERDICTS = (REPRODUCED, UNDECIDED, DIFFERS, NOT_REPRODUCED, NOT_COMPARABLE)
MET, MISSED, PUBLISHED = "met", "missed", "published"


@dataclasses.dataclass(frozen=True)
class Outcome:
    """A claim judged.  values: one number for each seed; half: half of the 95 %
    interval of their mean, None where it is not known."""
    scenario: Scenario
    claim: Claim
    values: tuple
    measured: Optional[float]
    ok: bool
    trouble: str = ""
    half: Optional[float] = 0.0

    @property
    def judged(self):
        return self.claim.low is not None or self.claim.high is not None

    @property
    def verdict(self):
        if self.claim.tolerance:
            return self._verdict_by_tolerance()
        if not self.ok:
            return MISSED
        if not self.judged:
            return PUBLISHED
        return "explained" if self.claim.explained else "holds"

    def _verdict_by_tolerance(self):
        tolerance = self.claim.tolerance
        if tolerance.kind == "published":
            return PUBLISHED
        accepted = self.measured is not None \
            and tolerance.accepts(self.measured)
        if tolerance.kind != "paper":
            return MET if accepted else MISSED
        if tolerance.not_comparable:
            return NOT_COMPARABLE
        decided = self._decided() if accepted or self.interval else False
        if decided is None:
            return UNDECIDED
        if decided:
            return REPRODUCED
        return DIFFERS if tolerance.differs_by else NOT_REPRODUCED

    @property
    def interval(self):
        """95 % of the mean, or None; of times that were not over the upper end is
        open."""
        return None if self.measured is None or self.half is None else (
            self.measured - self.half,
            math.inf if self.censored else self.measured + self.half)

    def _decided(self):
        """What is accepted without an interval is not decided."""
        return self.interval and self.claim.tolerance.decides(*self.interval)

    @property
    def censored(self):
        return any(isinstance(value, AtLeast) for value in self.values)

    @property
    def measured_text(self):
        """The number, with the spread over several seeds."""
        mean = _text(self.measured)
        if self.measured is None:
            return mean
        low, high = min(self.values), max(self.values)
        mean, most = ("at least " * self.censored + _text(value)
                      for value in (self.measured, high))
        return mean if _text(low) == _text(high) \
            else f"{mean} ({_text(low)} to {most})"

    @property
    def range_text(self):
        """What is accepted, by the paper where there is one."""
        tolerance = self.claim.tolerance
        if tolerance and tolerance.text:
            return tolerance.text
        low, high = (None if math.isinf(end) else end
                     for end in tolerance.accept) if tolerance \
            else (self.claim.low, self.claim.high)
        if low is None and high is None:
            return "any"
        if low is None:
            return f"<= {_end(high)}"
        return f">= {_end(low)}" if high is None \
            else f"{_end(low)} to {_end(high)}"

    def json(self):
        spread = "" if len(self.values) < 2 else "runs: " + ", ".join(
            _text(value) for value in self.values)
        note = filter(None, [self.claim.note, self.claim.explained, spread,
                             self.trouble])
        return {"claim": self.claim.claim, "paper": self.claim.paper,
                "measured": _rounded(self.measured),
                "low": self.claim.low, "high": self.claim.high,
                "ok": self.ok, "note": "; ".join(note)}

    def record(self):
        """The same, with what a page of the claims needs besides."""
        return {**self.json(), "verdict": self.verdict,
                "values": [_rounded(value) for value in self.values]}


def judge(scenario, claim, results):
    """The Outcome of a claim.  A measure that fails is a missed claim that
    says why: it must not hide the others."""
    try:
        answer = claim.measure(results)
    except Exception as error:  # what a table's lambda may do is open
        return Outcome(scenario, claim, (), None, False,
                       f"{type(error).__name__}: {error}")
    values = tuple(answer) if isinstance(answer, (list, tuple)) \
        or hasattr(answer, "__len__") else (answer,)
    values = tuple(None if value is None or not math.isfinite(value)
                   else value if isinstance(value, AtLeast)
                   else float(value) for value in values)
    if not values or None in values:
        return Outcome(scenario, claim, values, None, False, "no answer")
    middle = claim.middle(values)
    ok = (claim.low is None or middle >= claim.low) \
        and (claim.high is None or middle <= claim.high)
    return Outcome(scenario, claim, values, middle, ok,
                   half=half_width(values, results))


def half_width(values, results):
    """Half of the 95 % interval of their mean.  One number of several seeds has
    none that is known, one of a single seed or of none has no spread."""
    if len(values) > 1:
        return intervals.half_width(values)
    return None if len({key[-1] for key in results}) > 1 else 0.0


SCENARIOS = pathlib.Path(__file__).resolve().parent / "scenarios"


def load_scenarios(folder=SCENARIOS):
    """{name: Scenario} of all modules in the folder, in their order; it is
    a package of that name on the path.  Those of this folder with their
    tolerances."""
    found = {}
    rows, few_seeds = (tolerances.load(), tolerances.few_seeds()) \
        if folder == SCENARIOS else ({}, {})
    for path in sorted(folder.glob("*.py")):
        if path.stem.startswith("_"):
            continue
        module = importlib.import_module(f"{folder.name}.{path.stem}")
        # A module without SCENARIOS is what several tables share.
        for scenario in getattr(module, "SCENARIOS", []):
            if scenario.name in found:
                raise ValueError(f"two scenarios are named {scenario.name}")
            if scenario.paper not in SOURCES:
                raise ValueError(
                    f"{scenario.name}: source '{scenario.source}' does not "
                    f"begin with one of: {'; '.join(SOURCES)}")
            if folder == SCENARIOS:
                scenario = dataclasses.replace(
                    with_tolerances(scenario, rows.get(scenario.name, {})),
                    few_seeds=few_seeds.get(scenario.name, ""))
            found[scenario.name] = scenario
    return found


def with_tolerances(scenario, rows):
    """The scenario with what its claims are judged by, {claim: Tolerance}."""
    def judged(claim):
        if claim.claim not in rows:
            raise ValueError(f"tolerances.toml lacks {scenario.name}: "
                             f"{claim.claim}")
        one = rows[claim.claim]
        low, high = (None if math.isinf(end) else end for end in one.alarm)
        return dataclasses.replace(claim, tolerance=one, low=low, high=high)
    return dataclasses.replace(scenario,
                               claims=[judged(one) for one in scenario.claims])


def _rounded(value):
    return None if value is None else float(f"{value:.4g}")


def _end(value):
    """Of a range: a tenth of a number has more digits than it has."""
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:g}"


def _text(value):
    return "-" if value is None else f"{value:.3g}"
