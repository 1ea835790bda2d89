#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What rtptfrcsend costs in an RTSP server: its processor time with it by that
without it, in turn, both with about 1 Mbit/s over loopback to each of ten rtspsrc,
which report each half second.

    rtsp_cpu.py [--shared] [--clients N] [--pairs N] [--seconds N]

With --shared all have one encoder.  Prints the time of each run in ms per second,
encoding included, and the ratio of the medians.  Exit code 1: the rates of the two
were not within a tenth of each other, so that the ratio says nothing."""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TOP / "examples"))

from live.session import build_folder, environment  # noqa: E402

os.environ.update(environment(build_folder()))

import gi  # noqa: E402

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402

from rtsp.server import ask_for_reports  # noqa: E402

LAUNCH = ("( videotestsrc is-live=true pattern=snow ! "
          "video/x-raw,width=320,height=240,framerate=30/1 ! "
          "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=300 "
          "bitrate={} ! rtph264pay pt=96 {} )")
# With which the encoder makes as much as one that nobody controls: it is told what
# the packets leave over.
LAUNCHES = {"none": LAUNCH.format(1000, "name=pay0"),
            "tfrc": LAUNCH.format(300, "! rtptfrcsend name=pay0 feedback=rr "
                                  "max-bitrate=1030000")}
SETTLE_S = 20
TOLERANCE = 0.1


def serve(launch, shared):
    """Until the standard input ends."""
    server = GstRtspServer.RTSPServer(address="127.0.0.1", service="0")
    factory = GstRtspServer.RTSPMediaFactory(shared=shared)
    factory.set_launch(launch)
    server.get_mount_points().add_factory("/live", factory)
    server.connect("client-connected", lambda _server, client: client.connect(
        "send-message", ask_for_reports))
    server.attach(None)
    print(server.get_bound_port(), flush=True)
    loop = GLib.MainLoop()
    GLib.io_add_watch(sys.stdin, GLib.IO_HUP, lambda *_: loop.quit())
    loop.run()


class Run:

    def __init__(self, kind, shared, clients):
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--serve", kind]
            + ["--shared"] * shared,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        port = int(self.process.stdout.readline())
        self.bytes = 0
        self.clients = [Gst.parse_launch(
            f"rtspsrc location=rtsp://127.0.0.1:{port}/live protocols=udp "
            "latency=0 ! fakesink name=packets sync=false async=false")
            for _ in range(clients)]
        for client in self.clients:
            client.get_by_name("packets").get_static_pad("sink").add_probe(
                Gst.PadProbeType.BUFFER, self.on_packet)
            client.set_state(Gst.State.PLAYING)

    def on_packet(self, _pad, info):
        self.bytes += info.get_buffer().get_size()
        return Gst.PadProbeReturn.OK

    def read_counters(self):
        """(time, processor time, bytes), seconds."""
        fields = pathlib.Path(
            f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2]
        ticks = sum(map(int, fields.split()[11:13]))
        return (time.monotonic(), ticks / os.sysconf("SC_CLK_TCK"),
                self.bytes)

    def close(self):
        for client in self.clients:
            client.set_state(Gst.State.NULL)
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def measure(kind, chosen):
    """Processor time by time, and the rate of each client [bits/s]."""
    run = Run(kind, chosen.shared, chosen.clients)
    try:
        time.sleep(SETTLE_S)
        start, cpu_before, bytes_before = run.read_counters()
        time.sleep(chosen.seconds)
        end, cpu, received = run.read_counters()
    finally:
        run.close()
    return ((cpu - cpu_before) / (end - start),
            8 * (received - bytes_before) / (end - start) / chosen.clients)


def ratio(values):
    return statistics.median(values["tfrc"]) / statistics.median(
        values["none"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--serve", choices=LAUNCHES, help=argparse.SUPPRESS)
    parser.add_argument("--shared", action="store_true")
    parser.add_argument("--clients", type=int, default=10)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20)
    chosen = parser.parse_args()
    Gst.init(None)
    if chosen.serve:
        return serve(LAUNCHES[chosen.serve], chosen.shared)
    costs = {"none": [], "tfrc": []}
    rates = {"none": [], "tfrc": []}
    for _ in range(chosen.pairs):
        for kind in costs:
            cpu, rate = measure(kind, chosen)
            print(f"{kind}: {1000 * cpu:.1f} ms/s at {rate / 1000:.0f} kbit/s",
                  flush=True)
            costs[kind].append(cpu)
            rates[kind].append(rate)
    print(f"ratio of the medians: {ratio(costs):.3f}")
    return abs(ratio(rates) - 1) > TOLERANCE


if __name__ == "__main__":
    sys.exit(main())
