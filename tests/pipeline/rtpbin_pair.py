#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""rtptfrcsend and rtptfrcreceive alone, each in a pipeline around an rtpbin
that somebody else wrote, over loopback sockets."""

import unittest

from loopback import Pipeline, VIDEO, free_port, wait_for
from watched import PipelineTest

UDPSINK = "udpsink host=127.0.0.1 sync=false async=false"
RTP_CAPS = ("application/x-rtp,media=video,clock-rate=90000,"
            "encoding-name=H264,payload=96")


# Needs all the bits it can get, and has one key frame in 20 s.
SNOW = ("videotestsrc is-live=true pattern=snow ! video/x-raw,width=320,"
        "height=240,framerate=30/1 ! x264enc tune=zerolatency "
        "speed-preset=ultrafast key-int-max=600 ! rtph264pay")
DELAY_MS = 100
# W_init / R, and W_init = 4380 bytes for packets of 1400 (RFC 5348 section
# 4.2): 43.8 kB/s.
INITIAL_RATE = 4380 / (DELAY_MS / 1000)


def sender(rtp_port, rtcp_port, feedback_port, media=VIDEO, network=""):
    return Pipeline(
        f"rtpbin name=bin rtptfrcsend name=tfrc {media} ! tfrc.sink "
        f"tfrc.src ! bin.send_rtp_sink_0 "
        f"bin.send_rtp_src_0 {network} ! {UDPSINK} port={rtp_port} "
        f"bin.send_rtcp_src_0 ! {UDPSINK} port={rtcp_port} "
        f"udpsrc address=127.0.0.1 port={feedback_port} "
        f"caps=application/x-rtcp ! tfrc.rtcp_sink "
        f"tfrc.rtcp_src ! bin.recv_rtcp_sink_0")


def receiver(rtp_port, rtcp_port, feedback_port, options=""):
    pipeline = Pipeline(
        f"rtpbin name=bin latency=50 rtptfrcreceive name=tfrc {options} "
        f"funnel name=rtcp "
        f"udpsrc address=127.0.0.1 port={rtp_port} caps={RTP_CAPS} "
        f"! tfrc.sink  tfrc.src ! bin.recv_rtp_sink_0 "
        f"udpsrc address=127.0.0.1 port={rtcp_port} caps=application/x-rtcp "
        f"! bin.recv_rtcp_sink_0 "
        f"tfrc.rtcp_src ! rtcp.  bin.send_rtcp_src_0 ! rtcp. "
        f"rtcp. ! {UDPSINK} port={feedback_port} "
        f"bin. ! rtph264depay ! avdec_h264 ! fakesink name=frames sync=false")
    pipeline.count("frames")
    return pipeline


def stats(pipeline):
    return pipeline.get("tfrc").get_property("stats")


class RtpbinPair(PipelineTest):
    def setUp(self):
        super().setUp()
        rtp_port = free_port(2)
        self.ports = rtp_port, rtp_port + 1, free_port()

    def check_video_flows(self, options=""):
        there = self.start(receiver(*self.ports, options))
        here = self.start(sender(*self.ports))
        self.assertTrue(wait_for(lambda: there.counts["frames"] >= 30))
        sent, received = stats(here), stats(there)

        self.assertGreater(sent["feedback"], 10)
        self.assertGreaterEqual(received["rtcp-packets"], sent["feedback"])
        for counter in "feedback-malformed", "feedback-invalid":
            self.assertEqual(sent[counter], 0, counter)
        # Loopback, and a machine that does other things too.
        for rtt in sent["rtt-ns"], received["rtt-ns"]:
            self.assertGreater(rtt, 0)
            self.assertLess(rtt, 100e6)
        # Nothing is lost on loopback, and little is under way.
        for counter in ("packets-lost", "packets-unstamped",
                        "loss-event-rate"):
            self.assertEqual(received[counter], 0, counter)
        self.assertLessEqual(abs(sent["packets"] - received["packets"]), 20)
        self.assertGreater(received["receive-rate"], 0)
        self.assertGreater(sent["allowed-rate"], sent["receive-rate"])
        self.assertEqual(there.errors() + here.errors(), [])

    def test_video_flows_and_is_reported_on(self):
        self.check_video_flows()

    def test_compound_reports_do_as_well(self):
        self.check_video_flows("rtcp-reduced-size=false")

    def test_the_rate_rises_above_the_initial_rate(self):
        there = self.start(receiver(*self.ports))
        here = self.start(sender(
            *self.ports, SNOW, f"! netsim delay-probability=1 "
            f"min-delay={DELAY_MS} max-delay={DELAY_MS}"))
        self.assertTrue(wait_for(
            lambda: stats(here)["allowed-rate"] > 2 * INITIAL_RATE
            and stats(there)["receive-rate"] > INITIAL_RATE))
        for pipeline in here, there:
            self.assertGreaterEqual(stats(pipeline)["rtt-ns"],
                                    DELAY_MS * 1e6)
            self.assertLess(stats(pipeline)["rtt-ns"], 3 * DELAY_MS * 1e6)

    def test_a_receiver_that_joins_later_gets_a_key_frame(self):
        self.start(sender(*self.ports, SNOW))
        for receives in "the first key frame", "the middle of 20 s":
            there = self.start(receiver(*self.ports))
            self.assertTrue(wait_for(lambda: there.counts["frames"] >= 15),
                            receives)
            received = stats(there)
            there.stop()
            self.running.remove(there)
        self.assertGreaterEqual(received["key-frame-requests"], 1)
        self.assertGreaterEqual(received["key-frames"], 1)


if __name__ == "__main__":
    unittest.main()
