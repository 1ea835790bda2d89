#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sixteen receivers of a ladder of 2 Mbit/s and 250 kbit/s in one process: eleven
on the loopback interface, four behind 3 % of loss, one behind 300 kbit/s.  A table
as docs have it, of what each kind got by what its link and the equation allow.

    measure_ladder.py [--seconds N]"""

import argparse
import collections
import math
import pathlib
import statistics
import sys
import time

TOP = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(TOP / "tests/pipeline"), str(TOP / "tests/support")]

from group import Link  # noqa: E402
from loopback import Gst, Pipeline, free_port  # noqa: E402

GROUPS = "239.255.78.1", "239.255.78.2"
TOP_KBIT_S, SLOW_KBIT_S = 2000, 250
RATES = (f"min-bitrate=600000 max-bitrate={TOP_KBIT_S}000",
         f"min-bitrate=150000 max-bitrate={SLOW_KBIT_S}000")
KINDS = ["near"] * 11 + ["lossy"] * 4 + ["narrow"]
# What needs all the bits that it can get.
SOURCE = ("videotestsrc is-live=true pattern=snow ! video/x-raw,width=160,"
          "height=120,framerate=30/1 ! tee name=t ")
ENCODE = ("t. ! queue ! x264enc tune=zerolatency speed-preset=ultrafast "
          "key-int-max=300 ! rtph264pay config-interval=-1 ! "
          "tfrcsink name=sink{rung} host={group} port={port} "
          "multicast-iface=lo {rates} ")
LOSS, LOSSY_RTT_S = 0.03, 0.02
LINKS = {"lossy": f"rate_kbit_s 20000;delay_ms {LOSSY_RTT_S * 500};queue_ms 100;"
                  f"loss {LOSS}",
         "narrow": "rate_kbit_s 300;delay_ms 25;queue_ms 200"}
SETTLE_S = 40


class Ladder:
    def __init__(self, kinds):
        self.links = []
        self.ports = [free_port(2) for _ in GROUPS]
        self.sender = Pipeline(SOURCE + "".join(
            ENCODE.format(rung=rung, group=group, port=port, rates=rates)
            for rung, (group, port, rates) in enumerate(
                zip(GROUPS, self.ports, RATES))))
        self.kinds = kinds
        self.receivers = Pipeline("".join(
            f'tfrcladdersrc name=src{place} rungs="{self.uris(kind)}" ! '
            "fakesink sync=false async=false "
            for place, kind in enumerate(kinds)))
        self.receivers.play()
        self.sender.play()

    def uris(self, kind):
        """Behind a link each rung has one of its own, as who has left a group gets
        nothing of it."""
        uris = []
        for group, port in zip(GROUPS, self.ports):
            where, options = f"{group}:{port}", "multicast-iface=lo"
            if kind in LINKS:
                behind = free_port()
                self.links.append(Link(port, behind, LINKS[kind], group))
                where, options = f"127.0.0.1:{behind}", "mode=tfmcc"
            uris.append(f"tfrc://{where}?{options}&encoding-name=H264")
        return " ".join(uris)

    def stop(self):
        self.sender.stop()
        self.receivers.stop()
        for link in self.links:
            link.stop()

    def counted(self):
        """{what: bytes} of the senders, and of both rungs of each receiver."""
        found = {("sent", rung): self.sender.get(f"sink{rung}").get_property(
            "stats").get_value("bytes") for rung in range(len(GROUPS))}
        for place in range(len(self.kinds)):
            ladder = self.receivers.get(f"src{place}")
            found[place] = sum(
                ladder.get_by_name(f"rung_{rung}").get_property(
                    "stats").get_value("bytes")
                for rung in range(len(GROUPS)))
        return found

    def rung(self, place):
        return self.receivers.get(f"src{place}").get_property("rung")


def equation_kbit_s(size):
    """RFC 5348 section 3.1, with b = 1 and t_RTO = 4 R."""
    root = math.sqrt(2 * LOSS / 3)
    late = 12 * math.sqrt(3 * LOSS / 8) * LOSS * (1 + 32 * LOSS ** 2)
    return size * 8 / 1000 / (LOSSY_RTT_S * (root + late))


def measure(ladder, seconds):
    """({what: kbit/s}, {place: share of the time on the fast rung})"""
    before, start = ladder.counted(), time.monotonic()
    fast, looks = collections.Counter(), 0
    while time.monotonic() < start + seconds:
        time.sleep(0.5)
        looks += 1
        fast.update(place for place in range(len(ladder.kinds))
                    if ladder.rung(place) == 0)
    after, seconds = ladder.counted(), time.monotonic() - start
    return ({what: (after[what] - before[what]) / seconds / 125
             for what in before},
            {place: fast[place] / looks for place in range(len(ladder.kinds))})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=60)
    chosen = parser.parse_args()
    Gst.init(None)
    ladder = Ladder(KINDS)
    try:
        time.sleep(SETTLE_S)
        rates, fast = measure(ladder, chosen.seconds)
        size = ladder.sender.get("sink0").get_property("stats").get_value(
            "segment-size")
    finally:
        ladder.stop()
    may = {"near": TOP_KBIT_S, "lossy": min(TOP_KBIT_S, equation_kbit_s(size)),
           "narrow": SLOW_KBIT_S}
    print(f"The first rung sends {rates['sent', 0]:.0f} kbit/s, the second "
          f"{rates['sent', 1]:.0f}.\n\n| receivers | may have (kbit/s) | least "
          "and mean of what they got | by it | of the time on the first rung |"
          "\n|---|--:|--:|--:|--:|")
    for kind in may:
        places = [place for place, one in enumerate(KINDS) if one == kind]
        got = [rates[place] for place in places]
        print(f"| {len(places)} {kind} | {may[kind]:.0f} | {min(got):.0f}, "
              f"{statistics.mean(got):.0f} | {min(got) / may[kind]:.2f} | "
              f"{statistics.mean(fast[place] for place in places):.0%} |")


if __name__ == "__main__":
    main()
