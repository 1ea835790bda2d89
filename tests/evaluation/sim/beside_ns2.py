# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the authors' code gave in ns-2 and what ours gives with the same
parameters, two tables out of the records."""

from scenarios import ns2

RECORDS = ("ns2-shares", "ns2-timescales")
QUEUES = {"drop-tail": "drop-tail", "red": "RED"}
OURS = {"TCP": "TCP, ours", "TFRC": "TFRC, ours",
        "TFRC that discounts to 0.5": "TFRC, ours, discounting as in ns-2"}


def shares(kept):
    """[head, rows] of TCP's throughput by its share."""
    told = kept["ns2-shares"].claims
    numbers = list(dict.fromkeys(n for _, n in ns2.SHARES))
    rows = []
    for queue, name in QUEUES.items():
        rows += [[f"{name}, ns-2", *(f"{ns2.SHARES[queue, n]:.3f}"
                                     for n in numbers)],
                 [f"{name}, ours", *(spread(told[
                     f"normalised TCP throughput, {queue}, {n}+{n}"])
                                     for n in numbers)]]
    return ["flows of each kind", *map(str, numbers)], rows


def smoothness(kept):
    """[head, rows] of the coefficients of variation."""
    told = kept["ns2-timescales"].claims
    theirs = [[f"{name}, ns-2", *(f"{covs[column]:.3f}"
                                  for covs in ns2.COVS.values())]
              for column, name in ((1, "TCP"), (0, "TFRC"))]
    ours = [[text, *(spread(told[f"CoV of {name} at {time:g} s"])
                     for time in ns2.COVS)] for name, text in OURS.items()]
    return ["timescale (s)", *(f"{time:g}" for time in ns2.COVS)], \
        [theirs[0], ours[0], theirs[1], *ours[1:]]


def spread(cell):
    return f"{cell['measured']:.3f} ({cell['least']:.3f} to " \
        f"{cell['most']:.3f})"
