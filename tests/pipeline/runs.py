#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each kind of stream twice over the same two elements, with READY or NULL in
between: the second run is as good as the first."""

import threading
import unittest

from group import ON_LOOPBACK
from loopback import (
    DECODE, Gst, KEY, Pipeline, Receiver, Sender, TIMEOUT, VIDEO, free_port,
    wait_for)
from watched import PipelineTest

TWO_STREAMS = (f"{VIDEO} pt=96 ! tfrcsink name=sink port={{}} "
               f"{VIDEO.replace('name=pay', '')} pt=97 ! sink.")
TWO_CAPS = ";".join(
    "application/x-rtp,media=video,encoding-name=H264,clock-rate=90000,"
    f"payload={payload}" for payload in (96, 97))


class Runs(PipelineTest):
    def set_up(self, sender, receiver):
        self.sender, self.receiver = sender, receiver
        self.running += [sender, receiver]

    def run_twice(self, between, check):
        for _ in range(2):
            self.assertNotEqual(int(self.receiver.play()), 0)
            self.assertNotEqual(int(self.sender.play()), 0)
            check()
            self.assert_quiet(self.sender, self.receiver)
            self.sender.set_state(between)
            self.receiver.set_state(between)


class OneStream(Runs):
    def check(self):
        self.assertTrue(self.receiver.gets_frames(15))
        self.assertTrue(wait_for(
            lambda: self.sender.stats().get_value("feedback") > 2))

    def run_kind(self, options, sender_options=""):
        for between in (Gst.State.READY, Gst.State.NULL):
            with self.subTest(between=between.value_nick):
                port = free_port(2)
                self.set_up(Sender(port, f"{options} {sender_options}"),
                            Receiver(port, options))
                self.run_twice(between, self.check)
                self.assertEqual(self.receiver.pads, ["src_96"])

    def test_tfrc(self):
        self.run_kind("")

    def test_without_mux(self):
        self.run_kind("rtcp-mux=false")

    def test_tfmcc(self):
        self.run_kind(ON_LOOPBACK)

    def test_srtp(self):
        self.run_kind(f"srtp-key={KEY}")

    def test_repair(self):
        check = self.check

        def check_repair():
            check()
            self.assertTrue(wait_for(lambda: self.receiver.stats().get_value(
                "fec-received") > 0))
        self.check = check_repair
        self.run_kind("", "fec=50")


class SeveralStreams(Runs):
    def set_up_receiver(self, port):
        receiver = Pipeline(
            f"tfrcsrc name=src port={port} caps=\"{TWO_CAPS}\"")
        self.told = []

        def on_pad_added(src, pad):
            self.told.append(pad.get_name())
            sink = Gst.ElementFactory.make("fakesink")
            sink.set_property("sync", False)
            sink.set_property("async", False)
            receiver.pipeline.add(sink)
            sink.sync_state_with_parent()
            pad.link(sink.get_static_pad("sink"))
        src = receiver.get("src")
        src.connect("pad-added", on_pad_added)
        src.connect("no-more-pads", lambda src: self.told.append("no more"))
        return receiver

    def test_they_are_told_complete_once_in_each_run(self):
        for between in (Gst.State.READY, Gst.State.NULL):
            with self.subTest(between=between.value_nick):
                port = free_port()
                self.set_up(Pipeline(TWO_STREAMS.format(port)),
                            self.set_up_receiver(port))

                def check():
                    self.assertTrue(wait_for(lambda: "no more" in self.told))
                    self.told.append("end")
                self.run_twice(between, lambda: (
                    check(), self.told.remove("no more")))
                self.assertEqual(self.told.count("no more"), 0)
                self.assertEqual(self.told[-2:], ["end", "end"])
                self.assertEqual(sorted(self.told[:-2]), ["src_96", "src_97"])

    def test_one_that_is_missing_in_a_run_does_not_count(self):
        """Nor one that was there in the run before."""
        port = free_port()
        receiver = self.set_up_receiver(port)
        one = Sender(port)
        self.set_up(one, receiver)
        receiver.play()
        one.play()
        self.assertTrue(wait_for(lambda: self.told == ["src_96"]))
        one.stop()
        receiver.set_state(Gst.State.READY)
        self.start(Pipeline(TWO_STREAMS.format(port)))
        receiver.play()
        self.assertTrue(wait_for(lambda: "no more" in self.told))
        self.assertEqual(self.told, ["src_96", "src_97", "no more"])

    def test_they_are_told_complete_once_all_are_told(self):
        """Whoever is told of the first stays in there until the second plays."""
        port = free_port()
        receiver = self.set_up_receiver(port)
        second_plays, told_meanwhile = threading.Event(), []

        def on_pad_added(src, pad):
            if len(self.told) == 1:
                self.assertTrue(second_plays.wait(TIMEOUT))
                told_meanwhile.extend(self.told)
                return
            pad.add_probe(
                Gst.PadProbeType.BUFFER,
                lambda pad, info: second_plays.set() or Gst.PadProbeReturn.OK)
        receiver.get("src").connect("pad-added", on_pad_added)
        self.set_up(Pipeline(TWO_STREAMS.format(port)), receiver)
        receiver.play()
        self.sender.play()
        self.assertTrue(wait_for(lambda: "no more" in self.told))
        self.assertEqual(len(told_meanwhile), 2)
        self.assertNotIn("no more", told_meanwhile)

    def test_branches_that_have_ended_begin_again(self):
        """All of them end the source, in the first run alone.  One that has ended
        before another has begun would be all."""
        for between in (Gst.State.READY, Gst.State.NULL):
            with self.subTest(between=between.value_nick):
                port = free_port()
                receiver = Pipeline(" ".join([
                    f"tfrcsrc name=src port={port} caps=\"{TWO_CAPS}\""] + [
                    f"src.src_{payload} ! identity name=ends{payload} "
                    f"eos-after=100 ! fakesink name=out{payload} sync=false "
                    "async=false" for payload in (96, 97)]))
                for payload in (96, 97):
                    receiver.count(f"out{payload}")
                self.set_up(Pipeline(TWO_STREAMS.format(port)), receiver)
                wanted = [99, 140]

                def check():
                    n_packets = wanted.pop(0)
                    self.assertTrue(wait_for(lambda: all(
                        n >= n_packets for n in receiver.counts.values())),
                        (receiver.counts, receiver.errors(), receiver.warnings(),
                         self.sender.errors(), self.sender.warnings(), *(
                             end.get_property("stats").to_string() for end in (
                                 receiver.get("src"), self.sender.get("sink")))))
                    for payload in (96, 97):
                        receiver.get(f"ends{payload}").set_property(
                            "eos-after", -1)
                self.run_twice(between, check)


class Descriptions(Runs):
    """As applications make the branch of a tee, and what shows a stream."""

    def test_a_bin_has_the_pad_that_is_to_be_linked(self):
        port = free_port()
        sender = Pipeline("videotestsrc is-live=true name=source")
        branch = Gst.parse_bin_from_description(
            f"queue !{VIDEO.partition('!')[2]} ! tfrcsink port={port}", True)
        sender.pipeline.add(branch)
        self.assertEqual([pad.get_name() for pad in branch.pads], ["sink"])
        self.assertTrue(sender.get("source").link(branch))
        receiver = Receiver(port)
        inner = Gst.parse_bin_from_description(
            f"tfrcsrc name=other port={free_port()}", True)
        self.assertEqual(inner.pads, [])
        self.running += [sender, receiver]
        for _ in range(2):
            receiver.play()
            sender.play()
            self.assertTrue(receiver.gets_frames(5))
            sender.stop()
            receiver.stop()
            self.assertEqual(len(branch.pads), 1)


class Encodings(Runs):
    def test_another_encoding_is_another_streams(self):
        for between in (Gst.State.READY, Gst.State.NULL):
            with self.subTest(between=between.value_nick):
                port = free_port()
                self.set_up(Sender(port), Receiver(
                    port, decode="fakesink name=frames sync=false"))
                names = []

                def check():
                    self.assertTrue(self.receiver.gets_frames(5))
                    pad = self.receiver.get("src").get_static_pad("src_96")
                    names.append(pad.get_current_caps()[0]["encoding-name"])
                    self.receiver.pipeline.set_state(Gst.State.READY)
                    self.receiver.get("src").set_property(
                        "encoding-name", "VP8")
                self.run_twice(between, check)
                self.assertEqual(names, ["H264", "VP8"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
