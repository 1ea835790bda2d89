#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""tfrcladdersrc shows one of several groups: the fastest that its link can
take, one that has a sender, and each from a key frame on."""

import threading
import unittest

from gi.repository import GObject
from group import GROUP, Link
from loopback import DECODE, TIMEOUT, Gst, Pipeline, free_port, wait_for
from watched import PipelineTest

GROUPS = GROUP, "239.255.77.2"
# Far apart: packets that the slow one's link can take.
FAST = "min-bitrate=600000 max-bitrate=900000"
SLOW = "min-bitrate=100000 max-bitrate=150000"
ENCODE = ("videotestsrc is-live=true ! video/x-raw,width=320,height=240,"
          "framerate=15/1 ! x264enc tune=zerolatency speed-preset=ultrafast "
          "key-int-max=300 ! rtph264pay config-interval=-1")


class Ladder(Pipeline):
    def __init__(self, settings):
        super().__init__(f"tfrcladdersrc name=src {settings} ! {DECODE}")
        self.count("frames")

    def moves(self):
        return [message.get_structure().get_string("reason")
                for message in self.of_type(Gst.MessageType.ELEMENT)
                if message.get_structure().get_name() == "tfrc-rung"]

    @property
    def rung(self):
        return self.get("src").get_property("rung")

    def stat(self, name):
        return self.get("src").get_property("stats").get_value(name)

    def gets_frames(self, n_frames=10):
        wanted = self.counts["frames"] + n_frames
        return wait_for(lambda: self.counts["frames"] >= wanted)


class LadderTest(PipelineTest):
    def setUp(self):
        super().setUp()
        self.ports = [free_port(2), free_port(2)]

    def uris(self):
        return "rungs=\"{}\"".format(" ".join(
            f"tfrc://{group}:{port}?multicast-iface=lo&encoding-name=H264"
            for group, port in zip(GROUPS, self.ports)))

    def send(self, rung, pt=96):
        return self.start(Pipeline(
            f"{ENCODE} pt={pt} ! tfrcsink name=sink host={GROUPS[rung]} "
            f"multicast-iface=lo port={self.ports[rung]} "
            f"{[FAST, SLOW][rung]}"))

    def send_both(self):
        return [self.send(0), self.send(1)]

    def receive(self, settings=""):
        return self.start(Ladder(f"{self.uris()} {settings}"))

    def receive_behind(self, profiles, settings):
        """Each rung by a link of its own, as who has left a group is sent
        nothing of it."""
        ports = [free_port(), free_port()]
        for i, profile in enumerate(profiles):
            self.running.append(
                Link(self.ports[i], ports[i], profile, GROUPS[i]))
        uris = " ".join(f"tfrc://127.0.0.1:{port}?mode=tfmcc&encoding-name=H264"
                        for port in ports)
        return self.start(Ladder(f'rungs="{uris}" {settings}'))


class Rungs(LadderTest):
    def test_it_falls_to_what_its_link_takes_and_climbs_when_it_is_wider(self):
        self.send_both()
        receiver = self.receive_behind(
            ["delay_ms 30;queue_ms 200;rate_kbit_s 200;"
             "at 15 rate_kbit_s 5000", "delay_ms 30"],
            "climb-interval=4000")
        self.assertTrue(wait_for(lambda: "hopeless" in receiver.moves()))
        self.assertTrue(receiver.gets_frames())
        self.assertEqual(receiver.rung, 1)
        self.assertTrue(wait_for(lambda: "up" in receiver.moves()))
        self.assertTrue(receiver.gets_frames())
        self.assertEqual(receiver.rung, 0)
        moves = receiver.moves()
        self.assertEqual(moves[0], "hopeless")
        self.assertEqual(moves[-2:], ["try", "up"])
        self.assertEqual(receiver.stat("up"), 1)
        self.assertEqual(receiver.errors(), [])

    def test_the_fastest_is_shown_where_nothing_hinders(self):
        for _ in range(3):  # a machine that stalls hinders, too
            senders = self.send_both()
            # A rung whose encoder takes seconds to start is silent.
            self.assertTrue(wait_for(lambda: all(
                sender.get("sink").get_property("stats").get_value("packets")
                for sender in senders)))
            receiver = self.receive()
            self.assertTrue(receiver.gets_frames(60))
            if not receiver.moves():
                break
            for pipeline in (receiver, *senders):
                pipeline.stop()
        self.assertEqual(receiver.moves(), [])
        self.assertEqual(receiver.rung, 0)
        # Nobody has joined the other one: it rests at its least, to which silence
        # halves what it began with.
        self.assertEqual(receiver.get("rung_1").get_state(0).state,
                         Gst.State.NULL)
        self.assertTrue(wait_for(
            lambda: senders[1].get("sink").get_property("bitrate") == 100000))
        self.assert_quiet(receiver, *senders)

    def test_a_faster_one_below_a_slower_one_is_told(self):
        def too_fast(rung, bitrate):
            structure = Gst.Structure.new_empty("tfmcc-hopeless")
            structure.set_value("sending-bitrate",
                                GObject.Value(GObject.TYPE_UINT64, bitrate))
            source = receiver.get(rung)
            source.post_message(Gst.Message.new_element(source, structure))
        self.send_both()
        receiver = self.receive()
        self.assertTrue(receiver.gets_frames())
        too_fast("rung_0", 2000000)
        too_fast("rung_1", 300000)
        self.assertEqual(receiver.warnings(), [])
        too_fast("rung_0", 200000)
        too_fast("rung_1", 300000)
        self.assertTrue(wait_for(receiver.warnings))
        self.assertIn("rung_1 sends 300000 bits/s, and rung_0",
                      receiver.warnings()[0])

    def test_one_without_a_sender_is_passed_by(self):
        self.send(1)
        receiver = self.receive()
        self.assertTrue(receiver.gets_frames())
        self.assertEqual(receiver.rung, 1)
        self.assertEqual(set(receiver.moves()), {"silent"})

    def test_one_whose_sender_ends_is_left(self):
        senders = self.send_both()
        receiver = self.receive()
        self.assertTrue(receiver.gets_frames())
        senders[0].stop()
        self.assertTrue(wait_for(lambda: receiver.rung == 1))
        self.assertTrue(receiver.gets_frames())

    def test_a_sender_may_begin_again_with_another_payload_type(self):
        sender = self.send(0)
        receiver = self.receive()
        for pt in 98, 97, 98:
            self.assertTrue(receiver.gets_frames())
            sender.stop()
            sender = self.send(0, pt)
        self.assertTrue(receiver.gets_frames())

    def test_one_that_cannot_be_joined_is_passed_by(self):
        """As where a network is down for a moment: no reason to end."""
        receiver = self.start(Ladder(self.uris()))
        receiver.get("rung_1").set_property("multicast-iface", "nonesuch")
        self.assertTrue(wait_for(lambda: receiver.warnings()))
        self.assertIn("nonesuch", receiver.warnings()[0])
        self.send(0)
        self.assertTrue(receiver.gets_frames())
        self.assertEqual(receiver.errors(), [])

    def test_a_change_does_not_wait_for_what_is_behind(self):
        """Which may wait for the thread that pauses the pipeline."""
        senders = self.send_both()
        receiver = self.receive()
        self.assertTrue(receiver.gets_frames())
        pad = receiver.get("frames").get_static_pad("sink")
        block = pad.add_probe(Gst.PadProbeType.BLOCK_DOWNSTREAM,
                              lambda pad, info: Gst.PadProbeReturn.OK)
        self.assertTrue(wait_for(pad.is_blocking))
        senders[0].stop()
        self.assertTrue(wait_for(lambda: receiver.rung == 1))
        self.assertTrue(wait_for(
            lambda: receiver.get("rung_1").get_property("stats").get_value(
                "packets") > 0))
        self.assertEqual(receiver.get("rung_0").get_state(0).state,
                         Gst.State.NULL)
        receiver.set_state(Gst.State.PAUSED)
        pad.remove_probe(block)
        receiver.play()
        self.assertTrue(receiver.gets_frames())
        self.assertEqual(receiver.errors(), [])

    def test_the_pad_and_its_stream_stay(self):
        self.send_both()
        receiver = self.receive()
        started = []
        receiver.get("src").get_static_pad("src").add_probe(
            Gst.PadProbeType.EVENT_DOWNSTREAM,
            lambda pad, info: started.append(info.get_event().type)
            or Gst.PadProbeReturn.OK)
        self.assertTrue(receiver.gets_frames())
        self.assertEqual([pad.get_name() for pad in receiver.get("src").pads],
                         ["src"])
        self.assertNotIn(Gst.EventType.EOS, started)


class Settings(LadderTest):
    def test_sdp_of_the_senders(self):
        senders = self.send_both()

        def described():
            return [sender.get("sink").get_property("sdp")
                    for sender in senders]
        self.assertTrue(wait_for(lambda: all(described())))
        receiver = Ladder("")
        receiver.get("src").set_property("sdp", "".join(described()))
        for rung in "rung_0", "rung_1":
            receiver.get(rung).set_property("multicast-iface", "lo")
        self.start(receiver)
        self.assertTrue(receiver.gets_frames())
        self.assertEqual(receiver.rung, 0)

    def test_what_is_no_ladder_is_refused_aloud(self):
        uri = f"tfrc://{GROUP}:{self.ports[0]}"
        nine = " ".join(f"tfrc://239.255.77.{1 + i}" for i in range(9))
        for rungs, words in [("", "Set rungs"), (f"{uri} {uri}", "same group"),
                             (f"{uri} tfrc://{GROUP}:7000", "same group"),
                             (f"{uri} http://x", "http"), (nine, "8 rungs")]:
            with self.subTest(rungs):
                receiver = Ladder(f'rungs="{rungs}"')
                self.assertEqual(int(receiver.play()), 0)
                self.assertEqual(len(receiver.errors()), 1)
                self.assertIn(words, receiver.errors()[0])
                receiver.get("src").set_property(
                    "rungs", self.uris()[len('rungs="'):-1])
                self.start(receiver)

    def test_a_lower_one_that_cannot_be_joined_is_told_at_once(self):
        self.send(0)
        receiver = Ladder(f"{self.uris()} rung_1::multicast-iface=nowhere0")
        self.start(receiver)
        self.assertEqual(len(receiver.warnings()), 1, receiver.warnings())
        self.assertIn("nowhere0", receiver.warnings()[0])
        self.assertTrue(receiver.gets_frames())
        self.assertEqual(receiver.rung, 0)
        self.assertEqual(receiver.errors(), [])

    def test_they_are_set_while_statistics_are_read(self):
        ladder, done = Gst.ElementFactory.make("tfrcladdersrc"), []

        def read():
            while not done:
                for name in "stats", "rungs", "sdp":
                    ladder.get_property(name)
        readers = [threading.Thread(target=read) for _ in range(3)]
        for reader in readers:
            reader.start()
        two = self.uris()[len('rungs="'):-1]
        for _ in range(50):
            for rungs in two, two.split()[0]:
                ladder.set_property("rungs", rungs)
        done.append(True)
        for reader in readers:
            reader.join()

    def test_those_of_one_rung(self):
        receiver = Ladder(f"{self.uris()} rung_1::latency=300")
        self.assertEqual(receiver.get("rung_1").get_property("latency"), 300)
        self.assertEqual(receiver.get("rung_1").get_property("leave-timeout"),
                         2000)


class Runs(LadderTest):
    def test_two_on_one_element(self):
        """From the second rung, in READY, NULL and PAUSED."""
        self.send(1)
        receiver = self.receive()
        self.assertTrue(receiver.gets_frames())
        told = []
        receiver.get("src").connect(
            "notify::rung", lambda src, spec: told.append(receiver.rung))
        for state in Gst.State.READY, Gst.State.NULL:
            receiver.set_state(state)
            self.assertEqual(receiver.stat("silent"), 1)
            receiver.play()
            self.assertEqual(told.pop(0), 0)
            self.assertTrue(receiver.gets_frames())
            self.assertEqual(receiver.rung, 1)
            self.assertEqual(told.pop(0), 1)
        receiver.set_state(Gst.State.PAUSED)
        receiver.play()
        self.assertTrue(receiver.gets_frames())
        self.assertEqual(receiver.stat("silent"), 1)
        self.assertEqual(receiver.errors(), [])

    def test_other_rungs_while_a_change_is_told(self):
        """By the thread of the clock, which nobody waits for."""
        self.send(1)
        receiver = self.receive("climb-interval=500")
        told, heard = threading.Event(), threading.Event()

        def on_message(_bus, message):
            if message.has_name("tfrc-rung") and message.get_structure(
                    ).get_string("reason") == "try":
                told.set()
                heard.wait(TIMEOUT)
            return Gst.BusSyncReply.PASS
        receiver.bus.set_sync_handler(on_message)
        self.assertTrue(told.wait(TIMEOUT))
        receiver.stop()
        receiver.get("src").set_property(
            "rungs", self.uris()[len('rungs="'):-1].split()[1])
        heard.set()
        receiver.play()
        self.assertTrue(receiver.gets_frames())
        self.assertEqual(receiver.rung, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
