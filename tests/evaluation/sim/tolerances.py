# SPDX-License-Identifier: LGPL-2.1-or-later
"""What each claim of tests/evaluation/sim/scenarios is judged by: tolerances.toml.

A row is of one of these kinds:

a paper's claim      has a number, a range or an order of the paper, and
                     counts.  Keys: see below
rig = "..."          a check of the simulator, its TCP or a formula
experiment = "..."   what is turned off or put in another's place; it shows
                     the cause of a difference
goal = "..."         what we ask of ourselves, and why
published = true     a number without a judgement

Of where the accepted range comes from:

number, range        the paper's; read = "words" ("about the same" is 1)
                     accepts 25 % more and less, read = "text" 10 %
above, below         an order of the paper, strict
at_least, at_most    a bound of the paper
accept               [low, high] in place of the above, with why and since

and of a paper's claim that is not reproduced:

differs_by           "scenario: claim", the experiment that shows the cause
supposed             a cause that no experiment shows; of a missed goal, too
not_comparable       why the numbers are not of the same thing

alarm = [low, high]: the measured value outside of it fails a test run, for
something changed; no verdict depends on it.  It is the accepted range where
there is none."""

import dataclasses
import datetime
import math
import pathlib
import tomllib
from typing import Optional

FILE = pathlib.Path(__file__).resolve().parent / "tolerances.toml"
# Of a number of the paper, by where it was read.
DEFAULT = {"words": 0.25, "text": 0.10}
OTHER_KINDS = ("rig", "experiment", "goal", "published")
# What a paper's claim is, for the count.
TEXT, WORDS, ORDER = BASES = (
    "numbers of the texts", "ranges and words read as numbers",
    "orders and bounds")
ORDERS = ("above", "below", "at_least", "at_most")
REFERENCES = ("number", "range") + ORDERS
KEYS = frozenset(REFERENCES + OTHER_KINDS + (
    "where", "read", "accept", "why", "since", "differs_by", "supposed",
    "not_comparable", "alarm"))
# Of a whole scenario: another one that it is judged like, as goals, whose rows
# it may give a `supposed` of its own; why some of its runs have fewer seeds
# than claims.FEWEST_SEEDS.
LIKE = "like"
FEW_SEEDS = "few_seeds"


@dataclasses.dataclass(frozen=True)
class Tolerance:
    """A row of the file.  accept, alarm: (low, high), open sides infinite."""
    kind: str = "paper"
    where: str = ""
    accept: tuple = (-math.inf, math.inf)
    strict: bool = False
    alarm: tuple = (-math.inf, math.inf)
    why: str = ""
    since: Optional[datetime.date] = None
    differs_by: str = ""
    supposed: str = ""
    not_comparable: str = ""
    text: str = ""
    basis: str = ""

    def accepts(self, value):
        low, high = self.accept
        return low < value < high if self.strict else low <= value <= high

    def decides(self, low, high):
        """Whether an interval is wholly accepted, True, or wholly not, False;
        None: it is some of both."""
        if self.accepts(low) and self.accepts(high):
            return True
        least, most = self.accept
        out = (high <= least or low >= most) if self.strict \
            else (high < least or low > most)
        return False if out else None


def load(file=FILE):
    """{scenario: {claim: Tolerance}}."""
    tables = tomllib.loads(pathlib.Path(file).read_text())
    return {scenario: _like(tables, rows) | _rows(scenario, rows)
            for scenario, rows in tables.items()}


def like(file=FILE):
    """{scenario: the one that it is judged like}."""
    tables = tomllib.loads(pathlib.Path(file).read_text())
    return {scenario: rows[LIKE] for scenario, rows in tables.items()
            if LIKE in rows}


def few_seeds(file=FILE):
    """{scenario: why it has few}."""
    tables = tomllib.loads(pathlib.Path(file).read_text())
    return {scenario: rows[FEW_SEEDS] for scenario, rows in tables.items()
            if FEW_SEEDS in rows}


def _like(tables, rows):
    """Those of another scenario, of which no paper tells; with a cause of
    their own where there is one."""
    other = rows.get(LIKE)
    return {claim: dataclasses.replace(
        one, kind="goal" if one.kind == "paper" else one.kind,
        supposed=rows.get(claim, {}).get("supposed", one.supposed))
        for claim, one in _rows(other, tables[other]).items()} \
        if other else {}


def _rows(scenario, table):
    found = {}
    for claim, row in table.items():
        if claim not in (LIKE, FEW_SEEDS) and not (
                LIKE in table and row.keys() == {"supposed"}):
            try:
                found[claim] = read_row(row)
            except ValueError as error:
                raise ValueError(f"{scenario}: {claim}: {error}") from None
    return found


def read_row(row):
    """The Tolerance of a row.  Raises ValueError for what no row may be."""
    if row.keys() - KEYS:
        raise ValueError(f"unknown: {', '.join(sorted(row.keys() - KEYS))}")
    kinds = [kind for kind in OTHER_KINDS if kind in row]
    references = [key for key in REFERENCES if key in row]
    if len(kinds) > 1:
        raise ValueError("more than one kind")
    kind = kinds[0] if kinds else "paper"
    if kind == "paper" and not references:
        raise ValueError("no number, range or order of the paper")
    natural, strict, text = of_reference(row)
    accept = bounds(row["accept"]) if "accept" in row else natural
    if "accept" in row and references and wider(accept, natural) \
            and not ("why" in row and "since" in row):
        raise ValueError("wider than the default without why and since")
    alarm = bounds(row["alarm"]) if "alarm" in row else accept
    return Tolerance(
        kind=kind, where=row.get("where", ""), accept=accept,
        strict=strict and "accept" not in row, alarm=alarm,
        why=row.get("why") or (row[kind] if isinstance(row.get(kind), str)
                               else ""),
        since=row.get("since"), differs_by=row.get("differs_by", ""),
        supposed=row.get("supposed", ""),
        not_comparable=row.get("not_comparable", ""), text=text,
        basis=basis(row) if kind == "paper" else "")


def of_reference(row):
    """((low, high), strict, text) by the paper alone."""
    if "number" in row or "range" in row:
        if row.get("read") not in DEFAULT:
            raise ValueError("a number needs read = \"words\" or \"text\"")
        low, high = row["range"] if "range" in row else [row["number"]] * 2
        part = DEFAULT[row["read"]]
        # The same digits as in the file, not those of binary fractions.
        return (round(low - part * abs(low), 9),
                round(high + part * abs(high), 9)), False, ""
    low = row.get("above", row.get("at_least", -math.inf))
    high = row.get("below", row.get("at_most", math.inf))
    words = [f"{key.replace('_', ' ')} {row[key]:g}"
             for key in ORDERS if key in row]
    return (low, high), "above" in row or "below" in row, ", ".join(words)


def basis(row):
    if "number" in row and row["read"] == "text":
        return TEXT
    return WORDS if "number" in row or "range" in row else ORDER


def bounds(pair):
    low, high = map(float, pair)
    if not low <= high:
        raise ValueError(f"no range: {pair}")
    return low, high


def wider(one, other):
    return one[0] < other[0] or one[1] > other[1]
