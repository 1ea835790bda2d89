#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is read out of the emulator's log of flows."""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]
                       / "support"))
import flow_log  # noqa: E402

HEAD = ("# origin_ns=5000000000\n"
        "time_s,port,direction,protocol,source,source_port,destination,"
        "destination_port,packets,bytes,dropped\n")


def rows(*lines):
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write(HEAD + "".join(line + "\n" for line in lines))
        file.flush()
        return flow_log.load(file.name, "a", "to", flow_log.UDP)


class Flows(unittest.TestCase):

    def test_flows_of_one_link_and_protocol_are_told_apart(self):
        flows = rows("0.0,a,to,17,10.0.0.1,7,10.0.0.2,5004,0,0,0",
                     "0.0,a,from,17,10.0.0.1,7,10.0.0.2,5004,9,9,9",
                     "0.0,b,to,17,10.0.0.1,7,10.0.0.2,5004,9,9,9",
                     "0.0,a,to,6,10.0.0.1,7,10.0.0.2,5004,9,9,9",
                     "0.0,a,to,17,10.0.0.1,8,10.0.0.2,5006,1,1,1",
                     "0.1,a,to,17,10.0.0.1,7,10.0.0.2,5004,1,100,0")
        self.assertEqual([flow.destination_port for flow in flows],
                         [5004, 5006])
        self.assertEqual([flow.source_port for flow in flows], [7, 8])
        self.assertEqual(flows[0].times, [5, 5.1])
        self.assertEqual(flows[0].bytes, [0, 100])

    def test_rate_loss_and_variation(self):
        # 1000 bytes in the first second, 3000 in the next, one of each five
        # packets dropped.
        flow, = rows("0.0,a,to,17,x,1,y,2,0,0,0",
                     "1.0,a,to,17,x,1,y,2,2,1000,0",
                     "2.0,a,to,17,x,1,y,2,8,4000,2")
        self.assertAlmostEqual(flow.kbit_s(5, 7), 16)
        self.assertAlmostEqual(flow.kbit_s(6, 7), 24)
        self.assertAlmostEqual(flow.loss(5, 7), 0.2)
        # (1000, 3000): mean 2000, deviation 1000.
        self.assertAlmostEqual(flow.cov(5, 7, 1), 0.5)


if __name__ == "__main__":
    unittest.main()
