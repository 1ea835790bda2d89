#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""RTP of strangers, who need not know more than the port, at the door of a
tfrcsrc: an rtpbin makes a jitter buffer with two threads for each SSRC."""

import itertools
import pathlib
import socket
import struct
import time
import unittest

from loopback import Gst, Receiver, Sender, free_port, wait_for
from watched import PipelineTest

ON_TRIAL = 8
STREAMS = 64
HELD = 200 * Gst.MSECOND
STRANGERS = 300
URN = "urn:ietf:params:rtp-hdrext:rtt-sendts"
# Four elements of the size of a header extension, ids 1 to 4.
ELEMENTS = b"".join(bytes([n << 4 | 6]) + 7 * b"\x55" for n in range(1, 5))


def packet(ssrc, seq=1, payload_type=96, elements=b"", payload=bytes(20)):
    head = struct.pack(">BBHII", 0x90 if elements else 0x80, payload_type,
                       seq & 0xFFFF, 0, ssrc)
    if elements:
        head += struct.pack(">HH", 0xBEDE, len(elements) // 4) + elements
    return head + payload


def count_threads():
    return len(list(pathlib.Path("/proc/self/task").iterdir()))


class Strangers(PipelineTest):
    def setUp(self):
        super().setUp()
        self.port = free_port()
        self.stranger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(self.stranger.close)

    def send(self, data):
        self.stranger.sendto(data, ("127.0.0.1", self.port))

    def send_many(self):
        """Returns how many threads there were at most."""
        most = 0
        for i in range(STRANGERS):
            self.send(packet(10000 + i, seq=7 * i))
            time.sleep(0.002)
            most = max(most, count_threads())
        return most

    @staticmethod
    def watch(receiver):
        """The pad where packets come in, and SSRC and number of the newest."""
        inner, = receiver.find("src", "rtptfrcreceive")
        pad, newest = inner.get_static_pad("sink"), []

        def on_packet(pad, info):
            data = info.get_buffer().extract_dup(0, 12)
            if data[1] & 0x7F == 96:
                newest[:] = [(struct.unpack(">I", data[8:])[0],
                              struct.unpack(">H", data[2:4])[0])]
            return Gst.PadProbeReturn.OK
        pad.add_probe(Gst.PadProbeType.BUFFER, on_packet)
        return pad, newest

    def assert_stream_comes(self, receiver):
        self.assertTrue(receiver.gets_frames(30))
        self.assertGreater(receiver.stats().get_value("feedback"), 3)

    def test_make_few_jitter_buffers_before_there_is_a_sender(self):
        receiver = self.start(Receiver(self.port))
        before = count_threads()
        self.assertLess(self.send_many(), before + 5 + 2 * (ON_TRIAL + 4))
        self.assertTrue(wait_for(
            lambda: count_threads() <= before + 5 + 2 * ON_TRIAL))
        self.assertGreater(receiver.stats().get_value("packets-unproven"),
                           STRANGERS / 2)
        self.start(Sender(self.port))
        self.assert_stream_comes(receiver)

    def test_make_few_jitter_buffers_while_the_sender_is_silent(self):
        receiver = self.start(Receiver(self.port))
        sender = self.start(Sender(self.port))
        self.assert_stream_comes(receiver)
        before = count_threads()
        pad = sender.get("pay").get_static_pad("src")
        silent = pad.add_probe(
            Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST,
            lambda pad, info: Gst.PadProbeReturn.DROP)
        time.sleep(1.5)
        self.assertLess(self.send_many(), before + 5 + 2 * (ON_TRIAL + 4))
        pad.remove_probe(silent)
        self.assertTrue(receiver.gets_frames(30))

    def test_let_out_late_have_no_jitter_buffer_for_long(self):
        """A packet of payload type 112, usual for repetitions of 111, which are
        waited for: its SSRC has made room for others of its address by then."""
        receiver = self.start(Receiver(self.port))
        rtpbin, = receiver.find("src", "rtpbin")
        demuxer, = receiver.find("src", "rtpssrcdemux")
        made, arrivals = [], []

        def on_packet(_pad, info):
            arrivals.append(info.get_buffer().dts)
            return Gst.PadProbeReturn.OK
        inner, = receiver.find("src", "rtptfrcreceive")
        inner.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER,
                                               on_packet)
        rtpbin.connect("new-jitterbuffer", lambda *args: made.append(args[3]))
        for seq in range(3):
            self.send(packet(1, seq))
        self.send(packet(666, payload_type=112))
        for i in range(STREAMS):
            self.send(packet(10000 + i))
        self.assertTrue(wait_for(lambda: len(arrivals) == 4 + STREAMS))
        if arrivals[-1] - arrivals[3] >= HELD:
            self.skipTest("so many streams take too long here")
        time.sleep(0.3)
        self.assertNotIn(666, made)
        self.send(packet(10000 + STREAMS))
        self.assertTrue(wait_for(lambda: 666 in made))
        self.assertTrue(wait_for(
            lambda: not demuxer.get_static_pad("src_666")))
        self.assertTrue(wait_for(
            lambda: len(receiver.find("src", "rtpjitterbuffer")) <= STREAMS))

    def test_do_not_take_the_extension_id(self):
        receiver = self.start(Receiver(self.port))
        self.send(packet(666, elements=ELEMENTS))
        self.assertTrue(wait_for(
            lambda: receiver.stats().get_value("packets") > 0))
        self.start(Sender(self.port))
        self.assert_stream_comes(receiver)

    def test_do_not_take_the_id_that_caps_give(self):
        receiver = self.start(Receiver(
            self.port, "caps=\"application/x-rtp,media=video,payload=96,"
            f"clock-rate=90000,encoding-name=H264,extmap-14={URN}\""))
        for seq in range(5):
            self.send(packet(666, seq, elements=ELEMENTS))
        self.assertTrue(wait_for(
            lambda: receiver.stats().get_value("packets") > 0))
        self.assertEqual(receiver.stats().get_value("extension-id"), 14)

    def test_do_not_take_the_payload_type_of_repetitions(self):
        """Those of 96 are 127, unless that is a stream of its own."""
        receiver = self.start(Receiver(self.port, "src.src_96"))
        for seq in range(2):
            self.send(packet(666, seq, payload_type=127))
            time.sleep(0.3)
        self.start(Sender(self.port))
        pad, _ = self.watch(receiver)
        self.assertTrue(receiver.gets_frames(30))
        seen = itertools.count()
        pad.add_probe(
            Gst.PadProbeType.BUFFER,
            lambda pad, info: Gst.PadProbeReturn.DROP
            if next(seen) % 20 == 5 else Gst.PadProbeReturn.OK)
        self.assertTrue(wait_for(lambda: receiver.stats().get_value(
            "retransmissions-recovered") > 3))

    def test_end_no_stream_under_its_ssrc(self):
        """With a NAL unit that no depayloader takes."""
        receiver = self.start(Receiver(self.port))
        _, newest = self.watch(receiver)
        self.start(Sender(self.port))
        self.assertTrue(receiver.gets_frames(10))
        for _ in range(50):
            ssrc, seq = newest[-1]
            self.send(packet(ssrc, seq + 1, payload=b"\x1a" + bytes(20)))
            time.sleep(0.01)
        self.assertTrue(receiver.gets_frames(30))
        self.assertGreater(receiver.stats().get_value("packets-foreign"), 20)
        self.assert_quiet(receiver)


if __name__ == "__main__":
    unittest.main()
