#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes tolerances-history.md: by what each claim was judged, from the first
commit of the scenarios on, out of git's history.

Until tolerances.toml came, the ranges stood in the scenarios; they are loaded
as they were at each commit."""

import json
import math
import pathlib
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[2]
FILE = HERE / "tolerances-history.md"
ROWS = "tests/evaluation/sim/tolerances.toml"
HEAD = """# History of the tolerances

Written by `tests/evaluation/sim/tolerance_history.py` out of git: by which ranges claims were judged, each with the day and the
commit from which on. Until {turn} the ranges stood in the scenarios and were set when what ours gives was known, some
anew after a miss; since then they are those of [tolerances.toml](tolerances.toml), by one rule. *-*: open; *strict*:
without the ends; *explained*: what was missed and said to be of TCP or the simulator; *any*: measured, not judged;
*rig*, *goal*, *experiment*: not in the count.

Of {judged} claims that were ever judged {same} were never judged by a range that is wider than their first one, or
opened only where the paper has an order.
"""
WIDENED = """
## Once judged by a wider range than at first, or explained

"""
GONE = """
## Once judged, and not any more, or by another name

"""
# Prints {scenario: {claim: what it is judged by}} of a tree of old.
LOADER = """
import json, sys
sys.path[:0] = ["tests/evaluation/sim", "tests/support"]
import claims
def told(one):
    if one.low is None and one.high is None:
        return "any"
    ends = ["-" if end is None else f"{end:g}" for end in (one.low, one.high)]
    return " to ".join(ends) + " (explained)" * bool(
        getattr(one, "explained", ""))
print(json.dumps({name: {one.claim: told(one) for one in scenario.claims}
                  for name, scenario in claims.load_scenarios().items()}))
"""


def git(*arguments, **more):
    return subprocess.run(["git", "-C", TOP, *arguments], check=True,
                          capture_output=True, **more).stdout


def commits(path, until="HEAD"):
    """[(commit, date)], the oldest first."""
    return [line.split() for line in git(
        "log", "--reverse", "--format=%h %cs", "--abbrev=8", until, "--",
        path, text=True).splitlines()]


def in_scenarios(commit):
    """{(scenario, claim): range}, or None for a tree that does not load."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["tar", "-x", "-C", folder], check=True,
                       input=git("archive", commit, "tests/evaluation/sim", "tests/support"))
        answer = subprocess.run(
            [sys.executable, "-B", "-c", LOADER], cwd=folder, check=False,
            capture_output=True, text=True)
    return None if answer.returncode else flat(json.loads(answer.stdout))


def in_file(commit):
    import tolerances
    tables = tomllib.loads(git("show", f"{commit}:{ROWS}", text=True))
    return flat({scenario: {
        claim: judged_by(tolerances.read_row(row))
        for claim, row in rows.items() if isinstance(row, dict)
        and row.keys() != {"supposed"}} for scenario, rows in tables.items()})


def judged_by(one):
    if one.kind == "published":
        return "any"
    low, high = ("-" if abs(end) == float("inf") else f"{end:.4g}"
                 for end in one.accept)
    return f"{low} to {high}" + " (strict)" * one.strict \
        + f" ({one.kind})" * (one.kind != "paper") \
        + " (not comparable)" * bool(one.not_comparable)


def flat(tables):
    return {(scenario, claim): text for scenario, rows in tables.items()
            for claim, text in rows.items()}


def history():
    """({(scenario, claim): [(date, commit, range)]}, date of the file)."""
    of_file = commits(ROWS)
    turn, date = of_file[0]
    found = {}
    for commit, day, judged in [
            *((commit, day, in_scenarios(commit)) for commit, day
              in commits("tests/evaluation/sim/scenarios", f"{turn}^")),
            *((commit, day, in_file(commit)) for commit, day in of_file)]:
        if judged is None:
            continue
        for key in found.keys() | judged.keys():
            steps = found.setdefault(key, [])
            text = judged.get(key, "no more")
            if not steps or steps[-1][2] != text:
                steps.append((day, commit, text))
    return found, date


def ends(text):
    """(low, high) of a range, or None."""
    words = text.split(" ")
    return tuple(math.nan if end == "-" else float(end)
                 for end in (words[0], words[2])) \
        if words[1:2] == ["to"] else None


def was_widened(steps):
    """Whether a finite end ever was further out than at first, by more than
    a rounding, or a miss was explained."""
    ranges = [ends(text) for *_, text in steps if ends(text)]
    low, high = ranges[0]
    some = 0.01 * max(abs(end) for end in ranges[0] if not math.isnan(end))
    return any(one < low - some or other > high + some
               for one, other in ranges) \
        or any("explained" in text for *_, text in steps)


def table(found):
    import report
    return report.table(
        ["scenario", "claim", "judged by, from when on"],
        sorted([scenario, claim, "; ".join(
            f"{day[5:]} {commit} {text}" for day, commit, text in steps)]
            for (scenario, claim), steps in found.items()))


def main():
    found, turn = history()
    judged = {key: steps for key, steps in found.items()
              if any(ends(text) for *_, text in steps)}
    gone = {key: steps for key, steps in judged.items()
            if not ends(steps[-1][-1])}
    widened = {key: steps for key, steps in judged.items()
               if key not in gone and was_widened(steps)}
    FILE.write_text(HEAD.format(
        turn=turn, judged=len(judged),
        same=len(judged) - len(gone) - len(widened))
        + WIDENED + table(widened) + GONE + table(gone))


if __name__ == "__main__":
    sys.path[:0] = [str(HERE), str(HERE.parents[1] / "support")]
    main()
