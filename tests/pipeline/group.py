# SPDX-License-Identifier: LGPL-2.1-or-later
"""A tfrcsink and its group of tfrcsrc on the loopback interface, for tests.

IPv4 multicast works there without a route and without root, as long as both
ends name the interface."""

import os
import pathlib
import subprocess
import tempfile
import time

from loopback import Gst, Receiver, Sender, free_port, wait_for
from watched import PipelineTest

GROUP = "239.255.77.1"
ON_LOOPBACK = f"host={GROUP} multicast-iface=lo"
RELAY = os.path.join(os.environ.get("TFRC_BUILD_DIR", "build"),
                     "tests", "support", "tfrc-relay")
# A group begins with a packet every half second and doubles once a round of up
# to six of them; the encoder needs some of that for its first frame.
FIRST_FRAMES = 30


def drop_some(pipeline, bin_name, factory, pad, every=1):
    """Loses every so many-th packet at that pad of an element in the bin."""
    seen = 0

    def on_packet(pad, info):
        nonlocal seen
        seen += 1
        return (Gst.PadProbeReturn.DROP if seen % every == 0
                else Gst.PadProbeReturn.OK)
    for element in pipeline.find(bin_name, factory):
        element.get_static_pad(pad).add_probe(
            Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST, on_packet)


def count(pipeline, bin_name, factory, pad):
    """A function that gives how many packets have passed that pad since."""
    seen = 0

    def on_packet(pad, info):
        nonlocal seen
        seen += 1
        return Gst.PadProbeReturn.OK
    for element in pipeline.find(bin_name, factory):
        element.get_static_pad(pad).add_probe(
            Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST, on_packet)
    return lambda: seen


class GroupSender(Sender):
    def news(self, name="tfmcc-clr"):
        """The structures of these messages so far."""
        return [message.get_structure()
                for message in self.of_type(Gst.MessageType.ELEMENT)
                if message.get_structure().get_name() == name]

    def stat(self, name):
        return self.stats().get_value(name)


class GroupReceiver(Receiver):
    def stat(self, name):
        return self.stats().get_value(name)

    @property
    def ssrc(self):
        return self.stat("ssrc")

    def lose(self, every):
        drop_some(self, "src", "udpsrc", "src", every)

    def vanish(self):
        """As if it was switched off: nothing of it is heard any more."""
        drop_some(self, "src", "udpsink", "sink")


class Link:
    """A link between the group and one receiver, who is at a unicast address
    behind it: packets and reports take `profile` (docs/demo.md#links)."""

    def __init__(self, port, to_port, profile, group=GROUP):
        self.folder = tempfile.TemporaryDirectory()
        path = pathlib.Path(self.folder.name) / "test.link"
        path.write_text(profile.replace(";", "\n"), encoding="utf-8")
        self.process = subprocess.Popen(
            [RELAY, "--profile", str(path), "--bind", group, "--listen",
             str(port), "--to", f"127.0.0.1:{to_port}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def stop(self):
        self.process.kill()
        self.process.communicate()
        self.folder.cleanup()


class GroupTest(PipelineTest):
    options = ON_LOOPBACK

    def setUp(self):
        super().setUp()
        self.port = free_port(2)

    def make_receiver(self, options=""):
        return GroupReceiver(self.port, f"{self.options} {options}")

    def make_sender(self, options="", **more):
        return GroupSender(self.port, f"{self.options} {options}", **more)

    def receiver(self, options=""):
        return self.start(self.make_receiver(options))

    def receiver_behind(self, profile, options=""):
        port = free_port()
        self.running.append(Link(self.port, port, profile))
        return self.start(GroupReceiver(
            port, f"host=127.0.0.1 mode=tfmcc {options}"))

    def sender(self, options="", **more):
        return self.start(self.make_sender(options, **more))

    def assert_all_get_frames(self, receivers, n_frames=10):
        end = time.monotonic() + FIRST_FRAMES
        for receiver in receivers:
            self.assertTrue(receiver.gets_frames(
                n_frames, max(1, end - time.monotonic())),
                receiver.stats().to_string())

    def wait_for_clr(self, sender, ssrcs):
        """Until one of these is the limiting receiver."""
        self.assertTrue(wait_for(
            lambda: sender.stat("clr-ssrc") in ssrcs, FIRST_FRAMES),
            sender.stats().to_string())
        return sender.stat("clr-ssrc")
