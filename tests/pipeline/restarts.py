#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""tfrcsink and tfrcsrc find each other, whoever starts first, or again."""

import time
import unittest

from loopback import Gst, Receiver, Sender, free_port
from watched import PipelineTest

# The bound for a stream to be back, key frame included.
BACK_WITHIN = 3


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
