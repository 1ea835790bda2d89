#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""One encoder behind a tee to three tfrcsinks, over links of 2000, 1000 and 500 kbit/s:
it is told what the slowest takes, until that has left."""

import statistics
import subprocess
import tempfile
import time
import unittest

from loopback import Gst, Pipeline, free_port, stays_false, wait_for
from relay import RELAY
from watched import PipelineTest

LINKS = 2000, 1000, 500     # kbit/s


class Relayed:
    def __init__(self, test, kbits):
        self.to = free_port()
        file = tempfile.NamedTemporaryFile("w", suffix=".link")
        file.write(f"rate_kbit_s {kbits}\ndelay_ms 25\nback_delay_ms 25\nqueue_ms 200\n")
        file.flush()
        self.process = subprocess.Popen(
            [RELAY, "--profile", file.name, "--listen", "0", "--to", f"127.0.0.1:{self.to}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = int(self.process.stdout.readline().split()[1])
        file.close()
        test.addCleanup(self.end)

    def end(self):
        self.process.kill()
        self.process.communicate()


class Viewers(PipelineTest):
    def setUp(self):
        super().setUp()
        self.links = [Relayed(self, kbits) for kbits in LINKS]
        for link in self.links:
            self.start(Pipeline(f"tfrcsrc port={link.to} encoding-name=H264 ! fakesink "
                                "sync=false async=false"))
        self.sender = self.start(Pipeline(
            "videotestsrc is-live=true pattern=snow ! video/x-raw,width=320,height=240,"
            "framerate=30/1 ! x264enc name=encoder tune=zerolatency speed-preset=ultrafast "
            "key-int-max=300 ! tee name=tee " + " ".join(
                f"tee. ! queue name=queue{i} max-size-time=0 max-size-bytes=0 leaky=downstream ! rtph264pay "
                f"name=pay{i} ! tfrcsink name=sink{i} host=127.0.0.1 port={link.port}"
                for i, link in enumerate(self.links))))

    def told(self):
        """What the encoder is told [kbit/s]."""
        return self.sender.get("encoder").get_property("bitrate")

    def settle(self):
        self.assertTrue(wait_for(lambda: self.told() > 350, 30))
        time.sleep(3)       # slow start is over

    def dropped(self, i):
        stats = self.sender.get(f"sink{i}").get_property("stats")
        return stats.get_value("frames-dropped")

    def leave(self, i):
        queue = self.sender.get(f"queue{i}")
        pad = queue.get_static_pad("sink").get_peer()
        unlinked = []

        def unlink(pad, info):
            pad.unlink(pad.get_peer())
            unlinked.append(True)
            return Gst.PadProbeReturn.REMOVE

        pad.add_probe(Gst.PadProbeType.IDLE, unlink)
        self.assertTrue(wait_for(lambda: unlinked))
        for name in f"sink{i}", f"pay{i}", f"queue{i}":
            element = self.sender.get(name)
            element.set_locked_state(True)
            element.set_state(Gst.State.NULL)

    def test_who_is_paused_holds_up_nobody(self):
        self.settle()
        sink = self.sender.get("sink2")
        sink.set_locked_state(True)
        sink.set_state(Gst.State.PAUSED)
        told = []
        try:
            time.sleep(0.5)
            self.assertTrue(wait_for(
                lambda: told.append(self.told()) or told[-1] >= 800, 30))
        finally:
            sink.set_locked_state(False)
        # What is queued there leaves it nothing.
        self.assertGreater(min(told), 100)

    def test_the_slowest_rules_until_it_leaves(self):
        self.settle()
        before = [self.dropped(i) for i in range(2)]
        told = []
        stays_false(lambda: told.append(self.told()), 4)
        # It is told up to a quarter more where it makes that much less.
        self.assertGreaterEqual(statistics.median(told), 350)
        self.assertLessEqual(statistics.median(told), 700)
        # Those that have more drop nothing.
        self.assertEqual([self.dropped(i) for i in range(2)], before)
        self.leave(2)
        self.assertTrue(wait_for(lambda: self.told() >= 900, 30))


if __name__ == "__main__":
    unittest.main()
