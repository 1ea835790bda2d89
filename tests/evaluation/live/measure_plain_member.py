#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a member of a group gets that reports by RTCP alone, behind a link that is
slower than those of the others, and what it costs them: a table as
docs/multicast.md has it, with feedback=tfrc, which does not go by such members, and
with auto.

    measure_plain_member.py [--seconds N] [--runs N] [--rate KBIT_S...]

Two tfrcsrc are behind 4 Mbit/s, and an rtpbin behind each of the rates, with 50 ms of
RTT and 100 ms of queue; it goes after half of the time, without a word.  Medians of
the runs."""

import argparse
import json
import pathlib
import statistics
import sys
import tempfile

import numpy as np
from measure_repair import LINK, results

from live.endpoint import Endpoint
from live.group_recording import GroupRecording
from live.group_session import GroupPlan, GroupSession, Member
from live.session import free_port

NEAR = "rate_kbit_s {rate}\ndelay_ms 25\n"
# Of 1.5 Mbit/s, whatever else the machine does.
SOUND = "steady"
CAPS = ("application/x-rtp,media=audio,clock-rate=48000,payload=96,"
        "encoding-name=L16,channels=2")
PLAIN = "plain"
# Behind the start.
FROM_S = 20


class Plain(Endpoint):
    """As the manual of rtpbin has it; its RTCP takes another way than the packets."""

    def __init__(self, spec):
        super().__init__(
            f"rtpbin name=bin latency=200 udpsrc port={spec['port']} "
            f"caps=\"{CAPS}\" ! bin.recv_rtp_sink_0 bin.send_rtcp_src_0 ! "
            f"udpsink host=127.0.0.1 port={spec['feedback_port']} sync=false "
            "async=false bin. ! fakesink async=false")


class PlainPlan(GroupPlan):
    """The last one comes at once."""

    @property
    def joins_at(self):
        return 0

    @property
    def leaves_at(self):
        return self.seconds / 2


class PlainSession(GroupSession):

    def _spawn(self, name, program, spec):
        super()._spawn(name, program, {**spec, "source": SOUND})

    def _spawn_receiver(self, member):
        if member.name != PLAIN:
            super()._spawn_receiver(member)
            return
        self._spawn(member.process, pathlib.Path(__file__).resolve(), {
            "port": self.receiver_ports[member.name],
            "feedback_port": self.plan.sink["bind-port"]})


def run_once(rate, feedback, seconds, seed):
    recording = GroupRecording()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        links = {}
        for name, kbit_s in (("near", 4000), (PLAIN, rate)):
            links[name] = folder / f"{name}.link"
            links[name].write_text(LINK.format(
                name=name, rest=NEAR.format(rate=kbit_s)))
        plan = PlainPlan(
            seconds=seconds, seed=seed, folder=folder / "run",
            sink={"feedback": feedback, "bind-port": free_port()},
            members=[Member("one", links["near"]), Member("two", links["near"]),
                     Member(PLAIN, links[PLAIN], guest=True)])
        PlainSession(plan, recording).run()
    sent = recording.sender("bytes")
    link = recording.links[PLAIN]

    def kbit_s(start, end):
        return results.mean_kbit_s(sent.times, sent.values, start, end)

    def lost(start, end):
        dropped, offered = (
            np.diff(np.interp([start, end], link.times, counter))[0]
            for counter in (link.dropped_packets, link.offered_packets))
        return dropped / offered
    return {"first": lost(0, FROM_S),
            "lost": lost(FROM_S, plan.leaves_at),
            "with": kbit_s(FROM_S, plan.leaves_at),
            "after": kbit_s(seconds - 10, seconds)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--rate", type=int, nargs="+", default=[300, 800])
    chosen = parser.parse_args()
    print("| its link | `feedback` | it loses in the "
          f"first {FROM_S} s | from then on | sent then (kbit/s) | sent when it "
          "is gone |\n|--:|---|--:|--:|--:|--:|")
    for rate in chosen.rate:
        for feedback in ("tfrc", "auto"):
            found = [run_once(rate, feedback, chosen.seconds, seed)
                     for seed in range(1, chosen.runs + 1)]
            row = {key: statistics.median(one[key] for one in found)
                   for key in found[0]}
            print(f"| {rate} kbit/s | {feedback} | "
                  f"{row['first']:.0%} | {row['lost']:.1%} | "
                  f"{row['with']:.0f} | {row['after']:.0f} |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1].startswith("{"):
        sys.exit(Plain(json.loads(sys.argv[1])).run())
    sys.exit(main())
