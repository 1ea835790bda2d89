# SPDX-License-Identifier: LGPL-2.1-or-later
"""What exponential feedback timers do, in closed form: how many members of a
group report in a round, and when the first one does.

A timer takes max (T (1 + log_N x), 0) with x uniform in (0, 1], so that one
that runs out by u has the probability N^(u/T - 1), and 1/N is at once.  Any
report cancels all timers that run out later than a delay after it.  Times
have any unit, the same for all; T is the random part of the timer, (1 - gamma)
T where a bias takes the rest (Widmer and Handley 2001 sections 2.5.1 and
2.5.4)."""

import numpy as np

GROUP_SIZE = 10000
STEPS = 400


def expected_reports(receivers, delay, span, gap=0.0, group_size=GROUP_SIZE):
    """Mean number of reports in a round.  With `gap`, the next data packet
    comes uniformly within it, and so much later than the delay does the
    answer of the first report."""
    delays = np.minimum(delay + gap * _midpoints(100), span)
    first = 1 - 1 / group_size
    growth = group_size ** (delays / span)
    return float(np.mean(growth * (
        receivers / group_size + first ** receivers
        - (1 - group_size ** (-delays / span)) ** receivers)))


def expected_first_report(receivers, span, group_size=GROUP_SIZE):
    """Mean time until the first timer runs out."""
    times = _midpoints(10 * STEPS)
    return float(span * np.mean((1 - group_size ** (times - 1)) ** receivers))


def share_of_rounds_above(reports, receivers, delay, span,
                          group_size=GROUP_SIZE):
    """Probability of a round with more reports than that.  For a large
    group: the number of timers that run out by u is Poisson with the mean
    n N^(u/T - 1), so after a first report at u those of the next `delay` are
    Poisson too, with N^(delay/T) - 1 times that mean.  The mean at the first
    report is exponentially distributed: the count is geometric, if it were
    not for the timers that run out at once."""
    at_once = receivers / group_size
    growth = group_size ** (delay / span)
    levels = at_once - np.log(_midpoints(STEPS))
    later = np.minimum(levels * growth, receivers) - levels
    without = _poisson_above(reports - 1, later).mean()
    with_some = _poisson_above(reports, np.array([at_once * growth])) \
        - np.exp(-at_once) * _poisson_above(
            reports, np.array([at_once * (growth - 1)]))
    return float(np.exp(-at_once) * without + with_some[0])


def _midpoints(count):
    return (np.arange(count) + 0.5) / count


def _poisson_above(count, means):
    """Probability of more than `count`, for each of the means."""
    if count < 0:
        return np.ones(len(means))
    terms = np.cumprod([np.ones(len(means))]
                       + [means / k for k in range(1, int(count) + 1)],
                       axis=0)
    return 1 - np.exp(-means) * terms.sum(axis=0)
