#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""tfrcsrc as the receiver of senders of another make: an rtpbin that asks for
transport-wide feedback, and tfrcsink following that or RFC 8888."""

import unittest

from gi.repository import Gio

from loopback import Pipeline, Receiver, Sender, free_port, wait_for
from other_receivers import EXTENSION
from rtpbin_pair import RTP_CAPS, SNOW, UDPSINK
from watched import PipelineTest

STOCK_KBIT_S = 300      # nobody paces it
PACKETS = 100


class StockSender(Pipeline):
    """An rtpbin whose rtpsession numbers the packets and reads the feedback."""

    def __init__(self, port):
        media = SNOW.replace("x264enc", f"x264enc bitrate={STOCK_KBIT_S}")
        super().__init__(
            f"rtpbin name=bin rtp-profile=avpf {media} "
            f"! application/x-rtp,{EXTENSION} ! bin.send_rtp_sink_0 "
            f"bin.send_rtp_src_0 ! {UDPSINK} name=rtp port={port} "
            f"bin.send_rtcp_src_0 ! {UDPSINK} port={port} "
            f"udpsrc name=feedback caps=application/x-rtcp "
            f"! bin.recv_rtcp_sink_0")
        # What is multiplexed comes back to where the packets come from.
        self.socket = Gio.Socket.new(
            Gio.SocketFamily.IPV4, Gio.SocketType.DATAGRAM,
            Gio.SocketProtocol.UDP)
        self.socket.bind(Gio.InetSocketAddress.new_from_string(
            "127.0.0.1", 0), False)
        for name in ("rtp", "feedback"):
            self.get(name).set_property("socket", self.socket)

    def measured(self):
        """What its session makes of the newest feedback, or None."""
        session = self.get("bin").emit("get-session", 0)
        return session.get_property("twcc-stats")


class OtherSenders(PipelineTest):
    def setUp(self):
        super().setUp()
        self.port = free_port(2)

    def receiver(self, feedback):
        return self.start(Receiver(
            self.port,
            f"feedback={feedback} caps=\"{RTP_CAPS},{EXTENSION}\"",
            "rtph264depay ! fakesink name=frames sync=false"))

    def test_the_statistics_of_a_stock_sender_make_sense(self):
        there = self.receiver("twcc")
        here = self.start(StockSender(self.port))

        def received():
            stats = here.measured()
            return stats and stats.get_value("packets-recv") > 0
        self.assertTrue(wait_for(
            lambda: there.stats().get_value("packets") > PACKETS, 30))
        self.assertTrue(wait_for(received))
        stats = here.measured()
        self.assertEqual(stats.get_value("packets-recv"),
                         stats.get_value("packets-sent"))
        self.assertEqual(stats.get_value("packet-loss-pct"), 0)
        self.assertGreater(stats.get_value("bitrate-recv"), 0)
        self.assertEqual(there.stats().get_value("feedback-format"), "twcc")

    def test_tfrcsink_follows(self):
        for feedback in ("ccfb", "twcc"):
            with self.subTest(feedback=feedback):
                there = self.receiver(feedback)
                here = self.start(Sender(
                    self.port, f"feedback={feedback}",
                    f"{SNOW} ! application/x-rtp,{EXTENSION}"))

                def stats():
                    return here.stats().get_value
                self.assertTrue(wait_for(
                    lambda: stats()("packets") > PACKETS, 30))
                self.assertEqual(stats()("feedback-format"), feedback)
                self.assertEqual(stats()("feedback-state"), "working")
                self.assertEqual(stats()("arrivals-unknown"), 0)
                self.assertEqual(there.stats().get_value("packets-lost"), 0)
                here.stop()
                there.stop()


if __name__ == "__main__":
    unittest.main(verbosity=2)
