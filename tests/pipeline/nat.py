#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A receiver behind a NAT, which speaks first, and a sender that waits for it.

    sender, 192.0.2.2 -- 192.0.2.1, NAT, 192.168.7.1 -- receiver, 192.168.7.2

Each has a network namespace of its own; the NAT is that of Linux, and lets
nothing in that does not answer what left.  A pipeline's sockets stay in the
namespace in which they were opened."""

import contextlib
import ctypes
import os
import pathlib
import socket
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]
                       / "support"))

from loopback import Gst, KEY, Receiver, Sender, VIDEO, wait_for
from watched import PipelineTest

import own_network  # noqa: E402

CLONE_NEWNET = 0x40000000
ETH_P_ALL, ETH_P_IP = 3, 0x0800
SO_RCVBUFFORCE = 33
LIBC = ctypes.CDLL(None, use_errno=True)
SENDER, NAT, HOME = "192.0.2.2", "192.0.2.1", "192.168.7.2"
VICTIM = "198.51.100.66"
PORT, HOME_PORT = 5004, 6004
MAPPING_LASTS = 4    # seconds without a packet
SRTP = f"srtp-key={KEY}"
NETWORK = f"""
set -e
ip netns add router
ip netns add home
ip link add wan type veth peer name wan netns router
ip -n home link add lan type veth peer name lan netns router
ip addr add {SENDER}/24 dev wan
ip -n router addr add {NAT}/24 dev wan
ip -n router addr add 192.168.7.1/24 dev lan
ip -n home addr add {HOME}/24 dev lan
ip link set wan up
for name in wan lan lo; do ip -n router link set $name up; done
for name in lan lo; do ip -n home link set $name up; done
ip -n home route add default via 192.168.7.1
ip route add default via {NAT}
ip -n router route add blackhole {VICTIM}
ip netns exec router sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward
  for name in udp_timeout udp_timeout_stream; do
    echo {MAPPING_LASTS} > /proc/sys/net/netfilter/nf_conntrack_$name
  done'
"""
# What comes to the NAT and answers nothing goes no further.  Others may have the
# port that a flow has inside.
RULES = """
table ip nat {
  chain out {
    type nat hook postrouting priority 100
    ip saddr 192.168.7.0/24 oifname "wan" masquerade random
  }
  chain in {
    type filter hook forward priority 0; policy drop
    iifname "lan" accept
    ct state established accept
  }
}
"""


def run(*command, text=None):
    subprocess.run(command, check=True, text=True, input=text)


def udp_socket(port):
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    one.bind(("", port))
    return one


@contextlib.contextmanager
def namespace(name):
    """This thread is there meanwhile."""
    def enter(path):
        with open(path) as there:
            if LIBC.setns(there.fileno(), CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), path)
    own = f"/proc/self/task/{os.getpid()}/ns/net"
    with open(own) as back:
        enter(f"/run/netns/{name}")
        try:
            yield
        finally:
            enter(f"/proc/self/fd/{back.fileno()}")


class NatTest(PipelineTest):
    def setUp(self):
        super().setUp()
        run("ip", "netns", "exec", "router", "nft", "-f", "-",
            text="flush ruleset" + RULES)

    def begin_receiver(self, options="", port=HOME_PORT):
        receiver = Receiver(port, f"sender-host={SENDER} {options}")
        with namespace("home"):
            receiver.set_state(Gst.State.READY)
        return self.start(receiver)

    def begin_sender(self, options=""):
        sender = self.start(Sender(PORT, f"listen=true bind-port={PORT} "
                                   f"{options}"))
        self.assertEqual(sender.errors(), [])
        return sender

    def found(self, sender, name="tfrc-receiver-found"):
        return [message.get_structure() for message
                in sender.of_type(Gst.MessageType.ELEMENT)
                if message.get_structure().get_name() == name]

    def check(self, options=""):
        sender = self.begin_sender(options)
        receiver = self.begin_receiver(options)
        self.assert_found(sender, receiver)
        return sender, receiver

    def assert_found(self, sender, receiver):
        self.assertTrue(receiver.gets_frames(20))
        one, = self.found(sender)
        sink = sender.get("sink")
        self.assertEqual(one.get_value("host"), NAT)
        self.assertEqual(sink.get_property("host"), NAT)
        self.assertEqual(sink.get_property("port"), one.get_value("port"))
        self.assertEqual(sender.stats().get_value("hellos-answered"), 1)
        self.assert_quiet(sender, receiver)


class BehindNat(NatTest):
    def test_is_not_reached_by_who_speaks_first(self):
        with namespace("home"):
            inside = udp_socket(HOME_PORT)
        outside = udp_socket(PORT)
        self.addCleanup(inside.close)
        self.addCleanup(outside.close)
        inside.settimeout(0.5)
        for address in HOME, NAT:
            with self.assertRaises(TimeoutError):
                outside.sendto(b"x", (address, HOME_PORT))
                inside.recv(100)
        inside.sendto(b"x", (SENDER, PORT))
        outside.settimeout(10)
        outside.sendto(b"y", outside.recvfrom(100)[1])
        self.assertEqual(inside.recv(100), b"y")

    def test_finds_its_sender(self):
        _, receiver = self.check()
        self.assertEqual(receiver.stats().get_value("hellos-sent"), 2)

    def test_finds_its_sender_with_srtp(self):
        sender, _ = self.check(SRTP)
        self.assertEqual(sender.stats().get_value("srtp-dropped"), 0)

    def test_waits_for_a_sender_that_comes_later(self):
        receiver = self.begin_receiver()
        self.assertTrue(wait_for(
            lambda: receiver.stats().get_value("hellos-sent") > 1))
        self.assert_found(self.begin_sender(), receiver)

    def test_is_found_again_where_its_mapping_is_lost(self):
        sender, receiver = self.check()
        port = sender.get("sink").get_property("port")
        for state in "down", "up":
            run("ip", "-n", "router", "link", "set", "wan", state)
        self.assertTrue(receiver.gets_frames(20))
        self.assertNotEqual(sender.get("sink").get_property("port"), port)

    def test_keeps_its_mapping_while_nothing_comes(self):
        sender, receiver = self.check()
        port = sender.get("sink").get_property("port")
        sender.set_state(Gst.State.PAUSED)
        # Longer than a mapping lasts.
        wanted = receiver.stats().get_value("hellos-sent") + 5
        self.assertTrue(wait_for(
            lambda: receiver.stats().get_value("hellos-sent") >= wanted))
        sender.play()
        self.assertTrue(receiver.gets_frames(20))
        self.assertEqual(sender.get("sink").get_property("port"), port)
        self.assertEqual(len(self.found(sender)), 1)

    def test_is_found_again_in_the_next_run(self):
        """Where the last one has left host and port as they will be."""
        sender, receiver = self.check()
        sender.set_state(Gst.State.NULL)
        sender.play()
        self.assertTrue(receiver.gets_frames(20))

    def test_makes_room_for_the_next(self):
        sender, receiver = self.check()
        receiver.stop()
        self.begin_receiver(port=HOME_PORT + 2)
        self.assertTrue(self.running[-1].gets_frames(20))
        self.assertEqual(len(self.found(sender)), 2)
        sender.set_state(Gst.State.READY)
        sender.play()
        self.assertTrue(self.running[-1].gets_frames(20))
        self.assertEqual(len(self.found(sender)), 3)


class Vanished(NatTest):
    def test_is_waited_for_and_so_is_the_next(self):
        sender, receiver = self.check()
        port = sender.get("sink").get_property("port")
        run("ip", "-n", "home", "link", "set", "lan", "down")
        self.addCleanup(run, "ip", "-n", "home", "route", "add", "default",
                        "via", "192.168.7.1")
        self.addCleanup(run, "ip", "-n", "home", "link", "set", "lan", "up")
        self.assertTrue(wait_for(
            lambda: self.found(sender, "tfrc-receiver-lost")))
        lost, = self.found(sender, "tfrc-receiver-lost")
        self.assertEqual(lost.get_value("host"), NAT)
        self.assertEqual(lost.get_value("port"), port)
        self.assert_sends_nothing(sender)
        following = self.start(Receiver(
            HOME_PORT + 2, f"sender-host={SENDER}"))
        self.assertTrue(following.gets_frames(20))
        self.assertEqual(len(self.found(sender)), 2)

    def assert_sends_nothing(self, sender):
        """Once what waited for its turn is gone."""
        self.assertTrue(wait_for(
            lambda: sender.stats().get_value("queue-packets") == 0))
        before = sender.stats().get_value("packets")
        sender.count("pay", "src")
        self.assertTrue(wait_for(lambda: sender.counts["pay"] > 60))
        self.assertEqual(sender.stats().get_value("packets"), before)


class Wire:
    """What leaves from the sender, and forged hellos to it."""

    def __init__(self):
        self.seen = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM,
                                  socket.htons(ETH_P_ALL))
        self.seen.bind(("wan", 0))
        self.seen.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 22)
        self.seen.setblocking(False)
        with namespace("router"):
            self.forge = socket.socket(socket.AF_INET, socket.SOCK_RAW,
                                       socket.IPPROTO_RAW)
        self.to_victim, self.to_others = [], []

    def close(self):
        self.seen.close()
        self.forge.close()

    def say_hello(self, cookie=bytes(8)):
        """As the victim; returns how many bytes that are."""
        hello = struct.pack("!BBHI4s8s", 0x82, 204, 4, 1, b"TFRC", cookie)
        udp = struct.pack("!HHHH", 7000, PORT, 8 + len(hello), 0) + hello
        packet = struct.pack(
            "!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0,
            socket.inet_aton(VICTIM), socket.inet_aton(SENDER)) + udp
        return self.forge.sendto(packet, (SENDER, 0))

    def look(self):
        """Sizes of the IPv4 packets that left so far."""
        with contextlib.suppress(BlockingIOError):
            while True:
                packet, where = self.seen.recvfrom(2000)
                if where[2] == socket.PACKET_OUTGOING and where[1] == ETH_P_IP:
                    to_victim = packet[16:20] == socket.inet_aton(VICTIM)
                    (self.to_victim if to_victim
                     else self.to_others).append(len(packet))
        return sum(self.to_victim)


class Forged(NatTest):
    def begin_wire(self):
        wire = Wire()
        self.addCleanup(wire.close)
        return wire

    def forge_many(self, wire):
        return sum(wire.say_hello(bytes([0, i] * 4)) for i in range(200))

    def test_get_no_more_bytes_than_they_are_and_no_stream(self):
        wire, sender = self.begin_wire(), self.begin_sender()
        sender.count("pay", "src")
        spent = self.forge_many(wire)
        self.assertTrue(wait_for(lambda: sender.counts["pay"] > 30))
        stats = sender.stats()
        answered = stats.get_value("hellos-answered")
        self.assertGreater(answered, 0)
        self.assertEqual(answered + stats.get_value("hellos-refused"), 200)
        self.assertEqual(wire.look(), spent * answered / 200)
        self.assertEqual(wire.to_others, [])
        self.assertEqual(self.found(sender), [])
        self.assertEqual(sender.stats().get_value("packets"), 0)
        # Nobody is kept out by them.
        receiver = self.begin_receiver()
        self.assertTrue(receiver.gets_frames(20))
        self.assert_quiet(sender, receiver)

    def test_get_nothing_with_srtp(self):
        wire, sender = self.begin_wire(), self.begin_sender(SRTP)
        self.forge_many(wire)
        self.assertTrue(wait_for(
            lambda: sender.stats().get_value("srtp-dropped") == 200))
        self.assertEqual(wire.look(), 0)
        self.assertEqual(wire.to_others, [])

    def test_get_nothing_while_a_receiver_is_heard(self):
        wire = self.begin_wire()
        sender, receiver = self.check()
        port = sender.get("sink").get_property("port")
        self.forge_many(wire)
        self.assertTrue(wait_for(
            lambda: sender.stats().get_value("hellos-refused") == 200))
        self.assertTrue(receiver.gets_frames(20))
        self.assertEqual(wire.look(), 0)
        self.assertGreater(len(wire.to_others), 20)
        self.assertEqual(sender.get("sink").get_property("port"), port)


class Listening(NatTest):
    def test_at_ipv6(self):
        sender = self.begin_sender("bind-address=::")
        receiver = self.start(Receiver(
            HOME_PORT, f"sender-host=::1 sender-port={PORT}"))
        self.assertTrue(receiver.gets_frames(20))
        self.assertEqual(sender.get("sink").get_property("host"), "::1")
        self.assert_quiet(sender, receiver)

    def test_at_ipv6_tells_once_that_ipv4_gets_no_answer(self):
        sender = self.begin_sender("bind-address=::")
        hello = struct.pack("!BBHI4s8s", 0x82, 204, 4, 1, b"TFRC", bytes(8))
        with udp_socket(7000) as receiver:
            for _ in range(3):
                receiver.sendto(hello, ("127.0.0.1", PORT))
            self.assertTrue(wait_for(lambda: self.warnings(sender)))
        # Whatever came before it has been seen.
        receiver = self.start(Receiver(
            HOME_PORT, f"sender-host=::1 sender-port={PORT}"))
        self.assertTrue(receiver.gets_frames(20))
        warning, = self.warnings(sender)
        self.assertIn("by IPv4 get no answer", warning)

    @staticmethod
    def warnings(sender):
        return [message.parse_warning().gerror.message for message
                in sender.of_type(Gst.MessageType.WARNING)]

    def test_to_the_end_of_a_stream_that_nobody_saw(self):
        sender = self.start(Sender(
            PORT, f"listen=true bind-port={PORT}",
            VIDEO.replace("is-live=true", "num-buffers=10")))
        self.assertTrue(wait_for(sender.has_eos))
        self.assert_quiet(sender)


if __name__ == "__main__":
    sys.exit(own_network.run_tests(NETWORK, ["nft"]))
