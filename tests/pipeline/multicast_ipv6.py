#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Groups of IPv6: of a site, and of one link.

A loopback interface has no route to any: the test makes itself a network
namespace with an interface that has, and needs no privilege for that where the
system lets everybody have namespaces of their own."""

import os
import socket
import subprocess
import sys
import unittest

from gi.repository import Gio  # noqa: F401 (addresses have methods)
from group import GroupTest
from loopback import wait_for

IPV6_UNICAST_IF = 76    # of Linux; Python has no name for it
INSIDE = "TFRC_TEST_INSIDE"
# The other link, which the system would take for what is of one link, has the
# first route.
INTERFACE = """
set -e
ip link set lo up
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
SKIPPED = 77


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


def main():
    if os.environ.get(INSIDE):
        return subprocess.run(["sh", "-c", INTERFACE]).returncode \
            or unittest.main(verbosity=2)
    options = "-n" if os.geteuid() == 0 else "-rn"
    if subprocess.run(["unshare", options, "true"]).returncode != 0:
        print("skipped: no namespace to be had here")
        return SKIPPED
    os.environ[INSIDE] = "1"
    os.execvp("unshare", ["unshare", options, sys.executable,
                          os.path.abspath(__file__)] + sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
