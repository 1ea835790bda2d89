#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Streams through tfrcsink and tfrcsrc arrive: over IPv4 and IPv6, on one port
and on two, several at a time, and with nothing but the SDP to go by."""

import threading
import time
import unittest

from loopback import (DECODE, Gst, Pipeline, Receiver, Sender, TIMEOUT, VIDEO,
                      free_port, wait_for)
from watched import PipelineTest


class Arrives(PipelineTest):
    def check(self, sink_options, src_options="", n_ports=1):
        port = free_port(n_ports)
        receiver = self.start(Receiver(port, src_options))
        sender = self.start(Sender(port, sink_options))
        self.assertTrue(receiver.gets_frames(20))
        self.assertEqual(receiver.pads, ["src_96"])
        self.assert_quiet(sender, receiver)

    def test_over_ipv4(self):
        self.check("host=127.0.0.1", "host=127.0.0.1")

    def test_over_ipv6(self):
        self.check("host=::1", "host=::1")

    def test_over_ipv4_to_the_ipv6_wildcard(self):
        self.check("host=127.0.0.1")

    def test_over_ipv6_to_the_ipv6_wildcard(self):
        self.check("host=::1")

    def test_to_a_host_name(self):
        self.check("host=localhost")

    def test_on_two_ports_without_rtcp_mux(self):
        self.check("rtcp-mux=false", "rtcp-mux=false", n_ports=2)

    def test_from_a_bound_port(self):
        self.check(f"bind-address=127.0.0.1 bind-port={free_port()}")

    def test_with_a_file_like_source(self):
        """Without is-live: the sink paces it to real time by itself."""
        port = free_port()
        media = VIDEO.replace("is-live=true", "num-buffers=45")
        receiver = self.start(Receiver(port))
        # Before it starts: the first frames may leave before that returns.
        started = time.monotonic()
        sender = self.start(Sender(port, media=media))
        self.assertTrue(wait_for(sender.has_eos))
        # 45 frames at 15/s; the last leaves after 44 intervals.
        self.assertGreater(time.monotonic() - started, 44 / 15 - 0.3)
        self.assertTrue(wait_for(lambda: receiver.frames >= 40))
        self.assert_quiet(sender, receiver)


class NarrowPath(PipelineTest):
    def drop_large(self, receiver):
        pad = receiver.find("src", "udpsrc")[0].get_static_pad("src")
        dropped = []

        def on_packet(_pad, info):
            if info.get_buffer().get_size() <= self.carried:
                return Gst.PadProbeReturn.OK
            dropped.append(None)
            return Gst.PadProbeReturn.DROP
        pad.add_probe(Gst.PadProbeType.BUFFER, on_packet)
        return dropped

    def test_packets_become_smaller_where_large_ones_vanish(self):
        """No ICMP tells of it."""
        port = free_port()
        self.carried = 65535
        receiver = self.start(Receiver(port))
        sender = self.start(Sender(port, "min-bitrate=500000 max-bitrate=2000000", VIDEO.replace(
            "is-live=true", "is-live=true pattern=snow").replace(
            "width=160,height=120", "width=320,height=240")))
        dropped = self.drop_large(receiver)
        self.assertTrue(receiver.gets_frames(30))
        self.carried = 1252
        self.assertTrue(wait_for(lambda: any(
            "Packets of more than 1200 bytes are lost" in text
            for text in sender.warnings())))
        self.assertLessEqual(sender.get("pay").get_property("mtu"), 1200)
        time.sleep(1)
        del dropped[:]
        self.assertTrue(receiver.gets_frames(30))
        self.assertEqual(dropped, [])


class SeveralStreams(PipelineTest):
    def test_video_and_audio_share_the_flow(self):
        port = free_port()
        caps = ("application/x-rtp,payload=96,media=video,clock-rate=90000,"
                "encoding-name=H264;application/x-rtp,payload=97,media=audio,"
                "clock-rate=48000,encoding-name=OPUS")
        receiver = Pipeline(
            f"tfrcsrc name=src port={port} "
            f"src.src_96 ! {DECODE} "
            "src.src_97 ! rtpopusdepay ! fakesink name=audio sync=false")
        receiver.get("src").set_property("caps", Gst.Caps.from_string(caps))
        receiver.count("frames")
        receiver.count("audio")
        self.start(receiver)
        sender = self.start(Pipeline(
            f"tfrcsink name=sink port={port} {VIDEO} ! sink. "
            "audiotestsrc is-live=true ! opusenc ! rtpopuspay pt=97 ! sink."))
        self.assertTrue(wait_for(lambda: receiver.counts["frames"] >= 15
                                 and receiver.counts["audio"] >= 50))
        self.assert_quiet(sender, receiver)


    def test_one_that_nobody_takes_stops_no_other(self):
        """When it is taken later, a key frame is asked for."""
        port = free_port()
        # One that comes by itself in time need not be asked for.
        video = VIDEO.replace("key-int-max=15", "key-int-max=9000")
        caps = ("application/x-rtp,payload=96,media=video,clock-rate=90000,"
                "encoding-name=H264;application/x-rtp,payload=97,media=audio,"
                "clock-rate=48000,encoding-name=OPUS")
        receiver = Pipeline(
            f"tfrcsrc name=src port={port} "
            "src.src_97 ! rtpopusdepay ! fakesink name=audio sync=false")
        source = receiver.get("src")
        source.set_property("caps", Gst.Caps.from_string(caps))
        receiver.count("audio")
        self.start(receiver)
        sender = self.start(Pipeline(
            f"tfrcsink name=sink port={port} {video} ! sink. "
            "audiotestsrc is-live=true ! opusenc ! rtpopuspay pt=97 ! sink."))
        self.assertTrue(wait_for(lambda: source.get_static_pad("src_96")))
        before = receiver.counts["audio"]
        self.assertTrue(wait_for(
            lambda: receiver.counts["audio"] >= before + 50))
        # A decoder may ask for a key frame as well.
        late = Gst.ElementFactory.make("fakesink", "video")
        late.set_property("sync", False)
        receiver.pipeline.add(late)
        late.sync_state_with_parent()
        receiver.count("video")

        def asked():
            return source.get_property("stats").get_value("key-frame-requests")
        asked_before = asked()
        source.link_pads("src_96", late, "sink")
        self.assertTrue(wait_for(lambda: asked() > asked_before))
        self.assertTrue(wait_for(lambda: receiver.counts["video"] >= 15))
        self.assert_quiet(sender, receiver)


class Announced(PipelineTest):
    def test_playbin_plays_it(self):
        port = free_port()
        sink = Gst.ElementFactory.make("fakesink")
        sink.set_property("sync", False)
        player = Gst.ElementFactory.make("playbin")
        player.set_property("uri",
                            f"tfrc://127.0.0.1:{port}?encoding-name=H264")
        player.set_property("video-sink", sink)
        self.addCleanup(player.set_state, Gst.State.NULL)
        player.set_state(Gst.State.PLAYING)
        self.start(Sender(port))
        self.assertTrue(wait_for(
            lambda: sink.get_property("stats").get_value("rendered") >= 10))

    def test_a_pad_says_what_it_is_once_it_is_told_of(self):
        port = free_port()
        told = []
        receiver = Pipeline(
            f"tfrcsrc name=src port={port} encoding-name=H264")
        receiver.get("src").connect(
            "pad-added", lambda src, pad: told.append(pad.get_current_caps()))
        self.start(receiver)
        self.start(Sender(port))
        self.assertTrue(wait_for(lambda: told))
        self.assertIsNotNone(told[0])
        self.assertEqual(told[0][0]["encoding-name"], "H264")

    def test_when_all_that_is_described_is_there(self):
        port = free_port()
        told = []
        receiver = Pipeline(f"tfrcsrc name=src port={port}")
        source = receiver.get("src")
        source.set_property("caps", Gst.Caps.from_string(
            "application/x-rtp,payload=96,media=video,clock-rate=90000,"
            "encoding-name=H264;application/x-rtp,payload=97,media=audio,"
            "clock-rate=48000,encoding-name=OPUS;application/x-rtp,payload=98,"
            "media=video,clock-rate=90000,encoding-name=RTX,apt=(string)96"))
        source.connect("pad-added", lambda src, pad: told.append(pad.name))
        source.connect("no-more-pads", lambda src: told.append("all"))
        self.start(receiver)
        sender = Pipeline(
            f"tfrcsink name=sink port={port} {VIDEO} ! sink. "
            "audiotestsrc is-live=true ! opusenc ! valve name=valve drop=true "
            "! rtpopuspay pt=97 ! sink.")
        self.start(sender)
        self.assertTrue(wait_for(lambda: told == ["src_96"]))
        sender.get("valve").set_property("drop", False)
        self.assertTrue(wait_for(
            lambda: told == ["src_96", "src_97", "all"]), told)


class Described(PipelineTest):
    """The sink's SDP is enough to receive."""

    def test_it_asks_for_the_feedback_that_is_followed(self):
        for feedback, line in (("ccfb", "a=rtcp-fb:96 ack ccfb"),
                               ("twcc", "a=rtcp-fb:96 transport-cc"),
                               ("rr", None)):
            with self.subTest(feedback=feedback):
                sender = self.start(Sender(free_port(),
                                           f"feedback={feedback}"))
                self.assertTrue(wait_for(
                    lambda: sender.get("sink").get_property("sdp")))
                sdp = sender.get("sink").get_property("sdp")
                self.assertNotIn("tfrc\r\n", sdp)
                self.assertNotIn("rtt-sendts", sdp)
                if line:
                    self.assertIn(line + "\r\n", sdp)

    def test_sdp_is_enough(self):
        port = free_port()
        sender = self.start(Sender(port))
        self.assertTrue(wait_for(
            lambda: sender.get("sink").get_property("sdp")))
        sdp = sender.get("sink").get_property("sdp")
        self.assertIn("a=rtcp-fb:96 tfrc", sdp)
        receiver = Pipeline(f"tfrcsrc name=src ! {DECODE}")
        receiver.get("src").set_property("sdp", sdp)
        self.assertEqual(receiver.get("src").get_property("port"), port)
        receiver.count("frames")
        self.start(receiver)
        self.assertTrue(wait_for(lambda: receiver.counts["frames"] >= 20))
        self.assert_quiet(sender, receiver)

    def test_no_sdp_before_the_extension_is_known(self):
        sender = Sender(free_port())
        sink = sender.get("sink")
        held, let_go = threading.Event(), threading.Event()

        def on_event(pad, info):
            if info.get_event().type == Gst.EventType.CAPS:
                held.set()
                let_go.wait(TIMEOUT)
            return Gst.PadProbeReturn.OK
        pad = sender.find("sink", "rtptfrcsend")[0].get_static_pad("sink_0")
        pad.add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, on_event)
        self.addCleanup(let_go.set)
        self.start(sender)
        self.assertTrue(held.wait(TIMEOUT))
        self.assertIsNone(sink.get_property("sdp"))
        let_go.set()
        self.assertTrue(wait_for(lambda: sink.get_property("sdp")))
        self.assertIn("a=extmap:", sink.get_property("sdp"))

    def test_sdp_of_two_streams(self):
        port = free_port(2)
        sender = self.start(Pipeline(
            f"tfrcsink name=sink port={port} rtcp-mux=false {VIDEO} ! sink. "
            "audiotestsrc is-live=true ! opusenc ! rtpopuspay pt=97 ! sink."))
        self.assertTrue(wait_for(lambda: "OPUS" in (
            sender.get("sink").get_property("sdp") or "")
            and "H264" in sender.get("sink").get_property("sdp")))
        sdp = sender.get("sink").get_property("sdp")
        self.assertIn("a=group:BUNDLE 0 1", sdp)
        receiver = Pipeline(
            f"tfrcsrc name=src src.src_96 ! {DECODE} "
            "src.src_97 ! rtpopusdepay ! fakesink name=audio sync=false")
        receiver.get("src").set_property("sdp", sdp)
        receiver.count("frames")
        receiver.count("audio")
        self.start(receiver)
        self.assertTrue(wait_for(lambda: receiver.counts["frames"] >= 15
                                 and receiver.counts["audio"] >= 50))
        self.assert_quiet(sender, receiver)


if __name__ == "__main__":
    unittest.main(verbosity=2)
