#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What TFRC-SP (RFC 4828, small-packets=true) does for a voice that is alone on a
link which loses packets: a table as docs have them, each link with it and without.

    measure_voice.py [--seconds N]

Opus of 32 kbit/s in packets of 20 ms, with it and without at the same time.  The
first 5 s do not count."""

import argparse
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]
                       / "pipeline"))

from audio import START_S, packets_of, start_relay  # noqa: E402
from loopback import Gst, Pipeline, free_port  # noqa: E402

SENDER = """
    audiotestsrc is-live=true wave=pink-noise !
    opusenc bitrate=32000 bitrate-type=cbr ! rtpopuspay !
    tfrcsink name=sink host=127.0.0.1 port={port} retransmission=off
        rtptfrcsend::small-packets={small}
"""
RECEIVER = """
    tfrcsrc name=source port={port} encoding-name=OPUS retransmission=off
        rtptfrcreceive::small-packets={small} ! fakesink sync=false async=false
"""
LOSSES = (1, 3, 5)
RTTS_MS = (50, 200)


class Voice:

    def __init__(self, loss, rtt_ms, small):
        self.came, self.left, self.arrived = {}, {}, {}
        port = free_port()
        self.receiver = Pipeline(RECEIVER.format(port=port, small=small))
        self.relay, relay_port = start_relay(
            f"rate_kbit_s 2000\ndelay_ms {rtt_ms / 2}\nqueue_ms 200\n"
            f"loss {loss / 100}\n", port, 0)
        self.sender = Pipeline(SENDER.format(port=relay_port, small=small))
        self.send, = self.sender.find("sink", "rtptfrcsend")
        receive, = self.receiver.find("source", "rtptfrcreceive")
        for element, pad, into in ((self.send, "sink", self.came),
                                   (self.send, "src", self.left),
                                   (receive, "src", self.arrived)):
            element.get_static_pad(pad).add_probe(
                Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST,
                self.note, into)
        self.receiver.play()
        self.sender.play()
        self.rates = []

    @staticmethod
    def note(_pad, info, into):
        for _, rtp_time, _ in packets_of(info):
            into.setdefault(rtp_time, time.monotonic())
        return Gst.PadProbeReturn.OK

    def sample(self):
        self.rates.append(self.send.get_property("stats")["allowed-rate"])

    def row(self):
        """Dropped by the sender and arrived, of all [%]; X [kbit/s]; wait [ms]."""
        begin = min(list(self.came.values())) + START_S
        end = max(list(self.came.values())) - 1
        counted = [key for key, at in list(self.came.items())
                   if begin < at < end]
        waits = sorted(self.left[key] - self.came[key] for key in counted
                       if key in self.left)
        return (100 * (1 - len(waits) / len(counted)),
                100 * sum(key in self.arrived for key in counted)
                / len(counted), 8 * statistics.median(self.rates) / 1000,
                1000 * waits[int(0.95 * len(waits))])

    def stop(self):
        self.sender.stop()
        self.receiver.stop()
        self.relay.terminate()
        self.relay.wait()
        self.relay.stdout.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    print("| loss [%] | RTT [ms] | small-packets | X p50 [kbit/s] | "
          "dropped by the sender [%] | arrived [%] | wait p95 [ms] |")
    print("|--:|--:|---|--:|--:|--:|--:|")
    for rtt_ms in RTTS_MS:
        for loss in LOSSES:
            voices = {small: Voice(loss, rtt_ms, small)
                      for small in ("false", "true")}
            end = time.monotonic() + options.seconds
            while time.monotonic() < end:
                time.sleep(0.5)
                for voice in voices.values():
                    voice.sample()
            for small, voice in voices.items():
                dropped, arrived, rate, wait = voice.row()
                print(f"| {loss} | {rtt_ms} | {small} | {rate:.0f} | "
                      f"{dropped:.1f} | {arrived:.1f} | {wait:.0f} |",
                      flush=True)
                voice.stop()


if __name__ == "__main__":
    main()
