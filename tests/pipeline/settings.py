#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is set on tfrcsink and tfrcsrc reaches what is inside, and what changes
inside is heard outside."""

import os
import socket
import subprocess
import unittest

from gi.repository import Gio  # noqa: F401 (sockets have methods)
from loopback import (TIMEOUT, GObject, Gst, Receiver, Sender, free_port,
                      stays_false, wait_for)
from watched import PipelineTest

# Not the child's: the bin's own, or set by it.
OWN = {"tfrcsink": {"ecn", "mode", "mtu", "stats"},
       "tfrcsrc": {"mode", "stats", "rtcp-ssrc", "cname"}}


def another_value(spec, value):
    """One that the property may have and has not."""
    kind = spec.value_type.fundamental.name
    if kind == "gboolean":
        return not value
    if kind == "gchararray":
        return "another"
    if kind == "GEnum":
        return [other for other in type(value).__enum_values__.values()
                if other != value][0]
    return spec.maximum if value != spec.maximum else spec.minimum


def option_of(element, level, option):
    """Of the socket of a udpsink or udpsrc."""
    used = element.get_property("used-socket")
    if used is None:
        used = element.get_property("used-socket-v6")
    with socket.socket(fileno=os.dup(used.get_fd())) as one:
        return one.getsockopt(level, option)


class HandedOn(PipelineTest):
    def check(self, bin_name, child_name):
        shown = Gst.ElementFactory.make(bin_name).find_property
        for spec in Gst.ElementFactory.make(child_name).list_properties():
            if (spec.owner_type.name in ("GstObject", "GstElement")
                    or spec.name in OWN[bin_name] or not shown(spec.name)
                    or spec.flags & GObject.ParamFlags.READWRITE
                    != GObject.ParamFlags.READWRITE):
                continue
            with self.subTest(spec.name):
                outer = Gst.ElementFactory.make(bin_name)
                child = list(outer.iterate_all_by_element_factory_name(
                    child_name))[0]
                value = another_value(spec, child.get_property(spec.name))
                outer.set_property(spec.name, value)
                self.assertEqual(child.get_property(spec.name), value)
                self.assertEqual(outer.get_property(spec.name), value)

    def test_by_the_sink(self):
        self.check("tfrcsink", "rtptfrcsend")

    def test_by_the_source(self):
        self.check("tfrcsrc", "rtptfrcreceive")

    def test_what_the_bins_do_not_show_is_the_child_s(self):
        for line, child, name, value in (
                ("tfrcsink", "rtptfrcsend", "self-clocking", True),
                ("tfrcsrc", "rtptfrcreceive", "history-length", 16)):
            with self.subTest(name):
                option = f"{child}::{name}={value}"
                outer = Gst.parse_launch(f"{line} {option}")
                self.assertEqual(
                    outer.get_by_name(child).get_property(name), value)
                self.assertIsNone(outer.find_property(name))

    def test_the_child_s_are_set_by_gst_launch(self):
        for name, found in ("self-clocking", True), ("other-clocking", False):
            launched = subprocess.run(
                ["gst-launch-1.0", "-q", "videotestsrc", "num-buffers=1", "!",
                 "rtpvrawpay", "!", "tfrcsink", f"port={free_port()}",
                 f"rtptfrcsend::{name}=true"], text=True,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                timeout=TIMEOUT)
            self.assertEqual(launched.returncode == 0, found, launched.stderr)
            self.assertEqual(name in launched.stderr, not found)

    def test_ttl_to_every_socket(self):
        """When they are in use: a udpsink sets its own."""
        for host in "127.0.0.1", "::1":
            for mux in "true", "false":
                with self.subTest(host=host, rtcp_mux=mux):
                    self.check_ttl(f"ttl=17 host={host} rtcp-mux={mux}")

    def check_ttl(self, options):
        port = free_port(2)
        receiver = self.start(Receiver(port, options))
        sender = self.start(Sender(port, options))
        self.assertTrue(receiver.gets_frames(1))
        sinks = receiver.find("src", "udpsink") + sender.find("sink", "udpsink")
        self.assertEqual(len(sinks), 3)
        for sink in sinks:
            used = (sink.get_property("used-socket")
                    or sink.get_property("used-socket-v6"))
            self.assertEqual(used.get_ttl(), 17)


class Sockets(PipelineTest):
    def check_octets(self, sink_options, wanted_rtp, wanted_rtcp,
                     family=socket.AF_INET):
        """Of RTP and RTCP of a sink, as a socket beside gets them."""
        ipv6 = family == socket.AF_INET6
        level, ask, kind = (
            (socket.IPPROTO_IPV6, socket.IPV6_RECVTCLASS, socket.IPV6_TCLASS)
            if ipv6 else
            (socket.IPPROTO_IP, socket.IP_RECVTOS, socket.IP_TOS))
        with socket.socket(family, socket.SOCK_DGRAM) as there:
            there.bind(("::1" if ipv6 else "127.0.0.1", 0))
            there.setsockopt(level, ask, 1)
            there.settimeout(TIMEOUT)
            host, port = there.getsockname()[:2]
            self.start(Sender(port, f"host={host} {sink_options}"))
            found = {}
            while len(found) < 2:
                data, control, _, _ = there.recvmsg(2000, 100)
                octet = next(value[0] for got_level, got, value in control
                             if (got_level, got) == (level, kind))
                # RFC 5761 section 4.
                found.setdefault("rtcp" if 192 <= data[1] <= 223 else "rtp",
                                 octet)
        self.assertEqual(found, {"rtp": wanted_rtp, "rtcp": wanted_rtcp})

    def test_qos_dscp_is_in_every_packet(self):
        """46 (EF) is 0xb8, beside which ECT(0) is 2."""
        self.check_octets("qos-dscp=46", 0xb8, 0xb8)
        self.check_octets("qos-dscp=46", 0xb8, 0xb8, socket.AF_INET6)

    def test_qos_dscp_leaves_ect_as_it_is(self):
        self.check_octets("qos-dscp=46 ecn=true", 0xb8 | 2, 0xb8)
        self.check_octets("ecn=true qos-dscp=46", 0xb8 | 2, 0xb8,
                          socket.AF_INET6)
        self.check_octets("ecn=true", 2, 0)

    def test_qos_dscp_of_reports(self):
        port = free_port()
        receiver = self.start(Receiver(port, "qos-dscp=10"))
        self.start(Sender(port))
        self.assertTrue(receiver.gets_frames(1))
        udpsink, = receiver.find("src", "udpsink")
        self.assertEqual(option_of(udpsink, socket.IPPROTO_IPV6,
                                   socket.IPV6_TCLASS), 10 << 2)
        # The same socket answers IPv4 senders.
        self.assertEqual(option_of(udpsink, socket.IPPROTO_IP, socket.IP_TOS),
                         10 << 2)

    def test_loop(self):
        """Also of the socket that a udpsrc has in use as well."""
        for mux in "true", "false":
            for loop in True, False:
                sender = self.start(Sender(
                    free_port(2), "host=239.255.77.9 multicast-iface=lo "
                    f"rtcp-mux={mux} loop={loop}"))
                self.assertTrue(wait_for(
                    lambda: sender.stats().get_value("packets") > 3))
                for udpsink in sender.find("sink", "udpsink"):
                    self.assertEqual(
                        option_of(udpsink, socket.IPPROTO_IP,
                                  socket.IP_MULTICAST_LOOP), loop)
                # That interface leads nowhere else.
                warned = sender.pipeline.get_bus().pop_filtered(
                    Gst.MessageType.WARNING)
                self.assertEqual(warned is None, loop)

    def test_buffer_size(self):
        """Linux tells of twice as much."""
        receiver = self.start(Receiver(free_port(), "buffer-size=50000"))
        udpsrc, = receiver.find("src", "udpsrc")
        self.assertEqual(option_of(udpsrc, socket.SOL_SOCKET,
                                   socket.SO_RCVBUF), 100000)
        sender = self.start(Sender(free_port(2),
                                   "buffer-size=60000 rtcp-mux=false"))
        for udpsink in sender.find("sink", "udpsink"):
            self.assertEqual(option_of(udpsink, socket.SOL_SOCKET,
                                       socket.SO_SNDBUF), 120000)
        self.assert_quiet(sender, receiver)

    def test_buffer_size_that_is_not_granted(self):
        receiver = self.start(Receiver(free_port(), "buffer-size=1073741823"))
        text, = receiver.warnings()
        self.assertIn("net.core.rmem_max", text)
        self.assertIn("buffer-size=1073741823", text)

    def test_timeout(self):
        """As udpsrc has it, whatever reads the port."""
        for options in "", "ecn=true":
            receiver = self.start(Receiver(free_port(),
                                           f"timeout=100000000 {options}"))

            def told():
                return [message.get_structure() for message in
                        receiver.of_type(Gst.MessageType.ELEMENT)
                        if message.get_structure().get_name()
                        == "GstUDPSrcTimeout"]
            self.assertTrue(wait_for(lambda: len(told()) > 1), options)
            self.assertEqual(told()[0].get_value("timeout"), 100000000)
            self.start(Sender(receiver.get("src").get_property("port")))
            self.assertTrue(receiver.gets_frames())
            before = len(told())
            self.assertTrue(receiver.gets_frames())
            # Frames are 67 ms apart, packets and SRs no further.
            self.assertLessEqual(len(told()), before + 1)


class Name(PipelineTest):
    def names(self, pipeline, name):
        """Of the bin, of what its rtpbin sends, of what its reports have."""
        element = pipeline.get(name)
        rtpbin, = pipeline.find(name, "rtpbin")
        found = [element.get_property("cname"),
                 rtpbin.get_property("sdes").get_value("cname")]
        for child in pipeline.find(name, "rtptfrcreceive"):
            found.append(child.get_property("cname"))
        return found

    def test_that_is_given(self):
        port = free_port()
        receiver = self.start(Receiver(port, "cname=there@example"))
        sender = self.start(Sender(port, "cname=here@example"))
        self.assertTrue(receiver.gets_frames(1))
        self.assertEqual(set(self.names(receiver, "src")), {"there@example"})
        self.assertEqual(set(self.names(sender, "sink")), {"here@example"})

    def test_that_is_drawn(self):
        drawn = set()
        for _ in range(2):
            sender = self.start(Sender(free_port()))
            name, in_rtcp = self.names(sender, "sink")
            self.assertEqual(name, in_rtcp)
            # 96 bits in base64.
            self.assertEqual(len(name), 16)
            drawn.add(name)
        self.assertEqual(len(drawn), 2)
        sink = sender.get("sink")
        sender.stop()
        sink.set_property("cname", None)
        self.assertNotIn(sink.get_property("cname"), drawn)


class Late(PipelineTest):
    def warnings(self, sender):
        bus = sender.pipeline.get_bus()
        texts = []
        while message := bus.pop_filtered(Gst.MessageType.WARNING):
            texts.append(message.parse_warning()[0].message)
        return texts

    def test_what_comes_too_late_is_refused_aloud(self):
        port = free_port()
        sender = self.start(Sender(port))
        receiver = self.start(Receiver(port))
        sink = sender.get("sink")
        self.warnings(sender)
        for pipeline, name, values in (
                (sender, "sink", {"bind-port": port + 2, "mtu": 900}),
                (receiver, "src", {"port": port + 2, "host": "127.0.0.2"})):
            element = pipeline.get(name)
            for key, value in values.items():
                before = element.get_property(key)
                element.set_property(key, value)
                self.assertEqual(element.get_property(key), before)
                text, = self.warnings(pipeline)
                self.assertIn(key, text)
                self.assertIn("set it in NULL", text)
        # In any state, and what it is already.
        sink.set_property("max-bitrate", 500000)
        sink.set_property("bind-port", 0)
        self.assertEqual(self.warnings(sender), [])
        self.assertEqual(sink.get_property("max-bitrate"), 500000)
        sender.stop()
        sink.set_property("bind-port", port + 2)
        self.assertEqual(sink.get_property("bind-port"), port + 2)


class Target(PipelineTest):
    """host and port of a tfrcsink that runs."""

    def check_another(self, options):
        ports = free_port(2), free_port(2)
        receivers = [self.start(Receiver(port, options)) for port in ports]
        sender = self.start(Sender(ports[0], options))
        sink = sender.get("sink")
        self.assertTrue(receivers[0].gets_frames())
        bitrates = []
        sink.connect("notify::bitrate", lambda sink, spec: bitrates.append(
            sink.get_property("bitrate")))
        old_bitrate = sink.get_property("bitrate")
        # Once for both of them.
        sink.set_properties(host="127.0.0.2", port=ports[1])
        self.assertTrue(receivers[1].gets_frames())
        # RTCP goes there, too, and what comes from there is heard.
        self.assertTrue(wait_for(lambda: receivers[1].stats().get_value(
            "feedback") > 3))
        self.assertLess(min(bitrates), old_bitrate / 4)
        # Nothing goes to the first any more.
        before = receivers[0].stats().get_value("packets")
        self.assertTrue(receivers[1].gets_frames())
        self.assertEqual(receivers[0].stats().get_value("packets"), before)
        self.assertIn(str(ports[1]), sink.get_property("uri"))
        self.assert_quiet(sender)

    def test_another_while_it_runs(self):
        self.check_another("")

    def test_another_with_two_ports(self):
        self.check_another("rtcp-mux=false")

    def test_another_with_ecn_and_srtp(self):
        self.check_another("ecn=true srtp-key=" + "31" * 30)

    def test_there_and_back_many_times(self):
        port, other = free_port(), free_port()
        receiver = self.start(Receiver(port))
        sender = self.start(Sender(port))
        sink = sender.get("sink")
        self.assertTrue(receiver.gets_frames(1))
        for i in range(100):
            sink.set_property("port", port if i % 2 else other)
        self.assertTrue(receiver.gets_frames(5))
        self.assertEqual(sender.errors(), [])

    def test_one_that_cannot_be_leaves_the_old_one(self):
        port = free_port()
        receiver = self.start(Receiver(port))
        sender = self.start(Sender(port))
        sink = sender.get("sink")
        self.assertTrue(receiver.gets_frames(1))
        for host, word in (("no.such.host.invalid", "no.such.host.invalid"),
                           ("", "empty"), ("239.1.2.3", "group"),
                           ("::1", "family")):
            told = len(sender.warnings())
            sink.set_property("host", host)
            self.assertEqual(sink.get_property("host"), "127.0.0.1")
            self.assertEqual(sink.get_property("port"), port)
            text, = sender.warnings()[told:]
            self.assertIn(word, text)
            self.assertIn(f"'127.0.0.1' port {port} as before", text)
        self.assertTrue(receiver.gets_frames())

    def test_a_group_stays(self):
        sender = self.start(Sender(
            free_port(), "host=239.255.77.9 multicast-iface=lo"))
        sink = sender.get("sink")
        sink.set_property("host", "127.0.0.1")
        self.assertEqual(sink.get_property("host"), "239.255.77.9")
        self.assertIn("in NULL", sender.warnings()[-1])

    def test_that_is_set_in_ready(self):
        port = free_port()
        receiver = self.start(Receiver(port))
        sender = Sender(free_port())
        sender.pipeline.set_state(Gst.State.READY)
        sender.get("sink").set_property("port", port)
        self.start(sender)
        self.assertTrue(receiver.gets_frames(1))

    def test_that_is_set_while_it_opens(self):
        """With each element that comes for the transport."""
        for factory in ("udpsink", "udpsrc"):
            with self.subTest(factory):
                port = free_port()
                receiver = self.start(Receiver(port))
                sender = Sender(free_port())
                sink = sender.get("sink")

                def on_element(_, element, factory=factory, port=port):
                    if element.get_factory().get_name() == factory:
                        sink.set_property("port", port)

                sink.connect("element-added", on_element)
                self.start(sender)
                self.assertTrue(receiver.gets_frames(1))
                self.assertEqual(sink.get_property("port"), port)
                self.assertEqual(sender.warnings(), [])

    def test_it_is_left_alone_while_the_udpsinks_open_and_close(self):
        """They look at it without a lock then."""
        sender = Sender(free_port())
        sink = sender.get("sink")
        after = []

        def on_message(_, message):
            element = message.src
            if (message.type == Gst.MessageType.STATE_CHANGED
                    and Gst.State.NULL in message.parse_state_changed()[:2]
                    and element.get_name() == "rtp_udpsink"):
                sink.set_property("port", 5004 + 2 * len(after))
                after.append(element.get_property("port"))
            return Gst.BusSyncReply.PASS

        sender.bus.set_sync_handler(on_message)
        before = sink.get_property("port")
        sender.pipeline.set_state(Gst.State.READY)
        udpsink = sender.pipeline.get_by_name("rtp_udpsink")
        self.assertEqual(udpsink.get_property("port"), 5004)
        sender.pipeline.set_state(Gst.State.NULL)
        self.assertEqual(after, [before, 5004])
        self.assertEqual(sink.get_property("port"), 5006)


class Encoder(PipelineTest):
    def start_encoder(self, options):
        """x264enc, which starts at 200 kbit/s, when 20 frames have arrived."""
        port = free_port()
        receiver = self.start(Receiver(port))
        sender = self.start(Sender(port, options))
        self.assertTrue(receiver.gets_frames(20))
        return next(
            element for element in sender.pipeline.iterate_recurse()
            if element.get_factory().get_name() == "x264enc")

    def test_follows_the_rate(self):
        """It is told up to 1.25 times as much where it makes that much less, as
        it does where the machine costs it frames, and less while the first key
        frame waits, however long."""
        encoder = self.start_encoder("max-bitrate=400000")
        self.assertTrue(wait_for(
            lambda: encoder.get_property("bitrate") in range(380, 501)))
        self.assertTrue(stays_false(
            lambda: encoder.get_property("bitrate") > 500, 1))

    def test_is_left_alone_where_the_bin_says_so(self):
        encoder = self.start_encoder("encoder-control=false")
        self.assertEqual(encoder.get_property("bitrate"), 200)


class Heard(PipelineTest):
    def test_the_bitrate_that_moves(self):
        port = free_port()
        receiver = Receiver(port)
        sender = Sender(port)
        heard = []
        sender.get("sink").connect(
            "notify::bitrate",
            lambda sink, spec: heard.append(sink.get_property("bitrate")))
        self.start(receiver)
        self.start(sender)
        # A loopback allows more than that.
        highest = sender.get("sink").get_property("max-bitrate")
        self.assertTrue(wait_for(lambda: heard and heard[-1] == highest))
        self.assertLess(heard[0], highest)
        self.assert_quiet(sender, receiver)

    def test_the_sdp_that_changes(self):
        """With the first caps, a second stream, a setting, and the end."""
        sender = Sender(free_port())
        sink = sender.get("sink")
        heard = [""]
        sink.connect("notify::sdp", lambda sink, spec: heard.append(
            sink.get_property("sdp")))

        def hears(*words):
            """Who reads it when told may read the next one already."""
            return wait_for(lambda: all(
                word in (heard[-1] or "") for word in words))
        self.start(sender)
        self.assertTrue(hears("H264"))

        audio = Gst.parse_bin_from_description(
            "audiotestsrc is-live=true ! opusenc ! rtpopuspay pt=97", True)
        sender.pipeline.add(audio)
        audio.link(sink)
        audio.sync_state_with_parent()
        self.assertTrue(hears("OPUS"))

        sender.stop()
        self.assertIsNone(heard[-1])
        port = free_port()
        sink.set_property("port", port)
        self.start(sender)
        self.assertTrue(hears(f" {port} RTP/AVPF", "H264", "OPUS"))
        # What is the same is not told.
        sink.set_property("port", port)
        sink.set_property("port", port + 1)
        self.assertEqual(heard.count(heard[-1]), 1)
        self.assertIn(f" {port + 1} RTP/AVPF", heard[-1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
