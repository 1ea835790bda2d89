#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Benchmark: simulated seconds of a TFMCC group of 10,000 receivers at 1 Mbit/s.
Prints what they took and fails where that is more than claimed; of time that of
the CPU, since other processes may have some, too.

    bench_group.py [--receivers N] [--group-size N] [--seconds S]
    bench_group.py --joins N [--receivers N] [--group-size N]

All lose the same packets, one in 1000, at an RTT of 60 to 100 ms: each has a
loss history, nobody is limited below 1 Mbit/s.  Memory is what the process
grows by, by receiver, over one with a single receiver.  With --joins all but ten come at
once, in so many runs, all at an RTT of 80 ms, and the reports of the round in which they
come and of the next one are compared with the closed form."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

import group_metrics

TOP = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("TFRC_BUILD_DIR", TOP / "build"))
PROGRAM = BUILD / "tests/evaluation/sim" / "tfrc-sim"

MAX_CPU_BY_TIME = 0.75
# Delays of the path, for delay control, are 330 of them.
MAX_BYTES = 4608
RATE_BIT_S = 1e6


FIRST = 10
NEAR, FAR = 20, 40
JOIN_AT_S, JOINED_S = 20, 4
RTT_S, RTTS = 0.08, 4.5     # of (1 - gamma) T


def description(members, seconds, group_size, seed=1):
    link = {"rate_bit_s": 10 * RATE_BIT_S, "delay_ms": 5,
            "queue": {"kind": "drop-tail", "packets": 50},
            "loss": [{"kind": "every-nth", "n": 1000}]}
    group = {"name": "tfmcc", "kind": "tfmcc", "rtt_ms": 20, "parameters": {
        "max_rate_bit_s": RATE_BIT_S, "group_size": group_size,
        "members": members}}
    return {"seconds": seconds, "bin_ms": 1000, "seed": seed, "links": [link],
            "flows": [group]}


def joined_rounds(receivers, group_size, seed):
    """(reports, R_max, interval of packets) of the round in which they join,
    and of the next."""
    everybody = {"count": FIRST, "delay_ms": [(NEAR + FAR) / 2] * 2}
    at_s = JOIN_AT_S + 0.05 * seed
    members = [everybody, {**everybody, "count": receivers - FIRST,
                           "join_s": at_s}]
    with tempfile.TemporaryDirectory() as folder:
        run = pathlib.Path(folder, "run.json")
        run.write_text(json.dumps(description(
            members, at_s + JOINED_S, group_size, seed)))
        if os.spawnl(os.P_WAIT, PROGRAM, PROGRAM, run, folder):
            sys.exit("tfrc-sim failed")
        rounds = [line.split() for line in pathlib.Path(
            folder, "group-rounds-0.txt").read_text().splitlines()]
    return [(int(row[6]), float(row[3]), float(row[4])) for row in rounds
            if float(row[2]) > at_s][:2]


def print_joins(receivers, group_size, runs):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(
            lambda seed: joined_rounds(receivers, group_size, seed),
            range(1, runs + 1)))
    _, max_rtt, interval = map(statistics.mean, zip(*(one[1] for one in found)))
    expected = group_metrics.expected_reports(
        receivers, RTT_S, RTTS * max_rtt, interval, group_size)
    for words, place in (("the round in which they join", 0), ("the next", 1)):
        reports = statistics.mean(one[place][0] for one in found)
        print(f"{receivers} receivers, {words}: {reports:.1f} reports, "
              f"{reports / expected:.2f} of the closed form")


def simulate(receivers, seconds, group_size):
    """(summary of the group, wall s, CPU s, largest resident bytes)"""
    with tempfile.TemporaryDirectory() as folder:
        run = pathlib.Path(folder, "run.json")
        run.write_text(json.dumps(
            description([{"count": receivers, "delay_ms": [NEAR, FAR]}],
                        seconds, group_size)))
        before = time.monotonic()
        child = os.spawnl(os.P_NOWAIT, PROGRAM, PROGRAM, run, folder)
        _, status, usage = os.wait4(child, 0)
        wall = time.monotonic() - before
        if status:
            sys.exit("tfrc-sim failed")
        summary = json.loads(pathlib.Path(folder,
                                          "summary.json").read_text())
        return (summary["flows"][0], wall, usage.ru_utime + usage.ru_stime,
                usage.ru_maxrss * 1024)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--receivers", type=int, default=10000)
    options.add_argument("--group-size", type=int, default=10000,
                         help="what the receivers suppose (default: 10000)")
    options.add_argument("--seconds", type=float, default=200)
    options.add_argument("--joins", type=int, metavar="RUNS")
    options = options.parse_args()
    if options.joins:
        print_joins(options.receivers, options.group_size, options.joins)
        return
    _, _, _, alone = simulate(1, 1, options.group_size)
    group, wall, cpu, bytes_all = simulate(
        options.receivers, options.seconds, options.group_size)
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
