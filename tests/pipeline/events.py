#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Events, queries and messages of tfrcsink and tfrcsrc."""

import contextlib
import socket
import struct
import threading
import time
import unittest

import gi

gi.require_version("GstVideo", "1.0")
from gi.repository import GstVideo  # noqa: E402
from loopback import (DECODE, GLib, Gst, Pipeline, Receiver, Sender, TIMEOUT, VIDEO,
                      free_port, wait_for)
from watched import PipelineTest


BYE = 203


def split(compound):
    """Type and bytes of each RTCP packet."""
    while compound:
        size = 4 + 4 * int.from_bytes(compound[2:4], "big")
        yield compound[1], compound[:size]
        compound = compound[size:]


class Events(PipelineTest):
    def check_seeks(self, sender, receiver, goes_on):
        """Of the whole pipeline; nobody says a word."""
        logged = []
        handler = GLib.log_set_handler(
            "GStreamer", GLib.LogLevelFlags.LEVEL_CRITICAL
            | GLib.LogLevelFlags.LEVEL_WARNING,
            lambda domain, level, text, data: logged.append(text), None)
        self.start(receiver)
        self.start(sender)
        self.assertTrue(goes_on())
        for _ in range(3):
            self.assertTrue(sender.pipeline.seek_simple(
                Gst.Format.TIME, Gst.SeekFlags.FLUSH, 0))
            self.assertTrue(goes_on())
        self.assert_quiet(sender, receiver)
        GLib.log_remove_handler("GStreamer", handler)
        self.assertEqual(logged, [])

    def test_flushing_seek(self):
        """Behind the flush comes a segment."""
        port = free_port()
        receiver = Receiver(port)
        sender = Sender(port, media=VIDEO.replace("is-live=true", ""))
        self.check_seeks(sender, receiver, lambda: receiver.gets_frames(10))

    def test_the_position_follows_the_source(self):
        """Of a pipeline, as an application shows it, also after a seek."""
        sender = self.start(Sender(free_port(), media=VIDEO.replace(
            "is-live=true", "")))

        def position():
            return sender.pipeline.query_position(Gst.Format.TIME)[1]
        self.assertTrue(wait_for(lambda: position() > 500 * Gst.MSECOND))
        self.assertTrue(sender.pipeline.seek_simple(
            Gst.Format.TIME, Gst.SeekFlags.FLUSH, 100 * Gst.SECOND))
        self.assertTrue(wait_for(lambda: position() > 100.5 * Gst.SECOND))

    def test_flushing_seek_of_two_streams(self):
        """What follows is flushed once for both."""
        receiver, sender = self.two_streams(
            VIDEO.replace("is-live=true", ""), "audiotestsrc")
        self.check_seeks(sender, receiver,
                         lambda: self.both_go_on(receiver))

    def test_pad_that_goes_while_the_other_streams(self):
        receiver, sender = self.two_streams(
            VIDEO, "audiotestsrc is-live=true name=source")
        self.start(receiver)
        self.start(sender)
        self.assertTrue(self.both_go_on(receiver))
        sink = sender.get("sink")
        pad = sink.get_static_pad("sink_1")
        source_pad = pad.get_peer()
        idle = threading.Event()

        def on_idle(source_pad, info):
            source_pad.unlink(pad)
            sink.release_request_pad(pad)
            idle.set()
            return Gst.PadProbeReturn.REMOVE
        source_pad.add_probe(Gst.PadProbeType.IDLE, on_idle)
        self.assertTrue(idle.wait(5))
        self.assertIsNone(sink.get_static_pad("sink_1"))
        frames = receiver.counts["frames"]
        self.assertTrue(wait_for(
            lambda: receiver.counts["frames"] >= frames + 20))
        self.assertEqual(receiver.errors(), [])
        # That of the audio, which has nowhere to go any more.
        self.assertEqual(sender.errors(), ["Internal data stream error."])

    def two_streams(self, video, audio):
        """A receiver and a sender of both, that are not started."""
        port = free_port()
        receiver = Pipeline(
            f"tfrcsrc name=src port={port} src.src_96 ! {DECODE} "
            "src.src_97 ! rtpopusdepay ! fakesink name=audio sync=false")
        receiver.get("src").set_property("caps", Gst.Caps.from_string(
            "application/x-rtp,payload=96,media=video,clock-rate=90000,"
            "encoding-name=H264;application/x-rtp,payload=97,media=audio,"
            "clock-rate=48000,encoding-name=OPUS"))
        receiver.count("frames")
        receiver.count("audio")
        return receiver, Pipeline(
            f"tfrcsink name=sink port={port} {video} ! sink.sink_0 "
            f"{audio} ! opusenc ! rtpopuspay pt=97 ! sink.sink_1")

    @staticmethod
    def both_go_on(receiver):
        before = dict(receiver.counts)
        return wait_for(lambda: all(receiver.counts[name] >= before[name] + 10
                                    for name in before))

    def test_caps_change_within_a_stream(self):
        """Another size of picture: new caps in front of a new key frame."""
        port = free_port()
        receiver = self.start(Receiver(port))
        sender = Sender(port, media=VIDEO.replace(
            "video/x-raw,width=160,height=120,framerate=15/1",
            "capsfilter name=size"))
        sizes = set()

        def on_frame(pad, info):
            sizes.add(pad.get_current_caps()[0]["width"])
            return Gst.PadProbeReturn.OK
        receiver.get("frames").get_static_pad("sink").add_probe(
            Gst.PadProbeType.BUFFER, on_frame)
        for width in (160, 320):
            sender.get("size").set_property("caps", Gst.Caps.from_string(
                f"video/x-raw,width={width},height=120,framerate=15/1"))
            if width == 160:
                self.start(sender)
            self.assertTrue(wait_for(lambda: width in sizes),
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
            event = info.get_event()
            if GstVideo.video_event_is_force_key_unit(event):
                asked.append(
                    GstVideo.video_event_parse_upstream_force_key_unit(event))
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
        self.assertTrue(asked[0].all_headers)
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
        receiver.find("src", "rtpbin")[0].connect(
            "on-bye-ssrc", lambda rtpbin, session, ssrc: byes.append(ssrc))
        self.assertTrue(receiver.gets_frames())
        sender.set_state(Gst.State.PAUSED)
        self.assertTrue(wait_for(lambda: byes, 1))

    def test_forty_streams_are_left_with_byes(self):
        """One has room for 31 SSRCs (RFC 3550 section 6.6)."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as there:
            there.bind(("127.0.0.1", 0))
            there.settimeout(TIMEOUT)
            caps = "application/x-rtp,media=audio,clock-rate=8000,payload=0"
            sender = self.start(Pipeline(
                f"tfrcsink name=sink port={there.getsockname()[1]} "
                "feedback=none fec=0 sync=false "
                + " ".join(f"appsrc name=a{n} format=time caps={caps},ssrc=(uint){n} ! sink."
                           for n in range(1, 41))))
            for n in range(1, 41):
                sender.get(f"a{n}").emit("push-buffer", Gst.Buffer.new_wrapped(
                    struct.pack(">BBHII", 0x80, 0, 1, 0, n)))
            heard, left = set(), set()
            while len(heard) < 40:
                data = there.recv(2048)
                if data[1] == 0:
                    heard.add(data[8:12])
            sender.set_state(Gst.State.PAUSED)
            with contextlib.suppress(TimeoutError):
                there.settimeout(1)
                while heard - left:
                    for kind, packet in split(there.recv(2048)):
                        if kind == BYE:
                            left |= {packet[i:i + 4]
                                     for i in range(4, len(packet), 4)}
        self.assertEqual(heard - left, set())

    def test_no_packet_follows_a_bye(self):
        """Though some are on their way when PLAYING ends: those of several streams that
        are due at once are pushed one after the other."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as there:
            there.bind(("127.0.0.1", 0))
            there.settimeout(TIMEOUT)
            caps = "application/x-rtp,media=audio,clock-rate=8000,payload=0"
            sender = self.start(Pipeline(
                f"tfrcsink name=sink port={there.getsockname()[1]} fec=0 sync=false "
                "feedback=none start-bitrate=10000000 "
                + " ".join(f"appsrc name=a{n} format=time caps={caps},ssrc=(uint){n} ! sink."
                           for n in range(5))))
            pad = sender.find("sink", "rtpbin")[0].get_static_pad(
                "send_rtp_src_0")
            pushed = threading.Semaphore(0)

            def hold(_pad, _info):
                pushed.release()
                time.sleep(0.02)
                return Gst.PadProbeReturn.OK
            pad.add_probe(Gst.PadProbeType.BUFFER
                          | Gst.PadProbeType.BUFFER_LIST, hold)
            for n in range(5):
                sender.get(f"a{n}").emit("push-buffer", Gst.Buffer.new_wrapped(
                    struct.pack(">BBHII", 0x80, 0, 1, 0, n)))
            # The first of those that came meanwhile.
            for _ in range(2):
                self.assertTrue(pushed.acquire(timeout=TIMEOUT))
            # Else it takes chance for a packet to leave in between.
            for udpsink in sender.find("sink", "udpsink"):
                udpsink.set_locked_state(True)
            sender.set_state(Gst.State.PAUSED)
            kinds = []
            there.settimeout(0.5)
            with contextlib.suppress(TimeoutError):
                while True:
                    kinds.append(there.recv(2048)[1])
        for udpsink in sender.find("sink", "udpsink"):
            udpsink.set_locked_state(False)
        # RTCP has types of 200 to 204; BYE stands behind an RR.
        self.assertIn(kinds[-1], range(200, 205), kinds[-5:])


class EndOfStream(PipelineTest):
    def test_eos_is_posted_by_the_sink(self):
        sender = self.start(Sender(free_port(), media=VIDEO.replace(
            "is-live=true", "is-live=true num-buffers=15")))
        self.assertTrue(wait_for(sender.has_eos))
        self.assertEqual(sender.errors(), [])

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
        self.assertEqual(sender.errors(), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
