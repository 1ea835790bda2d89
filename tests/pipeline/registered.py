#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What tools and logs see of the plugin and its elements: where they say they
come from, types of properties, names of the parts."""

import subprocess
import unittest

from loopback import GObject, Gst, Pipeline, free_port
from watched import WatchedTest

ELEMENTS = ("tfrcsink", "tfrcsrc", "rtptfrcsend", "rtptfrcreceive",
            "tfrcvideoscale", "tfrcladdersrc")
KEY = "00" * 30


def own_types(element):
    """Of properties, as far as they are the plugin's own."""
    for spec in element.list_properties():
        if spec.value_type.name.startswith(("GstTfrc", "GstRtpTfrc")):
            yield spec.value_type


def names(pipeline, bin_name):
    """Of the elements of the bin, not of those in its children."""
    return sorted(child.get_name()
                  for child in pipeline.get(bin_name).iterate_elements())


class Registered(WatchedTest):
    def test_the_plugin_claims_no_home_that_it_has_not(self):
        plugin = Gst.Registry.get().find_plugin("tfrc")
        self.assertEqual(plugin.get_origin(), "Unknown package origin")
        self.assertEqual(plugin.get_package(), "gst-tfrc")
        for name in ELEMENTS:
            author = Gst.ElementFactory.find(name).get_metadata("author")
            self.assertEqual(author, "gst-tfrc maintainers")

    def test_the_plugin_is_listed_beside_a_tracer_of_its_name(self):
        told = subprocess.run(
            ["gst-inspect-1.0", "--plugin", "tfrc"], check=True, text=True,
            stdout=subprocess.PIPE).stdout
        for name in ELEMENTS:
            self.assertIn(f"  {name}: ", told)
        self.assertIn("  tfrc (GstTracerFactory)", told)

    def test_types_of_properties_are_documented_as_the_plugins(self):
        found = set()
        for name in ELEMENTS:
            for kind in own_types(Gst.ElementFactory.make(name)):
                found.add(kind.name)
                self.assertTrue(Gst.type_is_plugin_api(kind)[0], kind.name)
        self.assertIn("GstTfrcMode", found)
        self.assertIn("GstRtpTfrcRtoMode", found)


class Parts(WatchedTest):
    """Have the same names in each bin, so that logs, gst-launch (child::property)
    and programs find them."""

    def check(self, launch, *wanted):
        found = []
        for _ in range(2):
            pipeline = Pipeline(f"{launch} name=x")
            self.assertEqual(pipeline.set_state(Gst.State.READY),
                             Gst.StateChangeReturn.SUCCESS)
            found.append(names(pipeline, "x"))
            pipeline.stop()
        self.assertEqual(found[0], found[1])
        self.assertLessEqual(set(wanted), set(found[0]))

    def test_of_a_sink(self):
        self.check("tfrcsink", "rtcp_udpsink", "rtcp_udpsrc", "rtpbin",
                   "rtp_udpsink", "rtptfrcsend")

    def test_of_a_sink_with_srtp_and_ecn(self):
        self.check(f"tfrcsink srtp-key={KEY} ecn=true",
                   "rtcp_udpsink", "rtcp_udpsrc", "rtpbin",
                   "rtp_udpsink", "rtptfrcsend", "srtpenc")

    def test_of_a_source(self):
        self.check(f"tfrcsrc port={free_port()}", "funnel", "rtcp_udpsink",
                   "rtpbin", "rtp_udpsrc", "rtptfrcreceive")

    def test_of_a_source_with_two_ports_and_ecn(self):
        self.check(f"tfrcsrc port={free_port(2)} rtcp-mux=false ecn=true",
                   "funnel", "rtcp_udpsink", "rtcp_udpsrc", "rtpbin",
                   "rtp_ecnsrc", "rtptfrcreceive")

    def test_are_found_by_their_names(self):
        sink = Gst.parse_launch("tfrcsink rtptfrcsend::max-bitrate=500000")
        self.assertEqual(sink.get_property("max-bitrate"), 500000)


if __name__ == "__main__":
    unittest.main(verbosity=2)
