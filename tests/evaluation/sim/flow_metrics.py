# SPDX-License-Identifier: LGPL-2.1-or-later
"""Flows compared with each other and with their share: smoothness,
equivalence, fairness, loss events.

Rates come as an array of one column per flow, one row per bin (of the
timescale that is asked about), or as one number per flow.  An answer that
the data do not hold is None, never a guess."""

import itertools

import numpy as np

import metrics


def normalised_throughput(rate, capacity, flows):
    """1 is the capacity by the number of flows that share it (Floyd et al.
    2000, section 4.1)."""
    return rate * flows / capacity


def mean_cov(rates):
    """Mean over the flows of the coefficient of variation of each."""
    covs = [metrics.coefficient_of_variation(column)
            for column in np.atleast_2d(np.asarray(rates, dtype=float).T)]
    return None if None in covs or not covs else float(np.mean(covs))


def equivalence_ratio(one, other):
    """Mean of min (a / b, b / a) over the bins; a bin in which only one
    sends counts as 0, one in which neither does is left out (Floyd et al.
    2000, equation 4)."""
    one = np.asarray(one, dtype=float)
    other = np.asarray(other, dtype=float)
    larger = np.maximum(one, other)
    sending = larger > 0
    if not sending.any():
        return None
    return float(np.mean(np.minimum(one, other)[sending] / larger[sending]))


def mean_equivalence(ones, others, same=False):
    """Mean equivalence ratio of all pairs of columns; same: of the pairs
    among the columns of `ones`."""
    ones = np.asarray(ones, dtype=float).T
    others = np.asarray(others, dtype=float).T
    pairs = itertools.combinations(ones, 2) if same \
        else itertools.product(ones, others)
    ratios = [equivalence_ratio(*pair) for pair in pairs]
    ratios = [ratio for ratio in ratios if ratio is not None]
    return float(np.mean(ratios)) if ratios else None


def jain_index(rates):
    """(sum x)^2 / (n sum x^2): 1 is equal, 1/n is one flow alone."""
    rates = np.asarray(rates, dtype=float)
    squares = len(rates) * float(np.sum(rates ** 2))
    return float(rates.sum()) ** 2 / squares if squares else None


def difference_ratio(one, other):
    """How far `one` is from `other`: (a - b) / b where a is larger, else
    -(b - a) / a, so that twice is 1 and half is -1 (Rhee and Xu 2005,
    section 3)."""
    if one is None or other is None or min(one, other) <= 0:
        return None
    return one / other - 1 if one >= other else 1 - other / one


def loss_fraction(lost, packets):
    """Lost of the packets that were sent."""
    return lost / packets if packets else None


def count_loss_events(loss_times, rtt_s):
    """Losses within one RTT of an event's first one belong to it (RFC 5348
    section 5.2)."""
    events, until = 0, -np.inf
    for time in np.sort(np.asarray(loss_times, dtype=float)):
        if time > until:
            events, until = events + 1, time + rtt_s
    return events


def loss_event_rate(loss_times, packets, rtt_s):
    """Loss events per packet sent."""
    return count_loss_events(loss_times, rtt_s) / packets if packets else None


def slope(points):
    """Of the straight line through [(x, y), ...], by least squares; None
    when all have the same x."""
    x, y = np.asarray(points, dtype=float).T
    return None if np.ptp(x) == 0 else float(np.polyfit(x, y, 1)[0])


def rank_correlation(x, y):
    """Spearman's, of numbers that are all different: 1 when the larger x has
    the larger y throughout, -1 when it has the smaller."""
    ranks = [np.argsort(np.argsort(values)) for values in (x, y)]
    return float(np.corrcoef(*ranks)[0, 1])
