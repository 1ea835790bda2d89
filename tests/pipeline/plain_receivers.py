#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Receivers that know nothing of TFRC, and none at all: a sender that follows
nothing else says what is wrong, and that it is over."""

import unittest

from loopback import Gst, Pipeline, Receiver, Sender, free_port, wait_for
from rtpbin_pair import RTP_CAPS, UDPSINK, sender
from watched import PipelineTest


def plain_receiver(rtp_port, rtcp_port, feedback_port):
    """As the manual of rtpbin has it."""
    return Pipeline(
        f"rtpbin name=bin udpsrc address=127.0.0.1 port={rtp_port} "
        f"caps={RTP_CAPS} ! bin.recv_rtp_sink_0 "
        f"udpsrc address=127.0.0.1 port={rtcp_port} caps=application/x-rtcp "
        f"! bin.recv_rtcp_sink_0 "
        f"bin.send_rtcp_src_0 ! {UDPSINK} port={feedback_port} "
        f"bin. ! rtph264depay ! fakesink name=frames sync=false")


class PlainReceivers(PipelineTest):
    def setUp(self):
        super().setUp()
        rtp_port = free_port(2)
        self.ports = rtp_port, rtp_port + 1, free_port()

    def assert_warned(self, pipeline, name, state, word):
        self.assertTrue(wait_for(pipeline.warnings))
        self.assertEqual(len(pipeline.warnings()), 1)
        self.assertIn(word, pipeline.warnings()[0])
        stats = pipeline.get(name).get_property("stats")
        self.assertEqual(stats.get_value("feedback-state"), state)

    def test_rtpbin_behind_rtptfrcsend(self):
        self.start(plain_receiver(*self.ports))
        here = sender(*self.ports)
        Gst.util_set_object_arg(here.get("tfrc"), "feedback", "tfrc")
        self.start(here)
        self.assert_warned(here, "tfrc", "rtcp-only", "rtptfrcreceive")

    def test_rtpbin_behind_tfrcsink(self):
        """Its RTCP goes to the port behind the one that RTP comes from."""
        bind_port = free_port(2)
        self.start(plain_receiver(*self.ports[:2], bind_port + 1))
        here = self.start(Sender(
            self.ports[0], f"rtcp-mux=false bind-port={bind_port} "
            "feedback=tfrc"))
        self.assert_warned(here, "sink", "rtcp-only", "tfrcsrc")

    def test_who_never_answers_gets_what_the_encoder_makes(self):
        sender = self.start(Pipeline(
            "videotestsrc is-live=true pattern=snow ! video/x-raw,width=320,"
            "height=240,framerate=30/1 ! x264enc name=encoder bitrate=1000 "
            "tune=zerolatency speed-preset=ultrafast ! rtph264pay ! tfrcsink "
            f"name=sink feedback=none encoder-control=false port={free_port()}"))

        def stat(name):
            return sender.get("sink").get_property("stats").get_value(name)
        self.assertTrue(wait_for(lambda: stat("packets") >= 300))
        self.assertEqual(sender.get("encoder").get_property("bitrate"), 1000)
        self.assertEqual(stat("frames-dropped"), 0)
        self.assertIn("what the encoder makes", sender.warnings()[0])

    def test_nobody_and_then_somebody(self):
        here = self.start(Sender(self.ports[0]))
        self.assert_warned(here, "sink", "silent", "running")
        there = self.start(Receiver(self.ports[0]))
        self.assertTrue(there.gets_frames())
        self.assertTrue(wait_for(here.infos))
        self.assertEqual(len(here.infos()), 1)
        self.assertEqual(len(here.warnings()), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
