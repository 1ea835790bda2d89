# SPDX-License-Identifier: LGPL-2.1-or-later
"""Scenarios and their claims, and how a claim is judged.

A module in scenarios/ holds SCENARIOS, a list.  A scenario says which runs it
needs at a scale and what must be true of their results:

    Scenario("fair", source=FLOYD + ", figure 6", what="n TFRC and n TCP",
             runs=lambda scale: {("red", 8, seed): Run(...), ...},
             claims=[Claim("TCP's share, RED", "about 1", share("red"),
                           low=0.8, high=1.25)])

The range of a claim is the paper's with its reading accuracy, never ours."""

import dataclasses
import enum
import importlib
import math
import pathlib
import statistics
from typing import Callable, Optional, Union

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

PAPERS = (FLOYD, RHEE_XU, BANSAL, RHEE_XU_JOURNAL, WIDMER)
SOURCES = PAPERS + (RFC_4654, RFC_5348, RFC_8867, PRESENT_DAY)


class Scale(enum.Enum):
    """How long, how often and with how many flows a scenario runs."""
    QUICK = "quick"        # in tests/run.sh: seconds
    STANDARD = "standard"  # what the documents publish: minutes
    FULL = "full"          # the papers' own durations, counts and seeds


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


@dataclasses.dataclass(frozen=True)
class Claim:
    """`measure` answers with a number, or with a list of numbers, one for
    each seed: their mean is judged, or their median, and their spread is
    published.  None, or a None among them, is no answer, and the claim is
    missed.

    claim      what is claimed, with the unit
    paper      the paper's value as number, or in its words
    low, high  what is accepted; None leaves a side open, both: published
               but not judged
    note       where the range comes from, what was scaled down
    figure     where the paper says so, if not where the scenario says
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
    figure: str = ""
    scales: frozenset = EVERY_SCALE
    explained: str = ""
    middle: Callable[[tuple], float] = statistics.fmean


@dataclasses.dataclass(frozen=True)
class Scenario:
    """`runs` makes {key: Run} for a scale; keys are tuples that begin with
    what distinguishes the runs and end with the seed.  `plot (results,
    figure)` draws on a matplotlib Figure (see plots.py)."""
    name: str
    source: str
    what: str
    runs: Callable[[Scale], dict]
    claims: list
    plot: Optional[Callable] = None

    @property
    def paper(self):
        return self.source.split(",")[0]

    @property
    def figure(self):
        return self.source.partition(",")[2].strip()

    def judged_at(self, scale):
        return [claim for claim in self.claims if scale in claim.scales]


@dataclasses.dataclass(frozen=True)
class Outcome:
    """A claim judged.  values: one number for each seed."""
    scenario: Scenario
    claim: Claim
    values: tuple
    measured: Optional[float]
    ok: bool
    trouble: str = ""

    @property
    def judged(self):
        return self.claim.low is not None or self.claim.high is not None

    @property
    def verdict(self):
        if not self.ok:
            return "missed"
        if not self.judged:
            return "published"
        return "explained" if self.claim.explained else "holds"

    @property
    def measured_text(self):
        """The number, with the spread over several seeds."""
        mean = _text(self.measured)
        if self.measured is None:
            return mean
        low, high = _text(min(self.values)), _text(max(self.values))
        return mean if low == high else f"{mean} ({low} to {high})"

    @property
    def range_text(self):
        low, high = self.claim.low, self.claim.high
        if low is None and high is None:
            return "any"
        if low is None:
            return f"<= {high:g}"
        return f">= {low:g}" if high is None else f"{low:g} to {high:g}"

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
                   else float(value) for value in values)
    if not values or None in values:
        return Outcome(scenario, claim, values, None, False, "no answer")
    middle = claim.middle(values)
    ok = (claim.low is None or middle >= claim.low) \
        and (claim.high is None or middle <= claim.high)
    return Outcome(scenario, claim, values, middle, ok)


def load_scenarios(
        folder=pathlib.Path(__file__).resolve().parent / "scenarios"):
    """{name: Scenario} of all modules in the folder, in their order; it is
    a package of that name on the path."""
    found = {}
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
            found[scenario.name] = scenario
    return found


def _rounded(value):
    return None if value is None else float(f"{value:.4g}")


def _text(value):
    return "-" if value is None else f"{value:.3g}"
