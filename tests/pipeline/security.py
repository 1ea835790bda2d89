#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""SRTP in tfrcsink and tfrcsrc, and feedback that is not the receiver's."""

import socket
import struct
import threading
import time
import unittest

from loopback import (KEY, OTHER_KEY, Gst, Receiver, Sender, VIDEO, free_port,
                      stays_false, wait_for)
from watched import PipelineTest, SLOWNESS

GCM_KEY = bytes(range(28)).hex()
LONG_KEY = bytes(range(46)).hex()
# For a stream to be back, key frame included.
BACK_WITHIN = 3 * SLOWNESS
LONG_GCM_KEY = bytes(range(44)).hex()


class Relay:
    """Carries datagrams between one sender and one receiver on loopback.

    `on_feedback (datagram, forward)` sees what the receiver sends."""

    def __init__(self, receiver_port, on_feedback):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.settimeout(0.1)
        self.port = self.socket.getsockname()[1]
        self.receiver = ("127.0.0.1", receiver_port)
        self.sender = None
        self.on_feedback = on_feedback
        self.running = True
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def to_sender(self, datagram):
        self.socket.sendto(datagram, self.sender)

    def run(self):
        while self.running:
            try:
                datagram, source = self.socket.recvfrom(2048)
            except socket.timeout:
                continue
            if source == self.receiver:
                self.on_feedback(datagram, self.to_sender)
            else:
                self.sender = source
                self.socket.sendto(datagram, self.receiver)

    def stop(self):
        self.running = False
        self.thread.join()
        self.socket.close()


class SecurityTest(PipelineTest):
    def relay(self, receiver_port, on_feedback):
        relay = Relay(receiver_port, on_feedback)
        self.running.append(relay)
        return relay


class Protected(SecurityTest):
    def check(self, options, n_ports=1):
        port = free_port(n_ports)
        receiver = self.start(Receiver(port, options))
        sender = self.start(Sender(port, options))
        self.assertTrue(receiver.gets_frames(20))
        self.assertGreater(sender.stats().get_value("feedback"), 0)
        self.assertTrue(wait_for(
            lambda: sender.stats().get_value("srtp-dropped") == 0))
        self.assertTrue(wait_for(
            lambda: receiver.stats().get_value("srtp-dropped") == 0))
        for pipeline in (sender, receiver):
            self.assertEqual(pipeline.errors() + pipeline.warnings(), [])

    def test_by_default_aes_128_cm(self):
        self.check(f"srtp-key={KEY}")

    def test_by_a_short_tag(self):
        self.check(f"srtp-key={KEY} srtp-auth=hmac-sha1-32")

    def test_on_two_ports(self):
        self.check(f"srtp-key={KEY} rtcp-mux=false", n_ports=2)

    def test_by_aes_256_cm(self):
        self.check(f"srtp-key={LONG_KEY} srtp-cipher=aes-256-icm")

    def test_by_aes_128_gcm(self):
        self.check(f"srtp-key={GCM_KEY} srtp-cipher=aes-128-gcm")

    def test_by_aes_256_gcm(self):
        self.check(f"srtp-key={LONG_GCM_KEY} srtp-cipher=aes-256-gcm")

    def test_by_a_key_of_the_application(self):
        port = free_port()
        key = Gst.Buffer.new_wrapped(bytes.fromhex(KEY))
        asked = []

        def on_request_key(element, ssrc):
            asked.append(ssrc)
            return key
        receiver = Receiver(port)
        receiver.get("src").connect("request-key", on_request_key)
        self.start(receiver)
        # Of the SSRC for RTX a report comes in time, or not.
        self.start(Sender(port, f"srtp-key={KEY} retransmission=off"))
        self.assertTrue(receiver.gets_frames(20))
        # For our own packets and the sender's SSRC; and for one that its
        # rtpsession makes up where it wakes up before the first packet.
        self.assertEqual(asked[0], 0)
        self.assertIn(len(set(asked)), (2, 3))

    def test_by_an_application_that_looks_at_the_elements(self):
        """No lock is held while it is asked, which a state change would take."""
        port = free_port()
        receiver = Receiver(port, f"srtp-key={KEY}")
        looked = []

        def on_request_key(element, ssrc):
            if ssrc == 0:
                return None
            looker = threading.Thread(daemon=True, target=lambda: [
                found.get_name() for found in receiver.find("src", "udpsrc")])
            looker.start()
            looker.join(5)
            looked.append(not looker.is_alive())
            return None
        receiver.get("src").connect("request-key", on_request_key)
        self.start(receiver)
        self.start(Sender(port, f"srtp-key={KEY}"))
        self.assertTrue(wait_for(lambda: looked))
        self.assertEqual(set(looked), {True})
        self.assertTrue(receiver.gets_frames(20))

    def test_for_a_receiver_that_joins_after_a_wrap(self):
        """65500 + 36 packets: the roll-over counter is 1 when it joins."""
        port = free_port()
        options = f"srtp-key={KEY}"
        media = VIDEO.replace("name=pay", "name=pay seqnum-offset=65500")
        receiver = self.start(Receiver(port, options))
        sender = self.start(Sender(port, options, media=media))
        self.assertTrue(wait_for(
            lambda: sender.stats().get_value("packets") > 60))
        receiver.stop()
        receiver = self.start(Receiver(port, options))
        self.assertTrue(receiver.gets_frames(1, BACK_WITHIN))
        self.assertTrue(receiver.gets_frames(20))
        # Packets count, not the attempts at them.
        self.assertTrue(wait_for(
            lambda: receiver.stats().get_value("srtp-dropped") == 0))

    def test_across_a_wrap(self):
        port = free_port()
        options = f"srtp-key={KEY}"
        media = VIDEO.replace("name=pay", "name=pay seqnum-offset=65500")
        receiver = self.start(Receiver(port, options))
        sender = self.start(Sender(port, options, media=media))
        self.assertTrue(wait_for(
            lambda: sender.stats().get_value("packets") > 60))
        self.assertTrue(receiver.gets_frames(20))
        self.assertTrue(wait_for(
            lambda: receiver.stats().get_value("srtp-dropped") == 0))

    def test_for_a_sender_that_restarts(self):
        port = free_port()
        options = f"srtp-key={KEY}"
        receiver = self.start(Receiver(port, options))
        for _ in range(2):
            sender = self.start(Sender(port, options))
            self.assertTrue(receiver.gets_frames(10))
            sender.stop()
        self.assertEqual(receiver.pads, ["src_96"])

    def test_for_a_receiver_that_was_in_ready(self):
        """srtpenc counts its RTCP from 0 again: under the SSRC of before the
        sender would take all of it for replayed."""
        port = free_port()
        options = f"srtp-key={KEY}"
        receiver = self.start(Receiver(port, options))
        sender = self.start(Sender(port, options))
        feedback = 0
        for _ in range(2):
            self.assertTrue(wait_for(lambda: sender.stats().get_value(
                "feedback") > feedback + 20))
            receiver.set_state(Gst.State.READY)
            feedback = sender.stats().get_value("feedback")
            receiver.set_state(Gst.State.PLAYING)
        self.assertTrue(wait_for(lambda: sender.stats().get_value(
            "feedback") > feedback, BACK_WITHIN))
        self.assertTrue(wait_for(
            lambda: sender.stats().get_value("srtp-dropped") == 0))


class KeptOut(SecurityTest):
    def check_nothing_through(self, src_options, sink_options):
        port = free_port()
        receiver = self.start(Receiver(port, src_options))
        sender = self.start(Sender(port, sink_options))
        self.assertTrue(stays_false(lambda: receiver.frames, 3))
        self.assertEqual(receiver.errors() + sender.errors(), [])
        return sender, receiver

    def all_are_dropped(self, stats):
        return (stats.get_value("srtp-dropped")
                == stats.get_value("srtp-received"))

    def test_wrong_key(self):
        sender, receiver = self.check_nothing_through(
            f"srtp-key={OTHER_KEY}", f"srtp-key={KEY}")
        # One packet a second comes from a sender that hears nothing.
        self.assertTrue(wait_for(receiver.warnings))
        self.assertGreater(receiver.stats().get_value("srtp-received"), 0)
        # One may be on its way.
        self.assertTrue(wait_for(lambda: self.all_are_dropped(
            receiver.stats())))
        self.assertEqual(receiver.stats().get_value("packets"), 0)
        self.assertEqual(sender.stats().get_value("feedback"), 0)
        warnings = receiver.warnings()
        self.assertEqual(len(warnings), 1)
        self.assertIn("srtp-key", warnings[0])

    def test_other_cipher(self):
        self.check_nothing_through(
            f"srtp-key={GCM_KEY} srtp-cipher=aes-128-gcm", f"srtp-key={KEY}")

    def test_sender_without_key(self):
        sender, receiver = self.check_nothing_through(f"srtp-key={KEY}", "")
        self.assertTrue(wait_for(receiver.warnings))
        self.assertEqual(len(receiver.warnings()), 1)

    def test_receiver_without_key(self):
        """Nothing tells SRTP from RTP but the RTCP beside it.  What comes
        before that is noise to the depayloader, which may give up first; what
        comes after it does not get there."""
        port = free_port()
        receiver = self.start(Receiver(port))
        sender = self.start(Sender(port, f"srtp-key={KEY}"))
        self.assertTrue(stays_false(lambda: receiver.frames, 3))
        self.assertEqual(sender.errors(), [])
        self.assertLessEqual(set(receiver.errors()),
                             {"The stream is in the wrong format."})
        self.assertTrue(wait_for(lambda: receiver.errors() or any(
            "srtp-key is not set" in text for text in receiver.warnings())))
        if receiver.warnings():
            before = receiver.stats().get_value("packets")
            self.assertTrue(stays_false(lambda: receiver.stats().get_value(
                "packets") > before, 2.5))
        self.assertEqual(sender.stats().get_value("feedback"), 0)

    def test_a_receiver_without_key_shows_at_the_sender_within_a_second(self):
        """Its feedback, one round trip after the first packet, is plain."""
        port = free_port()
        self.start(Receiver(port))
        sender = self.start(Sender(port, f"srtp-key={KEY}"))
        self.assertTrue(wait_for(
            lambda: sender.stats().get_value("packets") > 0))
        self.assertTrue(wait_for(lambda: any(
            "The other end does not use SRTP" in text
            for text in sender.warnings()), 1))
        self.assertGreater(sender.stats().get_value("srtp-dropped"), 0)

    def test_the_key_cannot_be_read(self):
        for element in (Gst.ElementFactory.make("tfrcsink"),
                        Gst.ElementFactory.make("tfrcsrc")):
            key = [spec for spec in element.list_properties()
                   if spec.name == "srtp-key"][0]
            self.assertFalse(key.flags & 1)     # G_PARAM_READABLE

    def test_the_key_is_not_in_uri_stats_or_caps(self):
        port = free_port()
        receiver = self.start(Receiver(port, f"srtp-key={KEY}"))
        sender = self.start(Sender(port, f"srtp-key={KEY}"))
        self.assertTrue(receiver.gets_frames(5))
        shown = [sender.get("sink").get_property("uri"),
                 receiver.get("src").get_property("uri"),
                 sender.stats().to_string(), receiver.stats().to_string(),
                 receiver.get("src").get_static_pad("src_96")
                 .get_current_caps().to_string()]
        for text in shown:
            self.assertNotIn(KEY, text)

    def test_key_of_a_wrong_length(self):
        for launch in (f"tfrcsink srtp-key={GCM_KEY}",
                       f"tfrcsrc port={free_port()} srtp-key={GCM_KEY}"):
            pipeline = Gst.parse_launch(f"{launch} name=x")
            holder = Gst.Pipeline()
            holder.add(pipeline)
            self.assertEqual(holder.set_state(Gst.State.READY),
                             Gst.StateChangeReturn.FAILURE)
            message = holder.get_bus().pop_filtered(Gst.MessageType.ERROR)
            self.assertIn("28 bytes", message.parse_error()[0].message)
            self.assertNotIn(GCM_KEY, message.parse_error()[0].message)
            holder.set_state(Gst.State.NULL)


class ForgedFeedback(SecurityTest):
    """p = 1 and X_recv = 0 from a stranger would stop the sender at once."""

    @staticmethod
    def forge(ssrc):
        return struct.pack(">BBHIIIIII", 0x82, 205, 6, 0xbadbad, ssrc, 0, 0, 0,
                           0xffffffff)

    def flood(self, sender, receiver, bind_port):
        stranger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        caps = sender.get("sink").get_static_pad("sink_0").get_current_caps()
        ssrc = caps[0]["ssrc"]
        frames = receiver.frames
        for i in range(100):
            stranger.sendto(self.forge(ssrc), ("127.0.0.1", bind_port))
            stranger.sendto(self.forge(i), ("127.0.0.1", bind_port))
            time.sleep(0.01)
        stranger.close()
        self.assertTrue(wait_for(lambda: receiver.frames >= frames + 10))

    def check(self, options):
        port, bind_port = free_port(), free_port()
        receiver = self.start(Receiver(port, options))
        sender = self.start(Sender(port, f"bind-port={bind_port} {options}"))
        self.assertTrue(receiver.gets_frames(10))
        self.flood(sender, receiver, bind_port)
        self.assertEqual(sender.stats().get_value("loss-event-rate"), 0)
        self.assertEqual(sender.errors(), [])
        return sender.stats()

    def test_has_no_effect_with_srtp(self):
        stats = self.check(f"srtp-key={KEY}")
        self.assertEqual(stats.get_value("srtp-dropped"), 200)

    def test_has_no_effect_without(self):
        """It names a time that was never sent."""
        stats = self.check("")
        self.assertGreaterEqual(stats.get_value("feedback-invalid")
                                + stats.get_value("feedback-stale"), 100,
                                stats.to_string())
        self.assertGreaterEqual(stats.get_value("feedback-foreign"), 99)

    def test_of_nobody_does_not_turn_reports_to_where_it_came_from(self):
        """A PLI by an SSRC that is not the sender's, and a BYE of none, from
        the sender's host to the port of RTCP."""
        port = free_port(2)
        options = "rtcp-mux=false"
        receiver = self.start(Receiver(port, options))
        sender = self.start(Sender(port, options))
        self.assertTrue(receiver.gets_frames(10))
        reports = sender.stats().get_value("feedback")
        stranger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        stranger.setblocking(False)
        for _ in range(20):
            for packet in (struct.pack(">BBHII", 0x81, 206, 2, 1, 2),
                           struct.pack(">BBH", 0x80, 203, 0)):
                stranger.sendto(packet, ("127.0.0.1", port + 1))
            time.sleep(0.05)
        self.assertTrue(wait_for(
            lambda: sender.stats().get_value("feedback") >= reports + 10))
        self.assertRaises(BlockingIOError, stranger.recv, 2048)
        stranger.close()

    def test_replayed_has_no_effect_with_srtp(self):
        n_feedback = 0

        def on_feedback(datagram, forward):
            nonlocal n_feedback
            n_feedback += 1
            for _ in range(3):
                forward(datagram)
        port = free_port()
        options = f"srtp-key={KEY}"
        receiver = self.start(Receiver(port, f"host=127.0.0.1 {options}"))
        relay = self.relay(port, on_feedback)
        sender = self.start(Sender(relay.port, options))
        self.assertTrue(receiver.gets_frames(20))
        stats = sender.stats()
        # Each came three times; the last ones may still be on their way.
        self.assertAlmostEqual(stats.get_value("srtp-dropped"),
                               2 * n_feedback, delta=9)
        self.assertLessEqual(stats.get_value("feedback"), n_feedback)


if __name__ == "__main__":
    unittest.main(verbosity=2)
