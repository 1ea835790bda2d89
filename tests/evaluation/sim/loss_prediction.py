# SPDX-License-Identifier: LGPL-2.1-or-later
"""How well the mean of the last loss intervals foretells the next one: what
Floyd et al. 2000, section 4.4, chose eight of them by."""

import numpy as np


def loss_intervals(times, sequence, rtt_s):
    """Packets from one loss event to the next: losses within one RTT of an
    event's first one belong to it (RFC 5348 section 5.2)."""
    starts, until = [], -np.inf
    for time, number in sorted(zip(times, sequence)):
        if time >= until:
            starts.append(number)
            until = time + rtt_s
    return np.diff(starts)


def weights(size, decreasing):
    """Of the newest interval first: 1 for the newer half, from there down to
    1 / (size / 2 + 1) as RFC 5348 section 5.4 does; or all equal."""
    places = np.arange(1, size + 1)
    if not decreasing:
        return np.ones(size)
    half = size / 2
    return np.minimum(1, 1 - (places - half) / (half + 1))


def predictions(intervals, size, decreasing, skip):
    """The loss event rate that is foretold for each interval after the first
    `skip` >= size of them, oldest first."""
    intervals = np.asarray(intervals, dtype=float)
    share = weights(size, decreasing)
    share /= share.sum()
    return np.array([1 / (intervals[i - size:i][::-1] @ share)
                     for i in range(skip, len(intervals))])


def errors(intervals, size, decreasing, skip):
    """Distances between the foretold loss event rate and that of the
    interval that came.  The same `skip` makes sizes comparable."""
    came = 1 / np.asarray(intervals, dtype=float)[skip:]
    return np.abs(predictions(intervals, size, decreasing, skip) - came)
