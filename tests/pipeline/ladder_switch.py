#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two groups behind a switch that forwards to a port what is joined there, and a
receiver whose link takes one of them.

    sender, 10.9.0.1 -- bridge with IGMP snooping -- 10.9.0.2, receiver

Each has a network namespace of its own; the receiver's is that of this
process, since an element opens its sockets in any thread."""

import pathlib
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]
                       / "support"))

from ladder import ENCODE, FAST, SLOW, Ladder
from loopback import wait_for
from watched import PipelineTest

import own_network  # noqa: E402

GROUPS = "239.255.78.1", "239.255.78.2"
PORT = 5006
QUEUE = "burst 5kb latency 200ms"
NARROW, WIDE = "300kbit", "5mbit"
NETWORK = f"""
set -e
ip netns add sender
ip netns add switch
ip -n switch link add br0 type bridge mcast_snooping 1 mcast_querier 1
ip -n switch link set br0 up
ip -n switch addr add 10.9.0.254/24 dev br0
ip link add eth0 type veth peer name home netns switch
ip -n sender link add eth0 type veth peer name sender netns switch
ip addr add 10.9.0.2/24 dev eth0
ip -n sender addr add 10.9.0.1/24 dev eth0
ip link set eth0 up
ip -n sender link set eth0 up
for name in home sender; do ip -n switch link set $name master br0 up; done
ip netns exec switch bridge link set dev home fastleave on
ip netns exec switch tc qdisc add dev home root tbf rate {WIDE} {QUEUE}
"""


def run(*command):
    subprocess.run(command, check=True)


def set_link(rate):
    run("ip", "netns", "exec", "switch", "tc", "qdisc", "change", "dev", "home",
        "root", "tbf", "rate", rate, *QUEUE.split())


class Sender:
    """Of both rungs, in its own process."""

    def __init__(self):
        rungs = [f"{ENCODE} ! tfrcsink host={group} port={PORT} "
                 f"multicast-iface=eth0 {rates}"
                 for group, rates in zip(GROUPS, (FAST, SLOW))]
        self.process = subprocess.Popen(
            ["ip", "netns", "exec", "sender", "gst-launch-1.0", "-q",
             *" ".join(rungs).split()], stdin=subprocess.DEVNULL)

    def stop(self):
        self.process.kill()
        self.process.wait()


class BehindASwitch(PipelineTest):
    def setUp(self):
        super().setUp()
        set_link(WIDE)
        self.running.append(Sender())

    def receive(self, interval):
        uris = " ".join(f"tfrc://{group}:{PORT}?multicast-iface=eth0&"
                        f"encoding-name=H264" for group in GROUPS)
        return self.start(Ladder(f'rungs="{uris}" climb-interval={interval}'))

    def test_a_link_that_narrows_and_widens(self):
        receiver = self.receive(4000)
        self.assertTrue(receiver.gets_frames())
        self.assertEqual(receiver.rung, 0)
        set_link(NARROW)
        self.assertTrue(wait_for(lambda: receiver.rung == 1))
        left = time.monotonic()
        self.assertTrue(receiver.gets_frames())
        print(f"ten frames {time.monotonic() - left:.1f} s after it was left")
        # A try does not do away with the picture.
        self.assertTrue(wait_for(lambda: receiver.stat("failed") > 0))
        self.assertEqual(receiver.rung, 1)
        self.assertTrue(receiver.gets_frames())
        set_link(WIDE)
        self.assertTrue(wait_for(lambda: receiver.rung == 0))
        self.assertTrue(receiver.gets_frames())
        self.assertEqual(receiver.errors(), [])


if __name__ == "__main__":
    sys.exit(own_network.run_tests(NETWORK, ["bridge", "tc", "gst-launch-1.0"]))
