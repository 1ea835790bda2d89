#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A sender on an interface that takes no more packets, as one without a carrier does:
it stops all the same.

The test runs in a network of its own, whose loopback lets 80 bits a second pass."""

import pathlib
import socket
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]
                       / "support"))

from loopback import TIMEOUT, Gst, Pipeline, wait_for
from watched import WatchedTest

import own_network  # noqa: E402

NETWORK = "tc qdisc add dev lo root tbf rate 80bit burst 2000 limit 10000000"
SENDER = """
    videotestsrc is-live=true pattern=snow !
    video/x-raw,format=I420,width=320,framerate=30/1 ! jpegenc ! rtpjpegpay !
    tfrcsink name=sink host=127.0.0.1 port=5004 feedback=none
    start-bitrate=20000000 {}
"""


def socket_is_full():
    """The table's fifth column: bytes that wait, in hex."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as another:
        room = another.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
    with open("/proc/net/udp", encoding="utf-8") as table:
        waiting = [line.split()[4].split(":")[0] for line in table][1:]
    return any(int(size, 16) >= room for size in waiting)


class Stuck(WatchedTest):
    def check(self, settings):
        sender = Pipeline(SENDER.format(settings))
        sender.play()
        self.assertTrue(wait_for(socket_is_full))
        rtcp = []
        sender.find("sink", "rtpbin")[0].get_static_pad(
            "send_rtcp_src_0").add_probe(
                Gst.PadProbeType.BUFFER,
                lambda *_: rtcp.append(1) or Gst.PadProbeReturn.OK)
        self.assertTrue(wait_for(lambda: rtcp))
        stop = threading.Thread(target=sender.stop, daemon=True)
        stop.start()
        stop.join(TIMEOUT / 4)
        self.assertFalse(stop.is_alive())

    def test_it_stops(self):
        self.check("")

    def test_it_stops_with_ecn(self):
        self.check("ecn=true")


if __name__ == "__main__":
    sys.exit(own_network.run_tests(NETWORK, ["tc"]))
