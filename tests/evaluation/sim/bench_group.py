#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Benchmark: simulated seconds of a TFMCC group of 10,000 receivers at 1 Mbit/s.
Prints what they took and fails where that is more than claimed; of time that of
the CPU, since other processes may have some, too.

    bench_group.py [--receivers N] [--group-size N] [--seconds S] [--join-at S]

All lose the same packets, one in 1000, at an RTT of 60 to 100 ms: each has a
loss history, nobody is limited below 1 Mbit/s.  Memory is what the process
grows by, by receiver, over one with a single receiver.  With --join-at all but ten
come at once then, and most of all reports are those of the round in which they do."""

import argparse
import json
import os
import pathlib
import sys
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("TFRC_BUILD_DIR", TOP / "build"))
PROGRAM = BUILD / "tests/evaluation/sim" / "tfrc-sim"

MAX_CPU_BY_TIME = 0.75
# Delays of the path, for delay control, are 330 of them.
MAX_BYTES = 4608
RATE_BIT_S = 1e6


FIRST = 10
NEAR, FAR = 20, 40


def members_of(receivers, join_at):
    everybody = {"count": receivers, "delay_ms": [NEAR, FAR]}
    if not join_at:
        return [everybody]
    return [{**everybody, "count": FIRST},
            {**everybody, "count": receivers - FIRST, "join_s": join_at}]


def description(receivers, seconds, group_size, join_at=0):
    link = {"rate_bit_s": 10 * RATE_BIT_S, "delay_ms": 5,
            "queue": {"kind": "drop-tail", "packets": 50},
            "loss": [{"kind": "every-nth", "n": 1000}]}
    group = {"name": "tfmcc", "kind": "tfmcc", "rtt_ms": 20, "parameters": {
        "max_rate_bit_s": RATE_BIT_S, "group_size": group_size,
        "members": members_of(receivers, join_at)}}
    return {"seconds": seconds, "bin_ms": 1000, "links": [link],
            "flows": [group]}


def reports_from(folder, at_s):
    """Of the round that lasts then, and the most of one behind it."""
    rounds = [line.split() for line in pathlib.Path(
        folder, "group-rounds-0.txt").read_text().splitlines()]
    found = [int(row[6]) for row in rounds if float(row[2]) > at_s]
    return found[0], max(found[1:])


def simulate(receivers, seconds, group_size, join_at=0):
    """(summary of the group, wall s, CPU s, largest resident bytes)"""
    with tempfile.TemporaryDirectory() as folder:
        run = pathlib.Path(folder, "run.json")
        run.write_text(json.dumps(
            description(receivers, seconds, group_size, join_at)))
        before = time.monotonic()
        child = os.spawnl(os.P_NOWAIT, PROGRAM, PROGRAM, run, folder)
        _, status, usage = os.wait4(child, 0)
        wall = time.monotonic() - before
        if status:
            sys.exit("tfrc-sim failed")
        summary = json.loads(pathlib.Path(folder,
                                          "summary.json").read_text())
        if join_at:
            print("%d reports in the round in which they join, %d at most "
                  "behind it" % reports_from(folder, join_at))
        return (summary["flows"][0], wall, usage.ru_utime + usage.ru_stime,
                usage.ru_maxrss * 1024)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--receivers", type=int, default=10000)
    options.add_argument("--group-size", type=int, default=10000,
                         help="what the receivers suppose (default: 10000)")
    options.add_argument("--seconds", type=float, default=200)
    options.add_argument("--join-at", type=float, default=0, metavar="S")
    options = options.parse_args()
    _, _, _, alone = simulate(1, 1, options.group_size)
    group, wall, cpu, bytes_all = simulate(
        options.receivers, options.seconds, options.group_size,
        options.join_at)
    grown = (bytes_all - alone) / options.receivers
    mean_bit_s = 8 * group["sent_bytes"] / options.seconds

    print(f"{options.receivers} receivers, {options.seconds:g} s, "
          f"{mean_bit_s / 1e6:.2f} Mbit/s: {wall:.0f} s, {cpu:.0f} s of CPU "
          f"(at most {MAX_CPU_BY_TIME * options.seconds:.0f} s); "
          f"{cpu / group['receptions'] * 1e9:.0f}"
          f" ns per reception")
    print(f"{group['bytes_per_member']:.0f} bytes per receiver (at most "
          f"{MAX_BYTES}); the process grew by {grown:.0f} for each")
    others = (group["reports"] - group["reports_clr"]) / group["rounds"]
    print(f"{others:.1f} reports in a round besides those of the CLR")
    sys.exit(cpu > MAX_CPU_BY_TIME * options.seconds
             or group["bytes_per_member"] > MAX_BYTES)


if __name__ == "__main__":
    main()
