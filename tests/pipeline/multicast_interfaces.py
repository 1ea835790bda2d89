#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A group on two networks: what is sent through both, and who listens on both.

The test runs in a network of its own with two interfaces, of which a host hears
what it sends through each."""

import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]
                       / "support"))

from gi.repository import Gio  # noqa: F401 (addresses have methods)
from group import GroupTest
from loopback import wait_for

import own_network  # noqa: E402

NAMES = "near", "far"
ADDRESSES = "10.77.0.1", "10.78.0.1"
GROUPS = {4: "239.255.77.1", 6: "ff15::77:1"}
INTERFACES = """
set -e
network=77
for name in near far; do
  ip link add $name type veth peer name other-$name
  echo 0 > /proc/sys/net/ipv6/conf/$name/accept_dad
  ip link set other-$name up
  ip link set $name up
  ip addr add 10.$network.0.1/24 dev $name
  ip addr add fd00:$network::1/64 dev $name nodad
  network=$((network + 1))
done
"""


class Interfaces(GroupTest):
    def on(self, version, *names):
        return f"host={GROUPS[version]} multicast-iface={','.join(names)}"

    def sent_through(self, name):
        with open("/proc/net/dev", encoding="utf-8") as table:
            return next(int(line.split()[9]) for line in table
                        if line.strip().startswith(name + ":"))

    def assert_heard_from(self, receivers, addresses):
        """Each of the address of its network, and reports arrive there."""
        self.assert_all_get_frames(receivers)
        for receiver, address in zip(receivers, addresses):
            self.assertTrue(wait_for(lambda: receiver.stat("echoes") > 0))
            self.assertEqual(receiver.get("src").get_property(
                "source-address").get_address().to_string(), address)

    def check(self, more=""):
        receivers = []
        for name in NAMES:
            self.options = f"{self.on(4, name)} {more}"
            receivers.append(self.receiver())
        self.options = f"{self.on(4, *NAMES)} {more}"
        sender = self.sender()
        self.assert_heard_from(receivers, ADDRESSES)
        self.assertEqual(sender.stat("receivers-seen"), 2)
        self.assert_quiet(sender, *receivers)

    def test_one_sender_reaches_both(self):
        self.check()

    def test_one_sender_reaches_both_by_ipv6(self):
        """Of IPv6 Linux lets a member hear what comes through any interface
        that somebody has joined on."""
        before = {name: self.sent_through(name) for name in NAMES}
        self.options = self.on(6, *NAMES)
        receiver, sender = self.receiver(), self.sender()
        self.assert_all_get_frames([receiver])
        self.assertTrue(wait_for(lambda: receiver.stat("echoes") > 0))
        near, far = (self.sent_through(name) - before[name] for name in NAMES)
        self.assertGreater(near, sender.stat("bytes") / 2)
        self.assertLess(abs(near - far), near / 10)
        self.assert_quiet(sender, receiver)

    def test_one_sender_reaches_both_without_rtcp_mux(self):
        self.check("rtcp-mux=false")

    def test_one_receiver_listens_on_both(self):
        for source in ("", "multicast-source=10.78.0.1"):
            self.options = self.on(4, *NAMES)
            receiver = self.receiver(source)
            self.options = self.on(4, "far")
            sender = self.sender()
            self.assert_heard_from([receiver], ADDRESSES[1:])
            sender.stop()
            receiver.stop()


if __name__ == "__main__":
    sys.exit(own_network.run_tests(INTERFACES))
