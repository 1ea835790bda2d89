#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What rtptfrcsend costs inside webrtcbin: processor time of the sender of
examples/webrtc with it by that without it, both with about 1.25 Mbit/s over
loopback to a webrtcbin in this process, in turn.

    webrtc_cpu.py [--pairs N] [--seconds N]

Prints the time of each run in ms per second, encoding included, and the ratio of
the medians.  Exit code 1: the rates of the two were not within a tenth of each
other, so that the ratio says nothing."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TOP / "tests" / "pipeline"))
sys.path.insert(0, str(TOP / "tests" / "support"))
sys.path.insert(0, str(TOP / "examples"))

from live.session import build_folder, environment  # noqa: E402

os.environ.update(environment(build_folder()))

from local_http import request  # noqa: E402
from webrtc_player import Gst, Player  # noqa: E402

# Without statistics ten times a second, which Python takes longer to read than
# the element to send.
SENDER = ("import sys, webrtc.sender as sender; "
          "sender.STATS_INTERVAL_MS = 3600000; sys.exit(sender.main())")
# With which the encoder makes as much as one that is told 1.5 Mbit/s and that
# nobody controls: it is told what it leaves over.
CONTROLLED = {"feedback": "twcc", "max-bitrate": 1400000}
SETTLE_S = 10
TOLERANCE = 0.1


class Run:

    def __init__(self, controller):
        spec = {"address": "127.0.0.1", "port": 0, "nack": True,
                "controller": controller,
                "properties": CONTROLLED if controller == "tfrc" else {}}
        self.process = subprocess.Popen(
            [sys.executable, "-c", SENDER, json.dumps(spec)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            cwd=TOP / "examples")
        told = json.loads(self.process.stdout.readline())
        self.port = told["port"]
        # What it tells fills no pipe.
        self.drain = subprocess.Popen(
            ["cat"], stdin=self.process.stdout, stdout=subprocess.DEVNULL)
        self.player = Player()
        _, headers, answer = request(
            self.port, "POST", "/whep", self.player.offer(), "application/sdp")
        self.location = headers["Location"]
        self.player.accept(answer)

    def read_counters(self):
        """(time, processor time, encoded bytes), seconds."""
        stats = json.loads(request(
            self.port, "GET", self.location + "/stats")[2])
        fields = pathlib.Path(
            f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2]
        ticks = sum(map(int, fields.split()[11:13]))
        return (time.monotonic(), ticks / os.sysconf("SC_CLK_TCK"),
                stats["encoded_bytes"])

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.drain.wait()
        self.player.stop()


def measure(controller, seconds):
    """Processor time by time, and the rate of the encoder [bits/s]."""
    run = Run(controller)
    try:
        time.sleep(SETTLE_S)
        start, cpu_before, bytes_before = run.read_counters()
        time.sleep(seconds)
        end, cpu, encoded = run.read_counters()
    finally:
        run.close()
    return ((cpu - cpu_before) / (end - start),
            8 * (encoded - bytes_before) / (end - start))


def ratio(values):
    return statistics.median(values["tfrc"]) / statistics.median(
        values["none"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20)
    chosen = parser.parse_args()
    Gst.init(None)
    costs = {"none": [], "tfrc": []}
    rates = {"none": [], "tfrc": []}
    for _ in range(chosen.pairs):
        for controller in costs:
            cpu, rate = measure(controller, chosen.seconds)
            print(f"{controller}: {1000 * cpu:.1f} ms/s at "
                  f"{rate / 1000:.0f} kbit/s", flush=True)
            costs[controller].append(cpu)
            rates[controller].append(rate)
    print(f"ratio of the medians: {ratio(costs):.3f}")
    return abs(ratio(rates) - 1) > TOLERANCE


if __name__ == "__main__":
    sys.exit(main())
