#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A sender and a receiver that have nothing but link-local addresses, in two
network namespaces.  Each has another link as well, on which the same addresses
mean other hosts, and which the system would choose.

    link_local.py            needs root, or is skipped
    link_local.py END ARGS   what runs in a namespace: send or receive"""

import pathlib
import subprocess
import sys
import time
import unittest

from loopback import TIMEOUT, Gst, Pipeline, Receiver, Sender, wait_for
from watched import WatchedTest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]
                    / "evaluation" / "net"))
import namespaces  # noqa: E402
from namespaces import command_in, ip  # noqa: E402

SKIPPED = 77
PORT = 5004
HERE, THERE = "fe80::1", "fe80::2"
SEND = f"host={THERE}%net0"


def connect(net):
    """(here, there): net0 is the link between them."""
    here, there = net.add("here"), net.add("there")
    for name in here, there:
        ip("-n", name, "link", "add", "other0", "type", "veth", "peer",
           "name", "other1")
        for other in "other1", "other0":
            ip("-n", name, "link", "set", other, "up")
    ip("-n", here, "link", "add", "net0", "type", "veth", "peer", "name",
       "net0", "netns", there)
    for name, address in (here, HERE), (there, THERE):
        ip("-n", name, "link", "set", "net0", "addrgenmode", "none")
        ip("-n", name, "link", "set", "net0", "up")
        ip("-n", name, "addr", "add", f"{address}/64", "dev", "net0", "nodad")
    return here, there


class Flows(WatchedTest):
    def check(self, send, receive=""):
        with namespaces.Namespaces() as net:
            here, there = connect(net)
            ends = [subprocess.Popen(
                command_in(name, [sys.executable, __file__, end, options]),
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                for name, end, options in ((there, "receive", receive),
                                           (here, "send", send))]
            try:
                for one in ends:
                    said, _ = one.communicate(timeout=3 * TIMEOUT)
                    self.assertEqual(one.returncode, 0, said)
            finally:
                for one in ends:
                    one.kill()
                    one.communicate()

    def test_to_whoever_listens_everywhere(self):
        self.check(SEND)

    def test_by_number_of_the_interface(self):
        with namespaces.Namespaces() as net:
            number = ip("-n", connect(net)[0], "-o", "link", "show",
                        "net0").split(":")[0]
        self.check(f"host={THERE}%{number}")

    def test_between_two_bound_ends_on_two_ports(self):
        self.check(f"{SEND} rtcp-mux=false bind-address={HERE}%net0",
                   f"host={THERE}%net0 rtcp-mux=false")

    def test_by_uri(self):
        self.check(f"uri=tfrc://[{THERE}%25net0]:{PORT}",
                   f"uri=tfrc://[{THERE}%25net0]:{PORT}")

    def test_to_a_feedback_host(self):
        self.check(f"{SEND} bind-port=5100",
                   f"feedback-host={HERE}%net0 feedback-port=5100")

    def test_with_ecn(self):
        self.check(f"{SEND} ecn=true", "ecn=true")

    def test_as_a_group_of_one(self):
        self.check(f"{SEND} mode=tfmcc", "mode=tfmcc")


class Refused(WatchedTest):
    def test_an_address_of_one_link_without_the_link(self):
        for launch in (f"tfrcsink host={THERE}",
                       f"tfrcsrc host={THERE}",
                       f"tfrcsrc feedback-host={THERE}",
                       f"tfrcsink host={THERE}%lo bind-address={HERE}"):
            pipeline = Pipeline(launch)
            self.assertEqual(pipeline.set_state(Gst.State.READY),
                             Gst.StateChangeReturn.FAILURE)
            text, = pipeline.errors()
            self.assertIn("%eth0", text)
            pipeline.stop()

    def test_an_interface_that_is_not_there(self):
        pipeline = Pipeline(f"tfrcsink host={THERE}%none0")
        self.assertEqual(pipeline.set_state(Gst.State.READY),
                         Gst.StateChangeReturn.FAILURE)
        self.assertIn("none0", pipeline.errors()[0])
        pipeline.stop()


class Shown(WatchedTest):
    def test_the_uri_is_that_of_rfc_6874(self):
        sink = Gst.ElementFactory.make("tfrcsink")
        uri = f"tfrc://[{THERE}%25eth0]:{PORT}"
        sink.set_property("uri", uri)
        self.assertEqual(sink.get_property("host"), f"{THERE}%eth0")
        self.assertEqual(sink.get_property("uri"), uri)

    def test_the_sdp_has_no_interface_of_this_host(self):
        """RFC 4007 section 11.2."""
        sender = Sender(PORT, f"host={THERE}%lo")
        sink = sender.get("sink")
        sender.play()
        self.assertTrue(wait_for(lambda: sink.get_property("sdp")))
        self.assertIn(f"c=IN IP6 {THERE}\r\n", sink.get_property("sdp"))
        sender.stop()


def receive(options):
    """Until the picture runs and the sender has heard of it, in a group some
    seconds later."""
    receiver = Receiver(PORT, options)
    receiver.play()
    good = receiver.gets_frames(30) and wait_for(
        lambda: receiver.stats().get_value("feedback") > 10)
    return quiet(receiver) and good


def send(options):
    sender = Sender(PORT, options)
    sender.play()
    good = wait_for(lambda: sender.stats().get_value("feedback") > 5)
    # The receiver's end is none of its business.
    time.sleep(2)
    return quiet(sender) and good


def quiet(pipeline):
    pipeline.stop()
    for text in pipeline.errors() + pipeline.warnings():
        print(text)
    return not pipeline.errors() + pipeline.warnings()


def main():
    if sys.argv[1:2] == ["send"]:
        return 0 if send(sys.argv[2]) else 1
    if sys.argv[1:2] == ["receive"]:
        return 0 if receive(sys.argv[2]) else 1
    missing = namespaces.why_not()
    if missing:
        print("skipped:", missing)
        return SKIPPED
    return unittest.main(verbosity=2)


if __name__ == "__main__":
    sys.exit(main())
