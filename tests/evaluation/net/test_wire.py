#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How what a stream sends is judged by the links' log."""

import pathlib
import sys
import types
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "sim"),
                str(HERE.parents[1] / "support")]

from cases import _wire  # noqa: E402


def stage_of(sent, delivered):
    """With what passes in each span of 100 ms [bytes], from 10 s on."""
    def summed(spans):
        return [sum(spans[:i]) for i in range(len(spans) + 1)]

    columns = {("sender", "from"): summed(sent),
               ("receiver", "to"): summed(delivered)}
    return types.SimpleNamespace(links=types.SimpleNamespace(
        origin_ns=10_000_000_000,
        times=lambda: [i / 10 for i in range(len(sent) + 1)],
        column=lambda host, direction, name: columns[host, direction]))


def largest(sent, delivered, start=10, end=100, **more):
    return _wire.sent_by_limit(stage_of(sent, delivered), start, end, 0.1,
                               **more)


class SentByLimit(unittest.TestCase):

    def test_it_is_twice_what_was_delivered_lately(self):
        # 30 kB in 100 ms, of which twice 10 kB were allowed.
        self.assertAlmostEqual(largest([10e3, 10e3, 30e3], [10e3] * 3), 1.5)
        # Three seconds back is still lately, a tenth more is not: then what
        # counts is W_init in an RTT, 4380 bytes in 100 ms.
        for quiet, allowed in ((29, 20e3), (30, 4380)):
            self.assertAlmostEqual(
                largest([0] * (quiet + 1) + [30e3],
                        [10e3] + [0] * (quiet + 1)), 30e3 / allowed)

    def test_a_beginning_may_have_the_initial_window(self):
        self.assertAlmostEqual(largest([4380], [0]), 1)

    def test_only_the_interval_counts_and_what_was_seen(self):
        burst = [10e3, 30e3, 10e3, 10e3]
        self.assertAlmostEqual(largest(burst, [10e3] * 4, start=10.15), 0.5)
        self.assertAlmostEqual(largest(burst, [10e3] * 4, end=10.05), 0.5)
        self.assertAlmostEqual(largest(
            burst, [10e3] * 4, unseen=(10.05, 10.15)), 0.5)


if __name__ == "__main__":
    unittest.main()
