#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The response functions against the tables of RFC 8312, section 5.2."""

import sys
import unittest

sys.dont_write_bytecode = True
import tcp_response  # noqa: E402

# {RTT [s]: {loss rate: mean window of CUBIC with C = 0.4}}
CUBIC = {
    0.1: {1e-2: 12, 1e-3: 38, 1e-4: 187, 1e-5: 1054, 1e-6: 5926,
          1e-7: 33325, 1e-8: 187400},
    0.01: {1e-2: 12, 1e-3: 38, 1e-4: 120, 1e-5: 379, 1e-6: 1200,
           1e-7: 5926, 1e-8: 33325},
}
RENO = {1e-2: 12, 1e-3: 38, 1e-4: 120, 1e-5: 379, 1e-6: 1200, 1e-7: 3795,
        1e-8: 12000}


class Response(unittest.TestCase):

    def test_reno_is_that_of_the_tables(self):
        for p, window in RENO.items():
            self.assertAlmostEqual(
                tcp_response.reno_window(p) / window, 1, delta=0.04)
            self.assertAlmostEqual(tcp_response.loss_rate_of_reno(
                tcp_response.reno_window(p)) / p, 1)

    def test_cubic_is_that_of_the_tables(self):
        for rtt_s, windows in CUBIC.items():
            for p, window in windows.items():
                self.assertAlmostEqual(tcp_response.cubic_window(
                    p, rtt_s) / window, 1, delta=0.04)

    def test_they_are_compared_where_reno_gets_the_rate(self):
        # 100 packets of 1500 bytes in 0.1 s are 12 Mbit/s: Reno loses
        # 1.5 / 100^2 = 1.5e-4, CUBIC's 1.0538 (0.1 / 1.5e-4)^0.75 = 138.3.
        self.assertAlmostEqual(
            tcp_response.cubic_by_reno(12e6, 0.1, 1500), 1.383, delta=0.001)
        # A tenth of the window: 1.0538 (0.1 / 1.5e-2)^0.75 = 4.4 < 10.
        self.assertEqual(tcp_response.cubic_by_reno(1.2e6, 0.1, 1500), 1)


if __name__ == "__main__":
    unittest.main()
