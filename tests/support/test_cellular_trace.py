#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The trace of the link "cellular": it is what its generator writes, and what
its profile says of it."""

import pathlib
import subprocess
import unittest

import numpy as np

LINKS = pathlib.Path(__file__).resolve().parents[2] / "data" / "links"
PACKET_BITS = 8 * 1500


def made(*arguments):
    return subprocess.run(
        [str(LINKS / "make_cellular_trace.py"), *arguments], check=True,
        stdout=subprocess.PIPE, text=True).stdout


class CellularTrace(unittest.TestCase):

    def test_it_is_what_the_generator_writes(self):
        self.assertEqual(made(), (LINKS / "cellular.trace").read_text())
        self.assertNotEqual(made("--seed", "2"), made())

    def test_its_capacity_is_that_of_the_description(self):
        for seed in ("1", "2", "3"):
            times = np.array(made("--seed", seed, "--seconds", "60").split(),
                             dtype=int)
            self.assertTrue(np.all(np.diff(times) >= 0))
            self.assertEqual(times[-1], 60000)
            seconds = np.bincount(times // 1000)[:60] * PACKET_BITS / 1e6
            # A Poisson variable of 1000 packets stays within 4 deviations.
            self.assertLess(seconds.max(), 12 * (1 + 4 / 1000 ** 0.5))
            self.assertGreater(seconds.min(), 0)
            self.assertGreater(seconds.max() / seconds.min(), 10)

    def test_the_mean_is_what_the_profile_says(self):
        times = (LINKS / "cellular.trace").read_text().split()
        self.assertIn("a mean of %.1f Mbit/s"
                      % (len(times) * PACKET_BITS / 60e6),
                      (LINKS / "cellular.link").read_text())


if __name__ == "__main__":
    unittest.main()
