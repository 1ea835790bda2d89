#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Retransmission over a relay that loses packets.  Judged is what comes out of
the decoder: a frame is intact if its picture is one that a decoder right behind
the encoder made of the same stream.  No counter of the elements has a part in
that."""

import collections
import csv
import hashlib
import os
import pathlib
import select
import socket
import struct
import subprocess
import tempfile
import threading
import time
import unittest

from group import drop_some
from loopback import (KEY, Gst, Pipeline, Receiver, Sender, free_port,
                      stays_false, wait_for)
from watched import PipelineTest

RELAY = os.path.join(os.environ.get("TFRC_BUILD_DIR", "build"),
                     "tests", "support", "tfrc-relay")

# Of 200 kbit/s, of which 3 % loss at 50 ms allow TFRC more than twice.  A key
# frame at the start alone: what is lost and not repaired stays broken.
ENCODER = ("videotestsrc is-live=true pattern=ball "
           "! video/x-raw,width=160,height=120,framerate=15/1 ! timeoverlay "
           "! x264enc tune=zerolatency speed-preset=ultrafast "
           "key-int-max=10000 bitrate=200")
REFERENCE = ("avdec_h264 max-threads=1 "
             "! fakesink name=reference sync=false signal-handoffs=true")
DECODER = ("rtph264depay ! avdec_h264 max-threads=1 output-corrupt=true "
           "! fakesink name=frames sync=false signal-handoffs=true")
LINK = "rate_kbit_s 2000\nqueue_ms 100\ndelay_ms {}\nloss {}\n"
SSRC = 0x01020304
GOOD = 0.98
LARGE = 200     # bytes: no report, and no end of a frame
LOST = 4        # seconds behind the first packet: later than what does not count
LOST_EARLY = 3  # rd packet, of which the first parity is
LONGER = 320e6  # ns: a latency that has followed
OVERTAKEN = 0.002   # seconds at most, where the machine had time
MOST_LATE = 20      # that were not
RUN = 12        # seconds
SETTLED = 3     # of these, at the start, do not count: the rate is found


OFF = "retransmission=off"


def on(options=""):
    return f"retransmission=on {options}"


class Pictures:
    """When each picture came to a fakesink, by hash."""

    def __init__(self, pipeline, sink):
        self.at = {}
        pipeline.get(sink).connect("handoff", self.note)

    def note(self, sink, buffer, pad):
        is_mapped, view = buffer.map(Gst.MapFlags.READ)
        picture = hashlib.md5(view.data).digest()
        buffer.unmap(view)
        self.at.setdefault(picture, time.monotonic())


class Repair(PipelineTest):
    delay_ms = 25       # one way

    def start_relay(self, loss, port):
        """Its port."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        profile = pathlib.Path(folder.name, "lossy.link")
        profile.write_text(LINK.format(self.delay_ms, loss))
        self.drops = pathlib.Path(folder.name, "drops.csv")
        process = subprocess.Popen(
            [RELAY, "--profile", profile, "--drops", self.drops, "--listen", "0",
             "--to", f"127.0.0.1:{port}"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return int(process.stdout.readline().split()[1])

    def count_lost(self, begin, end):
        """Large packets, of which each is part of a frame."""
        lines = self.drops.read_text().splitlines()
        begun = int(lines[0].partition("=")[2]) / 1e9
        rows = csv.DictReader(line for line in lines if line[0] != "#")
        return sum(begin < begun + float(row["time_s"]) < end
                   and int(row["bytes"]) > LARGE for row in rows)

    def run_over(self, loss, sink_options, src_options, seconds=RUN,
                 during=lambda: None):
        """The share of intact frames.  Both ends have time enough for a machine
        that has none: a stall is not to be taken for a lost packet."""
        port = free_port()
        relay_port = self.start_relay(loss, port)
        self.there = self.start(Pipeline(
            f"tfrcsrc name=src port={port} latency=1000 {src_options} "
            f"! {DECODER}"))
        self.here = Pipeline(
            f"{ENCODER} ! tee name=tee ! queue ! {REFERENCE} "
            f"tee. ! queue ! rtph264pay aggregate-mode=zero-latency "
            f"ssrc={SSRC} "
            f"! tfrcsink name=sink port={relay_port} max-bitrate=300000 "
            "max-queue-time=1000 "
            f"{sink_options}")
        sent = Pictures(self.here, "reference")
        shown = Pictures(self.there, "frames")
        begun = time.monotonic()
        self.start(self.here)
        end = begun + seconds
        while time.monotonic() < end:
            during()
            time.sleep(0.02)
        end = time.monotonic()
        self.here.poll()
        self.there.poll()
        counted = [picture for picture, at in sent.at.items()
                   if begun + SETTLED < at < end - 2]
        self.assertGreater(len(counted), 3 * (seconds - SETTLED - 2))
        intact = sum(picture in shown.at for picture in counted)
        self.broken = len(counted) - intact
        self.lost = self.count_lost(begun + SETTLED, end - 2)
        return intact / len(counted)

    def assert_losses_are_seen(self):
        """Each breaks a picture at least, but two may be of one."""
        self.assertGreater(self.lost, 0)
        self.assertGreater(self.broken, self.lost / 2)

    def assert_intact(self, loss, sink_options, src_options):
        """In one of three runs: a machine may stall for longer than the jitter
        buffer waits.  Without repair no run comes near."""
        for _ in range(3):
            intact = self.run_over(loss, sink_options, src_options)
            self.assertGreater(self.got("retransmissions-recovered"), 3)
            if intact > GOOD:
                return
            for each in self.running:
                each.stop()
        self.fail(f"{intact:.3f} of the frames are intact")

    def sent(self, name):
        return self.here.get("sink").get_property("stats").get_value(name)

    def got(self, name):
        return self.there.get("src").get_property("stats").get_value(name)


class Retransmission(Repair):
    def test_losses_are_not_seen(self):
        self.assert_intact(0.03, "", "encoding-name=H264")
        # One for the start; no loss broke the picture.
        self.assertLessEqual(self.got("key-frame-requests"), 2)
        self.assertLess(self.sent("repair-share"), 0.1)
        for each in self.running:
            each.stop()
        self.run_over(0.03, "fec=0", f"encoding-name=H264 {OFF}")
        self.assertEqual(self.sent("retransmissions-asked"), 0)
        self.assert_losses_are_seen()

    def test_the_only_lost_packet_of_a_stream_is_had_again(self):
        """rtpsession keeps the first packet of an SSRC for the second one."""
        sent, lost = [], []

        def lose_one(_pad, info):
            if lost or info.get_buffer().extract_dup(1, 1)[0] & 0x7f != 96:
                return Gst.PadProbeReturn.OK
            sent.append(time.monotonic())
            if sent[-1] < sent[0] + LOST:
                return Gst.PadProbeReturn.OK
            lost.append(sent[-1])
            return Gst.PadProbeReturn.DROP

        def lose():
            element, = self.here.find("sink", "rtptfrcsend")
            element.get_static_pad("src").add_probe(
                Gst.PadProbeType.BUFFER, lose_one)
            self.during = lambda: None

        self.during = lose
        intact = self.run_over(0, on(), on("encoding-name=H264"),
                               during=lambda: self.during())
        self.assertEqual(self.got("retransmissions-recovered"), 1)
        self.assertEqual(intact, 1)

    def test_without_loss_nothing_is_asked_for(self):
        intact = self.run_over(0, on(), on("encoding-name=H264"), seconds=6)
        self.assertEqual(self.got("retransmissions-asked"), 0)
        self.assertEqual(self.sent("repair-share"), 0)
        self.assertGreater(intact, GOOD)

    def test_what_is_only_overtaken_is_not_asked_for(self):
        """One packet of five by the next one, which is half a millisecond in front of
        it, and three of four were asked for where that teaches nothing.  One that the
        machine made later than that may be asked for: of 40 and MOST_LATE late ones
        that would be 45, and 35 are too many."""
        port, held, swapped, stalled = free_port(), [], 0, 0
        there = Pipeline(f"tfrcsrc name=src port={port} encoding-name=H264 "
                         f"! {DECODER}")

        def swap(pad, info):
            nonlocal swapped, stalled
            seq = int.from_bytes(info.get_buffer().extract_dup(2, 2), "big")
            if seq % 5 > 1 or len(held) == 2:
                return Gst.PadProbeReturn.OK
            held.append(info.get_buffer())
            if len(held) == 2:
                begun = time.monotonic()
                pad.chain(held[1])
                time.sleep(0.0005)
                pad.chain(held[0])
                held.clear()
                late = time.monotonic() > begun + OVERTAKEN
                stalled, swapped = stalled + late, swapped + (not late)
            return Gst.PadProbeReturn.DROP
        element, = there.find("src", "rtptfrcreceive")
        element.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, swap)
        self.there = self.start(there)
        self.here = self.start(Pipeline(
            f"{ENCODER} ! rtph264pay aggregate-mode=zero-latency "
            f"! tfrcsink name=sink port={self.start_relay(0, port)} "
            "max-bitrate=300000"))
        self.assertTrue(wait_for(
            lambda: swapped > 40 or stalled > MOST_LATE, 60), swapped)
        if stalled > MOST_LATE:
            self.skipTest(f"the machine makes packets late: {stalled} of "
                          f"{stalled + swapped}")
        self.assertLess(self.got("retransmissions-asked"), 15 + stalled)


class LongRoundTrip(Repair):
    delay_ms = 150

    def test_a_latency_that_follows_leaves_time_for_an_answer(self):
        """A round trip and the time until a packet is missed: a packet that
        leaves less is not asked for, and no answer tells that one would have
        come."""
        port = free_port()
        self.there = self.start(Pipeline(
            f"tfrcsrc name=src port={port} latency=0 encoding-name=H264 "
            f"! {DECODER}"))
        self.here = self.start(Pipeline(
            f"{ENCODER} ! rtph264pay aggregate-mode=zero-latency "
            f"! tfrcsink name=sink port={self.start_relay(0, port)} "
            "max-bitrate=300000 max-queue-time=1000"))
        element, = self.here.find("sink", "rtptfrcsend")
        pad = element.get_static_pad("src")
        wanted = 0

        def lose(_pad, _info):
            nonlocal wanted
            if not wanted:
                return Gst.PadProbeReturn.OK
            wanted -= 1
            return Gst.PadProbeReturn.DROP
        pad.add_probe(Gst.PadProbeType.BUFFER, lose)

        def lose_until(condition, times):
            """One packet in a second."""
            nonlocal wanted
            for _ in range(times):
                wanted = 1
                if not stays_false(condition, 1):
                    return
            self.fail(self.there.get("src").get_property("stats"))

        # At the start the pacer makes packets late, and the latency long.
        self.assertTrue(wait_for(lambda: self.got("packets") > 50, 60))
        self.assertTrue(wait_for(lambda: self.got("latency-ns") < LONGER, 60))
        lose_until(lambda: self.got("latency-ns") > LONGER, 3)
        lose_until(lambda: self.got("retransmissions-recovered") > 0, 10)


class Lossy(PipelineTest):
    """Over loopback, where every tenth packet of the stream does not come in."""

    def lose_some(self, sender, src_options, sdp=None, every=10):
        """`every` None: none is lost."""
        port = free_port()
        n_packets = 0

        def lose(_pad, info):
            nonlocal n_packets
            if info.get_buffer().extract_dup(1, 1)[0] & 0x7f != 96:
                return Gst.PadProbeReturn.OK
            n_packets += 1
            return Gst.PadProbeReturn.DROP if n_packets % every == 0 \
                else Gst.PadProbeReturn.OK
        self.there = Pipeline(f"tfrcsrc name=src latency=1000 {src_options} "
                              "! fakesink sync=false async=false")
        source = self.there.get("src")
        if sdp:
            source.set_property("sdp", sdp)
        source.set_property("port", port)
        element, = self.there.find("src", "rtptfrcreceive")
        if every:
            element.get_static_pad("sink").add_probe(
                Gst.PadProbeType.BUFFER, lose)
        self.start(self.there)
        self.here = self.start(Pipeline(
            f"{ENCODER} ! rtph264pay ! {sender} name=sink port={port}"))

    def got(self, name):
        return self.there.get("src").get_property("stats").get_value(name)

    def sent(self, name):
        return self.here.get("sink").get_property("stats").get_value(name)

    def wait_for_got(self, name, least):
        self.assertTrue(wait_for(lambda: self.got(name) >= least),
                        self.got(name))

    def get_sdp(self, options):
        first = self.start(Pipeline(f"{ENCODER} ! rtph264pay ! tfrcsink "
                                    f"name=sink port={free_port()} {options}"))
        sink = first.get("sink")
        self.assertTrue(wait_for(lambda: sink.get_property("sdp")))
        sdp = sink.get_property("sdp")
        first.stop()
        return sdp


class Negotiation(Lossy):
    def assert_no_loss_wants_a_key_frame(self):
        """But for those at the start and before the first answer; in one of
        three times, as a machine may stall for longer than there is time for
        an answer."""
        for recovered in 2, 8, 14:
            self.wait_for_got("retransmissions-recovered", recovered)
            before = self.got("key-frame-requests")
            self.wait_for_got("retransmissions-recovered", recovered + 6)
            if self.got("key-frame-requests") == before:
                return
        self.fail("some losses wanted a key frame")

    def test_who_says_nothing_has_repair(self):
        self.lose_some("tfrcsink", "encoding-name=H264")
        self.assert_no_loss_wants_a_key_frame()

    def test_srtp_has_repair(self):
        key = f"srtp-key={KEY}"
        self.lose_some(f"tfrcsink {key}", f"{key} encoding-name=H264")
        self.wait_for_got("retransmissions-recovered", 6)
        self.assert_quiet(self.here, self.there)

    def test_the_sdp_says_which_types(self):
        sdp = self.get_sdp("")
        self.assertIn("a=rtpmap:127 rtx/90000", sdp)
        self.assertIn("a=fmtp:127 apt=96;rtx-time=1000", sdp)
        self.assertIn("a=rtcp-fb:96 nack\r\n", sdp)
        self.lose_some("tfrcsink", "", sdp)
        self.assert_no_loss_wants_a_key_frame()

    def test_an_sdp_without_rtx_says_that_there_is_none(self):
        sdp = self.get_sdp(OFF)
        self.assertNotIn("rtx", sdp)
        self.lose_some("tfrcsink fec=0", "", sdp)
        self.wait_for_got("key-frame-requests", 3)
        self.assertEqual(self.got("retransmissions-asked"), 0)

    def test_of_who_does_not_answer_key_frames_are_wanted(self):
        self.lose_some(f"tfrcsink fec=0 {OFF}", "encoding-name=H264")
        self.wait_for_got("key-frame-requests", 4)
        self.assertGreater(self.got("retransmissions-asked"), 0)
        self.assertEqual(self.got("retransmissions-recovered"), 0)

    def test_who_is_no_tfrcsink_is_not_asked(self):
        self.lose_some("udpsink host=127.0.0.1", "encoding-name=H264")
        self.wait_for_got("packets", 100)
        self.assertEqual(self.got("retransmissions-asked"), 0)

    def test_a_stream_may_have_the_usual_type_of_another_ones_rtx(self):
        port = free_port()
        types = 96, 127
        named = ";".join(
            "application/x-rtp,media=video,clock-rate=90000,"
            f"encoding-name=H264,payload={each}" for each in types)
        there = self.start(Pipeline(
            f'tfrcsrc name=src port={port} {on()} caps="{named}" '
            + " ".join(f"src.src_{each} ! fakesink name=of_{each} sync=false "
                       "async=false signal-handoffs=true" for each in types)))
        packets = dict.fromkeys(types, 0)
        for each in types:
            def count(sink, buffer, pad, of):
                packets[of] += 1
            there.get(f"of_{each}").connect("handoff", count, each)
        self.start(Pipeline(
            f"tfrcsink name=sink port={port} {on()} "
            + " ".join(f"{ENCODER} ! rtph264pay pt={each} ! sink."
                       for each in types)))
        self.assertTrue(wait_for(lambda: min(packets.values()) > 50), packets)


class BeforeItsStream(PipelineTest):
    """What may be a repetition, and comes where nothing says what it is."""

    def test_a_repetition_is_no_stream(self):
        """The first packet that comes is of another SSRC and payload type 127,
        like an answer to a receiver that was here before."""
        port = free_port()
        receiver = Receiver(port)
        element, = receiver.find("src", "rtptfrcreceive")
        packets = 0

        def add_repetition(pad, info):
            nonlocal packets
            packets += 1
            if packets > 1:
                return Gst.PadProbeReturn.OK
            repetition = info.get_buffer().copy_deep()
            repetition.fill(1, bytes([127]))
            repetition.fill(8, (SSRC ^ 1).to_bytes(4, "big"))
            pad.chain(repetition)
            return Gst.PadProbeReturn.OK
        element.get_static_pad("sink").add_probe(
            Gst.PadProbeType.BUFFER, add_repetition)
        self.start(receiver)
        self.start(Sender(port))
        self.assertTrue(receiver.gets_frames())
        self.assertEqual(receiver.pads, ["src_96"])

    def test_a_stream_that_came_before_another_is_whole(self):
        """A copy of each packet comes in front of it, with payload type 112, which
        is usual for repetitions of 111 and not of 96."""
        port = free_port()
        receiver = Pipeline(
            f"tfrcsrc name=src port={port} encoding-name=H264 latency=1000 "
            "src.src_96 ! fakesink async=false "
            "src.src_112 ! fakesink name=copies async=false sync=false "
            "signal-handoffs=true")
        element, = receiver.find("src", "rtptfrcreceive")
        came, out, ssrcs = [], [], []

        def add_copy(pad, info):
            copy = info.get_buffer().copy_deep()
            if copy.extract_dup(1, 1)[0] & 127 != 96:
                return Gst.PadProbeReturn.OK    # RTCP
            ssrcs.append(copy.extract_dup(8, 4))
            if ssrcs[-1] != ssrcs[0]:
                return Gst.PadProbeReturn.OK    # padding
            copy.fill(1, bytes([112]))
            copy.fill(8, (SSRC ^ 1).to_bytes(4, "big"))
            came.append(copy.extract_dup(2, 2))
            pad.chain(copy)
            return Gst.PadProbeReturn.OK
        element.get_static_pad("sink").add_probe(
            Gst.PadProbeType.BUFFER, add_copy)
        receiver.get("copies").connect(
            "handoff", lambda sink, buffer, pad: out.append(
                buffer.extract_dup(2, 2)))
        self.start(receiver)
        self.start(Sender(port))
        self.assertTrue(wait_for(lambda: len(out) > 20))
        self.assertEqual(out[:20], came[:20])

    def send_packets(self, port, payload_types):
        """From one address, each of an SSRC of its payload type; 0: 0.3 s
        pass."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for n, each in enumerate(payload_types):
                if each == 0:
                    time.sleep(0.3)
                    continue
                sender.sendto(struct.pack(">BBHII", 0x80, each, n, n * 3000,
                                          SSRC + each) + bytes(100),
                              ("127.0.0.1", port))

    def receive(self, port):
        """A receiver that counts packets of payload type 96 and 112."""
        receiver = Pipeline(
            f"tfrcsrc name=src port={port} encoding-name=H264 latency=100 "
            "src.src_96 ! fakesink name=often async=false sync=false "
            "signal-handoffs=true "
            "src.src_112 ! fakesink name=seldom async=false sync=false "
            "signal-handoffs=true")
        receiver.count("often")
        receiver.count("seldom")
        return receiver

    def test_a_stream_of_one_packet_waits_for_any_other(self):
        """The next one of its payload type may come in a minute, or never."""
        port = free_port()
        receiver = self.start(self.receive(port))
        self.start(Sender(port))
        self.send_packets(port, [112])
        self.assertTrue(wait_for(lambda: receiver.counts["seldom"] == 1))

    def test_a_stream_of_one_packet_comes_in_front_of_eos(self):
        port = free_port()
        receiver = self.start(self.receive(port))
        element, = receiver.find("src", "rtptfrcreceive")
        packets = []
        element.get_static_pad("sink").add_probe(
            Gst.PadProbeType.BUFFER,
            lambda pad, info: packets.append(1) or Gst.PadProbeReturn.OK)
        self.send_packets(port, [112])
        self.assertTrue(wait_for(lambda: packets))
        receiver.get("src").send_event(Gst.Event.new_eos())
        self.assertTrue(wait_for(lambda: receiver.counts["seldom"] == 1))

    def test_what_waits_is_timed_by_payload_type(self):
        """A packet of payload type 112 waits already when an answer comes in
        front of the first packet of its stream."""
        port = free_port()
        receiver = self.receive(port)
        pads = []
        receiver.get("src").connect(
            "pad-added", lambda src, pad: pads.append(pad.get_name()))
        self.start(receiver)
        self.send_packets(port, [112, 0, 127] + [96] * 20)
        self.assertTrue(wait_for(lambda: receiver.counts["often"] > 10))
        self.assertTrue(stays_false(lambda: "src_127" in pads, 1))

    def test_a_stream_of_a_usual_type_of_repetitions_comes(self):
        port = free_port()
        receiver = self.start(Receiver(port))
        self.start(Sender(port, media=f"{ENCODER} ! rtph264pay pt=127"))
        self.assertTrue(receiver.gets_frames())
        self.assertEqual(receiver.pads, ["src_127"])


class PlainReceiver(Repair):
    """rtpbin with rtprtxreceive in its aux slot, as its documentation has it:
    it asks by itself, in RTCP with the profile AVPF."""

    CAPS = {
        96: "application/x-rtp,media=video,clock-rate=90000,"
            "encoding-name=H264,payload=96,rtcp-fb-nack=(boolean)true",
        127: "application/x-rtp,media=video,clock-rate=90000,"
             "encoding-name=RTX,payload=127,apt=(string)96"}

    def make_aux(self, _rtpbin, session):
        aux = Gst.Bin()
        receive = Gst.ElementFactory.make("rtprtxreceive")
        receive.set_property("payload-type-map", Gst.Structure.from_string(
            "application/x-rtp-pt-map,96=(uint)127")[0])
        aux.add(receive)
        for name in ("sink", "src"):
            aux.add_pad(Gst.GhostPad.new(f"{name}_{session}",
                                         receive.get_static_pad(name)))
        return aux

    def tune(self, _rtpbin, buffer, _session, _ssrc, buffers):
        buffer.set_property("rtx-next-seqnum", False)
        buffers.append(buffer)

    def test_gets_what_it_asks_for(self):
        port, bind_port = free_port(), free_port()
        there = Pipeline(
            "rtpbin name=bin rtp-profile=avpf do-retransmission=true "
            f"latency=1000 udpsrc name=rtp address=127.0.0.1 port={port} "
            f"caps={self.CAPS[96]} "
            "udpsink name=rtcp host=127.0.0.1 sync=false async=false "
            f"port={bind_port} bin. ! rtph264depay ! fakesink sync=false")
        rtpbin = there.get("bin")
        buffers = []
        rtpbin.connect("request-aux-receiver", self.make_aux)
        rtpbin.connect("request-pt-map", lambda _bin, _session, payload_type:
                       Gst.Caps.from_string(self.CAPS[payload_type]))
        rtpbin.connect("new-jitterbuffer", self.tune, buffers)
        rtpbin.connect_after(
            "on-new-ssrc", lambda _bin, session, _ssrc: rtpbin.emit(
                "get-internal-session", session).set_property(
                    "rtcp-min-interval", 100 * Gst.MSECOND))
        there.get("rtp").link_pads("src", rtpbin, "recv_rtp_sink_0")
        rtpbin.link_pads("send_rtcp_src_0", there.get("rtcp"), "sink")
        self.start(there)
        here = self.start(Pipeline(
            f"{ENCODER} ! rtph264pay aggregate-mode=zero-latency "
            f"! tfrcsink name=sink port={self.start_relay(0.05, port)} "
            f"bind-port={bind_port} {on()}"))
        # Packets that came because it asked, and that it gave out.
        self.assertTrue(wait_for(
            lambda: buffers and buffers[0].get_property("stats").get_value(
                "rtx-success-count") > 4, 60))
        self.assertGreater(here.get("sink").get_property("stats").get_value(
            "retransmissions-sent"), 4)


class Correction(Repair):
    """At a round trip that is too long for retransmission."""
    delay_ms = 150

    def run_over(self, loss, sink_options, src_options, *more, **named):
        if "retransmission" not in src_options:
            src_options += f" {OFF}"
        return super().run_over(loss, sink_options, src_options, *more,
                                **named)

    def assert_corrected(self, sink_options, src_options):
        """As assert_intact."""
        for _ in range(3):
            intact = self.run_over(0.02, sink_options, src_options)
            self.assertGreater(self.got("fec-recovered"), 0)
            self.assertEqual(self.got("retransmissions-recovered"), 0)
            if intact > GOOD:
                return
            for each in self.running:
                each.stop()
        self.fail(f"{intact:.3f} of the frames are intact")

    def test_lost_packets_are_computed(self):
        self.assert_corrected("fec=50", "encoding-name=H264")
        # A packet of parity for two, as long as the longest of those that it is of: up
        # to 1216 bytes for a mean of some 950, .39.
        share = self.sent("repair-share")
        self.assertGreater(share, 0.2)
        self.assertLess(share, 0.4)
        for each in self.running:
            each.stop()
        self.run_over(0.02, "fec=0", "encoding-name=H264")
        self.assertEqual(self.sent("fec-sent"), 0)
        self.assert_losses_are_seen()


class Parity(Lossy):
    def test_the_first_parity_computes_at_once(self):
        """rtpsession keeps the first packet of an SSRC for the second one, which
        does not come here."""
        port = free_port()
        counts = collections.Counter()

        def lose(_pad, info):
            payload_type = info.get_buffer().extract_dup(1, 1)[0] & 0x7f
            counts[payload_type] += 1
            lost = counts[payload_type] == LOST_EARLY if payload_type == 96 \
                else counts[payload_type] > 1
            return Gst.PadProbeReturn.DROP if lost else Gst.PadProbeReturn.OK
        there = Pipeline(f"tfrcsrc name=src port={port} {OFF} "
                         "encoding-name=H264 ! fakesink sync=false async=false")
        element, = there.find("src", "rtptfrcreceive")
        element.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, lose)
        self.there = self.start(there)
        self.here = self.start(Pipeline(
            f"{ENCODER} ! rtph264pay ! tfrcsink name=sink port={port} fec=20"))
        self.assertTrue(wait_for(lambda: counts[63] > 2), counts)
        self.assertEqual(self.got("fec-received"), 1)
        self.assertEqual(self.got("fec-recovered"), 1)

    def test_auto_is_for_who_does_not_ask(self):
        self.lose_some("tfrcsink fec=-1", f"encoding-name=H264 {OFF}")
        self.wait_for_got("fec-recovered", 3)
        self.here.stop()
        self.there.stop()
        self.lose_some("tfrcsink fec=-1", "encoding-name=H264")
        self.wait_for_got("retransmissions-recovered", 6)
        self.assertEqual(self.sent("fec-sent"), 0)
        self.here.stop()
        self.there.stop()
        self.lose_some("tfrcsink fec=-1", f"encoding-name=H264 {OFF}",
                       every=None)
        self.wait_for_got("packets", 100)
        self.assertEqual(self.sent("fec-sent"), 0)

    def test_a_new_run_counts_anew(self):
        self.lose_some("tfrcsink fec=50", f"encoding-name=H264 {OFF}")
        self.wait_for_got("fec-recovered", 3)
        self.here.stop()
        self.there.set_state(Gst.State.READY)
        self.there.play()
        self.assertEqual(self.got("fec-received"), 0)
        self.assertEqual(self.got("fec-recovered"), 0)

    def test_srtp_has_parity(self):
        key = f"srtp-key={KEY}"
        self.lose_some(f"tfrcsink fec=50 {key}",
                       f"encoding-name=H264 {key} {OFF}")
        self.wait_for_got("fec-recovered", 6)
        self.assert_quiet(self.here, self.there)

    def test_the_sdp_says_what_it_is(self):
        sdp = self.get_sdp(f"fec=10 {OFF}")
        self.assertIn("a=rtpmap:63 1d-interleaved-parityfec/90000", sdp)
        self.assertIn("a=fmtp:63 L=1;D=10;repair-window=200000", sdp)
        self.lose_some("tfrcsink fec=50", "", sdp)
        self.wait_for_got("fec-recovered", 6)

    def test_a_stream_may_have_the_payload_type_of_parity(self):
        """That of packets of type 109, as nothing says that it is none: from a
        sender of another make, as no payloader here takes it."""
        port, packets = free_port(), collections.Counter()
        self.there = self.start(Pipeline(
            f"tfrcsrc name=src port={port} encoding-name=H264 "
            "! fakesink name=out sync=false async=false"))

        def count(_pad, info):
            packets[info.get_buffer().extract_dup(1, 1)[0] & 0x7f] += 1
            return Gst.PadProbeReturn.OK
        self.there.get("out").get_static_pad("sink").add_probe(
            Gst.PadProbeType.BUFFER, count)
        outgoing = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(outgoing.close)

        def send(_pad, info):
            buffer = info.get_buffer()
            packet = bytearray(buffer.extract_dup(0, buffer.get_size()))
            packet[1] = packet[1] & 0x80 | 50
            outgoing.sendto(packet, ("127.0.0.1", port))
            return Gst.PadProbeReturn.OK
        sender = Pipeline(f"{ENCODER} ! rtph264pay aggregate-mode=none "
                          "! fakesink name=out sync=false async=false")
        sender.get("out").get_static_pad("sink").add_probe(
            Gst.PadProbeType.BUFFER, send)
        self.start(sender)
        self.assertTrue(wait_for(lambda: packets[50] > 50), packets)
        self.assertEqual(self.got("fec-received"), 0)


class SeveralStreams(Repair):
    TYPES = 96, 97

    def watch_holes(self, pipeline, payload_type):
        """The sequence numbers that did not come out."""
        newest = []

        def on_packet(_pad, info):
            seq = int.from_bytes(info.get_buffer().extract_dup(2, 2), "big")
            if newest and (seq - newest[0]) % 65536 < 1000:
                self.holes[payload_type] += (seq - newest[0]) % 65536 - 1
            newest[:] = [seq]
            self.packets[payload_type] += 1
            return Gst.PadProbeReturn.OK
        pipeline.get(f"of_{payload_type}").get_static_pad("sink").add_probe(
            Gst.PadProbeType.BUFFER, on_packet)

    def run_streams(self, uri_options, src_options):
        self.holes = dict.fromkeys(self.TYPES, 0)
        self.packets = dict.fromkeys(self.TYPES, 0)
        port = free_port()
        there = Pipeline(
            f"tfrcsrc name=src uri=tfrc://127.0.0.1:{port}{src_options} "
            "latency=1000 encoding-name=H264 " + " ".join(
                f"src.src_{each} ! fakesink name=of_{each} sync=false "
                "async=false" for each in self.TYPES))
        for each in self.TYPES:
            self.watch_holes(there, each)
        self.there = self.start(there)
        relay_port = self.start_relay(0.03, port)
        self.here = self.start(Pipeline(
            f"tfrcsink name=sink uri=tfrc://127.0.0.1:{relay_port}"
            f"{uri_options} max-queue-time=1000 "
            + " ".join(f"{ENCODER} ! rtph264pay pt={each} ! sink."
                       for each in self.TYPES)))
        self.assertTrue(wait_for(
            lambda: min(self.packets.values()) > 200, 90), self.packets)

    def assert_none_missing(self, recovered, *options):
        """In one of three runs, as above."""
        for _ in range(3):
            self.run_streams(*options)
            self.assertGreater(self.got(recovered), 5)
            if max(self.holes.values()) == 0:
                return
            stats = [end.get(name).get_property("stats").to_string()
                     for end, name in ((self.there, "src"),
                                       (self.here, "sink"))]
            for each in self.running:
                each.stop()
        self.fail("\n".join([str(self.holes), *stats]))

    def test_each_gets_its_own_again(self):
        self.assert_none_missing("retransmissions-recovered",
                                 "?retransmission=on", "?retransmission=on")

    def test_each_is_computed_from_its_own_parity(self):
        """Of as many bytes as the packets have."""
        self.run_streams("?fec=100", "?retransmission=off")
        self.assertGreater(self.got("fec-recovered"), 5)
        self.assertEqual(self.got("retransmissions-asked"), 0)
        # 3 % of 200, but for those whose parity is lost as well.
        self.assertLess(max(self.holes.values()), 4, self.holes)


class InAGroup(PipelineTest):
    def test_a_small_one_asks_and_all_are_answered(self):
        """It is known to be small after sixteen rounds, which are short here.
        Each loses packets of its own."""
        port = free_port()
        options = "multicast-iface=lo host=239.255.77.2"
        there = [self.start(Receiver(
            port, f"{options} rtptfrcreceive::feedback-rtts=3"))
            for _ in range(2)]
        here = self.start(Sender(
            port, f"{options} rtptfrcsend::initial-max-rtt=30 "
            "rtptfrcsend::feedback-rtts=3"))
        for each in there:
            drop_some(each, "src", "udpsrc", "src", 20)
        for each in there:
            self.assertTrue(wait_for(lambda: each.stats().get_value(
                "retransmissions-recovered") > 3), each.stats().to_string())
            self.assertTrue(each.gets_frames())
        self.assertGreater(here.stats().get_value("retransmissions-sent"), 3)

    def test_parity_goes_to_all(self):
        port = free_port()
        options = "multicast-iface=lo host=239.255.77.3"
        there = [self.start(Receiver(port, options)) for _ in range(2)]
        here = self.start(Sender(port, f"{options} fec=50"))
        for each in there:
            self.assertTrue(wait_for(
                lambda: each.stats().get_value("fec-received") > 20))
            self.assertTrue(each.gets_frames())
            # Its header extension is one, and TFMCC counts it as any other packet.
            self.assertEqual(each.stats().get_value("extensions-malformed"), 0)
            self.assertEqual(each.stats().get_value("packets-lost"), 0)
        self.assertGreater(here.stats().get_value("fec-sent"), 20)
        self.assert_quiet(here, *there)


class Replayer:
    """Stands in front of the relay, and sends what comes back five times."""

    def __init__(self, port):
        self.outside, self.inside = (
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            for _ in range(2))
        self.outside.bind(("127.0.0.1", port))
        self.inside.bind(("127.0.0.1", 0))
        self.replayed = 0
        self.stopped = False

    def start(self, relay_port):
        self.thread = threading.Thread(target=self.run, args=(relay_port,))
        self.thread.start()

    def run(self, relay_port):
        sender = None
        while not self.stopped:
            ready, _, _ = select.select([self.outside, self.inside], [], [],
                                        0.1)
            if self.outside in ready:
                packet, sender = self.outside.recvfrom(2000)
                self.inside.sendto(packet, ("127.0.0.1", relay_port))
            if self.inside in ready:
                packet = self.inside.recv(2000)
                for _ in range(5):
                    self.outside.sendto(packet, sender)
                self.replayed += 4

    def stop(self):
        self.stopped = True
        self.thread.join()
        self.outside.close()
        self.inside.close()


class BadInput(Repair):
    """Somebody sends NACKs for all that is and was, at a high rate."""

    def flood(self, sink_options, src_options, begins=SETTLED):
        stream = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        bind_port = free_port()
        sent = 0
        begun = time.monotonic()

        def during():
            nonlocal sent
            if time.monotonic() < begun + begins:
                return
            for seq in range(sent % 340, 65536, 3400):
                entries = b"".join(
                    ((seq + 17 * i) % 65536).to_bytes(2, "big") + b"\xff\xff"
                    for i in range(20))
                packet = (bytes([0x81, 205, 0, 2 + 20]) + b"\x01\x02\x03\x04"
                          + SSRC.to_bytes(4, "big") + entries)
                stream.sendto(packet, ("127.0.0.1", bind_port))
                sent += 1
        with stream:
            self.run_over(
                0.01, on(f"bind-port={bind_port} {sink_options}"),
                on(f"encoding-name=H264 {src_options}"), seconds=8,
                during=during)
        self.assertGreater(sent, 1000)

    def test_a_flood_takes_a_quarter_at_most(self):
        self.flood("", "")
        self.assertGreater(self.sent("retransmissions-asked"), 10000)
        # A fifth of all is a quarter of the rest, and what was saved up.
        self.assertLess(self.sent("repair-share"), 0.25)
        self.assert_quiet(self.here, self.there)

    def test_a_flood_without_the_key_does_not_keep_the_stream_from_starting(
            self):
        key = f"srtp-key={KEY}"
        self.flood(key, key, begins=0)
        # At a packet in three seconds there would be a dozen.
        self.assertGreater(self.sent("packets"), 100)
        self.assertGreater(self.sent("feedback"), 20)

    def test_replayed_nacks_do_nothing_with_srtp(self):
        """Each datagram of the receiver comes five times."""
        key = f"srtp-key={KEY}"
        outside = free_port()
        replayer = Replayer(outside)
        self.addCleanup(replayer.stop)
        start_relay = self.start_relay

        def start_both(loss, port):
            replayer.start(start_relay(loss, port))
            return outside
        self.start_relay = start_both
        self.run_over(0.03, on(key), on(f"{key} encoding-name=H264"))
        self.assertGreater(replayer.replayed, 100)
        self.assertGreater(self.got("retransmissions-asked"), 3)
        self.assertGreater(self.sent("srtp-dropped"), 100)
        self.assertLessEqual(self.sent("retransmissions-asked"),
                             self.got("retransmissions-asked"))

    def test_a_flood_without_the_key_does_nothing(self):
        key = f"srtp-key={KEY}"
        self.flood(key, key)
        self.assertLess(self.sent("retransmissions-asked"), 100)
        self.assertLess(self.sent("repair-share"), 0.1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
