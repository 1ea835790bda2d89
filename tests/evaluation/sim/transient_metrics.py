# SPDX-License-Identifier: LGPL-2.1-or-later
"""How flows answer a sudden change: Bansal et al. 2001, sections 3 and 4.

Loss counts and rates come in bins of one length, one number per bin.  Times
are seconds; RTTs are the caller's.  An answer that the data do not hold is
None, never a guess."""

import numpy as np

# "within 1.5 times its steady-state value", "as an average over the previous
# ten RTT periods" (section 4.1).
STABLE_FACTOR = 1.5
STABLE_WINDOW_RTTS = 10


def trailing_loss_rate(arrivals, drops, bins):
    """Lost share of the last `bins` bins, at the end of each; fewer bins at
    the start; 0 where nothing arrived."""
    def trailing(counts):
        sums = np.cumsum(np.concatenate(([0.0], counts)))
        ends = np.arange(1, len(sums))
        return sums[ends] - sums[np.maximum(ends - bins, 0)]
    arrived, lost = trailing(arrivals), trailing(drops)
    return np.divide(lost, arrived, out=np.zeros(len(lost)),
                     where=arrived > 0)


def stabilisation(arrivals, drops, bin_s, start, rtt_s, steady_loss):
    """(time in RTTs, cost) of the congestion that begins at `start`.

    The time ends when the loss rate over the last ten RTTs is within 1.5
    times steady_loss; the first answer is ten RTTs after the start, because
    before it the window looks back at the time without congestion.  The cost
    is time times the mean loss rate until then: 1 is a round-trip time's
    worth of packets.  (None, None) if it does not stabilise."""
    window = max(round(STABLE_WINDOW_RTTS * rtt_s / bin_s), 1)
    first = round(start / bin_s)
    arrivals = np.asarray(arrivals, dtype=float)[first:]
    drops = np.asarray(drops, dtype=float)[first:]
    rates = trailing_loss_rate(arrivals, drops, window)
    stable = np.flatnonzero(
        rates[window - 1:] <= STABLE_FACTOR * steady_loss)
    if not len(stable):
        return None, None
    bins = window + int(stable[0])
    rtts = bins * bin_s / rtt_s
    arrived = arrivals[:bins].sum()
    loss = drops[:bins].sum() / arrived if arrived else 0.0
    return float(rtts), float(rtts * loss)


def utilisation_after(received, bin_s, start, rtts, rtt_s, capacity):
    """f(k): share of the (doubled) capacity that was used in the first
    `rtts` RTTs after `start`.  `received` and capacity in the same unit:
    bytes per bin and bytes per second."""
    end = start + rtts * rtt_s
    edges = np.arange(len(received) + 1) * bin_s
    counter = np.concatenate(([0.0], np.cumsum(received)))
    if not len(received) or end > edges[-1] + bin_s / 2:
        return None
    first, last = np.interp([start, end], edges, counter)
    return float(last - first) / ((end - start) * capacity)


def fair_convergence_s(ahead, behind, bin_s, start, delta, window_s):
    """Seconds from `start` until the flow that was behind has at least the
    share (1 - delta) / 2 of both, as a mean over window_s; None if never.
    The smoothing window is not a part of the paper's definition, which
    speaks of allocations: it must be longer than a sawtooth."""
    window = max(round(window_s / bin_s), 1)
    first = round(start / bin_s)
    kernel = np.ones(window)
    if len(behind) - first < window:
        return None
    slow = np.convolve(np.asarray(behind, dtype=float)[first:], kernel,
                       "valid")
    both = slow + np.convolve(np.asarray(ahead, dtype=float)[first:], kernel,
                              "valid")
    fair = np.flatnonzero((both > 0) & (slow >= (1 - delta) / 2 * both))
    return float((int(fair[0]) + window) * bin_s) if len(fair) else None


def halving_rtts(rates, bin_s, start, rtt_s):
    """RTTs from `start` until the rate is at most half of its value in the
    last bin before; None if never (responsiveness, section 3)."""
    first = round(start / bin_s)
    rates = np.asarray(rates, dtype=float)
    if first < 1:
        return None
    halved = np.flatnonzero(rates[first:] <= rates[first - 1] / 2)
    return float((int(halved[0]) + 1) * bin_s / rtt_s) if len(halved) else None
