#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The receiving end: tfrcsrc -> depayloader -> decoder -> screen.  It tells
which frames are decoded, and which time codes are shown when.

    receiver.py JSON

with the fields source ("greedy", "fast", "steady" or a picture), encoder, port,
screen (false: no display; or the launch line of a sink), picture (where the last
decoded frame goes as PNG, or null), screens ({file: s}: where the frame goes
that is the newest of those taken until then), reference (true: tell what the decoded
frames are), src, the properties of tfrcsrc, rungs (ports of a ladder's groups
instead, the fastest first), and plain (true: RTP that nobody
controls, with a jitter buffer of 300 ms)."""

import json
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from live import glass, pictures  # noqa: E402
from live.codecs import CODECS  # noqa: E402
from live.endpoint import (  # noqa: E402
    STATS_INTERVAL_MS, Endpoint, Gst, launch_properties, tell)

VIDEO_CLOCK_RATE = 90000
SCREENS = {True: "autovideosink", False: "fakesink sync=true"}
PLAIN = ("udpsrc name=network port={port} caps=application/x-rtp,media=video,"
         "clock-rate=90000,payload=96,encoding-name={name} "
         "! rtpjitterbuffer latency=300")
# Channels and sampling rate of uncompressed audio.
UNCOMPRESSED = {
    "greedy": (8, 192000), "fast": (8, 800000), "steady": (2, 48000)}
# It is told once in a frame interval of video that such packets come out.
TOLD_NS = Gst.SECOND // 30
# A decoded frame comes soon after its packets, or never.
REMEMBERED_FRAMES = 300


def tfrcsrc(spec, **properties):
    return "tfrcsrc name=network " + launch_properties({
        "port": spec["port"], "stats-interval": STATS_INTERVAL_MS,
        **properties, **spec.get("src", {})})


def tfrcladdersrc(ports, name):
    uris = " ".join(f"tfrc://127.0.0.1:{port}?mode=tfmcc&encoding-name={name}"
                    for port in ports)
    intervals = " ".join(f"rung_{rung}::stats-interval={STATS_INTERVAL_MS}"
                         for rung in range(len(ports)))
    return f'tfrcladdersrc name=network rungs="{uris}" {intervals}'


def description(spec):
    if spec["source"] in UNCOMPRESSED:
        channels, clock_rate = UNCOMPRESSED[spec["source"]]
        caps = (f"application/x-rtp,media=audio,clock-rate={clock_rate},"
                f"encoding-name=L16,channels={channels},payload=96")
        return f"{tfrcsrc(spec, caps=caps)} ! fakesink name=out async=false"
    codec = CODECS[spec["encoder"]]
    if spec.get("plain"):
        network = PLAIN.format(port=spec["port"], name=codec.encoding_name)
    elif "rungs" in spec:
        network = tfrcladdersrc(spec["rungs"], codec.encoding_name)
    elif "location" in spec:
        network = "rtspsrc name=network " + launch_properties(
            {"location": spec["location"], **spec.get("src", {})})
    elif "sdp" in spec.get("src", {}):
        network = tfrcsrc(spec)
    else:
        network = tfrcsrc(spec, **{"encoding-name": codec.encoding_name})
    return (f"{network} ! {codec.depayloader} name=depayloader "
            f"! {codec.decoder} name=decoder "
            f"! queue name=shown ! videoconvert "
            f"! {SCREENS.get(spec['screen'], spec['screen'])}")


class Receiver(Endpoint):

    def __init__(self, spec, tell=tell):
        self.spec = spec
        self.captures = {}
        self.told_at = {}
        self.screens = {}       # file: (buffer, caps)
        super().__init__(description(spec), tell)

    def prepare(self):
        if self.spec["source"] in UNCOMPRESSED:
            self.element("out").get_static_pad("sink").add_probe(
                Gst.PadProbeType.BUFFER, self.on_audio)
            return
        self.element("depayloader").get_static_pad("sink").add_probe(
            Gst.PadProbeType.BUFFER, self.on_packet)
        self.element("decoder").get_static_pad("src").add_probe(
            Gst.PadProbeType.BUFFER, self.on_decoded)
        self.glass = glass.Glass(
            self.pipeline, self.element("shown").get_static_pad("src"),
            lambda shown_at, code: self.tell(
                "shown", at=shown_at, time_code=code))

    def on_audio(self, _pad, info):
        ssrc = int.from_bytes(info.get_buffer().extract_dup(8, 4), "big")
        now = time.monotonic_ns()
        if now - self.told_at.get(ssrc, 0) >= TOLD_NS:
            self.told_at[ssrc] = now
            self.tell("audio", ssrc=ssrc)
        return Gst.PadProbeReturn.OK

    def on_packet(self, _pad, info):
        """Remembers the RTP time of each PTS: it says when the frame was
        taken, which the PTS, set by the jitter buffer, does not."""
        buffer = info.get_buffer()
        if buffer.pts in self.captures:
            return Gst.PadProbeReturn.OK
        header = buffer.extract_dup(4, 4)
        self.captures[buffer.pts] = int.from_bytes(header, "big")
        if len(self.captures) > REMEMBERED_FRAMES:
            del self.captures[next(iter(self.captures))]
        return Gst.PadProbeReturn.OK

    def on_decoded(self, pad, info):
        buffer = info.get_buffer()
        rtp_time = self.captures.get(buffer.pts)
        picture = pictures.fingerprint(buffer, pad.get_current_caps()) \
            if self.spec.get("reference") else None
        taken = None if rtp_time is None else rtp_time / VIDEO_CLOCK_RATE
        self.tell("decoded", picture=picture, captured_s=taken)
        for path, when in self.spec.get("screens", {}).items():
            if taken is not None and taken > when and self.last:
                self.screens.setdefault(path, self.last)
        self.last = (buffer, pad.get_current_caps())
        return Gst.PadProbeReturn.OK

    def finish(self):
        self.write_picture(self.spec.get("picture"), self.last)
        for path, frame in self.screens.items():
            self.write_picture(path, frame)


if __name__ == "__main__":
    sys.exit(Receiver(json.loads(sys.argv[1])).run())
