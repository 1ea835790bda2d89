# SPDX-License-Identifier: LGPL-2.1-or-later
"""Numbers out of time series: what reports, plots and live tests share.

Times are seconds on one clock, ascending.  A counter is cumulative (bytes
sent so far) and is taken as linear between its samples.  A level (link
capacity, queueing delay) keeps each value until the next sample.  No unit
is converted except in kbit_s().  An answer that the data do not hold is
None, never a guess."""

import numpy as np

# The sent rate is judged by its mean over the last half second, looked at
# every 50 ms.
WINDOW_S = 0.5
LOOK_S = 0.05
# A capacity that stays for less is one that varies, and no step to answer.
STEP_S = 1.0


def kbit_s(bytes_per_s):
    return bytes_per_s * 8 / 1000


def counter_at(times, counter, when):
    """The counter at the instants `when`; constant outside its samples."""
    return np.interp(when, times, counter)


def mean_rate(times, counter, start, end):
    """Mean growth per second from start to end; None for an empty span."""
    if not len(times) or end <= start:
        return None
    first, last = counter_at(times, counter, [start, end])
    return float(last - first) / (end - start)


def rate_series(times, counter, start, end, bin_s):
    """(middles, rates per second) of the whole bins between start and end."""
    bins = int((end - start) / bin_s + 1e-9)
    if not len(times) or bins < 1:
        return np.array([]), np.array([])
    edges = start + bin_s * np.arange(bins + 1)
    rates = np.diff(counter_at(times, counter, edges)) / bin_s
    return edges[:-1] + bin_s / 2, rates


def coefficient_of_variation(values):
    """Standard deviation (of the population) over mean."""
    values = np.asarray(values, dtype=float)
    if not len(values) or values.mean() == 0:
        return None
    return float(values.std() / values.mean())


def rate_cov(times, counter, start, end, bin_s):
    """CoV of the rate at the timescale bin_s; needs two bins."""
    _, rates = rate_series(times, counter, start, end, bin_s)
    return coefficient_of_variation(rates) if len(rates) >= 2 else None


def percentile(values, per_cent):
    """With linear interpolation between the closest ranks."""
    values = np.asarray(values, dtype=float)
    return float(np.percentile(values, per_cent)) if len(values) else None


def level_at(times, levels, when):
    """The level at the instants `when`; the first one before all samples."""
    places = np.searchsorted(times, when, side="right") - 1
    return np.asarray(levels, dtype=float)[np.maximum(places, 0)]


def level_mean(times, levels, start, end):
    """Time-weighted mean of a level from start to end."""
    if not len(times) or end <= start:
        return None
    times = np.asarray(times, dtype=float)
    inside = times[(times > start) & (times < end)]
    edges = np.concatenate(([start], inside, [end]))
    held = level_at(times, levels, edges[:-1])
    return float(np.sum(held * np.diff(edges)) / (end - start))


def seconds_above(times, levels, bound, start, end):
    """How much of the time from start to end a level is above a bound."""
    above = level_mean(times, np.asarray(levels, dtype=float) > bound, start,
                       end)
    return None if above is None else above * (end - start)


def last_below_s(times, counter, bound, start, end, window_s=1.0):
    """From `start` to the last look between start and end at which the mean
    rate over the window_s before it is below the bound; 0 if it never is."""
    looks = looks_between(start + window_s, end)
    below = window_rates(times, counter, looks, window_s) < bound
    return float(looks[below][-1] - start) if below.any() else 0.0


def between(times, values, start, end):
    """The values whose times lie in [start, end)."""
    times = np.asarray(times, dtype=float)
    return np.asarray(values, dtype=float)[(times >= start) & (times < end)]


def level_steps(times, levels):
    """[(time, before, after)] of the changes of a level."""
    return [(float(times[i]), float(levels[i - 1]), float(levels[i]))
            for i in range(1, len(levels)) if levels[i] != levels[i - 1]]


def window_rates(times, counter, looks, window_s=WINDOW_S):
    """Mean rates over the `window_s` before each of the instants `looks`."""
    looks = np.asarray(looks, dtype=float)
    grown = (counter_at(times, counter, looks)
             - counter_at(times, counter, looks - window_s))
    return grown / window_s


def looks_between(start, end):
    return start + LOOK_S * np.arange(int((end - start) / LOOK_S + 1e-9) + 1)


def reaction_s(times, counter, step, end, capacity,
               factor=1.1, hold_s=3.0):
    """Seconds from a downward step until the half-second mean of the rate
    stays at or below factor * capacity for hold_s; None if it does not
    before `end` (the next step, or the end of the run)."""
    if not len(times):
        return None
    looks = looks_between(step, end)
    below = window_rates(times, counter, looks) <= factor * capacity
    needed = int(round(hold_s / LOOK_S)) + 1
    run = 0
    for i, good in enumerate(below):
        run = run + 1 if good else 0
        if run == needed:
            return float(looks[i - needed + 1] - step)
    return None


def recovery_s(times, counter, step, end, capacity, share=0.8):
    """Seconds from an upward step until the half-second mean of the rate
    exceeds share * capacity; None if it does not before `end`."""
    if not len(times):
        return None
    looks = looks_between(step, end)
    above = window_rates(times, counter, looks) > share * capacity
    return float(looks[np.argmax(above)] - step) if above.any() else None


def step_responses(times, counter, capacity_times, capacities, start, end):
    """(reactions, recoveries): for each step of the capacity inside the
    run a dictionary with its instant after start, the capacities, the
    seconds it took, and those it had until the next step or the end.  No rate
    is below 1.1 times nothing: for a step to an outage the bound is a tenth
    of the capacity before."""
    changes = level_steps(capacity_times, capacities)
    ends = [change[0] for change in changes[1:]] + [np.inf]
    steps = [change for change, until in zip(changes, ends)
             if start <= change[0] < end and until - change[0] >= STEP_S]
    reactions, recoveries = [], []
    for i, (at, before, after) in enumerate(steps):
        until = steps[i + 1][0] if i + 1 < len(steps) else end
        if after < before:
            bound = 1.1 * after or 0.1 * before
            seconds = reaction_s(times, counter, at, until, bound, 1)
            answers = reactions
        else:
            seconds = recovery_s(times, counter, at, until, after)
            answers = recoveries
        answers.append({"at": at - start, "from": before, "to": after,
                        "seconds": seconds, "within": until - at})
    return reactions, recoveries
