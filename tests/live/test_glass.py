#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The time code in the demo's scene, and when the demo says that a frame is
shown."""

import functools
import pathlib
import sys
import unittest

import numpy as np

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "examples"))

from live import glass, scene, time_code  # noqa: E402
from live.glass import Gst, GstVideo  # noqa: E402
from live.recording import Recording  # noqa: E402

Gst.init(None)


@functools.cache
def the_scene():
    return scene.Scene()


def luma_with(milliseconds):
    data = the_scene().frame(0, milliseconds)
    return np.frombuffer(data, np.uint8)[:scene.WIDTH * scene.HEIGHT].reshape(
        scene.HEIGHT, scene.WIDTH).copy()


class TimeCode(unittest.TestCase):

    def test_what_is_drawn_is_read(self):
        for milliseconds in (0, 1, 12345, time_code.PERIOD_MS - 1):
            self.assertEqual(
                time_code.read(luma_with(milliseconds)), milliseconds)

    def test_it_wraps(self):
        self.assertEqual(
            time_code.read(luma_with(3 * time_code.PERIOD_MS + 7)), 7)
        self.assertEqual(
            time_code.age_ms(65530, 4 * time_code.PERIOD_MS + 4.5), 10.5)

    def test_pictures_without_a_code_tell_nothing(self):
        self.assertIsNone(time_code.read(luma_with(None)))
        for shape in ((360, 640), (360, 100), (16, 640)):
            for level in (0, 255):
                self.assertIsNone(time_code.read(
                    np.full(shape, level, np.uint8)))

    def test_every_damaged_block_is_found(self):
        intact = luma_with(12345)
        for row in range(2):
            for column in range(time_code.BITS):
                luma = intact.copy()
                y, x = row * time_code.BLOCK, column * time_code.BLOCK
                block = luma[y:y + time_code.BLOCK, x:x + time_code.BLOCK]
                block[:] = 255 - block
                self.assertIsNone(time_code.read(luma))

    def test_it_survives_300_kbit_s(self):
        """As does the layout of the decoder's frames."""
        pipeline = Gst.parse_launch(
            f"appsrc name=camera format=time caps={scene.CAPS} "
            "! x264enc tune=zerolatency speed-preset=veryfast bitrate=300 "
            "vbv-buf-capacity=100 ! avdec_h264 ! appsink name=screen sync=false")
        camera, screen = map(pipeline.get_by_name, ("camera", "screen"))
        picture = the_scene()
        pipeline.set_state(Gst.State.PLAYING)
        drawn = [1000 * n // scene.FRAMES_PER_S for n in range(90)]
        for n, milliseconds in enumerate(drawn):
            buffer = Gst.Buffer.new_wrapped(picture.frame(n, milliseconds))
            buffer.pts = n * Gst.SECOND // scene.FRAMES_PER_S
            camera.emit("push-buffer", buffer)
        camera.emit("end-of-stream")
        read = []
        while (sample := screen.emit("pull-sample")) is not None:
            info = GstVideo.VideoInfo.new_from_caps(sample.get_caps())
            read.append(time_code.read(
                glass.luma_of(sample.get_buffer(), info)))
        pipeline.set_state(Gst.State.NULL)
        self.assertEqual(read, drawn)


class Shown(unittest.TestCase):

    FRAMES = 20

    def told_and_handed(self, latency_ms):
        """Of each frame, when Glass says that it is shown, and when the sink
        hands it out [ms]."""
        pipeline = Gst.parse_launch(
            f"videotestsrc is-live=true num-buffers={self.FRAMES} "
            "! video/x-raw,format=I420,width=320,height=64,framerate=30/1 "
            "! queue name=shown ! fakesink name=screen sync=true "
            "signal-handoffs=true")
        pipeline.set_latency(latency_ms * Gst.MSECOND)
        told, handed = [], []
        glass.Glass(pipeline, pipeline.get_by_name("shown").get_static_pad(
            "src"), lambda at, _code: told.append(at / 1e6))
        pipeline.get_by_name("screen").connect(
            "handoff", lambda *_: handed.append(
                pipeline.get_clock().get_time() / 1e6))
        pipeline.set_state(Gst.State.PLAYING)
        pipeline.get_bus().timed_pop_filtered(
            20 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        pipeline.set_state(Gst.State.NULL)
        self.assertEqual((len(told), len(handed)), (self.FRAMES, self.FRAMES))
        return np.array(told), np.array(handed)

    def test_a_frame_is_shown_when_the_sink_shows_it(self):
        for latency_ms in (50, 250):
            told, handed = self.told_and_handed(latency_ms)
            self.assertLess(abs(np.median(handed - told)), 10)


class Recorded(unittest.TestCase):

    def test_the_delay_is_counted_from_the_time_in_the_pixels(self):
        recording = Recording()
        recording.take("sender", {
            "event": "playing", "t": 0, "base_ns": 5_000_000_000})
        for at, code in ((6_150_000_000, 1000), (6_200_000_000, None),
                         (5_000_000_000 + 65_600_000_000, 65_500)):
            recording.take("receiver", {
                "event": "shown", "t": at, "at": at, "time_code": code})
        self.assertEqual(recording.glass_to_glass_ms.values, [150, 100])
        self.assertEqual(recording.glass_to_glass_ms.times, [1.15, 65.6])


if __name__ == "__main__":
    unittest.main()
