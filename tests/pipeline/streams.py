#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Streams through tfrcsink and tfrcsrc: they arrive, whoever starts first or
again, through every state, on one port and on two."""

import time
import unittest

from loopback import (DECODE, GLib, Gst, Receiver, Sender, VIDEO, Pipeline,
                      free_port, wait_for)

# The bound for a stream to be back, key frame included.
BACK_WITHIN = 3


class StreamTest(unittest.TestCase):
    def setUp(self):
        self.running = []

    def tearDown(self):
        for pipeline in self.running:
            pipeline.stop()

    def start(self, pipeline):
        self.running.append(pipeline)
        self.assertNotEqual(pipeline.play(), Gst.StateChangeReturn.FAILURE)
        return pipeline

    def assert_quiet(self, *pipelines):
        for pipeline in pipelines:
            self.assertEqual(pipeline.errors(), [])
            self.assertEqual(pipeline.warnings(), [])


class Arrives(StreamTest):
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
        sender = self.start(Sender(port, media=media))
        started = time.monotonic()
        self.assertTrue(wait_for(sender.has_eos))
        # 45 frames at 15/s; the last leaves after 44 intervals.
        self.assertGreater(time.monotonic() - started, 44 / 15 - 0.3)
        self.assertTrue(wait_for(lambda: receiver.frames >= 40))
        self.assert_quiet(sender, receiver)


class AnyOrder(StreamTest):
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
        udpsink = [element for element in
                   sender.get("sink").iterate_elements() or []
                   if element.get_factory().get_name() == "udpsink"]
        for element in udpsink:
            element.get_static_pad("sink").add_probe(
                Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST,
                lambda pad, info: Gst.PadProbeReturn.DROP)
        self.start(Sender(port))
        self.assertTrue(receiver.gets_frames(10, BACK_WITHIN))
        self.assertEqual(receiver.pads, ["src_96"])
        self.assert_quiet(receiver)


class States(StreamTest):
    def test_receiver_cycles(self):
        port = free_port()
        self.start(Sender(port))
        receiver = self.start(Receiver(port))
        self.assertTrue(receiver.gets_frames())
        for state in (Gst.State.PAUSED, Gst.State.READY, Gst.State.NULL):
            receiver.set_state(state)
            time.sleep(0.5)
            receiver.play()
            self.assertTrue(receiver.gets_frames(10, BACK_WITHIN), state)
        self.assert_quiet(receiver)

    def test_cycles_of_the_receiver_leave_no_jitter_buffer(self):
        port = free_port()
        self.start(Sender(port))
        receiver = self.start(Receiver(port))
        for _ in range(3):
            self.assertTrue(receiver.gets_frames())
            receiver.stop()
            found = receiver.get("src").iterate_all_by_element_factory_name(
                "rtpjitterbuffer")
            self.assertEqual(found.next()[0], Gst.IteratorResult.DONE)
            receiver.play()

    def test_sender_cycles(self):
        port = free_port()
        receiver = self.start(Receiver(port))
        sender = self.start(Sender(port))
        self.assertTrue(receiver.gets_frames())
        for state in (Gst.State.PAUSED, Gst.State.READY, Gst.State.NULL):
            sender.set_state(state)
            time.sleep(0.5)
            sender.play()
            self.assertTrue(receiver.gets_frames(10, BACK_WITHIN), state)
        self.assert_quiet(sender, receiver)

    def test_sender_sends_nothing_in_paused(self):
        port = free_port()
        receiver = self.start(Receiver(port))
        sender = Sender(port)
        self.running.append(sender)
        sender.set_state(Gst.State.PAUSED)
        self.assertFalse(receiver.gets_frames(1, 1.0))
        sender.play()
        self.assertTrue(receiver.gets_frames())

    def test_sink_does_not_preroll(self):
        """As rtpsink does: a pipeline that believes it has prerolled while
        its decodebin has not may lose its EOS."""
        sender = Sender(free_port(),
                        media=VIDEO.replace("is-live=true", "num-buffers=9"))
        self.running.append(sender)
        sender.set_state(Gst.State.PAUSED)
        result, state, _ = sender.pipeline.get_state(5 * Gst.SECOND)
        self.assertEqual(result, Gst.StateChangeReturn.NO_PREROLL)
        self.assertEqual(state, Gst.State.PAUSED)

    def test_source_is_live(self):
        receiver = Receiver(free_port(), "latency=250")
        self.running.append(receiver)
        self.assertEqual(receiver.get("src").set_state(Gst.State.PAUSED),
                         Gst.StateChangeReturn.NO_PREROLL)
        receiver.get("src").set_state(Gst.State.NULL)

    def test_latency_of_the_source_is_that_of_its_jitter_buffer(self):
        port = free_port()
        receiver = self.start(Receiver(port, "latency=250"))
        self.start(Sender(port))
        self.assertTrue(receiver.gets_frames())
        query = Gst.Query.new_latency()
        self.assertTrue(receiver.get("src").get_static_pad("src_96")
                        .query(query))
        live, minimum, _ = query.parse_latency()
        self.assertTrue(live)
        self.assertEqual(minimum, 250 * Gst.MSECOND)


class Events(StreamTest):
    def test_flushing_seek(self):
        """rtpfunnel alone would keep the segment after the flush to itself."""
        logged = []
        handler = GLib.log_set_handler(
            "GStreamer", GLib.LogLevelFlags.LEVEL_CRITICAL
            | GLib.LogLevelFlags.LEVEL_WARNING,
            lambda domain, level, text, data: logged.append(text), None)
        port = free_port()
        receiver = self.start(Receiver(port))
        sender = self.start(Sender(port, media=VIDEO.replace(
            "is-live=true", "name=source")))
        self.assertTrue(receiver.gets_frames())
        for _ in range(2):
            self.assertTrue(sender.get("source").seek_simple(
                Gst.Format.TIME, Gst.SeekFlags.FLUSH, 0))
            self.assertTrue(receiver.gets_frames(10))
        self.assert_quiet(sender, receiver)
        GLib.log_remove_handler("GStreamer", handler)
        self.assertEqual(logged, [])

    def test_caps_change_within_a_stream(self):
        """Another size of picture: new caps in front of a new key frame."""
        port = free_port()
        receiver = self.start(Receiver(port))
        sender = Sender(port, media=VIDEO.replace(
            "video/x-raw,width=160,height=120,framerate=15/1",
            "capsfilter name=size"))
        sizes = set()

        def on_frame(pad, info):
            structure = pad.get_current_caps().get_structure(0)
            sizes.add(structure.get_int("width").value)
            return Gst.PadProbeReturn.OK
        receiver.get("frames").get_static_pad("sink").add_probe(
            Gst.PadProbeType.BUFFER, on_frame)
        for width in (160, 320):
            sender.get("size").set_property("caps", Gst.Caps.from_string(
                f"video/x-raw,width={width},height=120,framerate=15/1"))
            if width == 160:
                self.start(sender)
            self.assertTrue(wait_for(lambda: width in sizes, BACK_WITHIN + 5),
                            (width, sizes))
        self.assertTrue(receiver.gets_frames(10))
        self.assertEqual(receiver.pads, ["src_96"])
        self.assert_quiet(sender, receiver)

    def test_a_decoder_in_need_gets_a_key_frame(self):
        """GstForceKeyUnit into src_96 leaves as a PLI and, at the sender, goes
        on to the encoder."""
        port = free_port()
        receiver = self.start(Receiver(port))
        sender = self.start(Sender(port))
        self.assertTrue(receiver.gets_frames(10))
        pad = sender.get("sink").get_static_pad("sink_0").get_peer()
        asked = []

        def on_event(pad, info):
            structure = info.get_event().get_structure()
            if structure and structure.get_name() == "GstForceKeyUnit":
                asked.append(structure)
            return Gst.PadProbeReturn.OK
        pad.add_probe(Gst.PadProbeType.EVENT_UPSTREAM, on_event)
        before = receiver.stats().get_value("key-frame-requests")
        # At most one a second, of whoever asked last.
        time.sleep(1.1)
        event = Gst.Event.new_custom(
            Gst.EventType.CUSTOM_UPSTREAM,
            Gst.Structure.new_from_string(
                "GstForceKeyUnit, all-headers=(boolean)true, count=(uint)0"))
        self.assertTrue(
            receiver.get("src").get_static_pad("src_96").send_event(event))
        self.assertTrue(wait_for(lambda: asked, 1))
        self.assertTrue(asked[0].get_boolean("all-headers").value)
        self.assertGreater(
            receiver.stats().get_value("key-frame-requests"), before)
        self.assert_quiet(sender, receiver)

    def test_stats_messages_have_the_fields_of_the_stats(self):
        port = free_port()
        receiver = self.start(Receiver(port, "stats-interval=100"))
        sender = self.start(Sender(port, "stats-interval=100"))
        self.assertTrue(receiver.gets_frames(1))
        for pipeline in (sender, receiver):
            message = pipeline.pipeline.get_bus().timed_pop_filtered(
                Gst.SECOND, Gst.MessageType.ELEMENT)
            stats = pipeline.stats()
            self.assertEqual(message.get_structure().n_fields(),
                             stats.n_fields())
            self.assertTrue(message.get_structure().has_field("srtp-dropped"))

    def test_ssrc_is_left_with_a_bye(self):
        """PLAYING to PAUSED says so at once: no timeout of five seconds."""
        port = free_port()
        receiver = self.start(Receiver(port))
        sender = self.start(Sender(port))
        byes = []
        rtpbin = [element for element in
                  receiver.get("src").iterate_elements()
                  if element.get_factory().get_name() == "rtpbin"][0]
        rtpbin.connect("on-bye-ssrc",
                       lambda rtpbin, session, ssrc: byes.append(ssrc))
        self.assertTrue(receiver.gets_frames())
        sender.set_state(Gst.State.PAUSED)
        self.assertTrue(wait_for(lambda: byes, 1))


class EndOfStream(StreamTest):
    def test_eos_is_posted_by_the_sink(self):
        sender = self.start(Sender(free_port(), media=VIDEO.replace(
            "is-live=true", "is-live=true num-buffers=15")))
        self.assertTrue(wait_for(sender.has_eos))
        self.assert_quiet(sender)

    def test_eos_waits_for_the_longest_stream(self):
        port = free_port()
        short = VIDEO.replace("is-live=true", "is-live=true num-buffers=5")
        sender = self.start(Pipeline(
            f"tfrcsink name=sink port={port} {short} pt=97 ! sink. "
            "audiotestsrc is-live=true num-buffers=100 ! opusenc ! "
            "rtpopuspay ! sink."))
        started = time.monotonic()
        self.assertTrue(wait_for(sender.has_eos))
        # 100 buffers of 1024 samples at 44100 Hz are 2.3 s, the video 0.3 s.
        self.assertGreater(time.monotonic() - started, 1.8)
        self.assert_quiet(sender)


class Described(StreamTest):
    """The sink's SDP is enough to receive."""

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


class SeveralStreams(StreamTest):
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


if __name__ == "__main__":
    unittest.main(verbosity=2)
