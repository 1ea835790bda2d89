#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""SRTP in a group: one key for all, both ways; late joiners; strangers."""

import unittest

from group import FIRST_FRAMES, GroupTest
from loopback import KEY, OTHER_KEY, Gst, VIDEO, wait_for
from watched import SLOWNESS

LINK = "delay_ms 10"
QUICK = "rtptfrcsend::initial-max-rtt=50"
# 65500 + 36 packets.
NEAR_THE_WRAP = VIDEO.replace("name=pay", "name=pay seqnum-offset=65500")
BACK_WITHIN = 3 * SLOWNESS


class GroupKey(GroupTest):
    def setUp(self):
        super().setUp()
        self.key = f"srtp-key={KEY}"
        self.members = [self.receiver(self.key) for _ in range(2)]
        self.members.append(self.receiver_behind(LINK, self.key))
        self.source = self.sender(f"{self.key} {QUICK}", media=NEAR_THE_WRAP)
        self.assert_all_get_frames(self.members, 1)

    def test_serves_all_both_ways(self):
        for member in self.members:
            self.assertTrue(wait_for(
                lambda: member.stat("echoes") > 0, FIRST_FRAMES))
        self.assertTrue(wait_for(
            lambda: self.source.stat("srtp-received") > 10))
        self.assertTrue(wait_for(
            lambda: self.source.stat("srtp-dropped") == 0))
        for member in self.members:
            self.assertTrue(wait_for(
                lambda: member.stat("srtp-dropped") == 0))
        self.assert_quiet(self.source, *self.members)

    def test_serves_who_joins_after_a_wrap(self):
        self.assertTrue(wait_for(
            lambda: self.source.stat("packets") > 60, FIRST_FRAMES))
        late = self.receiver(self.key)
        self.assertTrue(late.gets_frames(1, BACK_WITHIN))
        self.assertTrue(wait_for(
            lambda: late.stat("echoes") > 0, FIRST_FRAMES))
        # Packets count, not the attempts at them.
        self.assertTrue(wait_for(
            lambda: late.stat("srtp-dropped") == 0))
        self.assertTrue(wait_for(
            lambda: self.source.stat("srtp-dropped") == 0))

    def test_keeps_out_who_has_another(self):
        """Its reports, too: it hears the headers, which are not encrypted, but
        makes nothing of what does not authenticate."""
        stranger = self.receiver(f"srtp-key={OTHER_KEY}")
        self.assertTrue(wait_for(
            lambda: stranger.stat("srtp-dropped") > 10, FIRST_FRAMES))
        self.assertEqual(stranger.frames, 0)
        self.assertEqual(stranger.stat("reports"), 0)
        self.assertTrue(wait_for(
            lambda: self.source.stat("srtp-dropped") == 0))


class KeyOfEachReceiver(GroupTest):
    """The application assigns SSRCs and gives each receiver a key for its own
    reports; the group's key is for the packets."""

    SSRC = 1000

    def setUp(self):
        super().setUp()
        self.asked = []
        self.source_ssrc = None

    def key_of_the_sender(self, element, ssrc):
        self.asked.append(ssrc)
        if ssrc == self.SSRC:
            return Gst.Buffer.new_wrapped(bytes.fromhex(OTHER_KEY))
        return Gst.Buffer.new_wrapped(bytes.fromhex(KEY))

    @staticmethod
    def key_of_the_receiver(element, ssrc):
        return Gst.Buffer.new_wrapped(bytes.fromhex(
            OTHER_KEY if ssrc == 0 else KEY))

    def run_pair(self, receiver_options):
        receiver = self.make_receiver(receiver_options)
        receiver.get("src").connect("request-key", self.key_of_the_receiver)
        self.start(receiver)
        sender = self.make_sender(QUICK)
        sender.get("sink").connect("request-key", self.key_of_the_sender)
        self.start(sender)
        self.assert_all_get_frames([receiver], 1)
        return sender, receiver

    def test_is_used_for_its_reports(self):
        sender, receiver = self.run_pair(f"ssrc={self.SSRC}")
        self.assertTrue(wait_for(
            lambda: receiver.stat("echoes") > 0, FIRST_FRAMES))
        self.assertIn(self.SSRC, self.asked)
        self.assertTrue(wait_for(
            lambda: sender.stat("srtp-dropped") == 0))

    def test_does_not_serve_for_those_of_another(self):
        """A report with the key of one receiver in the name of another, or the
        key of no one, is dropped and counted."""
        sender, receiver = self.run_pair(f"ssrc={self.SSRC + 1}")
        self.assertTrue(wait_for(
            lambda: sender.stat("srtp-dropped") > 0, FIRST_FRAMES))
        self.assertEqual(sender.stat("srtp-dropped"),
                         sender.stat("srtp-received"))
        self.assertEqual(sender.stat("reports"), 0)
        self.assertEqual(receiver.stat("echoes"), 0)
        self.assertEqual(sender.stat("clr-ssrc"), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
