#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a receiver gives to strangers.

RTCP compounds of those who know an SSRC of the sender: an rtpsession keeps a
source for each SSRC that it hears of, an rtpbin a jitter buffer with two
threads for whoever a compound with an SR begins with.  And packets in the name
of somebody else, who gets what tfrcsrc sends."""

import pathlib
import socket
import struct
import time
import unittest

from loopback import Receiver, Sender, free_port, wait_for
from watched import PipelineTest

FEW = 16


def receiver_report(ssrc):
    return struct.pack(">BBHI", 0x80, 201, 1, ssrc)


def sender_report(ssrc):
    return struct.pack(">BBHIQIII", 0x80, 200, 6, ssrc, 0, 0, 0, 0)


def application(ssrc):
    return struct.pack(">BBHI4s", 0x80, 204, 2, ssrc, b"TEST")


def picture_loss(ssrc, media_ssrc):
    return struct.pack(">BBHII", 0x81, 206, 2, ssrc, media_ssrc)


def description(ssrcs):
    chunks = b"".join(struct.pack(">II", ssrc, 0) for ssrc in ssrcs)
    return struct.pack(">BBH", 0x80 | len(ssrcs), 202,
                       len(chunks) // 4) + chunks


def crowd(known, first):
    """Who is known, so often that nobody reads on, and behind them some 7,000
    others: 60 kB."""
    return receiver_report(known) + description(31 * [known]) + b"".join(
        description(range(first + 31 * i, first + 31 * i + 31))
        for i in range(238))


def count_threads():
    return len(list(pathlib.Path("/proc/self/task").iterdir()))


class Compounds(PipelineTest):
    def setUp(self):
        super().setUp()
        self.port, self.bind_port = free_port(), free_port()
        self.receiver = self.start(Receiver(self.port))
        self.sender = self.start(
            Sender(self.port, f"bind-port={self.bind_port}"))
        self.assertTrue(self.receiver.gets_frames(10))
        caps = self.sender.get("sink").get_static_pad(
            "sink_0").get_current_caps()
        self.ssrc = caps[0]["ssrc"]
        self.stranger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(self.stranger.close)

    @staticmethod
    def count_sources(pipeline, name):
        rtpbin, = pipeline.find(name, "rtpbin")
        return rtpbin.emit("get-internal-session", 0).get_property(
            "num-sources")

    def assert_stream_goes_on(self):
        self.assertTrue(self.receiver.gets_frames(30))
        self.assert_quiet(self.sender, self.receiver)

    def assert_crowds_are_refused(self, pipeline, known, port):
        """Eight of them; a socket has no room for all at once."""
        for i in range(8):
            self.stranger.sendto(crowd(known, 10000 * (i + 1)),
                                 ("127.0.0.1", port))
            self.assertTrue(wait_for(
                lambda: pipeline.stats().get_value("rtcp-malformed") > i))

    def test_of_thousands_of_ssrcs_end_at_the_receivers_door(self):
        self.assert_crowds_are_refused(self.receiver, self.ssrc, self.port)
        self.assertLess(self.count_sources(self.receiver, "src"), FEW)
        self.assert_stream_goes_on()

    def test_of_thousands_of_ssrcs_end_at_the_senders_door(self):
        self.assert_crowds_are_refused(self.sender, 1, self.bind_port)
        self.assertLess(self.count_sources(self.sender, "sink"), FEW)
        self.assert_stream_goes_on()

    def test_in_front_of_an_sr_of_the_sender_make_no_jitter_buffer(self):
        before = count_threads()
        for i in range(300):
            self.stranger.sendto(
                application(10000 + i) + sender_report(self.ssrc),
                ("127.0.0.1", self.port))
            time.sleep(0.002)
        self.assertTrue(wait_for(
            lambda: self.receiver.stats().get_value("rtcp-malformed") >= 300))
        self.assertLess(count_threads(), before + FEW)
        self.assert_stream_goes_on()

    def test_of_feedback_alone_make_no_jitter_buffer(self):
        """Between RTP, an rtpsession takes it for RTP, in which the media SSRC
        stands where the stream's is."""
        before = count_threads()
        for i in range(300):
            self.stranger.sendto(picture_loss(self.ssrc, 10000 + i),
                                 ("127.0.0.1", self.port))
            time.sleep(0.002)
        self.assertTrue(wait_for(
            lambda: self.receiver.stats().get_value("rtcp-malformed") >= 300))
        self.assertLess(count_threads(), before + FEW)
        self.assert_stream_goes_on()


class Members(PipelineTest):
    def test_strangers_lock_nobody_out(self):
        """64 of them, twice, with NULL in between: tfrcsrc's RTCP is heard
        beside them, and they are heard again in the next run."""
        port, bind_port = free_port(), free_port()
        receiver = self.start(Receiver(port))
        sender = self.start(Sender(port, f"bind-port={bind_port}"))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            for run in range(2):
                for i in range(64):
                    stranger.sendto(receiver_report(1000 * run + i + 1),
                                    ("127.0.0.1", bind_port))
                    time.sleep(0.002)
                self.assertTrue(wait_for(
                    lambda: sender.stats().get_value("rtcp-members") >= 60))
                self.assertEqual(
                    sender.stats().get_value("rtcp-members-refused"), 0)
                rtpbin, = sender.find("sink", "rtpbin")
                session = rtpbin.emit("get-internal-session", 0)
                receivers_ssrc = receiver.stats().get_value("ssrc")
                self.assertTrue(wait_for(lambda: session.emit(
                    "get-source-by-ssrc", receivers_ssrc) is not None))
                sender.stop()
                sender.play()
        self.assert_quiet(sender, receiver)


class Reflection(PipelineTest):
    """Packets of 26 bytes, 10 ms apart, whose header extensions tell an RTT of 1 ms and
    whose numbers jump: who is said to have sent them must not get more than
    they are, with 28 bytes of UDP and IP around each packet."""

    N_PACKETS = 300

    def get_factor(self, jump):
        port = free_port()
        receiver = self.start(Receiver(port, "retransmission=on latency=2000"))
        victim = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(victim.close)
        victim.setblocking(False)
        received = 0
        for i in range(self.N_PACKETS):
            now_us = time.monotonic_ns() // 1000 & 0xffffffff
            victim.sendto(struct.pack(
                ">BBHIIHHIIH", 0x90, 96, i * jump & 0xffff, i * 900, 0x1234,
                0xbede, 2, 14 << 28 | 6 << 24 | 1000, now_us, 0x6588),
                ("127.0.0.1", port))
            time.sleep(0.01)
            received += self.drain(victim)
        time.sleep(1)
        received += self.drain(victim)
        receiver.stop()
        return received / (self.N_PACKETS * (26 + 28))

    @staticmethod
    def drain(victim):
        received = 0
        try:
            while True:
                received += len(victim.recv(2048)) + 28
        except BlockingIOError:
            return received

    def test_of_no_more_than_came(self):
        for jump in (1, 2, 60, 200, 1000, 2000):
            with self.subTest(jump=jump):
                factor = self.get_factor(jump)
                print(f"jump {jump}: {factor:.2f} times the bytes")
                self.assertLess(factor, 1.1)
                self.assertGreater(factor, 0)


if __name__ == "__main__":
    unittest.main()
