# SPDX-License-Identifier: LGPL-2.1-or-later
"""Another look at what missed in a single short run.

One short run scatters, and of a hundred claims some miss by chance alone.  Where one does, two more runs are made with other seeds, and the
median of the three is what counts.  What must never happen (a claim with a
`high` of 0) is not forgiven: there the worst of the three counts."""

import dataclasses
import math

LOOKS = 3
# Between the seeds of two looks; a disturbed run's next try is 1000 away.
SEED_STEP = 100


def reseeded(scenario, look):
    """The same scenario for one of the later looks."""
    def runs(scale):
        return {key[:-1] + (key[-1] + SEED_STEP * look,): act
                for key, act in scenario.runs(scale).items()}
    return dataclasses.replace(scenario, runs=runs)


def combine(looks):
    """One list of outcomes out of several, claim by claim."""
    return [_combined(list(outcomes)) for outcomes in zip(*looks)]


def settle(looks):
    """The same where a look may have had runs without a result, which is one
    more outcome: such a look is never outvoted."""
    longest = max(looks, key=len)
    return longest if len(longest) > min(map(len, looks)) else combine(looks)


def _combined(outcomes):
    ranked = sorted(outcomes, key=lambda one: _badness(one.claim, one))
    if not outcomes[0].judged:
        return outcomes[0]
    never = outcomes[0].claim.high == 0
    chosen = ranked[-1] if never else ranked[len(ranked) // 2]
    what = "worst" if never else "median"
    note = f"{what} of " + ", ".join(one.measured_text for one in outcomes)
    return dataclasses.replace(chosen, trouble="; ".join(
        filter(None, [chosen.trouble, note])))


def _badness(claim, outcome):
    """How far outside of its range it is; 0 inside."""
    if outcome.measured is None:
        return math.inf
    return max(
        0 if claim.low is None else claim.low - outcome.measured,
        0 if claim.high is None else outcome.measured - claim.high, 0)
