#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A receiver whose address changes while it runs, as that of a phone between two
networks, and somebody else who would like to be taken for it."""

import select
import socket
import threading
import time
import unittest

from loopback import Gst, Receiver, Sender, free_port, wait_for
from watched import PipelineTest

KEY = "srtp-key=" + "31" * 30


class Way:
    """Between a tfrcsink and a tfrcsrc, which is seen at the port of `front`."""

    def __init__(self, port):
        self.port = port
        self.back, self.front, self.stranger = (
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            for _ in range(3))
        for one in self.back, self.front, self.stranger:
            one.bind(("127.0.0.1", 0))
        self.sender, self.formers = None, []
        self.open, self.replays, self.running = True, False, True
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def seen_at(self):
        return self.front.getsockname()[1]

    def run(self):
        while self.running:
            front = self.front
            ready, _, _ = select.select([self.back, front], [], [], 0.05)
            for one in ready:
                data, source = one.recvfrom(2000)
                if one is front:
                    self.sender = source
                if not self.open or front is not self.front:
                    continue
                if one is front:
                    self.back.sendto(data, ("127.0.0.1", self.port))
                elif self.sender:
                    front.sendto(data, self.sender)
                    if self.replays:
                        self.stranger.sendto(data, self.sender)

    def move(self):
        other = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        other.bind(("127.0.0.1", 0))
        self.formers.append(self.front)
        self.front = other

    def close(self):
        self.running = False
        self.thread.join()
        for one in self.back, self.front, self.stranger, *self.formers:
            one.close()


class Moving(PipelineTest):
    def begin(self, options="", sink_options=""):
        port = free_port()
        self.way = Way(port)
        self.addCleanup(self.way.close)
        self.receiver = self.start(Receiver(port, options))
        self.sender = self.start(Sender(self.way.seen_at(),
                                        f"{options} {sink_options}"))
        self.sink = self.sender.get("sink")
        self.assertTrue(self.receiver.gets_frames(20))

    def told(self):
        return [message.get_structure() for message
                in self.sender.of_type(Gst.MessageType.ELEMENT)
                if message.get_structure().get_name() == "tfrc-receiver-moved"]

    def check_followed(self, options):
        self.begin(options)
        old = self.way.seen_at()
        # Nothing for a second.
        self.way.open = False
        time.sleep(1)
        self.assertEqual(self.told(), [])
        self.way.move()
        self.way.open = True
        self.assertTrue(self.receiver.gets_frames(20))
        one, = self.told()
        self.assertEqual(one.get_value("old-host"), "127.0.0.1")
        self.assertEqual(one.get_value("old-port"), old)
        self.assertEqual(one.get_value("port"), self.way.seen_at())
        self.assertTrue(one.get_value("followed"))
        self.assertEqual(self.sink.get_property("port"), self.way.seen_at())
        self.assertEqual(self.sender.stats().get_value("receiver-moves"), 1)
        self.assertEqual(self.sender.errors(), [])

    def test_is_followed(self):
        self.check_followed("")

    def test_is_followed_with_srtp(self):
        self.check_followed(KEY)

    def test_is_followed_in_one_run(self):
        """Two moves; what was set holds again behind NULL."""
        self.begin()
        first = self.way.seen_at()
        for n_moves in 1, 2:
            self.way.move()
            self.assertTrue(wait_for(lambda: len(self.told()) == n_moves))
        self.assertTrue(self.receiver.gets_frames(20))
        self.sender.set_state(Gst.State.READY)
        self.assertEqual(self.sink.get_property("port"), self.way.seen_at())
        self.sender.set_state(Gst.State.NULL)
        self.assertEqual(self.sink.get_property("port"), first)

    def test_what_is_set_behind_a_move_holds(self):
        self.begin()
        self.way.move()
        self.assertTrue(wait_for(self.told))
        self.sink.set_property("port", self.way.seen_at())
        self.sender.set_state(Gst.State.NULL)
        self.assertEqual(self.sink.get_property("port"), self.way.seen_at())

    def test_is_followed_twice(self):
        """Before the first packet has come to the first new address."""
        self.begin()
        self.way.move()
        self.assertTrue(wait_for(self.told))
        self.way.move()
        self.assertTrue(self.receiver.gets_frames(20))
        self.assertEqual(len(self.told()), 2)

    def test_is_told_of_alone_where_the_user_says_so(self):
        self.begin(sink_options="follow-receiver=false")
        old = self.way.seen_at()
        self.way.move()
        self.assertTrue(wait_for(self.told))
        self.assertFalse(self.told()[0].get_value("followed"))
        self.assertEqual(self.sink.get_property("port"), old)
        # The application does it then.
        self.sink.set_property("port", self.way.seen_at())
        self.assertTrue(self.receiver.gets_frames(20))

    def check_not_moved(self, options):
        self.begin(options)
        self.way.replays = True
        self.assertTrue(self.receiver.gets_frames(60))
        stats = self.sender.stats()
        self.assertEqual(stats.get_value("receiver-moves"), 0)
        if not options:
            self.assertGreater(stats.get_value("reports-elsewhere"), 10)
        self.assertEqual(self.told(), [])
        self.assertEqual(self.sink.get_property("port"), self.way.seen_at())

    def test_a_copy_of_each_report_from_elsewhere_moves_nothing(self):
        self.check_not_moved("")

    def test_a_copy_of_each_report_moves_nothing_with_srtp(self):
        self.check_not_moved(KEY)


if __name__ == "__main__":
    unittest.main(verbosity=2)
