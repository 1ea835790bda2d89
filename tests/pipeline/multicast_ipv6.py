#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Groups of IPv6: of a site, and of one link.

A loopback interface has no route to any: the test runs in a network of its own
with an interface that has."""

import os
import pathlib
import socket
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]
                       / "support"))

from gi.repository import Gio  # noqa: F401 (addresses have methods)
from group import GroupTest
from loopback import wait_for

import own_network  # noqa: E402

IPV6_UNICAST_IF = 76    # of Linux; Python has no name for it
# The other link, which the system would take for what is of one link, has the
# first route.
INTERFACE = """
set -e
for name in other mc; do
  ip link add ${name}0 type veth peer name ${name}1
  echo 1 > /proc/sys/net/ipv6/conf/${name}1/disable_ipv6
  echo 0 > /proc/sys/net/ipv6/conf/${name}0/accept_dad
  ip link set ${name}1 up
  ip link set ${name}0 up
done
ip addr add fd00:77::1/64 dev mc0 nodad
ip -6 route add multicast ff15::/16 dev mc0 table local
"""


class Arrives(GroupTest):
    def check(self, options, source, receiver_options=""):
        self.options = options
        receivers = [self.receiver(receiver_options) for _ in range(2)]
        sender = self.sender()
        self.assert_all_get_frames(receivers)
        for receiver in receivers:
            self.assertTrue(wait_for(lambda: receiver.stat("echoes") > 0))
            address = receiver.get("src").get_property(
                "source-address").get_address().to_string()
            self.assertTrue(address.startswith(source), address)
        self.assert_quiet(sender, *receivers)
        return receivers

    def test_at_a_group_of_the_site(self):
        self.check("host=ff15::77:1 multicast-iface=mc0", "fd00:77::1")

    def test_at_a_group_that_the_system_finds_the_way_to(self):
        self.check("host=ff15::77:1", "fd00:77::1")

    def test_without_rtcp_mux(self):
        self.check("host=ff15::77:1 multicast-iface=mc0 rtcp-mux=false",
                   "fd00:77::1")

    def test_at_a_group_of_one_link(self):
        """Reports go to an address that means something on that link alone.
        Here it is one of this host, for which there is a route anyway: that it
        works between two shows in what the socket was told."""
        receivers = self.check("host=ff12::77:1 multicast-iface=mc0", "fe80::")
        for udpsink in receivers[0].find("src", "udpsink"):
            used = socket.socket(fileno=os.dup(
                udpsink.get_property("used-socket-v6").get_fd()))
            with used:
                self.assertEqual(
                    socket.ntohl(used.getsockopt(
                        socket.IPPROTO_IPV6, IPV6_UNICAST_IF)),
                    socket.if_nametoindex("mc0"))

    def test_from_the_source_that_is_wanted(self):
        self.check("host=ff35::77:1 multicast-iface=mc0", "fd00:77::1",
                   "multicast-source=fd00:77::1")


if __name__ == "__main__":
    sys.exit(own_network.run_tests(INTERFACE))
