#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A group of real receivers, all in one process on the loopback interface, of
which one has a link that loses packets: it limits the group, and the others
report no more than the feedback timers let them."""

import resource
import time
import unittest

from group import ON_LOOPBACK, GroupTest, Link
from loopback import Gst, Pipeline, free_port, wait_for

CAPS = ("application/x-rtp,media=audio,clock-rate=48000,encoding-name=L16,"
        "channels=2,payload=96")
# 1.5 Mbit/s in 200 packets a second.
SENDER = ("audiotestsrc is-live=true wave=silence samplesperbuffer=240 ! "
          "audio/x-raw,format=S16BE,rate=48000,channels=2,layout=interleaved "
          f"! rtpL16pay ! tfrcsink name=sink {ON_LOOPBACK} ")
LOSSY = "rate_kbit_s 10000\ndelay_ms 25\nqueue_ms 100\nloss 0.02\n"
START_LIMIT_S = 60
# Until slow start is over and R_max has come down.
SETTLE_S = 10
N_RECEIVERS = 8


class Group:
    """A sender, and so many receivers; the last one is behind the link."""

    def __init__(self, n_receivers):
        port, lossy_port = free_port(2), free_port()
        options = f'caps="{CAPS}" ! fakesink sync=false async=false '
        self.receivers = Pipeline("".join(
            f"tfrcsrc name=src{i} port={port} {ON_LOOPBACK} {options}"
            for i in range(n_receivers - 1))
            + f"tfrcsrc name=lossy port={lossy_port} mode=tfmcc {options}")
        self.names = [f"src{i}" for i in range(n_receivers - 1)] + ["lossy"]
        self.link = Link(port, lossy_port, LOSSY)
        self.sender = Pipeline(SENDER + f"port={port}")
        self.receivers.play()
        self.sender.play()

    def stop(self):
        self.sender.stop()
        self.receivers.stop()
        self.link.stop()

    def sent(self, name):
        return self.sender.get("sink").get_property("stats").get_value(name)

    def got(self, receiver, name):
        return self.receivers.get(receiver).get_property("stats") \
            .get_value(name)

    def lossy_limits(self):
        return self.sent("clr-ssrc") == self.got("lossy", "ssrc")

    def measure(self, seconds):
        """{what: value} of these seconds."""
        def counters():
            usage = resource.getrusage(resource.RUSAGE_SELF)
            return {**{name: self.sent(name) for name in
                       ("reports", "reports-clr", "round", "bytes",
                        "clr-changes")},
                    "cpu": usage.ru_utime + usage.ru_stime,
                    "packets": [self.got(name, "packets")
                                for name in self.names]}
        before, start = counters(), time.monotonic()
        limited = looks = 0
        while time.monotonic() < start + seconds:
            time.sleep(0.2)
            limited += self.lossy_limits()
            looks += 1
        after, seconds = counters(), time.monotonic() - start
        grown = {name: after[name] - before[name] for name in before
                 if name != "packets"}
        return {
            "rounds": grown["round"],
            "reports_in_a_round":
                (grown["reports"] - grown["reports-clr"])
                / max(grown["round"], 1),
            "clr_reports_s": grown["reports-clr"] / seconds,
            "lossy_is_clr": limited / looks,
            "clr_changes": grown["clr-changes"],
            "kbit_s": grown["bytes"] * 8 / seconds / 1000,
            "cpu": grown["cpu"] / seconds,
            "fewest_packets": min(
                late - early for late, early in zip(after["packets"],
                                                    before["packets"])),
        }


class Size(GroupTest):

    def test_the_lossy_one_limits_and_few_of_the_others_report(self):
        group = Group(N_RECEIVERS)
        self.addCleanup(group.stop)
        self.assertTrue(wait_for(group.lossy_limits, START_LIMIT_S))
        # Of two looks: on a machine that stalls others lose packets as well.
        for _ in range(2):
            time.sleep(SETTLE_S / 2)
            found = group.measure(SETTLE_S)
            if found["lossy_is_clr"] > 0.8:
                break
        self.assertGreater(found["lossy_is_clr"], 0.8, found)
        self.assertGreater(found["rounds"], 3, found)
        # All that are not the CLR in each round, and no more.
        self.assertLessEqual(found["reports_in_a_round"], N_RECEIVERS - 1,
                             found)
        self.assertGreater(found["fewest_packets"], 100, found)
        for pipeline in (group.sender, group.receivers):
            self.assertEqual(pipeline.errors(), [])


if __name__ == "__main__":
    Gst.init(None)
    unittest.main()
