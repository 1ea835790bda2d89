#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Several streams through one tfrcsink."""

import threading
import time
import unittest

import gi

gi.require_version("GstRtp", "1.0")
from gi.repository import GstRtp  # noqa: E402

from loopback import (  # noqa: E402
    Gst, Pipeline, Receiver, Sender, VIDEO, free_port, wait_for)
from watched import PipelineTest  # noqa: E402

AUDIO = "audiotestsrc is-live=true ! opusenc ! rtpopuspay name=audiopay"
VP8 = ("videotestsrc is-live=true ! video/x-raw,width=160,height=120,"
       "framerate=15/1 ! vp8enc deadline=1 keyframe-max-dist=15 "
       "! rtpvp8pay name=vp8pay")
FORMATS = {"H264": ("video", 90000), "OPUS": ("audio", 48000),
           "VP8": ("video", 90000)}


def rtp_caps(payload_type, encoding):
    media, clock_rate = FORMATS[encoding]
    return (f"application/x-rtp,media={media},encoding-name={encoding},"
            f"clock-rate={clock_rate},payload={payload_type}")


def read_elements(packet):
    """{id: bytes} of an RFC 8285 header extension."""
    if not packet[0] & 0x10:
        return {}
    start = 12 + 4 * (packet[0] & 15)
    profile = int.from_bytes(packet[start:start + 2], "big")
    size = 4 * int.from_bytes(packet[start + 2:start + 4], "big")
    data = packet[start + 4:start + 4 + size]
    header = 1 if profile == 0xbede else 2
    found = {}
    while data:
        if data[0] == 0:
            data = data[1:]
            continue
        if header == 1:
            number, length = data[0] >> 4, (data[0] & 15) + 1
        else:
            number, length = data[0], data[1]
        assert number not in found, f"two elements with id {number}"
        found[number] = data[header:header + length]
        data = data[header + length:]
    return found


class Streams(Pipeline):
    """What arrives at src_%u, packet by packet, undecoded."""

    def __init__(self, port, payload_types, options=""):
        super().__init__(f"tfrcsrc name=src port={port} {options} " + " ".join(
            f"src.src_{number} ! fakesink name=sink_{number} sync=false "
            "async=false" for number in payload_types))
        self.elements = {}
        self.with_extension = 0     # packets
        for number in payload_types:
            self.count(f"sink_{number}")
            self.elements[number] = {}
            self.get(f"sink_{number}").get_static_pad("sink").add_probe(
                Gst.PadProbeType.BUFFER, self.on_buffer, number)

    def on_buffer(self, pad, info, number):
        """Keeps the last element of each id."""
        buffer = info.get_buffer()
        packet = buffer.extract_dup(0, min(buffer.get_size(), 200))
        self.with_extension += packet[0] >> 4 & 1
        self.elements[number].update(read_elements(packet))
        return Gst.PadProbeReturn.OK

    def all_arrive(self, n_packets=20):
        before = dict(self.counts)
        return wait_for(lambda: all(self.counts[name] >= before[name]
                                    + n_packets for name in before))


def add_extension(payloader, factory, number, **properties):
    extension = Gst.ElementFactory.make(factory)
    for name, value in properties.items():
        extension.set_property(name, value)
    GstRtp.RTPHeaderExtension.set_id(extension, number)
    payloader.emit("add-extension", extension)


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
        # Sound that is held comes a second's worth at a time.
        self.assertLess(sum(gap for gap in gaps if gap > 0.5), sum(gaps) / 2)
        self.assert_quiet(sender, receiver)

    def slow_video_and_sound(self):
        """The second picture waits for a minute."""
        port = free_port()
        receiver = Streams(port, (97,), f"caps=\"{rtp_caps(96, 'H264')};"
                           f"{rtp_caps(97, 'OPUS')}\"")
        sender = Pipeline(
            "videotestsrc ! video/x-raw,framerate=1/60,width=160,height=120 ! "
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
        self.assertLess(time.monotonic() - started, 20)
        self.assertTrue(receiver.all_arrive())

    def test_a_stream_flushes_while_another_one_waits(self):
        receiver, sender = self.slow_video_and_sound()
        started = time.monotonic()
        self.assertTrue(sender.get("source").seek_simple(
            Gst.Format.TIME, Gst.SeekFlags.FLUSH, 0))
        self.assertTrue(receiver.all_arrive())
        self.assertLess(time.monotonic() - started, 30)
        self.assert_quiet(sender, receiver)

    def test_sync_is_that_of_all_streams(self):
        receiver, sender = self.slow_video_and_sound()
        sink = sender.get("sink")
        for sync in (False, True):
            sink.set_property("sync", sync)
            self.assertEqual(sink.get_property("sync"), sync)
            self.assertEqual(sender.find("sink", "rtptfrcsend")[0].get_property(
                "sync"), sync)

    def test_the_clock_of_the_pipeline_outlives_its_pads(self):
        _, sender = self.slow_video_and_sound()
        sink = sender.get("sink")
        for pad in list(sink.sinkpads):
            pad.get_peer().unlink(pad)
            sink.release_request_pad(pad)
        self.assertEqual(sender.of_type(Gst.MessageType.CLOCK_LOST), [])


def running_time(pipeline):
    return pipeline.pipeline.get_current_running_time() / Gst.SECOND


class TimesOfStreams(PipelineTest):
    def test_a_live_source_that_comes_early_is_sent_as_it_comes(self):
        """Held back, that of MPEG-TS, .6 s early, overran the socket of its udpsrc."""
        sender = Pipeline(f"{VIDEO} ! tfrcsink name=sink feedback=none "
                          f"port={free_port()}")
        sender.get("pay").get_static_pad("src").set_offset(600 * Gst.MSECOND)
        early = []

        def on_packets(pad, info):
            buffer = (info.get_buffer() if info.type & Gst.PadProbeType.BUFFER
                      else info.get_buffer_list().get(0))
            segment = pad.get_sticky_event(
                Gst.EventType.SEGMENT, 0).parse_segment()
            due = segment.to_running_time(Gst.Format.TIME, buffer.pts)
            early.append(due / Gst.SECOND - running_time(sender))
            return Gst.PadProbeReturn.OK
        sender.get("sink").get_by_name("rtptfrcsend").get_static_pad(
            "src").add_probe(Gst.PadProbeType.BUFFER
                             | Gst.PadProbeType.BUFFER_LIST, on_packets)
        self.start(sender)
        self.assertTrue(wait_for(lambda: len(early) > 30))
        self.assertGreater(sorted(early)[len(early) // 2], .4)

    def test_a_file_that_nobody_listens_to_goes_by_at_its_own_speed(self):
        sender = Pipeline(
            "videotestsrc ! video/x-raw,framerate=10/1,width=160,height=120 ! "
            "identity name=out ! x264enc tune=zerolatency ! rtph264pay ! "
            f"tfrcsink listen=true bind-port={free_port()}")
        sender.count("out")
        self.start(sender)
        self.assertTrue(wait_for(lambda: running_time(sender) > 2))
        self.assertLess(sender.counts["out"], 40)

    def test_a_file_waits_for_a_pipeline_that_begins_later(self):
        """As of several that begin together: its base time is in 1 s."""
        sender = Pipeline(
            "videotestsrc ! video/x-raw,framerate=10/1,width=160,height=120 ! "
            "identity name=out ! x264enc tune=zerolatency ! rtph264pay ! "
            "rtptfrcsend feedback=none start-bitrate=1000000 ! "
            "fakesink name=sent sync=false")
        sender.count("out")
        sent = []
        sender.get("sent").get_static_pad("sink").add_probe(
            Gst.PadProbeType.BUFFER,
            lambda *_: sent.append(clock.get_time()) or Gst.PadProbeReturn.OK)
        clock = Gst.SystemClock.obtain()
        sender.pipeline.use_clock(clock)
        sender.pipeline.set_start_time(Gst.CLOCK_TIME_NONE)
        begin = clock.get_time() + Gst.SECOND
        sender.pipeline.set_base_time(begin)
        self.start(sender)
        self.assertTrue(wait_for(lambda: sent))
        self.assertGreaterEqual(sent[0], begin)
        self.assertLess(sender.counts["out"], 10)

    def test_what_took_longer_to_encode_is_shown_with_its_sound(self):
        port = free_port()
        receiver = Streams(port, (96, 97), f"caps=\"{rtp_caps(96, 'H264')};"
                           f"{rtp_caps(97, 'OPUS')}\"")
        shown_later = {}

        def on_buffer(pad, info, clock_rate):
            buffer = info.get_buffer()
            timestamp = int.from_bytes(buffer.extract_dup(4, 4), "big")
            shown_later[clock_rate] = buffer.pts / 1e9 - timestamp / clock_rate
            return Gst.PadProbeReturn.OK
        for number, clock_rate in ((96, 90000), (97, 48000)):
            receiver.get(f"sink_{number}").get_static_pad("sink").add_probe(
                Gst.PadProbeType.BUFFER, on_buffer, clock_rate)
        self.start(receiver)
        self.start(Pipeline(
            f"{VIDEO} timestamp-offset=0 ! queue min-threshold-time=1500000000 "
            f"max-size-buffers=0 max-size-time=0 ! sink.sink_0 {AUDIO} "
            f"timestamp-offset=0 pt=97 ! sink.sink_1 tfrcsink name=sink port={port}"))
        # The next RTCP tells both times of each stream.
        self.assertTrue(wait_for(
            lambda: len(shown_later) == 2
            and abs(shown_later[90000] - shown_later[48000]) < 0.1), shown_later)


class Extensions(PipelineTest):
    """Payloaders' own, beside ours."""

    def start_both(self, receiver, sender):
        self.start(receiver)
        self.start(sender)

    def check(self, sender, receiver):
        self.assertTrue(receiver.all_arrive())
        stats = sender.get("sink").get_property("stats")
        self.assertEqual(stats.get_value("packets-not-stamped"), 0)
        self.assertTrue(wait_for(lambda: sender.get("sink").get_property(
            "stats").get_value("feedback") > 3))
        self.assert_quiet(sender, receiver)

    def test_of_one_stream(self):
        port = free_port()
        receiver = Streams(port, (96,), "encoding-name=H264")
        sender = Pipeline(f"{VIDEO} ! tfrcsink name=sink port={port}")
        add_extension(sender.get("pay"), "rtphdrextmid", 1, mid="left")
        self.start_both(receiver, sender)
        self.check(sender, receiver)
        self.assertEqual(receiver.elements[96][1], b"left")

    def test_of_ours_alone_stay_behind(self):
        port = free_port()
        receiver = Streams(port, (96,), "encoding-name=H264")
        sender = Pipeline(f"{VIDEO} ! tfrcsink name=sink port={port}")
        self.start_both(receiver, sender)
        self.check(sender, receiver)
        self.assertEqual(receiver.with_extension, 0)

    def test_of_the_size_of_ours(self):
        port = free_port()
        receiver = Streams(port, (96,), "encoding-name=H264")
        sender = Pipeline(f"{VIDEO} ! tfrcsink name=sink port={port}")
        add_extension(sender.get("pay"), "rtphdrextmid", 1, mid="seventh")
        self.start_both(receiver, sender)
        self.check(sender, receiver)
        self.assertEqual(receiver.elements[96][1], b"seventh")

    def three_streams(self, port):
        caps = ";".join((rtp_caps(96, "H264"), rtp_caps(97, "OPUS"),
                         rtp_caps(98, "VP8")))
        return (Streams(port, (96, 97, 98), f'caps="{caps}"'),
                Pipeline(f"{VIDEO} ! sink. {AUDIO} pt=97 ! sink. "
                         f"{VP8} pt=98 ! sink. "
                         f"tfrcsink name=sink port={port}"))

    def test_of_three_streams(self):
        port = free_port()
        receiver, sender = self.three_streams(port)
        add_extension(sender.get("pay"), "rtphdrextmid", 1, mid="left")
        add_extension(sender.get("audiopay"), "rtphdrextntp64", 2)
        add_extension(sender.get("vp8pay"), "rtphdrextmid", 1, mid="right")
        add_extension(sender.get("vp8pay"), "rtphdrextstreamid", 3,
                      rid="small")
        self.start_both(receiver, sender)
        self.check(sender, receiver)
        self.assertEqual(receiver.elements[96][1], b"left")
        self.assertEqual(len(receiver.elements[97][2]), 8)
        self.assertEqual(receiver.elements[98][1], b"right")
        self.assertEqual(receiver.elements[98][3], b"small")

    def test_that_come_later_do_not_move_ours(self):
        """A receiver may have been told the id."""
        port = free_port()
        receiver, sender = self.three_streams(port)
        self.start_both(receiver, sender)
        self.check(sender, receiver)
        before = sender.get("sink").get_property("sdp")
        for number in range(1, 8):
            add_extension(sender.get("pay"), "rtphdrextmid", number,
                          mid=f"m{number}")
        self.assertTrue(wait_for(lambda: 7 in receiver.elements[96]))
        self.check(sender, receiver)
        id_of_ours = [line.split(":")[1].split(" ")[0]
                      for line in before.splitlines()
                      if "rtt-sendts" in line][0]
        after = sender.get("sink").get_property("sdp")
        self.assertIn(f"a=extmap:{id_of_ours} urn:ietf:params:rtp-hdrext:"
                      "rtt-sendts", after)
        self.assertIn("a=extmap:7 urn:ietf:params:rtp-hdrext:sdes:mid", after)

    def test_a_receiver_that_has_the_sdp_of_both(self):
        port = free_port()
        sender = Pipeline(f"{VIDEO} ! tfrcsink name=sink port={port}")
        add_extension(sender.get("pay"), "rtphdrextmid", 1, mid="seventh")
        self.start(sender)
        sink = sender.get("sink")
        self.assertTrue(wait_for(lambda: sink.get_property("sdp")))
        # 740 packets went without a header extension where both had id 1.
        self.assertTrue(wait_for(
            lambda: sink.get_property("stats").get_value("packets") > 0))
        receiver = Streams(port, (96,))
        receiver.get("src").set_property("sdp", sink.get_property("sdp"))
        self.start(receiver)
        self.check(sender, receiver)
        self.assertEqual(receiver.elements[96][1], b"seventh")

    def check_relay(self, to):
        """A receiver would otherwise learn the lower id, that of the other hop."""
        ports = free_port(), free_port()
        first, second = (to % (7 + i, port) for i, port in enumerate(ports))
        receiver = Streams(ports[1], (96,), f"encoding-name=H264 {second}")
        relay = Pipeline(f"tfrcsrc encoding-name=H264 {first} ! "
                         f"tfrcsink name=sink {second}")
        sender = Pipeline(f"{VIDEO} ! tfrcsink {first} extension-id=3")
        self.start(relay)
        self.start_both(receiver, sender)
        self.assertTrue(receiver.all_arrive(100))
        self.assert_quiet(relay, receiver)
        self.assertEqual(receiver.elements[96], {})

    def test_of_a_hop_end_there(self):
        self.check_relay("host=127.0.0.%d port=%d")

    def test_of_a_hop_to_a_group_end_there(self):
        self.check_relay("host=239.255.77.%d port=%d multicast-iface=lo")


class PayloadTypes(PipelineTest):
    def test_payloaders_at_their_default_get_types_of_their_own(self):
        """By the order of the pads, whoever comes first."""
        port = free_port()
        caps = ";".join((rtp_caps(96, "H264"), rtp_caps(97, "OPUS"),
                         rtp_caps(98, "VP8")))
        for _ in range(2):
            receiver = Streams(port, (96, 97, 98), f'caps="{caps}"')
            sender = Pipeline(
                f"{AUDIO} ! sink.sink_1 {VP8} ! sink.sink_2 {VIDEO} ! "
                f"sink.sink_0 tfrcsink name=sink port={port}")
            self.start(receiver)
            self.start(sender)
            self.assertTrue(receiver.all_arrive())
            self.assertEqual(
                {name: sender.get(name).get_property("pt")
                 for name in ("pay", "audiopay", "vp8pay")},
                {"pay": 96, "audiopay": 97, "vp8pay": 98})
            self.assert_quiet(sender, receiver)
            sender.stop()
            receiver.stop()

    def test_what_is_set_stays(self):
        """A payloader at its default goes elsewhere."""
        port = free_port()
        caps = ";".join((rtp_caps(96, "VP8"), rtp_caps(97, "OPUS"),
                         rtp_caps(98, "H264")))
        receiver = Streams(port, (96, 97, 98), f'caps="{caps}"')
        sender = Pipeline(
            f"{VP8} ! sink.sink_0 {VIDEO} ! sink.sink_1 "
            f"{AUDIO} pt=97 ! sink.sink_2 tfrcsink name=sink port={port}")
        self.start(receiver)
        self.start(sender)
        self.assertTrue(receiver.all_arrive())
        self.assert_quiet(sender, receiver)

    def test_two_that_are_set_to_one_type_are_warned_of_at_both_ends(self):
        port = free_port()
        receiver = Streams(port, (96,), "encoding-name=H264")
        sender = Pipeline(
            f"{VIDEO} pt=96 ! sink.sink_0 {VP8} pt=96 ! sink.sink_1 "
            f"tfrcsink name=sink port={port}")
        self.start(receiver)
        self.start(sender)
        self.assertTrue(receiver.all_arrive())
        self.assertTrue(wait_for(sender.warnings))
        self.assertIn("payload type 96", sender.warnings()[0])
        self.assertTrue(wait_for(receiver.warnings))
        self.assertIn("payload type 96", receiver.warnings()[0])
        time.sleep(1)
        self.assertEqual(len(sender.warnings()), 1)
        self.assertEqual(len(receiver.warnings()), 1)
        self.assertTrue(receiver.all_arrive())


class Missing(PipelineTest):
    def test_a_depayloader_that_is_not_installed_is_told_of(self):
        """As applications know it that offer to install what is missing."""
        port = free_port()
        caps = rtp_caps(96, "H264").replace("H264", "NO-SUCH")
        receiver = Streams(port, (96,), f'caps="{caps}"')
        sender = Pipeline(f"{VIDEO} ! tfrcsink name=sink port={port}")
        self.start(receiver)
        self.start(sender)
        self.assertTrue(receiver.all_arrive())
        missing = [message.get_structure() for message
                   in receiver.of_type(Gst.MessageType.ELEMENT)
                   if message.get_structure().get_name() == "missing-plugin"]
        self.assertEqual(len(missing), 1)
        self.assertIn("RTP depayloader", missing[0].get_string("name"))
        self.assert_quiet(sender, receiver)


class WebRtcStatistics(PipelineTest):
    def test_they_have_the_names_of_w3c(self):
        port = free_port()
        receiver = self.start(Receiver(port))
        sender = self.start(Sender(port))
        self.assertFalse(Sender(port).get("sink").get_property(
            "webrtc-stats").has_field("remote-inbound-rtp"))
        self.assertTrue(receiver.gets_frames(30))
        stats = sender.get("sink").get_property("webrtc-stats")
        sent = stats["outbound-rtp"]
        self.assertEqual(sent["type"], "outbound-rtp")
        self.assertGreater(sent["packetsSent"], 30)
        self.assertGreater(sent["bytesSent"], sent["packetsSent"])
        self.assertGreater(sent["targetBitrate"], 0)
        self.assertEqual(sent["retransmittedPacketsSent"], 0)
        # Reception reports come every few seconds.
        self.assertTrue(wait_for(lambda: "fractionLost" in sender.get(
            "sink").get_property("webrtc-stats").to_string()))
        # What is in it is gone with it.
        stats = sender.get("sink").get_property("webrtc-stats")
        remote = stats["remote-inbound-rtp"]
        self.assertEqual(remote["fractionLost"], 0)
        self.assertEqual(remote["packetsLost"], 0)
        self.assertGreater(remote["roundTripTime"], 0)
        self.assertLess(remote["roundTripTime"], 1)

    def test_they_are_read_while_a_run_ends(self):
        sender = Sender(free_port())
        sink = sender.get("sink")
        hears = sink.get_by_name("rtpbin").get_static_pad("recv_rtcp_sink_0")
        ended = threading.Event()

        def read():
            while not ended.is_set():
                sink.get_property("webrtc-stats")
        reader = threading.Thread(target=read)
        reader.start()
        segment = Gst.Segment()
        segment.init(Gst.Format.TIME)
        for _ in range(20):
            sink.set_state(Gst.State.PAUSED)
            hears.send_event(Gst.Event.new_stream_start("reports"))
            hears.send_event(Gst.Event.new_caps(
                Gst.Caps.from_string("application/x-rtcp")))
            hears.send_event(Gst.Event.new_segment(segment))
            # So many that each takes its time: empty RRs (RFC 3550 section 6.4.2).
            for ssrc in range(1, 301):
                hears.chain(Gst.Buffer.new_wrapped(
                    bytes((0x80, 201, 0, 1)) + ssrc.to_bytes(4, "big")))
            sink.set_state(Gst.State.READY)
        ended.set()
        reader.join()
        sink.set_state(Gst.State.NULL)

    def test_a_pause_is_a_freeze(self):
        port = free_port()
        receiver = self.start(Receiver(port))
        sender = self.start(Sender(port))
        self.assertTrue(receiver.gets_frames(30))
        before = self.received(receiver)
        sender.set_state(Gst.State.PAUSED)
        time.sleep(1)
        sender.play()
        self.assertTrue(receiver.gets_frames(5))
        after = self.received(receiver)
        self.assertGreater(after["framesReceived"], before["framesReceived"])
        self.assertGreater(after["freezeCount"], before["freezeCount"])
        self.assertGreater(after["totalFreezesDuration"]
                           - before["totalFreezesDuration"], 0.9)
        self.assertGreaterEqual(after["jitter"], 0)

    def received(self, receiver):
        stats = receiver.get("src").get_property("webrtc-stats")
        received = stats["inbound-rtp"]
        return {received.nth_field_name(i): received.get_value(
            received.nth_field_name(i)) for i in range(received.n_fields())}


if __name__ == "__main__":
    unittest.main(verbosity=2)
