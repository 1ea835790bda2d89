#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A scene that does not move for a while: what the encoder may make when it does.
Over a relay of 8 Mbit/s and 200 ms, to a tfrcsrc and to an rtpbin of GStreamer's own
elements."""

import os
import pathlib
import subprocess
import tempfile
import time
import unittest

from loopback import Gst, Pipeline, Receiver, free_port, wait_for
from other_receivers import EXTENSION
from rtpbin_pair import UDPSINK
from watched import PipelineTest

RELAY = os.path.join(os.environ.get("TFRC_BUILD_DIR", "build"),
                     "tests", "support", "tfrc-relay")
LINK = "rate_kbit_s 8000\nqueue_ms 500\ndelay_ms 100\n"
LOSSY_LINK = "rate_kbit_s 8000\nqueue_ms 500\ndelay_ms 25\nloss 0.01\n"
STILL = 20      # seconds
MOST = 40       # of waiting for ENOUGH: it takes 1 to 3 with probes, 4 to 7 without
ENOUGH = 5.6e6  # bits/s, 0.7 of what the link carries
LOST = 90       # th packet
BEGINNING = 350400  # bits/s, the most of W_init / R: 4380 bytes in 100 ms
ENCODER = ("videotestsrc name=scene is-live=true pattern=black "
           "! video/x-raw,width=320,height=180,framerate=30/1 "
           "! x264enc name=encoder tune=zerolatency speed-preset=ultrafast "
           "key-int-max=10000 bitrate=300")
CAPS = {
    96: "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,"
        f"payload=96,rtcp-fb-nack=(boolean)true,{EXTENSION}",
    127: "application/x-rtp,media=video,clock-rate=90000,encoding-name=RTX,"
         "payload=127,apt=(string)96"}


def make_aux(_rtpbin, session):
    aux = Gst.Bin()
    receive = Gst.ElementFactory.make("rtprtxreceive")
    receive.set_property("payload-type-map", Gst.Structure.from_string(
        "application/x-rtp-pt-map,96=(uint)127")[0])
    aux.add(receive)
    for name in ("sink", "src"):
        aux.add_pad(Gst.GhostPad.new(f"{name}_{session}",
                                     receive.get_static_pad(name)))
    return aux


class StillScene(PipelineTest):
    def start_relay(self, port, link=LINK):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        profile = pathlib.Path(folder.name, "still.link")
        profile.write_text(link)
        process = subprocess.Popen(
            [RELAY, "--profile", profile, "--listen", "0",
             "--to", f"127.0.0.1:{port}"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return int(process.stdout.readline().split()[1])

    def start_sender(self, caps, port, options="", link=LINK):
        self.here = self.start(Pipeline(
            f"{ENCODER} ! rtph264pay aggregate-mode=zero-latency ! {caps} "
            f"! tfrcsink name=sink port={self.start_relay(port, link)} "
            f"delay-target=8 {options}"))

    def stats(self, name):
        return self.here.get("sink").get_property("stats").get_value(name)

    def stay_still(self):
        """Gives X [bits/s] at the end."""
        time.sleep(STILL)
        return 8 * self.stats("allowed-rate")

    def move(self):
        """Seconds until the encoder is told ENOUGH."""
        self.here.get("scene").set_property("pattern", "snow")
        begun = time.monotonic()
        self.assertTrue(wait_for(
            lambda: self.stats("encoder-target-bitrate") > ENOUGH, MOST))
        return time.monotonic() - begun

    def test_a_tfrcsrc(self):
        """What it gets of padding goes no further."""
        port = free_port()
        there = self.start(Receiver(port))
        self.start_sender("application/x-rtp", port)
        self.assertGreater(self.stay_still(), 1.5 * BEGINNING)
        self.assertGreater(self.stats("padding-bytes"), 10000)
        self.move()
        self.assertGreater(there.frames, 30 * STILL / 2)
        self.assertEqual(there.pads, ["src_96"])
        self.assert_quiet(there, self.here)

    def test_what_nobody_asked_for_is_not_late(self):
        """Once an answer was asked for, probes are repetitions of the last second: a
        tfrcsrc waited for these, up to its most, half a second."""
        port = free_port()
        there = self.start(Receiver(port))
        self.start_sender("application/x-rtp", port, link=LOSSY_LINK)
        self.stay_still()
        self.assertGreater(self.stats("retransmissions-sent"), 0)
        self.assertGreater(self.stats("padding-probes"), 3)
        self.assertLess(there.stats().get_value("latency-ns"), 300e6)

    def start_stock_receiver(self, port, feedback_port, asks):
        """As the manual of rtpbin has it, with transport-wide feedback and RTX."""
        there = Pipeline(
            f"rtpbin name=bin rtp-profile=avpf do-retransmission={asks} "
            f"latency=500 udpsrc name=rtp address=127.0.0.1 port={port} "
            f"caps=\"{CAPS[96]}\" {UDPSINK} name=rtcp port={feedback_port} "
            "bin. ! rtph264depay ! avdec_h264 "
            "! fakesink name=frames sync=false")
        rtpbin = there.get("bin")
        self.streams = []
        rtpbin.connect("request-aux-receiver", make_aux)
        rtpbin.connect("request-pt-map", lambda _bin, _session, payload_type:
                       Gst.Caps.from_string(CAPS[payload_type]))
        rtpbin.connect("new-jitterbuffer", self.lose_one)
        rtpbin.connect("pad-added", lambda _bin, pad: pad.get_name().startswith(
            "recv_rtp_src") and self.streams.append(pad.get_name()))
        there.get("rtp").link_pads("src", rtpbin, "recv_rtp_sink_0")
        rtpbin.link_pads("send_rtcp_src_0", there.get("rtcp"), "sink")
        session = rtpbin.emit("get-internal-session", 0)
        session.set_property("twcc-feedback-interval", 50 * Gst.MSECOND)
        session.set_property("rtcp-min-interval", 20 * Gst.MSECOND)
        session.set_property("bandwidth", 2e6)
        there.count("frames")
        return self.start(there)

    def lose_one(self, _rtpbin, buffer, _session, _ssrc):
        """The LOSTth packet, behind the session that has reported it."""
        packets = []

        def lose(_pad, _info):
            packets.append(1)
            return (Gst.PadProbeReturn.DROP if len(packets) == LOST
                    else Gst.PadProbeReturn.OK)
        buffer.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, lose)

    def stay_still_before_rtpbin(self, asks):
        port, bind_port = free_port(2), free_port(2)
        there = self.start_stock_receiver(port, bind_port + 1, asks)
        self.start_sender(f"application/x-rtp,{EXTENSION}", port,
                          f"rtcp-mux=false bind-port={bind_port}")
        rate = self.stay_still()
        self.assertEqual(self.stats("feedback-format"), "twcc")
        self.assertGreater(there.counts["frames"], 30 * STILL / 2)
        self.assertEqual(len(self.streams), 1)
        self.assert_quiet(there, self.here)
        return rate

    def test_an_rtpbin_that_had_a_packet_again(self):
        """It drops what it did not ask for."""
        self.assertGreater(self.stay_still_before_rtpbin(asks=True),
                           1.5 * BEGINNING)
        self.assertGreater(self.stats("padding-bytes"), 10000)

    def test_an_rtpbin_that_never_asked(self):
        """Nothing is known of what it takes."""
        self.assertLess(self.stay_still_before_rtpbin(asks=False),
                        1.2 * BEGINNING)
        self.assertEqual(self.stats("padding-bytes"), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
