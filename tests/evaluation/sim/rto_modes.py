# SPDX-License-Identifier: LGPL-2.1-or-later
"""The modes of t_RTO beside three kinds of TCP, a table out of the records."""

COMPARED = {
    "rhee-rto-scale": "RTO of 1 s and more, SACK",
    "rhee-rto-1998": "the same without SACK and Limited Transmit",
    "rhee-rto-today": "as Linux has it"}
VARIANTS = {
    "rfc5348": "4 R, `rfc5348`", "tcp/1": "TCP's, `tcp`",
    **{f"tcp/{c}": f"TCP's / {c}" for c in (2, 4, 5)},
    "tcp/3": "TCP's / 3, `scaled`",
    "tcp/1, 200 ms": "TCP's, `rto-floor=200`",
    "tcp/3, 200 ms": "TCP's / 3, `rto-floor=200`",
    "rate x 1.5": "TCP's, 1.5 times the rate"}
COLUMNS = {"at RTT 10 ms": "RTT 10 ms", "at RTT 108 ms": "108 ms",
           "at RTT 500 ms": "500 ms", "over all RTTs": "all"}
HEAD = ["beside a TCP", "t_RTO", *COLUMNS.values()]


def rows(kept):
    """Mean distances with their spread over the seeds, the least of a TCP's
    column in bold."""
    for name, tcp in COMPARED.items():
        if name not in kept:
            continue
        found = {variant: [kept[name].claims.get(
            f"mean absolute difference ratio {column}, {variant}")
            for column in COLUMNS] for variant in VARIANTS}
        found = {variant: cells for variant, cells in found.items()
                 if all(cells)}
        nearest = [min(cell["measured"] for cell in column)
                   for column in zip(*found.values())]
        for variant, cells in found.items():
            yield [tcp, VARIANTS[variant],
                   *(text(cell, cell["measured"] == least)
                     for cell, least in zip(cells, nearest))]


def text(cell, bold):
    mean = f"{cell['measured']:.2f}"
    return (f"**{mean}**" if bold else mean) + (
        f" ({cell['least']:.2f} to {cell['most']:.2f})"
        if "least" in cell else "")
