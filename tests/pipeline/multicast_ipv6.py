#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Groups of IPv6: of a site, and of one link.

A loopback interface has no route to any: the test makes itself a network
namespace with an interface that has, and needs no privilege for that where the
system lets everybody have namespaces of their own."""

import os
import subprocess
import sys
import unittest

from gi.repository import Gio  # noqa: F401 (addresses have methods)
from group import GroupTest
from loopback import wait_for

INSIDE = "TFRC_TEST_INSIDE"
# Both ends of it stay here; one has IPv6, at once.
INTERFACE = """
set -e
ip link add mc0 type veth peer name mc1
echo 1 > /proc/sys/net/ipv6/conf/mc1/disable_ipv6
echo 0 > /proc/sys/net/ipv6/conf/mc0/accept_dad
ip link set lo up
ip link set mc1 up
ip link set mc0 up
ip addr add fd00:77::1/64 dev mc0 nodad
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

    def test_at_a_group_of_the_site(self):
        self.check("host=ff15::77:1 multicast-iface=mc0", "fd00:77::1")

    def test_at_a_group_that_the_system_finds_the_way_to(self):
        self.check("host=ff15::77:1", "fd00:77::1")

    def test_without_rtcp_mux(self):
        self.check("host=ff15::77:1 multicast-iface=mc0 rtcp-mux=false",
                   "fd00:77::1")

    def test_at_a_group_of_one_link(self):
        """Reports go to an address that means something on that link alone."""
        self.check("host=ff12::77:1 multicast-iface=mc0", "fe80::")

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
