#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""tfrcsink and tfrcsrc find each other, whoever starts first, or again."""

import select
import socket
import threading
import time
import unittest

from group import count
from loopback import (
    Gst, Receiver, Sender, VIDEO, free_port, wait_for)
from watched import PipelineTest, SLOWNESS

# For a stream to be back, key frame included.
BACK_WITHIN = 3 * SLOWNESS


class Nat:
    """Forwards between a sender on this host and a receiver's port, which sees
    the sender at another port after `rebind`; what still comes to the former
    one is lost."""

    def __init__(self, to):
        self.to = ("127.0.0.1", to)
        self.sender = None
        self.inside = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.inside.bind(("127.0.0.1", 0))
        self.port = self.inside.getsockname()[1]
        self.mappings = []
        self.rebind()
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def rebind(self):
        self.mappings.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))

    def _run(self):
        while not self.stopping.is_set():
            outside = self.mappings[-1]
            for one in select.select([self.inside, outside], [], [], 0.05)[0]:
                data, source = one.recvfrom(65536)
                if one is self.inside:
                    self.sender = source
                    outside.sendto(data, self.to)
                else:
                    self.inside.sendto(data, self.sender)

    def close(self):
        self.stopping.set()
        self.thread.join()
        for one in (self.inside, *self.mappings):
            one.close()


class Moves(PipelineTest):
    def test_sender_moves_to_another_port_and_back_again(self):
        port = free_port()
        receiver = self.start(Receiver(port))
        nat = Nat(port)
        self.addCleanup(nat.close)
        sender = self.start(Sender(nat.port))
        self.assertTrue(receiver.gets_frames())
        for former in (None, None, nat.mappings[0]):
            if former:
                nat.mappings.append(former)
            else:
                nat.rebind()
            self.assertTrue(receiver.gets_frames(20, BACK_WITHIN))
            reports = sender.stats().get_value("feedback")
            self.assertTrue(wait_for(lambda: sender.stats().get_value(
                "feedback") > reports + 3, BACK_WITHIN))
        self.assertEqual(receiver.pads, ["src_96"])
        self.assert_quiet(sender, receiver)


class AnyOrder(PipelineTest):
    def test_sender_first(self):
        port = free_port()
        sender = self.start(Sender(port))
        time.sleep(1)
        receiver = self.start(Receiver(port))
        self.assertTrue(receiver.gets_frames(1, BACK_WITHIN))
        self.assertTrue(receiver.gets_frames(20))
        self.assert_quiet(sender, receiver)

    def test_receiver_restarts(self):
        port = free_port()
        self.start(Sender(port))
        receiver = self.start(Receiver(port))
        self.assertTrue(receiver.gets_frames())
        receiver.stop()
        receiver = self.start(Receiver(port))
        self.assertTrue(receiver.gets_frames(1, BACK_WITHIN))
        self.assertTrue(receiver.gets_frames(20))

    def test_sender_restarts_and_the_source_pad_stays(self):
        port = free_port()
        receiver = self.start(Receiver(port))
        for _ in range(3):
            sender = self.start(Sender(port))
            self.assertTrue(receiver.gets_frames(10, BACK_WITHIN))
            sender.stop()
        self.assertEqual(receiver.pads, ["src_96"])
        self.assert_quiet(receiver)

    def test_sender_that_restarts_is_reported_to_before_its_rtcp(self):
        """From other ports: that of the former one's RTCP is of no use."""
        port = free_port(2)
        options = "rtcp-mux=false"
        receiver = self.start(Receiver(port, options))
        sender = self.start(Sender(port, options))
        rtcp = count(receiver, "src", "rtpbin", "recv_rtcp_sink_0")
        self.assertTrue(receiver.gets_frames())
        self.assertTrue(wait_for(rtcp))
        sender.stop()
        sender = Sender(port, options)
        sender.set_state(Gst.State.READY)
        rtpbin = sender.find("sink", "rtpbin")[0]
        rtpbin.get_static_pad("send_rtcp_src_0").add_probe(
            Gst.PadProbeType.BUFFER, lambda pad, info: Gst.PadProbeReturn.DROP)
        self.start(sender)
        self.assertTrue(wait_for(
            lambda: sender.stats().get_value("feedback") > 10))

    def test_sender_that_restarts_is_cleared_once(self):
        """When it is replaced, and not again when its BYE times out: rtpbin
        would warn that it does not know the SSRC."""
        port = free_port()
        receiver = self.start(Receiver(port))
        rtpbin = receiver.find("src", "rtpbin")[0]
        cleared, left = [], []
        rtpbin.connect("clear-ssrc", lambda _, session, ssrc: cleared.append(
            ssrc))
        rtpbin.connect("on-bye-timeout", lambda _, session, ssrc: left.append(
            ssrc))
        sender = self.start(Sender(port))
        self.assertTrue(receiver.gets_frames())
        sender.stop()
        second = self.start(Sender(port))
        self.assertTrue(receiver.gets_frames())
        self.assertTrue(wait_for(lambda: left))
        # Told in another thread, but before the next one is replaced.
        second.stop()
        self.start(Sender(port))
        self.assertTrue(receiver.gets_frames())
        # Of two senders; where packets were lost, their parity, too.
        self.assertTrue(wait_for(lambda: len(cleared) > 1
                                 and set(cleared) <= set(left)))
        self.assertEqual(len(set(cleared)), len(cleared))

    def test_another_sender_waits_until_the_first_one_has_left(self):
        port = free_port()
        receiver = self.start(Receiver(port))
        first = self.start(Sender(port))
        self.assertTrue(receiver.gets_frames())
        other = self.start(Sender(port))
        self.assertTrue(wait_for(
            lambda: receiver.stats().get_value("packets-foreign") > 3))
        self.assertTrue(receiver.gets_frames(30))
        self.assertLess(other.stats().get_value("feedback"), 1)
        first.stop()
        self.assertTrue(receiver.gets_frames(10, BACK_WITHIN))
        self.assertGreater(other.stats().get_value("feedback"), 0)
        self.assertEqual(receiver.pads, ["src_96"])
        self.assert_quiet(receiver)

    def test_a_stream_of_the_same_sender_waits_for_the_pad(self):
        """Both under one payload type: the first one keeps it."""
        port = free_port()
        receiver = self.start(Receiver(port))
        sender = self.start(Sender(port, media=(
            f"{VIDEO} ! both. {VIDEO.replace('name=pay', 'name=second')} "
            "! queue ! both. rtpfunnel name=both")))
        self.assertTrue(receiver.gets_frames(30))
        cleared = []
        receiver.find("src", "rtpbin")[0].connect(
            "clear-ssrc", lambda _, session, ssrc: cleared.append(ssrc))
        first = receiver.get("src").get_static_pad("src_96")
        ssrc = first.get_current_caps()[0]["ssrc"]
        gone = [pay for pay in ("pay", "second") if sender.get(
            pay).get_property("stats").get_value("ssrc") == ssrc]
        self.assertEqual(cleared, [])
        sender.get(gone[0]).get_static_pad("src").add_probe(
            Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST,
            lambda pad, info: Gst.PadProbeReturn.DROP)
        self.assertTrue(wait_for(lambda: cleared == [ssrc], BACK_WITHIN))
        self.assertTrue(receiver.gets_frames(10, BACK_WITHIN))
        self.assertEqual(receiver.pads, ["src_96"])
        self.assert_quiet(sender)
        self.assertEqual(receiver.errors(), [])
        self.assertEqual(len(receiver.warnings()), 1)
        self.assertIn("second stream of payload type 96",
                      receiver.warnings()[0])

    def test_sender_vanishes_without_bye_and_another_comes(self):
        port = free_port()
        receiver = self.start(Receiver(port))
        sender = self.start(Sender(port))
        self.assertTrue(receiver.gets_frames())
        for element in sender.find("sink", "udpsink"):
            element.get_static_pad("sink").add_probe(
                Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST,
                lambda pad, info: Gst.PadProbeReturn.DROP)
        self.start(Sender(port))
        self.assertTrue(receiver.gets_frames(10, BACK_WITHIN))
        self.assertEqual(receiver.pads, ["src_96"])
        self.assert_quiet(receiver)


if __name__ == "__main__":
    unittest.main(verbosity=2)
