#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is read out of the emulator's log of packets."""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]
                       / "support"))
import packet_log  # noqa: E402

HEAD = ("# origin_ns=5000000000\n"
        "time_s,port,direction,protocol,source_port,destination_port,bytes,"
        "wait_ms,fate\n")
ROWS = ("0.0,receiver,to,17,7,5004,1250,0.0,passed",
        "0.1,receiver,to,6,7,5201,1500,40.0,passed",
        "0.2,receiver,to,17,7,5004,1250,200.0,queue",
        "0.3,receiver,to,17,7,5004,1250,80.0,marked",
        "0.4,receiver,from,17,7,5004,1250,99.0,passed",
        "0.5,sender,to,17,7,5004,1250,99.0,passed",
        "0.6,receiver,to,17,7,5004,1250,10.0,lost")


class Packets(unittest.TestCase):

    def setUp(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write(HEAD + "".join(row + "\n" for row in ROWS))
            file.flush()
            self.packets = packet_log.load(file.name)

    def test_those_of_other_links_are_left_out(self):
        self.assertEqual(self.packets.times.round(6).tolist(),
                         [5, 5.1, 5.2, 5.3, 5.6])

    def test_the_queue_is_what_those_found_that_were_let_in(self):
        # 0, 40 and 80 ms.
        self.assertEqual(self.packets.queue_ms(50, 5, 6), 40)
        self.assertEqual(self.packets.queue_ms(100, 5, 6), 80)
        self.assertEqual(self.packets.queue_ms(100, 5, 5.25), 40)
        self.assertIsNone(self.packets.queue_ms(50, 7, 8))

    def test_how_long_and_until_when_the_queue_is_long(self):
        # From 5.2 to 5.6.
        self.assertAlmostEqual(self.packets.seconds_above(50, 5, 6), 0.4)
        self.assertAlmostEqual(self.packets.last_above_s(50, 5, 6), 0.3)
        self.assertEqual(self.packets.last_above_s(300, 5, 6), 0)

    def test_rates_and_losses_are_those_of_a_protocol(self):
        udp = self.packets.of(17)
        # Four packets of 10 kbit in a second.
        self.assertAlmostEqual(udp.kbit_s(5, 6), 40)
        self.assertEqual(udp.n_lost(5, 6), 2)
        self.assertEqual(self.packets.of(6).n_lost(5, 6), 0)
        self.assertEqual(udp.counter()[1].tolist(), [10, 20, 30, 40])


if __name__ == "__main__":
    unittest.main()
