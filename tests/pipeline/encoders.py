#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Encoders of several pads share a link of 400 kbit/s: what they are told, and that
they have their own bitrates again when the sender lets go of them; and pictures whose
size follows what one is told."""

import statistics
import time
import unittest

from audio import RECEIVER, start_relay
from loopback import Gst, Pipeline, Receiver, Sender, free_port, wait_for
from watched import PipelineTest, WatchedTest

LINK = "rate_kbit_s 400\ndelay_ms 25\nqueue_ms 300\n"
# With delay control x264enc has a buffer so short that it is told up to a quarter
# more than it makes.
SENDER = "tfrcsink name=sink host=127.0.0.1 port={port} delay-target=0 {streams}"
VIDEO = """
    videotestsrc is-live=true pattern=snow !
    video/x-raw,width=160,height=120,framerate=30/1 !
    x264enc name=encoder{number} bitrate=1234 tune=zerolatency
        speed-preset=ultrafast key-int-max=300 !
    rtph264pay pt={type} ! sink.sink_{number}
"""
# 24 kbit/s, and 50 headers a second of 12 + 4 + 8 bytes.
AUDIO = """
    audiotestsrc is-live=true wave=pink-noise !
    opusenc bitrate=24000 bitrate-type=cbr !
    rtpopuspay pt=97 ! sink.sink_1
"""
PICTURES = """
    videotestsrc is-live=true ! video/x-raw,width=640,height=480,framerate=15/1 !
    tfrcvideoscale name=scale !
    x264enc tune=zerolatency speed-preset=ultrafast key-int-max=300 ! rtph264pay
"""
AUDIO_KBIT_S = 24 + 50 * 24 * 8 / 1000
OWN_KBIT_S = 1234
# Until the rate has come to that of the link.
START_S = 6
COUNTED_S = 10


class Encoders(WatchedTest):

    def start(self, *streams):
        port = free_port()
        receiver = Pipeline(RECEIVER.format(port=port))
        relay, relay_port = start_relay(LINK, port, 0)
        self.sender = Pipeline(SENDER.format(port=relay_port,
                                             streams=" ".join(streams)))
        for step in (relay.stdout.close, relay.wait, relay.terminate,
                     receiver.stop, self.sender.stop):
            self.addCleanup(step)
        receiver.play()
        self.sender.play()

    def told(self, number):
        return self.sender.get(f"encoder{number}").get_property("bitrate")

    def stat(self, name):
        return self.sender.get("sink").get_property("stats").get_value(name)

    def measure(self, n_encoders):
        """Means in kbit/s: of what each is told, and of what they may share."""
        time.sleep(START_S)
        told, allowed = [[] for _ in range(n_encoders)], []
        end = time.monotonic() + COUNTED_S
        while time.monotonic() < end:
            for number, values in enumerate(told):
                values.append(self.told(number))
            allowed.append(self.stat("smoothed-bitrate") / 1000)
            time.sleep(0.05)
        self.assertEqual(self.sender.warnings(), [])
        return [statistics.mean(values) for values in told], \
            statistics.mean(allowed)

    def stop_and_look(self, n_encoders):
        """The worker that sets bitrates may come after the end."""
        self.sender.set_state(Gst.State.NULL)
        for number in range(n_encoders):
            self.assertTrue(wait_for(lambda: self.told(number) == OWN_KBIT_S))

    def test_two_videos_share_the_rate(self):
        """Headers and what waits take some of it."""
        self.start(VIDEO.format(number=0, type=96),
                   VIDEO.format(number=1, type=98))
        told, allowed = self.measure(2)
        self.assertLess(sum(told), allowed)
        self.assertGreater(sum(told), 0.8 * allowed)
        self.assertGreater(min(told), 0.4 * sum(told))
        self.stop_and_look(2)

    def test_video_is_told_what_audio_leaves(self):
        self.start(VIDEO.format(number=0, type=96), AUDIO)
        (told,), allowed = self.measure(1)
        self.assertLess(told, allowed - AUDIO_KBIT_S)
        self.assertGreater(told, 0.8 * (allowed - AUDIO_KBIT_S))
        self.stop_and_look(1)


class PictureSizes(PipelineTest):
    def width(self):
        caps = self.receiver.get("frames").get_static_pad(
            "sink").get_current_caps()
        return caps and caps[0]["width"]

    def test_pictures_become_smaller_and_larger_again(self):
        """640x480 at 15 frames/s needs 110,592 bits/s, a half of it 27,648."""
        port = free_port()
        self.receiver = self.start(Receiver(port))
        sender = self.start(Sender(port, "max-bitrate=2000000", PICTURES))
        self.assertTrue(self.receiver.gets_frames(15))
        self.assertEqual(self.width(), 640)
        sender.get("sink").set_property("max-bitrate", 50000)
        self.assertTrue(wait_for(lambda: self.width() == 320))
        self.assertTrue(self.receiver.gets_frames(15))
        sender.get("sink").set_property("max-bitrate", 2000000)
        self.assertTrue(wait_for(lambda: self.width() == 640))
        self.assertTrue(self.receiver.gets_frames(15))
        self.assert_quiet(sender, self.receiver)


if __name__ == "__main__":
    unittest.main()
