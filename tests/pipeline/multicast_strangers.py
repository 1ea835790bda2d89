#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What those can do to a group without SRTP who are not in it, or are and lie:
reports out of the blue, copies of true ones, and packets of another sender."""

import random
import socket
import struct
import threading
import time
import unittest

from gi.repository import Gio  # noqa: F401 (sockets have methods)
from group import GROUP, GroupSender, GroupTest
from loopback import Gst, wait_for

LINK = "delay_ms 25"
QUICK = "rtptfrcsend::initial-max-rtt=100"
ONE_BIT_PER_SECOND = 0          # the rate code's lowest: 100 bit/s
HAVE_RTT, HAVE_LOSS = 8, 4


def make_report(ssrc, media_ssrc, number, report_us=None, echo_us=None):
    """28 bytes as docs/protocol.md has them; without times it answers nothing."""
    flags = (HAVE_RTT | HAVE_LOSS) << 12 | ONE_BIT_PER_SECOND
    times = [random.getrandbits(32) if time is None else time % (1 << 32)
             for time in (report_us, echo_us)]
    return struct.pack(">BBHII4sHBBII", 0x8f, 206, 6, ssrc, media_ssrc,
                       b"TFMC", flags, number % 256, 0x10, *times)


class Liar(threading.Thread):
    """A member that answers every packet, and says that it can take next to
    nothing."""

    def __init__(self, port, ssrc):
        super().__init__(daemon=True)
        self.ssrc = ssrc
        self.stopping = False
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.setsockopt(
            socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
            socket.inet_aton(GROUP) + socket.inet_aton("127.0.0.1"))
        self.socket.bind((GROUP, port))
        self.socket.settimeout(0.1)

    def run(self):
        with self.socket, socket.socket(
                socket.AF_INET, socket.SOCK_DGRAM) as back:
            while not self.stopping:
                try:
                    packet, source = self.socket.recvfrom(2048)
                except TimeoutError:
                    continue
                # A header of 12 bytes, 0xBEDE, a length, an element's header.
                if packet[0] != 0x90 or packet[12:14] != b"\xbe\xde":
                    continue
                media_ssrc = struct.unpack_from(">I", packet, 8)[0]
                number, sent_us = struct.unpack_from(">BI", packet, 20)
                back.sendto(make_report(
                    self.ssrc, media_ssrc, number,
                    int(time.monotonic() * 1e6), sent_us), source)

    def stop(self):
        self.stopping = True
        self.join()


class Strangers(GroupTest):
    def setUp(self):
        super().setUp()
        self.members = [self.receiver_behind(LINK + ";loss 0.08"),
                        self.receiver_behind(LINK)]
        self.source = self.sender(QUICK)
        self.assert_all_get_frames(self.members, 1)
        self.ssrc = self.members[0].ssrc
        self.wait_for_clr(self.source, [self.ssrc])
        self.to = ("127.0.0.1", self.source.find("sink", "udpsrc")[0]
                   .get_property("used-socket").get_local_address()
                   .get_port())
        self.stranger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(self.stranger.close)

    def media_ssrc(self):
        caps = self.source.get("sink").get_static_pad(
            "sink_0").get_current_caps()
        return caps[0]["ssrc"]

    def assert_nobody_minds(self):
        for member in self.members:
            self.assertTrue(member.gets_frames(10))
        self.wait_for_clr(self.source, [self.ssrc])
        self.assert_quiet(self.source, *self.members)

    def test_another_sender_behind_the_same_link_is_told_as_that(self):
        """Two SSRCs of one address: one sender's, or another's."""
        self.sender(QUICK)
        self.assertTrue(wait_for(self.members[1].warnings))
        self.assertIn("another sender", self.members[1].warnings()[0])
        self.assertTrue(self.members[1].gets_frames(10))

    def test_reports_that_answer_nothing(self):
        """Of a random time, and 100 bit/s: one that happens to be right would
        stop the stream, but for min-bitrate."""
        media_ssrc = self.media_ssrc()
        changes = self.source.stat("clr-changes")
        for number in range(300):
            self.stranger.sendto(
                make_report(0xbad, media_ssrc, number), self.to)
            time.sleep(0.002)
        # The field spans 71 minutes, the stream some seconds of them.
        self.assertTrue(wait_for(
            lambda: self.source.stat("reports-invalid") >= 290))
        self.assertLessEqual(self.source.stat("clr-changes"), changes + 2)
        self.assert_nobody_minds()

    def test_regular_rtcp_in_the_name_of_the_sender(self):
        """An rtpsession that hears its own SSRC changes it (RFC 3550 section
        8.2), each time, and every receiver begins anew."""
        ssrc = self.media_ssrc()
        for _ in range(20):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
                other.sendto(struct.pack(">BBHI", 0x80, 201, 1, ssrc), self.to)
        self.assertTrue(wait_for(
            lambda: self.source.stat("rtcp-members-refused") >= 20))
        self.assert_nobody_minds()
        self.assertEqual(self.media_ssrc(), ssrc)

    def test_copies_of_true_reports(self):
        """Somebody on the way sends each of them twenty times."""
        copied = 0

        def on_report(pad, info):
            nonlocal copied
            packet = info.get_buffer()
            packet = packet.extract_dup(0, packet.get_size())
            for _ in range(20):
                copied += 1
                self.stranger.sendto(packet, self.to)
            return Gst.PadProbeReturn.OK
        self.members[0].find("src", "udpsink")[0].get_static_pad(
            "sink").add_probe(Gst.PadProbeType.BUFFER, on_report)

        def refused():
            stats = self.source.stats()
            return sum(stats.get_value(name) for name in (
                "feedback-stale", "reports-invalid", "reports-limited",
                "reports-colliding"))
        self.assertTrue(wait_for(lambda: copied >= 400))
        self.assertTrue(wait_for(lambda: refused() >= copied / 2),
                        self.source.stats().to_string())
        self.assert_nobody_minds()

    def test_a_member_that_lies_is_named_and_may_be_excluded(self):
        """It holds the group at min-bitrate, 32 kbit/s."""
        liar = Liar(self.port, 0xbad)
        liar.start()
        self.running.append(liar)

        def rate():
            return 8 * self.source.stat("allowed-rate")
        self.wait_for_clr(self.source, [liar.ssrc])
        self.assertTrue(wait_for(lambda: rate() <= 33000))
        self.assertTrue(wait_for(
            lambda: self.source.news("tfmcc-slow-receiver")))
        news = self.source.news("tfmcc-slow-receiver")[0]
        self.assertEqual(news.get_value("ssrc"), liar.ssrc)
        self.assertGreaterEqual(news.get_value("slow-for-ns"), 10 * Gst.SECOND)
        self.assertLess(news.get_value("bitrate"), 1000)
        self.assertTrue(self.source.get("sink").emit(
            "exclude-receiver", liar.ssrc))
        self.assertTrue(wait_for(lambda: rate() > 100000))
        self.assertGreater(self.source.stat("reports-excluded"), 0)
        self.assert_nobody_minds()

    def test_packets_of_another_sender(self):
        """To the same group and port: they are no losses of the first, and
        its picture stays."""
        other = self.start(GroupSender(
            self.port, f"host={GROUP} multicast-iface=lo {QUICK}"))
        self.assertTrue(wait_for(lambda: other.stat("packets") > 40))
        self.assertTrue(wait_for(
            lambda: self.members[1].stat("packets-foreign") > 20))
        self.assertEqual(self.members[1].stat("packets-lost"), 0)
        self.wait_for_clr(self.source, [self.ssrc])
        self.assertTrue(self.members[1].gets_frames(20))


if __name__ == "__main__":
    unittest.main(verbosity=2)
