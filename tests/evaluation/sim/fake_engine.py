#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Stands in for tfrc-sim in the tests of run.py: writes results at once, in
which all flows share the first link as the environment says.

    FAKE_SHARES    part of the link that each flow gets: "0.5 0.5"
    FAKE_TROUBLE   fail: ends with an error; hang: never ends by itself
    FAKE_LOG       a file that gets a line for each start: process id, seed"""

import json
import os
import pathlib
import sys
import time


def write_table(path, row, rows):
    path.write_text((" ".join(map(str, row)) + "\n") * rows)


def main():
    description = json.loads(pathlib.Path(sys.argv[1]).read_text())
    folder = pathlib.Path(sys.argv[2])
    with open(os.environ["FAKE_LOG"], "a") as log:
        print(os.getpid(), description["seed"], file=log, flush=True)
    trouble = os.environ.get("FAKE_TROUBLE")
    if trouble == "fail":
        sys.exit("the link is made of cheese")
    if trouble == "hang":
        time.sleep(600)
    bin_s = description["bin_ms"] / 1000
    bins = round(description["seconds"] / bin_s)
    capacity = description["links"][0]["rate_bit_s"] / 8 * bin_s
    shares = [float(share) for share in os.environ["FAKE_SHARES"].split()]
    row = [round(capacity * share) for share in shares]
    for name in ["received.txt", "sent.txt"]:
        write_table(folder / name, row, bins)
    flows = [{"name": flow["name"], "kind": flow["kind"], "index": i,
              "start_s": 0, "rtt_ms": 100}
             for i, flow in enumerate(description["flows"])]
    (folder / "summary.json").write_text(json.dumps(
        {"flows": flows, "links": [{}]}))


main()
