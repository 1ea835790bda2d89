#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""One tfrcsink, many tfrcsrc: packets to a multicast group arrive at all of
its members, and their reports at the sender."""

import pathlib
import socket
import struct
import threading
import time
import unittest

from gi.repository import Gio  # noqa: F401 (sockets have methods)
from group import (GROUP, ON_LOOPBACK, GroupReceiver, GroupSender, GroupTest,
                   count)
from loopback import GLib, Gst, wait_for


def members(interface, group):
    """How many sockets have joined the IPv4 group on that interface."""
    # As the kernel prints it: the 32-bit word of the host's byte order.
    wanted = "%08X" % struct.unpack("=I", socket.inet_aton(group))
    current, users = None, 0
    for line in pathlib.Path("/proc/net/igmp").read_text().splitlines():
        words = line.split()
        if not line.startswith("\t"):
            current = words[1]
        elif current == interface and words[0] == wanted:
            users = int(words[1])
    return users


class Arrives(GroupTest):
    def check(self, options="", n_receivers=3):
        receivers = [self.receiver(options) for _ in range(n_receivers)]
        sender = self.sender(options)
        self.assert_all_get_frames(receivers)
        self.assertTrue(wait_for(lambda: sender.stat("reports") > 0))
        self.assertEqual(sender.stat("mode"), "tfmcc")
        for receiver in receivers:
            self.assertEqual(receiver.stat("mode"), "tfmcc")
            self.assertEqual(receiver.pads, ["src_96"])
        self.assert_quiet(sender, *receivers)
        return sender, receivers

    def test_at_three_receivers(self):
        self.check()

    def test_without_rtcp_mux(self):
        """SRs come to the group's next port, reports go to the port after that
        of the RTP's source."""
        sender, receivers = self.check("rtcp-mux=false", 2)
        for receiver in receivers:
            reports = count(receiver, "src", "rtpbin", "recv_rtcp_sink_0")
            self.assertTrue(wait_for(reports))

    def test_from_a_sender_that_restarts_elsewhere(self):
        """As each run has another port: the first two packets come from there
        before the third proves that they are of the sender."""
        sender, receivers = self.check(n_receivers=2)
        sender.stop()
        time.sleep(1)
        again = self.sender()
        self.assert_all_get_frames(receivers)
        self.assert_quiet(again, *receivers)

    def test_by_uri(self):
        uri = f"tfrc://{GROUP}:{self.port}?multicast-iface=lo"
        receiver = self.start(GroupReceiver(self.port, f"uri={uri}"))
        sender = self.start(GroupSender(self.port, f"uri={uri}"))
        self.assert_all_get_frames([receiver])
        self.assertEqual(sender.stat("mode"), "tfmcc")
        self.assertEqual(receiver.get("src").get_property("uri"), uri)

    def test_by_sdp_alone(self):
        sender = self.sender("ttl-mc=7 bind-address=127.0.0.1")
        sink = sender.get("sink")
        self.assertTrue(wait_for(lambda: sink.get_property("sdp")))
        sdp = sink.get_property("sdp")
        self.assertIn(f"c=IN IP4 {GROUP}/7\r\n", sdp)
        self.assertIn(f"a=source-filter: incl IN IP4 {GROUP} 127.0.0.1\r\n",
                      sdp)
        self.assertIn("urn:x-gst:rtp-hdrext:tfmcc:1", sdp)
        receiver = GroupReceiver(1)
        source = receiver.get("src")
        source.set_property("multicast-iface", "lo")
        source.set_property("sdp", sdp)
        self.assertEqual(source.get_property("multicast-source"), "127.0.0.1")
        self.start(receiver)
        self.assert_all_get_frames([receiver])

    def test_at_a_group_of_one_at_a_unicast_address(self):
        self.options = "mode=tfmcc"
        receiver = self.receiver()
        sender = self.sender()
        self.assert_all_get_frames([receiver])
        self.assertEqual(sender.stat("mode"), "tfmcc")
        self.assertEqual(receiver.stat("mode"), "tfmcc")
        self.wait_for_clr(sender, [receiver.ssrc])

    def test_from_the_source_that_is_wanted_and_no_other(self):
        wanted = self.receiver("multicast-source=127.0.0.1")
        other = self.receiver("multicast-source=192.0.2.77")
        self.sender()
        self.assert_all_get_frames([wanted])
        self.assertEqual(other.stat("packets"), 0)


class Group(GroupTest):
    def test_is_joined_from_ready_on_and_left_in_null(self):
        self.assertEqual(members("lo", GROUP), 0)
        receiver = GroupReceiver(self.port, ON_LOOPBACK)
        receiver.set_state(Gst.State.READY)
        self.assertEqual(members("lo", GROUP), 1)
        receiver.stop()
        self.assertEqual(members("lo", GROUP), 0)

    def test_is_left_whatever_joined_it(self):
        """Each udpsrc, the source that reads ECN bits, and the element itself
        for one sender."""
        for options, joined in (("rtcp-mux=false", 2), ("ecn=true", 1),
                                ("ecn=true rtcp-mux=false", 2),
                                ("multicast-source=127.0.0.1", 1)):
            receiver = GroupReceiver(self.port, f"{ON_LOOPBACK} {options}")
            for _ in range(2):
                receiver.set_state(Gst.State.READY)
                self.assertEqual(members("lo", GROUP), joined, options)
                receiver.stop()
                self.assertEqual(members("lo", GROUP), 0, options)

    def test_is_left_when_the_receiver_leaves_by_itself(self):
        """As with auto-leave: nothing is joined while it still plays, and
        nothing is opened again for the end, but all for the next run."""
        before = GLib.log_set_always_fatal(
            GLib.LogLevelFlags.FLAG_FATAL | GLib.LogLevelFlags.LEVEL_ERROR
            | GLib.LogLevelFlags.LEVEL_CRITICAL)
        self.addCleanup(GLib.log_set_always_fatal, before)
        for options in "", "ecn=true", "multicast-source=127.0.0.1":
            receiver = self.receiver(options)
            sender = self.sender()
            self.assertTrue(receiver.gets_frames(1, 30))
            receiver.find("src", "rtptfrcreceive")[0].emit("leaving")
            self.assertTrue(wait_for(receiver.has_eos), options)
            self.assertTrue(wait_for(lambda: members("lo", GROUP) == 0),
                            options)
            receiver.set_state(Gst.State.READY)
            receiver.play()
            self.assertTrue(receiver.gets_frames(1, 30), options)
            for pipeline in receiver, sender:
                pipeline.stop()
                self.assertEqual(pipeline.errors(), [])

    def test_is_not_left_in_paused_where_the_end_would_wait(self):
        """In the udpsink, for PLAYING, and with it who stops the receiver."""
        receiver = self.receiver()
        self.sender()
        self.assertTrue(receiver.gets_frames(1, 30))
        receiver.set_state(Gst.State.PAUSED)
        receiver.find("src", "rtptfrcreceive")[0].emit("leaving")
        # In another thread.
        time.sleep(0.3)
        playing = threading.Thread(target=receiver.play, daemon=True)
        playing.start()
        playing.join(30)
        self.assertFalse(playing.is_alive())
        self.assertTrue(receiver.gets_frames(1, 30))

    def test_is_not_joined_by_the_sender(self):
        sender = self.sender()
        self.assertTrue(wait_for(lambda: sender.stat("packets") > 0))
        self.assertEqual(members("lo", GROUP), 0)

    def test_is_left_to_somebody_else_to_join(self):
        receiver = self.receiver("auto-multicast=false")
        self.assertEqual(members("lo", GROUP), 0)
        self.sender()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.setsockopt(
                socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, struct.pack(
                    "4s4si", socket.inet_aton(GROUP), bytes(4),
                    socket.if_nametoindex("lo")))
            self.assert_all_get_frames([receiver])

    def test_keeps_out_what_was_not_sent_to_it(self):
        """Neither unicast to the port nor another group on it."""
        receiver = self.receiver()
        other_group = "239.255.77.2"
        neighbour = self.start(GroupReceiver(
            self.port, f"host={other_group} multicast-iface=lo"))
        stranger = GroupSender(
            self.port, f"host={other_group} multicast-iface=lo")
        self.start(stranger)
        self.start(GroupSender(self.port, "host=127.0.0.1"))
        self.assert_all_get_frames([neighbour])
        self.assertEqual(receiver.stat("packets"), 0)
        self.assertEqual(receiver.stat("packets-malformed"), 0)

    def test_carries_as_far_as_the_ttl_says(self):
        receiver = self.receiver("ttl=9")
        sender = self.sender("ttl-mc=5")
        self.assert_all_get_frames([receiver], 1)
        for udpsink in sender.find("sink", "udpsink"):
            self.assertEqual(
                udpsink.get_property("used-socket").get_multicast_ttl(), 5)
        for udpsink in receiver.find("src", "udpsink"):
            self.assertEqual(udpsink.get_property("used-socket").get_ttl(), 9)


    def test_takes_one_network_for_shorter_than_several(self):
        """Before anybody has reported, and ttl-mc is 1 by default."""
        for options, longest in (("", 200), ("ttl-mc=2", 500),
                                 ("rtptfrcsend::initial-max-rtt=300", 300)):
            sender = self.sender(options)
            self.assertTrue(wait_for(lambda: sender.stat("packets") > 0))
            self.assertEqual(round(sender.stat("max-rtt-ns") / 1e7),
                             longest / 10)
            sender.stop()


class Reports(GroupTest):
    def test_come_from_a_port_of_the_receiver_alone(self):
        receivers = [self.receiver() for _ in range(2)]
        sender = self.sender()
        ports = set()
        self.assert_all_get_frames(receivers, 1)
        for receiver in receivers:
            for udpsink in receiver.find("src", "udpsink"):
                ports.add(udpsink.get_property("used-socket")
                          .get_local_address().get_port())
        self.assertEqual(len(ports), 2)
        self.assertNotIn(self.port, ports)
        self.assertTrue(wait_for(lambda: sender.stat("reports") > 0))

    def check_relayed(self, options, relay):
        """Through `relay`, a bound socket, and no other way."""
        relay.settimeout(0.1)
        sender = self.sender("bind-port=0")
        udpsrc = sender.find("sink", "udpsrc")[0]
        port = udpsrc.get_property(
            "used-socket").get_local_address().get_port()
        running, relayed = True, 0

        def run():
            nonlocal relayed
            while running:
                try:
                    datagram = relay.recv(2048)
                except socket.timeout:
                    continue
                relayed += 1
                relay.sendto(datagram, ("127.0.0.1", port))
        thread = threading.Thread(target=run)
        thread.start()
        try:
            receiver = self.receiver(options)
            self.assert_all_get_frames([receiver])
            self.wait_for_clr(sender, [receiver.ssrc])
        finally:
            running = False
            thread.join()
        self.assertGreater(relayed, 0)
        self.assertGreaterEqual(relayed, sender.stat("reports"))

    def test_go_where_the_receiver_is_told(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as relay:
            relay.bind(("127.0.0.2", 0))
            self.check_relayed("feedback-host=127.0.0.2 feedback-port="
                               f"{relay.getsockname()[1]}", relay)

    def test_go_to_another_port_of_the_sender(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as relay:
            relay.bind(("127.0.0.1", 0))
            self.check_relayed(
                f"feedback-port={relay.getsockname()[1]}", relay)


if __name__ == "__main__":
    unittest.main(verbosity=2)
