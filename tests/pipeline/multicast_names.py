#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Receivers of a group know each other by the sender's echoes alone: their SSRCs
become different ones, their regular RTCP stays small, and one that the group is
too fast for says so."""

import struct
import unittest

from group import FIRST_FRAMES, GroupTest, count
from loopback import Gst, wait_for

SSRC = 0x12345678
LINK = "delay_ms 10"
# Rounds of 6 times R_max: sixteen of them, after which the size of a group is
# known, are over in 10 s.
QUICK = "rtptfrcsend::initial-max-rtt=30"
ROUNDS = "rtptfrcreceive::feedback-rtts=3"


RR, BYE = 201, 203


def watch_rtcp(receiver):
    """Type and SSRC of each RR and BYE that is sent, not withheld, from now
    on."""
    sent = []

    def on_rtcp(pad, info):
        packet = info.get_buffer()
        packet = packet.extract_dup(0, packet.get_size())
        while packet:
            kind, length, ssrc = struct.unpack(">xBHI", packet[:8])
            if kind in (RR, BYE):
                sent.append((kind, ssrc))
            packet = packet[4 + 4 * length:]
        return Gst.PadProbeReturn.OK
    receiver.find("src", "rtpbin")[0].get_static_pad(
        "send_rtcp_src_0").add_probe(Gst.PadProbeType.BUFFER, on_rtcp)
    return sent


class Ssrc(GroupTest):
    def test_that_is_taken_is_given_up(self):
        """Two begin with one: they end with two, and both are served."""
        receivers = [self.receiver_behind(LINK, f"ssrc={SSRC}")
                     for _ in range(2)]
        for receiver in receivers:
            self.assertEqual(receiver.ssrc, SSRC)
        source = self.sender(QUICK)
        self.assert_all_get_frames(receivers, 1)
        self.assertTrue(wait_for(
            lambda: len({each.ssrc for each in receivers}) == 2,
            FIRST_FRAMES))
        for receiver in receivers:
            echoes = receiver.stat("echoes")
            self.assertTrue(wait_for(
                lambda: receiver.stat("echoes") > echoes, FIRST_FRAMES))
            self.assertTrue(receiver.gets_frames(10))
        self.assertGreater(sum(each.stat("ssrc-collisions")
                               for each in receivers), 0)
        self.assertIn(source.stat("clr-ssrc"),
                      [each.ssrc for each in receivers])

    def test_of_the_application_is_kept(self):
        receiver = self.receiver_behind(LINK, f"ssrc={SSRC}")
        source = self.sender(QUICK)
        self.wait_for_clr(source, [SSRC])
        self.assertEqual(receiver.stat("ssrc-collisions"), 0)
        receiver.stop()
        receiver.play()
        self.assertEqual(receiver.ssrc, SSRC)

    def test_is_another_one_in_each_run(self):
        receiver = self.receiver_behind(LINK)
        ssrcs = set()
        for _ in range(5):
            ssrcs.add(receiver.ssrc)
            receiver.stop()
            receiver.play()
        self.assertEqual(len(ssrcs), 5)
        self.assertNotIn(0, ssrcs)


class RegularRtcp(GroupTest):
    def test_changes_its_name_with_the_reports(self):
        """BYE for the old SSRC, then RR with the new one: here after a
        collision that is made up, in a group that is small enough."""
        source, receiver = self.run_group("")
        self.assertTrue(wait_for(
            lambda: source.stat("rtcp-members") == 2, FIRST_FRAMES))
        element = receiver.find("src", "rtptfrcreceive")[0]
        old = receiver.ssrc
        sent = watch_rtcp(receiver)
        element.emit("ssrc-collision", old)
        new = receiver.ssrc
        self.assertNotEqual(old, new)
        self.assertTrue(wait_for(
            lambda: (RR, new) in sent, FIRST_FRAMES), sent)
        self.assertEqual(sent[:2], [(RR, old), (BYE, old)])
        self.assertNotIn((RR, old), sent[2:])
        self.assertTrue(wait_for(
            lambda: source.stat("clr-ssrc") != old, FIRST_FRAMES))

    def setUp(self):
        super().setUp()
        self.quick = f"{QUICK} rtptfrcsend::feedback-rtts=3"

    def run_group(self, options):
        receiver = self.receiver_behind(LINK, f"{ROUNDS} {options}")
        self.receiver_behind(LINK, f"{ROUNDS} {options}")
        source = self.sender(self.quick)
        self.assert_all_get_frames([receiver], 1)
        return source, receiver

    def test_is_sent_once_the_group_is_known_to_be_small(self):
        source, receiver = self.run_group("")
        self.assertEqual(source.stat("rtcp-members"), 0)
        # The first came up before sixteen rounds were over.
        self.assertTrue(wait_for(
            lambda: receiver.stat("receivers-overheard") > 0, FIRST_FRAMES))
        self.assertLessEqual(receiver.stat("receivers-overheard"), 2)
        self.assertTrue(wait_for(
            lambda: source.stat("rtcp-members") == 2, FIRST_FRAMES))
        heard = count(source, "sink", "rtptfrcsend", "rtcp_src")
        receiver.stop()
        self.assertTrue(wait_for(heard))    # its BYE
        self.assertEqual(source.stat("rtcp-members-refused"), 0)

    def test_ends_when_the_group_has_grown(self):
        source, receiver = self.run_group("rtcp-group-limit=2")
        self.assertTrue(wait_for(
            lambda: source.stat("rtcp-members") == 2, FIRST_FRAMES))
        for _ in range(2):
            self.receiver_behind(LINK, ROUNDS)
        self.assertTrue(wait_for(
            lambda: receiver.stat("receivers-overheard") > 2, FIRST_FRAMES))
        withheld = receiver.stat("rtcp-withheld")
        sent = watch_rtcp(receiver)
        self.assertTrue(wait_for(
            lambda: receiver.stat("rtcp-withheld") > withheld, 10))
        self.assertEqual(sent, [])

    def test_is_not_sent_in_a_group_above_the_limit(self):
        source, receiver = self.run_group("rtcp-group-limit=0")
        self.assertTrue(wait_for(
            lambda: receiver.stat("receivers-overheard") > 0, FIRST_FRAMES))
        withheld = receiver.stat("rtcp-withheld")
        self.assertTrue(wait_for(
            lambda: receiver.stat("rtcp-withheld") > withheld, 10))
        receiver.stop()
        self.assertEqual(source.stat("rtcp-members"), 0)


class Hopeless(GroupTest):
    """The sender never goes below min-bitrate; one receiver gets less."""

    def setUp(self):
        super().setUp()
        self.source = self.sender(f"{QUICK} min-bitrate=400000")

    def hopeless(self, options):
        # 30 % loss of one packet each, R .1 s, the largest packet 1200 bytes
        # (RFC 5348 section 3.1 at p = .1 to .3): 20 to 170 kbit/s.
        receiver = self.receiver_behind(
            "delay_ms 50;loss 0.3", f"leave-timeout=2000 {options}")
        self.assertTrue(wait_for(
            lambda: self.news(receiver), FIRST_FRAMES),
            receiver.stats().to_string())
        news = self.news(receiver)[0]
        self.assertLess(news.get_value("bitrate"),
                        news.get_value("sending-bitrate"))
        return receiver, news

    @staticmethod
    def news(receiver):
        return [message.get_structure()
                for message in receiver.of_type(Gst.MessageType.ELEMENT)
                if message.get_structure().get_name() == "tfmcc-hopeless"]

    def test_receiver_says_so_and_stays(self):
        receiver, news = self.hopeless("")
        self.assertFalse(news.get_value("left"))
        packets = receiver.stat("packets")
        self.assertTrue(wait_for(lambda: receiver.stat("packets") > packets))
        self.assertFalse(receiver.has_eos())

    def test_receiver_leaves_if_it_is_to(self):
        receiver, news = self.hopeless("auto-leave=true")
        self.assertTrue(news.get_value("left"))
        self.assertTrue(wait_for(receiver.has_eos))
        # That is how it leaves an IGMP group, too.
        self.assertTrue(wait_for(lambda: all(
            udpsrc.get_state(0).state == Gst.State.NULL
            for udpsrc in receiver.find("src", "udpsrc"))))
        packets = receiver.stat("packets")
        sent = self.source.stat("packets")
        self.assertTrue(wait_for(
            lambda: self.source.stat("packets") > sent + 20))
        self.assertEqual(receiver.stat("packets"), packets)
        self.assertGreaterEqual(self.source.stat("leaves"), 1)
        receiver.stop()
        self.assertEqual(receiver.errors(), [])
        receiver.play()
        self.assertTrue(receiver.gets_frames(1))


if __name__ == "__main__":
    unittest.main(verbosity=2)
