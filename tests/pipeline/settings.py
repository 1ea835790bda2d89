#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is set on tfrcsink and tfrcsrc reaches what is inside, and what changes
inside is heard outside."""

import unittest

from gi.repository import Gio  # noqa: F401 (sockets have methods)
from loopback import GObject, Gst, Receiver, Sender, free_port, wait_for
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
        return [other for other in spec.enum_class.__enum_values__.values()
                if other != value][0]
    return spec.maximum if value != spec.maximum else spec.minimum


class HandedOn(PipelineTest):
    def check(self, bin_name, child_name):
        for spec in Gst.ElementFactory.make(child_name).list_properties():
            if (spec.owner_type.name in ("GstObject", "GstElement")
                    or spec.name in OWN[bin_name]
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


class Encoder(PipelineTest):
    def bitrate_after_a_while(self, options):
        """Of x264enc [kbit/s], which starts at 200."""
        port = free_port()
        receiver = self.start(Receiver(port))
        sender = self.start(Sender(port, options))
        self.assertTrue(receiver.gets_frames(20))
        return next(
            element for element in sender.pipeline.iterate_recurse()
            if element.get_factory().get_name() == "x264enc"
        ).get_property("bitrate")

    def test_follows_the_rate(self):
        """It is told up to 5 % more where it makes that much less."""
        self.assertIn(self.bitrate_after_a_while("max-bitrate=400000"),
                      range(400, 421))

    def test_is_left_alone_where_the_bin_says_so(self):
        self.assertEqual(self.bitrate_after_a_while("encoder-control=false"),
                         200)


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
        heard = []
        sink.connect("notify::sdp", lambda sink, spec: heard.append(
            sink.get_property("sdp")))
        self.start(sender)
        self.assertTrue(wait_for(lambda: heard))
        self.assertEqual(heard, [sink.get_property("sdp")])
        self.assertIn("H264", heard[0])

        audio = Gst.parse_bin_from_description(
            "audiotestsrc is-live=true ! opusenc ! rtpopuspay pt=97", True)
        sender.pipeline.add(audio)
        audio.link(sink)
        audio.sync_state_with_parent()
        self.assertTrue(wait_for(lambda: len(heard) > 1))
        self.assertIn("opus", heard[1].lower())

        port = free_port()
        sink.set_property("port", port)
        sink.set_property("ttl", 3)
        self.assertEqual(len(heard), 3)
        self.assertIn(f"m=video {port} ", heard[2])
        sender.stop()
        self.assertEqual(heard[-1], None)
        # No text twice in a row.
        self.assertTrue(all(one != next_one for one, next_one
                            in zip(heard, heard[1:])), heard)


if __name__ == "__main__":
    unittest.main(verbosity=2)
