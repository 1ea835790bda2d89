#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""tfrcsink and receivers of another make: rtpbin with transport-wide feedback
and with reception reports alone, ffmpeg, and one that sends RFC 8888."""

import pathlib
import socket
import struct
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]
                       / "support"))

import rtsp_player  # noqa: E402
from loopback import TIMEOUT, Pipeline, Sender, free_port, wait_for  # noqa: E402
from rtpbin_pair import RTP_CAPS, SNOW, UDPSINK  # noqa: E402
from watched import PipelineTest  # noqa: E402

EXTENSION = ("extmap-5=(string)http://www.ietf.org/id/"
             "draft-holmer-rmcat-transport-wide-cc-extensions-01")
# A stream, and not a few packets in a second.
PACKETS = 300
# Frames of two seconds.
FRAMES = 60
# Somebody who joins late needs key frames.
OFTEN_KEYED = SNOW.replace("key-int-max=600", "key-int-max=30")


def rtpbin_receiver(rtp_port, feedback_port, profile="avp", caps=RTP_CAPS):
    return Pipeline(
        f"rtpbin name=bin rtp-profile={profile} "
        f"udpsrc address=127.0.0.1 port={rtp_port} caps=\"{caps}\" "
        f"! bin.recv_rtp_sink_0 "
        f"udpsrc address=127.0.0.1 port={rtp_port + 1} "
        f"caps=application/x-rtcp ! bin.recv_rtcp_sink_0 "
        f"bin.send_rtcp_src_0 ! {UDPSINK} port={feedback_port} "
        f"bin. ! rtph264depay ! fakesink sync=false")


class Rfc8888Receiver(threading.Thread):
    """Reports each 50 ms of all packets since the report before."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", port))
        self.socket.settimeout(0.05)
        self.stopped = False
        self.start()

    def stop(self):
        self.stopped = True
        self.join()
        self.socket.close()

    def run(self):
        arrivals, report_at = {}, 0
        while not self.stopped:
            try:
                data, sender = self.socket.recvfrom(2048)
            except socket.timeout:
                continue
            if 192 <= data[1] <= 223:    # RTCP, RFC 5761 section 4
                continue
            seq, ssrc = struct.unpack_from("!H4xI", data, 2)
            arrivals[seq] = time.time()
            if time.time() >= report_at:
                report_at = time.time() + 0.05
                self.socket.sendto(self.report(ssrc, arrivals), sender)
                arrivals = {}

    @staticmethod
    def report(ssrc, arrivals):
        """RFC 8888 section 3.1; numbers that wrap go into the next one."""
        now = time.time()
        first, last = min(arrivals), max(arrivals)
        if last - first > 1000:
            first = last
        metrics = [
            0x8000 | min(int((now - arrivals[seq]) * 1024), 0x1FFD)
            if seq in arrivals else 0 for seq in range(first, last + 1)]
        body = struct.pack("!IIHH", 0x1234, ssrc, first, len(metrics))
        metrics += [0] * (len(metrics) % 2)
        body += struct.pack(f"!{len(metrics)}H", *metrics)
        body += struct.pack("!I", int(now * 65536) & 0xFFFFFFFF)
        return struct.pack("!BBH", 0x8B, 205, len(body) // 4) + body


class OtherReceivers(PipelineTest):
    def setUp(self):
        super().setUp()
        self.port, self.bind_port = free_port(2), free_port(2)

    def assert_follows(self, here, feedback_format):
        def stats():
            return here.stats().get_value
        self.assertTrue(wait_for(
            lambda: stats()("feedback-format") == feedback_format))
        self.assertTrue(wait_for(lambda: stats()("packets") > PACKETS, 30))
        self.assertEqual(stats()("feedback-state"), "working")
        self.assertEqual(stats()("arrivals-unknown"), 0)

    def test_transport_wide_feedback(self):
        there = rtpbin_receiver(self.port, self.bind_port + 1, "avpf",
                                f"{RTP_CAPS},{EXTENSION}")
        session = there.get("bin").emit("get-internal-session", 0)
        session.set_property("twcc-feedback-interval", 50000000)
        session.set_property("rtcp-min-interval", 20000000)
        session.set_property("bandwidth", 2e6)
        self.start(there)
        here = self.start(Sender(
            self.port, f"rtcp-mux=false bind-port={self.bind_port}",
            f"{SNOW} ! application/x-rtp,{EXTENSION}"))
        self.assert_follows(here, "twcc")

    def test_reception_reports(self):
        self.start(rtpbin_receiver(self.port, self.bind_port + 1))
        here = self.start(Sender(
            self.port, f"rtcp-mux=false bind-port={self.bind_port}", SNOW))
        self.assert_follows(here, "rr")

    @unittest.skipUnless(rtsp_player.is_installed(), "ffmpeg is not there")
    def test_ffmpeg(self):
        """It plays the SDP of tfrcsink, and reports for each 280 kB.  As with a
        server of RTSP, packets come once it has asked for them."""
        options = ("rtcp-mux=false feedback=rr start-bitrate=1000000 "
                   f"bind-port={self.bind_port}")
        described = self.start(Sender(self.port, options, OFTEN_KEYED))
        self.assertTrue(wait_for(
            lambda: described.get("sink").get_property("sdp")))
        there = rtsp_player.RtspPlayer(
            self.port, described.get("sink").get_property("sdp"), "127.0.0.1",
            self.bind_port)
        described.stop()
        self.running.append(there)
        self.assertTrue(there.wait_until_playing(TIMEOUT), there.errors)
        here = self.start(Sender(self.port, options, OFTEN_KEYED))
        self.assert_follows(here, "rr")
        self.assertTrue(wait_for(lambda: there.frames > FRAMES, 2 * TIMEOUT),
                        there.errors)

    def test_rfc8888(self):
        there = Rfc8888Receiver(self.port)
        self.running.append(there)
        here = self.start(Sender(self.port, "feedback=ccfb", SNOW))
        self.assert_follows(here, "ccfb")


if __name__ == "__main__":
    unittest.main(verbosity=2)
