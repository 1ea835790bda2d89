#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The priority of tfrcsink's pads: where it is set, when it holds, and that it
reaches the pacer."""

import unittest

from loopback import Gst, Pipeline, free_port, wait_for
from watched import WatchedTest

# Packets wait in PAUSED, and leave in PLAYING as the pacer orders them.
SENDER = """
    tfrcsink name=sink host=127.0.0.1 port={port} sync=false {settings}
    appsrc name=video format=time caps="application/x-rtp,media=video,
        payload=96,clock-rate=90000,encoding-name=H264,ssrc=(uint)1" !
    sink.sink_0
    appsrc name=audio format=time caps="application/x-rtp,media=audio,
        payload=97,clock-rate=48000,encoding-name=OPUS,ssrc=(uint)2" !
    sink.{audio_pad}
    {other}
"""
N_VIDEO = 3
DATA = Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST


def packet(ssrc, seq):
    header = bytes([0x80, 96 + ssrc - 1]) + seq.to_bytes(2, "big") \
        + seq.to_bytes(4, "big") + ssrc.to_bytes(4, "big")
    buffer = Gst.Buffer.new_wrapped(header + bytes(20))
    buffer.pts = 0
    return buffer


def ssrcs_of(info):
    buffers = [info.get_buffer()] if info.type & Gst.PadProbeType.BUFFER \
        else [info.get_buffer_list().get(i)
              for i in range(info.get_buffer_list().length())]
    return [int.from_bytes(buffer.extract_dup(8, 4), "big")
            for buffer in buffers]


class Priority(WatchedTest):

    def start(self, settings="", other="", audio_pad="sink_1"):
        """Packets of video and, behind them, one of audio wait."""
        self.left = []
        self.sender = Pipeline(SENDER.format(port=free_port(),
                                             settings=settings, other=other,
                                             audio_pad=audio_pad))
        self.addCleanup(self.sender.stop)
        element, = self.sender.find("sink", "rtptfrcsend")
        element.get_static_pad("src").add_probe(DATA, self.note, self.left)
        self.sender.pipeline.set_state(Gst.State.PAUSED)
        for seq in range(N_VIDEO):
            self.push("video", packet(1, seq))
        self.push("audio", packet(2, 0))

    def note(self, _pad, info, into):
        into.extend(ssrcs_of(info))
        return Gst.PadProbeReturn.OK

    def push(self, name, buffer):
        n_waiting = self.count_waiting()
        self.sender.get(name).emit("push-buffer", buffer)
        self.assertTrue(wait_for(lambda: self.count_waiting() > n_waiting))

    def count_waiting(self):
        return self.sender.get("sink").get_property("stats").get_value(
            "queue-packets")

    def first(self):
        """The SSRC of what leaves first; without a receiver the next take
        seconds."""
        self.sender.play()
        self.assertTrue(wait_for(lambda: self.left))
        return self.left[0]

    def set_priority(self, pad, value):
        self.sender.get("sink").get_static_pad(pad).set_property("priority",
                                                                 value)

    def test_audio_is_high_and_video_low_by_themselves(self):
        self.start()
        self.assertEqual(self.first(), 2)

    def test_it_is_set_in_a_launch_line(self):
        self.start("sink_1::priority=low")
        self.assertEqual(self.first(), 1)

    def test_a_pad_that_has_no_caps_yet_is_not_the_stream_s(self):
        self.start("sink_2::priority=low", other="appsrc name=idle ! "
                   "sink.sink_1", audio_pad="sink_2")
        self.assertEqual(self.first(), 1)

    def test_it_holds_for_packets_that_wait_already(self):
        self.start()
        self.set_priority("sink_0", "high")
        self.assertEqual(self.first(), 1)

    def test_pads_are_children_beside_the_elements(self):
        self.start()
        sink = self.sender.get("sink")
        names = [sink.get_child_by_index(i).get_name()
                 for i in range(sink.get_children_count())]
        self.assertEqual(names[-2:], ["sink_0", "sink_1"])
        for name in names:
            self.assertEqual(sink.get_child_by_name(name).get_name(), name)
        self.assertIsNone(sink.get_child_by_index(len(names)))


if __name__ == "__main__":
    unittest.main()
