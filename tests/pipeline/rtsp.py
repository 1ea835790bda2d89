#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""rtptfrcsend as pay0 of a media of gst-rtsp-server, with rtspsrc as its client: it
hears the RTCP of the rtpsession behind it, and needs no probe for that."""

import itertools
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import gi

from loopback import GLib, Gst, Pipeline, free_port, wait_for
from watched import PipelineTest

try:
    gi.require_version("GstRtspServer", "1.0")
    from gi.repository import GstRtspServer
except ValueError:
    GstRtspServer = None

TOP = pathlib.Path(__file__).resolve().parents[2]
SERVER_C = pathlib.Path(
    os.environ["TFRC_BUILD_DIR"]) / "examples" / "rtsp-server"

SOURCE = ("videotestsrc is-live=true pattern=snow ! "
          "video/x-raw,width=320,height=240,framerate=30/1 ! "
          "x264enc name=encoder tune=zerolatency speed-preset=ultrafast key-int-max=30 ! "
          "rtph264pay pt=96")

TRANSPORT_WIDE = ("application/x-rtp,extmap-1=(string)http://www.ietf.org/id/"
                  "draft-holmer-rmcat-transport-wide-cc-extensions-01")


class Server:
    """Serves the source at `uri`; `send` is the rtptfrcsend of the newest client.
    Without properties there is none."""

    def __init__(self, properties, source=SOURCE, on_need_data=None, shared=False,
                 media_type=GstRtspServer and GstRtspServer.RTSPMedia):
        self.media = self.send = None
        self.on_need_data = on_need_data
        self.context = GLib.MainContext.new()
        self.loop = GLib.MainLoop.new(self.context, False)
        self.server = GstRtspServer.RTSPServer(service="0", address="127.0.0.1")
        factory = GstRtspServer.RTSPMediaFactory()
        if properties is not None:
            source += f" ! rtptfrcsend name=pay0 {properties}"
        factory.set_launch(f"( {source} )")
        factory.set_shared(shared)
        factory.set_media_gtype(media_type)
        factory.connect("media-configure", self._on_media)
        self.server.get_mount_points().add_factory("/live", factory)
        self.server.attach(self.context)
        self.uri = f"rtsp://127.0.0.1:{self.server.get_bound_port()}/live"
        self.thread = threading.Thread(target=self.loop.run, daemon=True)
        self.thread.start()

    def _on_media(self, _factory, media):
        self.media = media.get_element()
        self.send = self.media.get_by_name("pay0")
        if self.on_need_data:
            self.media.get_by_name("source").connect("need-data",
                                                     self.on_need_data)

    def stats(self):
        return self.send.get_property("stats")

    def encoder(self):
        return self.media.get_by_name("encoder")

    def stop(self):
        self.loop.quit()
        self.thread.join()


@unittest.skipIf(GstRtspServer is None, "gir1.2-gst-rtsp-server-1.0 is not there")
class Rtspsrc(PipelineTest):
    def serve(self, properties, client="protocols=udp", source=SOURCE,
              on_need_data=None):
        server = Server(properties, source, on_need_data)
        self.addCleanup(server.stop)
        there = Pipeline(f"rtspsrc location={server.uri} {client} latency=50 ! "
                         "rtph264depay ! avdec_h264 ! fakesink name=frames sync=false")
        there.count("frames")
        self.start(there)
        self.assertTrue(wait_for(lambda: there.counts["frames"] >= 30))
        return server, there

    def check_reports_count(self, properties, client="protocols=udp"):
        server, there = self.serve(properties, client)
        self.assertTrue(wait_for(
            lambda: server.stats()["reception-reports"] >= 2))
        sent = server.stats()
        self.assertEqual(sent["feedback-malformed"], 0)
        self.assertEqual(sent["feedback-state"], "working")
        self.assertEqual(there.errors(), [])

    def test_reception_reports_over_udp_count(self):
        self.check_reports_count("feedback=rr")

    def test_reception_reports_inside_tcp_count(self):
        self.check_reports_count("feedback=rr", "protocols=tcp")

    def watch(self, server, transport):
        """A client that reports twice a second."""
        there = Pipeline(f"rtspsrc name=client location={server.uri} latency=50 "
                         f"protocols={transport} ! rtph264depay ! avdec_h264 ! "
                         "fakesink name=frames sync=false async=false")
        there.count("frames")
        self.start(there)
        self.assertTrue(wait_for(lambda: there.counts["frames"] >= 10))
        session, = there.find("client", "rtpsession")
        session.set_property("rtcp-min-interval", Gst.SECOND // 2)
        return there

    def find_rates(self, transport):
        """What the encoder is told as one of two clients ends a pause and when its
        reports of the pause have come."""
        server = Server("feedback=rr start-bitrate=2000000", shared=True)
        self.addCleanup(server.stop)
        watching = self.watch(server, transport)
        pausing = self.watch(server, transport)
        told = lambda: server.stats()["reception-reports"]
        bitrate = lambda: server.encoder().get_property("bitrate")
        self.assertTrue(wait_for(lambda: told() >= 4))
        pausing.set_state(Gst.State.PAUSED)
        time.sleep(2)
        first = bitrate()
        before = told(), pausing.counts["frames"]
        pausing.set_state(Gst.State.PLAYING)
        self.assertTrue(wait_for(lambda: told() >= before[0] + 6
                                 and pausing.counts["frames"] >= before[1] + 90))
        self.assertEqual(watching.errors() + pausing.errors(), [])
        last = bitrate()
        for each in watching, pausing:
            each.stop()
        return first, last

    def check_pause(self, transport):
        """A report of each tells where counting begins, two follow, and what is not sent
        to who pauses is not lost: if it were, a tenth to a fifth of the rate would be
        left.  Reports that a busy machine makes late look like a queue, and X falls: in
        one of three runs it does not."""
        found = []
        for _ in range(3):
            found.append(self.find_rates(transport))
            if found[-1][1] >= found[-1][0] / 2:
                return
        self.fail(found)

    def test_who_pauses_a_shared_media_over_udp_has_lost_nothing(self):
        self.check_pause("udp")

    def test_who_pauses_a_shared_media_inside_tcp_has_lost_nothing(self):
        self.check_pause("tcp")

    def check_pace(self, there):
        """90 of 30 a second, some of which may be late: 3 s."""
        before, began = there.counts["frames"], time.monotonic()
        self.assertTrue(wait_for(lambda: there.counts["frames"] >= before + 90))
        self.assertGreaterEqual(time.monotonic() - began, 2.4)

    def test_a_source_that_is_not_live_is_kept_to_its_time(self):
        _server, there = self.serve("feedback=rr",
                                    source=SOURCE.replace("is-live=true ", ""))
        self.check_pace(there)

    def test_an_appsrc_that_calls_a_file_live_is_kept_to_its_time(self):
        """As programs around OpenCV do: a frame for each need-data, by its number."""
        numbers = itertools.count()

        def on_need_data(source, _length):
            buffer = Gst.Buffer.new_wrapped(os.urandom(320 * 240 * 3 // 2))
            buffer.pts = next(numbers) * Gst.SECOND // 30
            buffer.duration = Gst.SECOND // 30
            source.emit("push-buffer", buffer)
        _server, there = self.serve(
            "feedback=rr",
            source="appsrc name=source is-live=true block=true format=time "
            "caps=video/x-raw,format=I420,width=320,height=240,framerate=30/1 ! "
            + SOURCE[SOURCE.index("x264enc"):], on_need_data=on_need_data)
        self.check_pace(there)

    def test_transport_wide_feedback_starts_with_a_client_that_reports_each_frame(
            self):
        server, there = self.serve("feedback=twcc",
                                   source=f"{SOURCE} ! {TRANSPORT_WIDE}")
        self.assertTrue(wait_for(
            lambda: server.stats()["arrival-reports"] >= 20))
        self.assertEqual(server.stats()["feedback-state"], "working")
        self.assertEqual(there.errors(), [])

    def test_it_tells_what_the_server_asks_a_payloader(self):
        server, _there = self.serve("feedback=rr")
        self.assertEqual(server.send.get_property("pt"), 96)
        sent = server.stats()
        self.assertEqual(sent["clock-rate"], 90000)
        ahead = (sent["seqnum"] - sent["seqnum-offset"]) % 65536
        self.assertGreaterEqual(ahead, 30)
        self.assertLess(ahead, 30000)
        self.assertGreaterEqual(sent["running-time"], Gst.SECOND // 2)
        self.assertNotEqual(sent["timestamp"], 0)

    def test_the_rtpbin_of_a_media_takes_it_as_auxiliary_sender(self):
        page = (TOP / "docs" / "interop.md").read_text(encoding="utf-8")
        code, = re.findall(r"(?ms)^```python\n(def on_request_aux.*?)^```", page)
        names = {"Gst": Gst, "GstRtspServer": GstRtspServer}
        exec(code, names)
        server = Server(None, f"{SOURCE} name=pay0", media_type=names["Media"])
        self.addCleanup(server.stop)
        self.watch(server, "udp")
        controller = server.media.get_parent().get_by_name("controller")
        self.assertTrue(wait_for(
            lambda: controller.get_property("stats")["reception-reports"] >= 2))

    def test_the_payload_type_is_known_before_there_are_caps(self):
        pipeline = Gst.parse_launch("rtph264pay pt=101 ! "
                                    "rtptfrcsend name=pay0 ! fakesink")
        self.assertEqual(
            pipeline.get_by_name("pay0").get_property("pt"), 101)

    def test_a_server_that_resets_a_media_goes_on_with_its_numbers(self):
        """gst_rtsp_stream_get_current_seqnum (), gst_rtsp_stream_set_seqnum_offset ()"""
        pipeline = Pipeline("audiotestsrc num-buffers=10 ! rtpL16pay ! "
                            "rtptfrcsend name=pay0 feedback=none ! fakesink")
        send = pipeline.get("pay0")
        send.set_property("seqnum-offset", 65535)
        self.start(pipeline)
        self.assertTrue(wait_for(pipeline.has_eos))
        self.assertEqual(send.get_property("stats")["seqnum-offset"], 65535)
        self.assertEqual(send.get_property("seqnum"),
                         send.get_property("stats")["seqnum"])


class Ways(PipelineTest):
    """As the packets of a media of gst-rtsp-server leave."""

    def check(self, ends, follows, name="media-pipeline"):
        """Whether the encoder is told 300 kbit/s, and a quarter more at most, or has its
        own 500."""
        pipeline = Pipeline(
            f"{SOURCE.replace('name=encoder', 'name=encoder bitrate=500')} ! rtptfrcsend "
            "feedback=rr ! session.send_rtp_sink_0 rtpbin name=session "
            f"session.send_rtp_src_0 ! tee name=tee {ends}")
        pipeline.pipeline.set_name(name)
        pipeline.count("end")
        self.start(pipeline)
        self.assertTrue(wait_for(lambda: pipeline.counts["end"] >= 60))
        told = pipeline.get("encoder").get_property("bitrate")
        self.assertTrue(told < 400 if follows else told == 500, told)
        return pipeline

    TCP = "tee. ! queue ! appsink name=end sync=false drop=true max-buffers=1"

    def test_inside_tcp_the_encoder_keeps_its_bitrate(self):
        self.check(self.TCP, False)

    def test_a_sink_whose_client_has_left_is_none(self):
        self.check(f"{self.TCP} tee. ! queue ! multiudpsink sync=false",
                   False)

    def test_one_that_comes_by_udp_ends_it(self):
        pipeline = self.check(
            f"{self.TCP} tee. ! queue ! multiudpsink name=udp sync=false", False)
        pipeline.get("udp").emit("add", "127.0.0.1", free_port())
        encoder = pipeline.get("encoder")
        self.assertTrue(wait_for(
            lambda: encoder.get_property("bitrate") < 400))

    def test_a_sink_of_the_network_holds_no_packet_back(self):
        """The pipeline's latency would pass for a queue, or for a sink that takes no
        more; a screen keeps its time."""
        to = f"host=127.0.0.1 port={free_port()}"
        session = ("session.send_rtp_sink_0 rtpbin name=session "
                   "session.send_rtp_src_0 ! ")
        for properties, sink, waits in (
                ("", f"{session} multiudpsink name=end clients=127.0.0.1:9", False),
                ("", f"{session} udpsink name=end {to}", False),
                ("", f"queue ! udpsink name=end {to}", False),
                ("", "fakesink sync=true name=end", True),
                ("sync=false", f"{session} udpsink name=end {to}", True)):
            pipeline = Pipeline(
                f"{SOURCE} ! rtptfrcsend feedback=rr {properties} ! {sink}")
            pipeline.count("end")
            self.start(pipeline)
            self.assertTrue(wait_for(lambda: pipeline.counts["end"] >= 10))
            self.assertEqual(pipeline.get("end").get_property("sync"), waits)

    def test_beside_udp_it_follows(self):
        self.check(f"{self.TCP} tee. ! queue ! multiudpsink sync=false "
                   f"clients=127.0.0.1:{free_port()}", True)

    def test_the_encoder_makes_what_is_taken(self):
        """A packet each 30 ms, 0.4 Mbit/s at most."""
        pipeline = Pipeline(
            f"{SOURCE} ! rtptfrcsend name=send feedback=none "
            "start-bitrate=2000000 ! identity sleep-time=30000 ! "
            "fakesink sync=false")
        self.start(pipeline)
        told = lambda: pipeline.get("encoder").get_property("bitrate")
        self.assertTrue(wait_for(lambda: told() > 1000))
        self.assertTrue(wait_for(lambda: told() < 600))
        self.assertLess(pipeline.get("send").get_property("bitrate"), 600000)

    def test_an_appsink_of_another_application_may_lead_anywhere(self):
        self.check(self.TCP, True, "camera")


def play(uri, transport, path):
    """ffmpeg, which keeps what it gets, packet by packet: else 256 KiB at a time."""
    return subprocess.Popen(
        ["ffmpeg", "-nostdin", "-v", "error", "-y", "-rtsp_transport",
         transport, "-i", uri, "-c", "copy", "-flush_packets", "1", "-f", "h264", path],
        stdin=subprocess.DEVNULL)


@unittest.skipIf(GstRtspServer is None or shutil.which("ffmpeg") is None,
                 "gir1.2-gst-rtsp-server-1.0 or ffmpeg is not there")
class Ffmpeg(PipelineTest):

    def play(self, server, transport):
        """Where its packets go to."""
        self.addCleanup(server.stop)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "received.h264"
        player = play(server.uri, transport, path)
        self.addCleanup(player.wait)
        self.addCleanup(player.terminate)
        return path

    def test_its_reports_count(self):
        """Each is for 280 kB, which take 11 s at the 200 kbit/s of the source: a busy
        machine makes that the 15 s of the circuit breaker."""
        server = Server("feedback=rr start-bitrate=500000",
                        SOURCE.replace("x264enc ", "x264enc bitrate=500 "))
        self.play(server, "udp")
        self.assertTrue(wait_for(
            lambda: server.send
            and server.stats()["reception-reports"] >= 2))
        self.assertEqual(server.stats()["feedback-state"], "working")

    def test_tcp_without_rtcp_brings_as_much_as_without_the_element(self):
        """ffmpeg sends none there.  Longer than a circuit breaker waits."""
        source = SOURCE.replace("x264enc ", "x264enc bitrate=500 ")
        # The short buffer of a tuned x264enc takes a quarter of its bitrate.
        with_it = Server("feedback=rr encoder-tuning=false", source)
        paths = [self.play(server, "tcp") for server in (
            with_it, Server(None, source + " name=pay0"))]
        self.assertTrue(wait_for(
            lambda: all(path.exists() for path in paths)))
        time.sleep(20)
        before = [path.stat().st_size for path in paths]
        time.sleep(5)
        grown = [path.stat().st_size - size
                 for path, size in zip(paths, before)]
        self.assertGreater(grown[0], 0.9 * grown[1])
        self.assertGreater(grown[1], 100000)
        self.assertEqual(with_it.encoder().get_property("bitrate"), 500)
        self.assertEqual(with_it.stats()["circuit-breaker"], "closed")


@unittest.skipUnless(SERVER_C.exists(), "libgstrtspserver-1.0-dev is not there")
class ServerOfC(PipelineTest):

    def test_its_client_reports_twice_a_second(self):
        server = subprocess.Popen([str(SERVER_C), "0"], text=True,
                                  stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        uri = server.stdout.readline().strip()
        there = Pipeline(f"rtspsrc name=client location={uri} ! rtph264depay ! "
                         "avdec_h264 ! fakesink name=frames sync=false")
        there.count("frames")
        self.start(there)
        self.assertTrue(wait_for(lambda: there.counts["frames"] >= 30))
        session, = there.find("client", "rtpsession")
        self.assertEqual(session.get_property("rtcp-min-interval"),
                         500 * Gst.MSECOND)
        server.terminate()
        self.assertEqual(server.wait(), 0)


class Overheard(PipelineTest):
    """In front of an rtpsession that gets what rtptfrcsend hears."""

    SSRC = 0x1234

    def test_a_request_for_a_key_frame_counts_once(self):
        pipeline = Pipeline(
            f"{SOURCE} ssrc={self.SSRC} ! rtptfrcsend name=send feedback=rr ! "
            "rtpbin.send_rtp_sink_0 rtpbin name=rtpbin "
            "rtpbin.send_rtp_src_0 ! fakesink name=packets async=false "
            "appsrc name=rtcp is-live=true format=time "
            "caps=application/x-rtcp ! rtpbin.recv_rtcp_sink_0")
        pipeline.count("packets")
        self.start(pipeline)
        self.assertTrue(wait_for(lambda: pipeline.counts["packets"] >= 10))
        report = struct.pack(">BBHI", 0x80, 201, 1, 9)
        request = struct.pack(">BBHII", 0x81, 206, 2, 9, self.SSRC)
        pipeline.get("rtcp").emit(
            "push-buffer", Gst.Buffer.new_wrapped(report + request))
        asked = lambda: pipeline.get("send").get_property(
            "stats")["key-frame-requests-received"]
        self.assertTrue(wait_for(asked))
        # The rtpsession hands it on in the same call.
        rtcp = pipeline.get("rtcp")
        self.assertTrue(wait_for(
            lambda: rtcp.get_property("current-level-buffers") == 0))
        time.sleep(0.2)
        self.assertEqual(asked(), 1)


if __name__ == "__main__":
    if GstRtspServer is None:
        print("skipped: gir1.2-gst-rtsp-server-1.0 is not there", file=sys.stderr)
    unittest.main()
