#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a user does wrong: the state change fails, one error names the cause,
and the element works once that is put right."""

import socket
import time
import unittest

from gi.repository import GLib

from loopback import Gst, Pipeline, Sender, free_port, wait_for
from watched import WatchedTest


def make(launch):
    """The element in a pipeline of its own."""
    element = Gst.parse_launch(launch + " name=x")
    pipeline = Gst.Pipeline()
    pipeline.add(element)
    return pipeline, element


class Refused(WatchedTest):
    def check(self, launch, *words):
        pipeline, element = make(launch)
        self.assertEqual(pipeline.set_state(Gst.State.READY),
                         Gst.StateChangeReturn.FAILURE)
        message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
        self.assertIsNotNone(message)
        self.assertEqual(message.src, element)
        text = message.parse_error()[0].message
        for word in words:
            self.assertIn(word, text)
        self.assertIsNone(
            pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR))
        pipeline.set_state(Gst.State.NULL)
        return pipeline, element

    def test_host_that_does_not_resolve(self):
        _, element = self.check("tfrcsink host=no-such-host.invalid",
                                "no-such-host.invalid")
        element.set_property("host", "127.0.0.1")
        self.assertEqual(element.set_state(Gst.State.READY),
                         Gst.StateChangeReturn.SUCCESS)
        element.set_state(Gst.State.NULL)

    def test_host_with_what_belongs_elsewhere(self):
        for host in "[::1]", "127.0.0.1:5004", "udp://127.0.0.1":
            self.check(f"tfrcsink host={host}", host, "without port")

    def test_caps_of_what_is_in_the_packets(self):
        self.check("tfrcsrc caps=video/x-h264", "application/x-rtp",
                   "'video/x-h264'", "encoding-name")

    def test_port_in_use(self):
        port = free_port()
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as other:
            other.bind(("::", port))
            _, element = self.check(f"tfrcsrc port={port}", str(port), "use",
                                    "choose another")
        self.assertEqual(element.set_state(Gst.State.READY),
                         Gst.StateChangeReturn.SUCCESS)
        element.set_state(Gst.State.NULL)

    def test_what_speaking_first_needs(self):
        self.check("tfrcsink listen=true", "listen", "bind-port")
        self.check("tfrcsink listen=true bind-port=5010 rtcp-mux=false",
                   "listen", "rtcp-mux=true")
        self.check("tfrcsink listen=true bind-port=5010 host=239.255.1.2",
                   "listen", "239.255.1.2")
        self.check("tfrcsink listen=true bind-port=5010 "
                   "bind-address=239.1.1.1", "bind-address", "group")
        self.check("tfrcsrc sender-host=127.0.0.1 rtcp-mux=false",
                   "sender-host", "rtcp-mux=true")
        self.check("tfrcsrc sender-host=127.0.0.1 host=239.1.1.1 "
                   "multicast-iface=lo", "sender-host", "group")
        self.check("tfrcsrc sender-host=no-such-host.invalid", "sender-host",
                   "no-such-host.invalid")

    def test_two_receivers_on_one_port(self):
        port = free_port()
        first, _ = make(f"tfrcsrc port={port}")
        self.assertEqual(first.set_state(Gst.State.READY),
                         Gst.StateChangeReturn.SUCCESS)
        self.check(f"tfrcsrc port={port}", str(port))
        first.set_state(Gst.State.NULL)

    def test_rtcp_port_in_use(self):
        port = free_port(2)
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as other:
            other.bind(("::", port + 1))
            self.check(f"tfrcsrc port={port} rtcp-mux=false", str(port + 1))

    def test_bind_port_in_use(self):
        port = free_port()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.bind(("0.0.0.0", port))
            self.check(f"tfrcsink bind-port={port}", str(port))

    def test_address_of_another_host(self):
        """RFC 5737: nobody has it."""
        for launch in ("tfrcsink bind-address=192.0.2.77",
                       f"tfrcsrc host=192.0.2.77 port={free_port()}"):
            self.check(launch, "192.0.2.77 is no address of this host")

    def test_bind_address_of_another_family(self):
        self.check("tfrcsink host=127.0.0.1 bind-address=::1", "::1",
                   "127.0.0.1")

    def test_no_port_left_for_rtcp(self):
        self.check("tfrcsink port=65535 rtcp-mux=false", "65535")
        self.check("tfrcsink bind-port=65535 rtcp-mux=false", "65535")

    def test_group_for_the_protocol_of_one_receiver(self):
        for launch in ("tfrcsink host=239.1.2.3 mode=tfrc",
                       "tfrcsrc address=239.1.2.3 mode=tfrc"):
            self.check(launch, "239.1.2.3", "mode=tfrc", "mode=tfmcc")

    def test_interface_that_does_not_exist(self):
        for launch in ("tfrcsink host=239.1.2.3 multicast-iface=none0",
                       "tfrcsink host=239.1.2.3 multicast-iface=lo,none0",
                       "tfrcsrc host=239.1.2.3 multicast-iface=none0,lo"):
            self.check(launch, "multicast-iface 'none0'")

    def test_interface_that_is_named_twice(self):
        for launch in ("tfrcsink host=239.1.2.3 multicast-iface=lo,lo",
                       "tfrcsrc host=239.1.2.3 multicast-iface=lo,lo"):
            self.check(launch, "multicast-iface names 'lo' twice")

    def test_a_group_of_one_link_on_two(self):
        for launch in ("tfrcsink host=ff12::1 multicast-iface=lo,lo",
                       "tfrcsrc host=ff12::1 multicast-iface=lo,lo"):
            self.check(launch, "one link", "multicast-iface")

    def test_address_of_another_family_than_the_group(self):
        for launch in ("tfrcsink host=239.1.2.3 multicast-iface=lo "
                       "bind-address=::1",
                       "tfrcsrc host=239.1.2.3 multicast-iface=lo "
                       "feedback-host=::1",
                       "tfrcsrc host=239.1.2.3 multicast-iface=lo "
                       "multicast-source=::1"):
            self.check(launch, "::1", "239.1.2.3", "IPv4", "IPv6")

    def test_group_as_the_address_of_a_host(self):
        for launch in ("tfrcsink bind-address=239.1.2.3",
                       "tfrcsrc feedback-host=239.1.2.3",
                       "tfrcsrc host=239.9.9.9 multicast-iface=lo "
                       "multicast-source=239.1.2.3"):
            self.check(launch, "239.1.2.3", "group")

    def test_group_of_one_link_without_the_link(self):
        self.check("tfrcsink host=ff02::1234", "ff02::1234",
                   "multicast-iface")

    def test_feedback_host_that_does_not_resolve(self):
        self.check("tfrcsrc feedback-host=no-such-host.invalid",
                   "feedback-host", "no-such-host.invalid")

    def test_host_that_is_none(self):
        for launch in "tfrcsink", "tfrcsrc":
            for host in None, "":
                pipeline, element = make(launch)
                element.set_property("host", host)
                self.assertEqual(element.get_property("uri"), "tfrc://:5004")
                self.assertEqual(pipeline.set_state(Gst.State.READY),
                                 Gst.StateChangeReturn.FAILURE)
                message = pipeline.get_bus().pop_filtered(
                    Gst.MessageType.ERROR)
                self.assertIn("host", message.parse_error()[0].message)
                pipeline.set_state(Gst.State.NULL)

    def test_cname_that_rtcp_cannot_carry(self):
        for length in 0, 256:
            _, element = make("tfrcsink")
            element.set_property("cname", length * "x")
            pipeline = element.get_parent()
            self.assertEqual(pipeline.set_state(Gst.State.READY),
                             Gst.StateChangeReturn.FAILURE)
            message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
            self.assertIn(f"cname has {length} bytes",
                          message.parse_error()[0].message)
            pipeline.set_state(Gst.State.NULL)

    def test_bad_uri_as_a_property(self):
        for uri, word in (("http://127.0.0.1:5004", "http"),
                          ("tfrc://", "host"),
                          ("tfrc://127.0.0.1:99999", "99999"),
                          ("tfrc://127.0.0.1:5004?speed=3", "speed"),
                          ("tfrc://127.0.0.1:5004?ttl=300", "300")):
            self.check(f"tfrcsink uri={uri}", word)

    def test_good_uri_after_a_bad_one(self):
        _, element = self.check("tfrcsink uri=tfrc://", "host")
        element.set_property("uri", "tfrc://127.0.0.1:5004")
        self.assertEqual(element.set_state(Gst.State.READY),
                         Gst.StateChangeReturn.SUCCESS)
        element.set_state(Gst.State.NULL)

    def test_sdp_that_is_none(self):
        self.check("tfrcsrc sdp=nonsense", "sdp")
        # Nor is a critical message of the parser an answer.
        mask = GLib.log_set_always_fatal(GLib.LogLevelFlags.LEVEL_CRITICAL)
        self.check('tfrcsrc sdp=""', "sdp")
        GLib.log_set_always_fatal(mask)

    def test_sdp_of_srtp_without_a_key(self):
        _, element = make("tfrcsrc")
        element.set_property("sdp", "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\n"
                             "s=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n"
                             f"m=video {free_port()} RTP/SAVPF 96\r\n"
                             "a=rtpmap:96 H264/90000\r\na=rtcp-mux\r\n")
        pipeline = element.get_parent()
        self.assertEqual(pipeline.set_state(Gst.State.READY),
                         Gst.StateChangeReturn.FAILURE)
        message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
        self.assertIn("srtp-key", message.parse_error()[0].message)
        pipeline.set_state(Gst.State.NULL)

    def test_srtp_plugin_missing(self):
        registry = Gst.Registry.get()
        feature = registry.lookup_feature("srtpenc")
        registry.remove_feature(feature)
        try:
            self.check("tfrcsink srtp-key=" + "00" * 30, "srtpenc")
        finally:
            registry.add_feature(feature)

    def test_rtpbin_missing(self):
        registry = Gst.Registry.get()
        feature = registry.lookup_feature("rtpbin")
        registry.remove_feature(feature)
        try:
            self.check("tfrcsink", "rtpbin")
            self.check(f"tfrcsrc port={free_port()}", "rtpbin")
        finally:
            registry.add_feature(feature)


class Warned(WatchedTest):
    def test_payload_type_that_nothing_describes(self):
        """Once, not with each of the packets."""
        port = free_port()
        receiver = Pipeline(f"tfrcsrc port={port} ! fakesink")
        sender = Sender(port)
        for pipeline in receiver, sender:
            self.addCleanup(pipeline.stop)
            pipeline.play()
        self.assertTrue(wait_for(receiver.warnings))
        self.assertTrue(wait_for(
            lambda: sender.stats().get_value("packets") > 50))
        self.assertEqual(len(receiver.warnings()), 1)
        self.assertIn("payload type 96", receiver.warnings()[0])
        self.assertIn("encoding-name", receiver.warnings()[0])

    def warned_sender(self, encoder, options, sentence):
        sender = Pipeline(
            f"videotestsrc is-live=true ! {encoder} ! rtph264pay ! "
            f"tfrcsink name=sink port={free_port()} {options}")
        self.addCleanup(sender.stop)
        sender.play()
        self.assertTrue(wait_for(sender.warnings))
        self.assertIn(sentence, sender.warnings()[0])
        return sender

    def test_encoder_that_is_not_there(self):
        sender = self.warned_sender("x264enc name=right", "encoder=wrong",
                                    "no element 'wrong'")
        sender.get("sink").set_property("encoder", "right")
        self.assertTrue(wait_for(lambda: "right" in str(
            sender.get("sink").get_property("stats").get_value("encoder"))))
        self.assertEqual(len(sender.warnings()), 1)

    def test_encoder_that_has_no_bitrate(self):
        self.warned_sender("x264enc ! queue name=wait", "encoder=wait",
                           "'wait', which the property encoder names")

    def test_encoder_property_that_is_not_there(self):
        self.warned_sender("x264enc name=mine", "encoder-bitrate-property=speed",
                           "mine has no writable number 'speed'")


    def test_a_source_that_does_not_keep_time(self):
        launch = ("videotestsrc ! video/x-raw,width=160,height=120,"
                  "framerate=1/1 ! x264enc tune=zerolatency ! rtph264pay ! {} "
                  "rtptfrcsend sync={} ! fakesink name=out sync=false")
        hasty, timed = (Pipeline(launch.format(way, sync)) for way, sync in
                        (("", False), ("clocksync !", True)))

        def advice(pipeline):
            return [text for text in pipeline.warnings() if "clocksync" in text]
        hasty.count("out")
        timed.count("out")
        for pipeline in hasty, timed:
            self.addCleanup(pipeline.stop)
            pipeline.play()
        self.assertTrue(wait_for(lambda: advice(hasty)))
        self.assertTrue(wait_for(lambda: timed.counts["out"] >= 2))
        self.assertEqual(len(advice(hasty)), 1)
        self.assertEqual(advice(timed), [])

    def test_srtp_without_a_key(self):
        def give(_element, _ssrc):
            return Gst.Buffer.new_wrapped(bytes(44))

        def refuse(_element, _ssrc):
            return None
        ours, default = "aes-256-gcm", "aes-128-icm"
        for element in "tfrcsink", "tfrcsrc":
            for cipher, answer, n_told in ((ours, None, 1), (ours, give, 0),
                                           (default, refuse, 1),
                                           (default, None, 0)):
                pipeline = Gst.Pipeline()
                asked = Gst.ElementFactory.make(element)
                asked.set_property("port", free_port())
                asked.set_property("srtp-cipher", cipher)
                if answer:
                    asked.connect("request-key", answer)
                pipeline.add(asked)
                pipeline.set_state(Gst.State.READY)
                told = pipeline.get_bus().pop_filtered(Gst.MessageType.WARNING)
                pipeline.set_state(Gst.State.NULL)
                with self.subTest(f"{element} {n_told}"):
                    self.assertEqual(told is not None, n_told == 1)

    def test_l4s_without_what_it_needs(self):
        for options, n_told in (("", 1), ("ecn=true delay-target=0", 1),
                                ("ecn=true", 0)):
            pipeline = Pipeline(
                "videotestsrc is-live=true ! x264enc ! rtph264pay "
                f"! tfrcsink port={free_port()} l4s=true {options}")
            self.addCleanup(pipeline.stop)
            pipeline.set_state(Gst.State.PAUSED)
            with self.subTest(options):
                self.assertEqual(
                    len([text for text in pipeline.warnings()
                         if text.startswith("l4s")]), n_told)

    def push_frames_of(self, seconds):
        pipeline = Pipeline(
            "appsrc name=in is-live=true format=time caps=video/x-raw,"
            "format=I420,width=160,height=120,framerate=10/1 "
            "! x264enc tune=zerolatency ! rtph264pay ! rtptfrcsend "
            "! fakesink async=false")
        self.addCleanup(pipeline.stop)
        pipeline.play()
        for second in seconds:
            buffer = Gst.Buffer.new_wrapped(bytes(160 * 120 * 3 // 2))
            buffer.pts = second * Gst.SECOND
            pipeline.get("in").emit("push-buffer", buffer)
        return pipeline

    def test_times_that_are_none_of_this_pipeline(self):
        """More than an hour ahead, as those of rtpmp4vpay are: not waited for."""
        pipeline = self.push_frames_of(range(10000, 10003))
        pipeline.get("in").emit("end-of-stream")
        self.assertTrue(wait_for(pipeline.has_eos))
        self.assertEqual(pipeline.warnings(), [])

    def test_a_live_source_that_is_far_ahead_of_time(self):
        """Timestamps of another clock; none leaves for as long, and once is enough."""
        pipeline = self.push_frames_of(range(1000, 1003))
        self.assertTrue(wait_for(lambda: pipeline.warnings()))
        told, = pipeline.warnings()
        self.assertIn("before their time", told)

    def test_a_source_that_is_not_live_waits_until_it_is_stopped_or_flushed(self):
        launch = ("videotestsrc name=source ! video/x-raw,width=160,height=120,"
                  "framerate=1/50 ! x264enc tune=zerolatency ! rtph264pay ! "
                  "rtptfrcsend feedback=rr ! fakesink name=out sync=false")
        pipeline = Pipeline(launch)
        pipeline.count("out")
        self.addCleanup(pipeline.stop)
        pipeline.play()
        self.assertTrue(wait_for(lambda: pipeline.counts["out"] >= 1))
        time.sleep(0.5)
        came = pipeline.counts["out"]
        time.sleep(0.5)
        self.assertEqual(pipeline.counts["out"], came)
        self.assertEqual(pipeline.warnings(), [])
        for state in (Gst.State.PAUSED, Gst.State.PLAYING) * 3:
            pipeline.set_state(state)
            time.sleep(0.1)
        self.assertEqual(pipeline.counts["out"], came)
        self.assertEqual(pipeline.warnings(), [])
        started = time.monotonic()
        self.assertTrue(pipeline.get("source").seek_simple(
            Gst.Format.TIME, Gst.SeekFlags.FLUSH, 0))
        self.assertTrue(wait_for(lambda: pipeline.counts["out"] > came))
        pipeline.stop()
        self.assertLess(time.monotonic() - started, 10)

    def test_packets_that_cannot_be_sent(self):
        """A udpsink says so of each: it is told once in a run."""
        for launch, child in ((f"tfrcsink port={free_port()}", "rtp_udpsink"),
                              (f"tfrcsrc port={free_port()}", "rtcp_udpsink")):
            pipeline, element = make(launch)
            self.addCleanup(pipeline.set_state, Gst.State.NULL)
            # The sockets stay, or are others.
            for state in Gst.State.READY, Gst.State.NULL, Gst.State.NULL:
                pipeline.set_state(Gst.State.PAUSED)
                udpsink = element.get_by_name(child)
                for _ in range(3):
                    udpsink.post_message(Gst.Message.new_warning(
                        udpsink, GLib.Error.new_literal(
                            Gst.ResourceError.quark(), "no way",
                            Gst.ResourceError.WRITE), "each time"))
                warned = pipeline.get_bus().pop_filtered
                self.assertIsNotNone(warned(Gst.MessageType.WARNING), launch)
                self.assertIsNone(warned(Gst.MessageType.WARNING), launch)
                pipeline.set_state(state)


class Kept(WatchedTest):
    def test_nothing_is_left_of_an_element(self):
        for launch in ("tfrcsink", f"tfrcsrc port={free_port()}",
                       "tfrcsink host=no-such-host.invalid"):
            gone = []
            pipeline, element = make(launch)
            element.weak_ref(lambda: gone.append(True))
            pipeline.set_state(Gst.State.PAUSED)
            pipeline.set_state(Gst.State.NULL)
            pipeline.get_bus().set_flushing(True)
            del element, pipeline
            self.assertEqual(gone, [True], launch)

    def test_uri_is_refused_while_sockets_are_open(self):
        pipeline, element = make(f"tfrcsrc port={free_port()}")
        pipeline.set_state(Gst.State.READY)
        with self.assertRaises(Exception) as raised:
            element.set_uri("tfrc://127.0.0.1:5004")
        self.assertIn("READY", str(raised.exception))
        pipeline.set_state(Gst.State.NULL)


if __name__ == "__main__":
    unittest.main(verbosity=2)
