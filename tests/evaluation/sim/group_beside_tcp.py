#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the tables of docs/results/groups.md: the rate of a group by that of one TCP flow
on the same link, with delay control and without, or with --rules with the rules by which
a group starts and recovers and without.

    group_beside_tcp.py [--seconds S] [--seeds N] [--receivers N...] [--rules]

The group's receivers are all behind the link, at an RTT of 50 ms as that of TCP.
Medians over the seeds, start included."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from group_rules import RULES

TOP = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("TFRC_BUILD_DIR", TOP / "build"))
PROGRAM = BUILD / "tests/evaluation/sim" / "tfrc-sim"

TCPS = {"linux-reno": "Reno", "cubic": "CUBIC"}
# Mbit/s, packets of the queue.
LINKS = ((3, 25), (3, 100), (10, 83))
RECEIVERS = [1, 2, 6]
# The elements' default.
TARGET_MS = 15


def description(tcp, receivers, link, target_ms, seed, seconds):
    rate_mbit_s, packets = link
    return {
        "seconds": seconds, "bin_ms": 1000, "seed": seed,
        "links": [{"rate_bit_s": rate_mbit_s * 1e6, "delay_ms": 5,
                   "queue": {"kind": "drop-tail", "packets": packets}}],
        "flows": [
            {"name": "group", "kind": "tfmcc", "rtt_ms": 20, "parameters": {
                "delay_target_ms": target_ms, "members": [
                    {"count": receivers, "delay_ms": [15, 15]}]}},
            {"name": "tcp", "kind": "tcp", "rtt_ms": 50, "overhead_ms": 1,
             "parameters": {"congestion": tcp}}]}


def share(without, *run):
    with tempfile.TemporaryDirectory() as folder:
        told = pathlib.Path(folder, "run.json")
        told.write_text(json.dumps(description(*run)))
        if subprocess.run([PROGRAM, told, folder], check=False,
                          env={**os.environ, "TFRC_WITHOUT": without}).returncode:
            sys.exit("tfrc-sim failed")
        group, tcp = json.loads(
            pathlib.Path(folder, "summary.json").read_text())["flows"]
        return group["received_bytes"] / tcp["received_bytes"]


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--seconds", type=float, default=150)
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--receivers", type=int, nargs="+", default=RECEIVERS)
    options.add_argument("--rules", action="store_true")
    options = options.parse_args()
    # (what is off, delay target) as the cell has it, and in brackets
    first, second = ("", TARGET_MS), ((RULES, TARGET_MS) if options.rules
                                      else ("", 0))
    runs = [(without, tcp, n, link, target, seed, options.seconds)
            for tcp in TCPS for link in LINKS for n in options.receivers
            for without, target in (first, second)
            for seed in range(1, options.seeds + 1)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        shares = dict(zip(runs, pool.map(lambda run: share(*run), runs)))

    def median(kind, *cell):
        without, target = kind
        return "%.2f" % statistics.median(
            value for run, value in shares.items()
            if run[:5] == (without, *cell, target))

    print("| beside | link, queue | " + " | ".join(
        f"{n} receiver{'s' * (n > 1)}" for n in options.receivers) + " |")
    print("|---|---|" + "--:|" * len(options.receivers))
    for tcp, name in TCPS.items():
        for link in LINKS:
            print(f"| {name} | {link[0]} Mbit/s, {link[1]} packets | "
                  + " | ".join(
                      f"{median(first, tcp, n, link)} "
                      f"({median(second, tcp, n, link)})"
                      for n in options.receivers)
                  + " |", flush=True)


if __name__ == "__main__":
    main()
