#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What parity does for the pictures of a group, and what it costs: a table as
docs/results/repair.md has it, without it and with fec=-1.

    measure_group_repair.py [--seconds N] [--runs N] [--receivers N...]
                            [--fec PERCENTAGE...] [--link LINK...]
                            [--start N]

Each receiver is behind a link of its own, all of which lose as much, but not
the same packets.  Frames are intact as in measure_repair.py.  Medians of the
runs; one run after the other."""

import functools
import statistics
import sys

from measure_repair import LINKS, measures, parser_of, print_table, results

from live.group_recording import GroupRecording
from live.group_session import GroupPlan, GroupSession, Member

# Short round trips, besides those of measure_repair.py.
LINKS |= {f"2 % at {rtt} ms": f"rate_kbit_s 10000\ndelay_ms {rtt / 2}\nloss 0.02"
          for rtt in (1, 20, 200)}


def run_once(plan, start):
    recording = GroupRecording()
    GroupSession(plan, recording).run()
    end = recording.seconds
    start = results.warmup_of(end) if start is None else start
    names = [member.name for member in plan.members]
    intact = [results.intact(recording.reference, recording.pictures[name],
                             start, end) for name in names]
    latencies = [results.metrics.percentile(
        [value for when, value in zip(recording.decoded[name].times,
                                      recording.decoded[name].values)
         if value is not None and start <= when < end], 99) for name in names]
    sender = recording.sender
    shares = results.metrics.between(
        sender("fec-percentage").times, sender("fec-percentage").values,
        start, end)
    return {
        "mean": statistics.mean(intact),
        "worst": min(intact),
        "latency_ms": 1000 * max(one or 0 for one in latencies),
        "key_frames": results.happened(recording.keyframe_requests, start,
                                       end),
        "repair": results.grown(sender("fec-bytes"), start, end)
        / results.grown(sender("bytes"), start, end),
        "sent_kbit_s": results.mean_kbit_s(
            sender("bytes").times, sender("bytes").values, start, end),
        "asked": sum(results.grown(recording.member(name, "retransmissions-asked"),
                                   0, end) for name in names),
        "none": (shares == 0).mean(),
        "least": results.metrics.percentile(shares, 5),
        "most": results.metrics.percentile(shares, 95),
        "lateness_ms": max(measures.worst_lateness_ms(recording, link)
                           for link in recording.links.values()),
    }


def cells(row):
    return [f"{row['mean']:.1%}", f"{row['worst']:.1%}",
            f"{row['latency_ms']:.0f}", f"{row['key_frames']:.0f}",
            f"{row['repair']:.1%}", f"{row['sent_kbit_s']:.0f}",
            f"{row['asked']:.0f}", f"{row['none']:.1%}",
            f"{row['least']:.0f} to {row['most']:.0f} %"]


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--receivers", type=int, nargs="+",
                        default=[1, 2, 3, 4, 5, 6])
    parser.add_argument("--fec", type=int, nargs="+", default=[0, -1])
    parser.add_argument("--link", nargs="+", choices=LINKS, metavar="LINK",
                        default=["1 %", "3 %"])
    parser.add_argument("--start", type=float, metavar="SECONDS",
                        help="what counts begins there (default: 10, or "
                        "half of a short run)")
    chosen = parser.parse_args()

    def run(receivers, fec, _link, profile, seed):
        return run_once(GroupPlan(
            seconds=chosen.seconds, seed=seed, reference=True,
            folder=profile.parent / "run", sink={"fec": fec},
            members=[Member(str(place), profile)
                     for place in range(receivers)]), chosen.start)

    print_table(["link", "receivers", "`fec`", "intact",
                 "of the worst receiver", "its p99 encoder to decoder (ms)",
                 "key frames asked for", "parity's share", "sent (kbit/s)",
                 "requests", "time without parity",
                 "parity asked for, 5th to 95th percentile"],
                chosen.link, chosen.runs,
                {(str(receivers), str(fec)):
                 functools.partial(run, receivers, fec)
                 for receivers in chosen.receivers for fec in chosen.fec},
                cells)


if __name__ == "__main__":
    sys.exit(main())
