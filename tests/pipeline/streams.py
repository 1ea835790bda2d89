#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Several streams through one tfrcsink."""

import time
import unittest

from loopback import Gst, Pipeline, free_port, wait_for
from watched import PipelineTest, SLOWNESS

FORMATS = {"H264": ("video", 90000), "OPUS": ("audio", 48000),
           "VP8": ("video", 90000)}


def rtp_caps(payload_type, encoding):
    media, clock_rate = FORMATS[encoding]
    return (f"application/x-rtp,media={media},encoding-name={encoding},"
            f"clock-rate={clock_rate},payload={payload_type}")


class Streams(Pipeline):
    """What arrives at src_%u, packet by packet, undecoded."""

    def __init__(self, port, payload_types, options=""):
        super().__init__(f"tfrcsrc name=src port={port} {options} " + " ".join(
            f"src.src_{number} ! fakesink name=sink_{number} sync=false "
            "async=false" for number in payload_types))
        for number in payload_types:
            self.count(f"sink_{number}")

    def all_arrive(self, n_packets=20):
        before = dict(self.counts)
        return wait_for(lambda: all(self.counts[name] >= before[name]
                                    + n_packets for name in before))


class Waiting(PipelineTest):
    def test_a_stream_that_is_early_does_not_hold_the_others(self):
        """Of files: the next picture is a second away, sound is not."""
        port = free_port()
        receiver = Streams(port, (96, 97), f"caps=\"{rtp_caps(96, 'H264')};"
                           f"{rtp_caps(97, 'OPUS')}\"")
        sender = Pipeline(
            "videotestsrc ! video/x-raw,framerate=1/1,width=160,height=120 ! "
            "x264enc tune=zerolatency ! rtph264pay ! sink.sink_0 "
            "audiotestsrc ! opusenc ! rtpopuspay pt=97 ! sink.sink_1 "
            f"tfrcsink name=sink port={port}")
        gaps = []
        last = [None]

        def on_buffer(pad, info):
            now = time.monotonic()
            if last[0]:
                gaps.append(now - last[0])
            last[0] = now
            return Gst.PadProbeReturn.OK
        self.start(receiver)
        self.start(sender)
        self.assertTrue(receiver.all_arrive(1))
        receiver.get("sink_97").get_static_pad("sink").add_probe(
            Gst.PadProbeType.BUFFER, on_buffer)
        # 3 s of packets of 20 ms, by the clock.
        self.assertTrue(wait_for(lambda: len(gaps) >= 150))
        self.assertLess(max(gaps), 0.5 * SLOWNESS)
        self.assert_quiet(sender, receiver)


    def slow_video_and_sound(self):
        """The second picture waits for ten seconds."""
        port = free_port()
        receiver = Streams(port, (97,), f"caps=\"{rtp_caps(96, 'H264')};"
                           f"{rtp_caps(97, 'OPUS')}\"")
        sender = Pipeline(
            "videotestsrc ! video/x-raw,framerate=1/10,width=160,height=120 ! "
            "x264enc tune=zerolatency ! rtph264pay name=pay ! sink.sink_0 "
            "audiotestsrc name=source ! opusenc ! rtpopuspay pt=97 ! "
            f"sink.sink_1 tfrcsink name=sink port={port}")
        self.start(receiver)
        self.start(sender)
        self.assertTrue(receiver.all_arrive())
        return receiver, sender

    def test_a_pad_goes_while_its_stream_waits(self):
        receiver, sender = self.slow_video_and_sound()
        sink = sender.get("sink")
        pad = sink.get_static_pad("sink_0")
        started = time.monotonic()
        pad.get_peer().unlink(pad)
        sink.release_request_pad(pad)
        self.assertLess(time.monotonic() - started, 2 * SLOWNESS)
        self.assertEqual(len(sender.find("sink", "clocksync")), 1)
        self.assertTrue(receiver.all_arrive())

    def test_a_stream_flushes_while_another_one_waits(self):
        receiver, sender = self.slow_video_and_sound()
        started = time.monotonic()
        self.assertTrue(sender.get("source").seek_simple(
            Gst.Format.TIME, Gst.SeekFlags.FLUSH, 0))
        self.assertTrue(receiver.all_arrive())
        self.assertLess(time.monotonic() - started, 5 * SLOWNESS)
        self.assert_quiet(sender, receiver)

    def test_sync_is_that_of_all_streams(self):
        receiver, sender = self.slow_video_and_sound()
        sink = sender.get("sink")
        for sync in (False, True):
            sink.set_property("sync", sync)
            self.assertEqual(sink.get_property("sync"), sync)
            sink.request_pad_simple("sink_%u")
            self.assertEqual({element.get_property("sync") for element
                              in sender.find("sink", "clocksync")}, {sync})
        self.assertEqual(len(sender.find("sink", "clocksync")), 4)

    def test_the_clock_of_the_pipeline_outlives_its_pads(self):
        _, sender = self.slow_video_and_sound()
        sink = sender.get("sink")
        for pad in list(sink.sinkpads):
            pad.get_peer().unlink(pad)
            sink.release_request_pad(pad)
        self.assertEqual(sender.of_type(Gst.MessageType.CLOCK_LOST), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
