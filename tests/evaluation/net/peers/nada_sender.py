#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The demo's sender with NADA in place of tfrcsink: pictures, encoder, payloader,
a shaping buffer, and a socket.

    nada_sender.py JSON

with the fields of examples/live/sender.py, rates: lowest, highest and first
[bit/s], and buffer_ms, that of the encoder."""

import collections
import json
import os
import pathlib
import select
import socket
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[3] / "examples")]

from gi.repository import GstVideo  # noqa: E402

import nada  # noqa: E402
import reports  # noqa: E402
from live import sender  # noqa: E402
from live.endpoint import Gst  # noqa: E402

# Of what leaves the encoder's bytes are: headers of IP, UDP and RTP besides 1200.
MEDIA_SHARE = 0.95
ENCODER_INTERVAL_S = 0.1
# Behind so many others that came a packet is lost, not late.
REORDERING = 3


def now_ms():
    return time.monotonic() * 1000


class Flow:
    """The shaping buffer, what is on the way, and the control."""

    def __init__(self, address, rates):
        self.control = nada.Nada(rates["lowest"], rates["highest"],
                                 rates["first"])
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.connect(address)
        self.waiting = collections.deque()
        self.waiting_bytes = 0
        self.lock = threading.Lock()
        self.woken, self.wakes = os.pipe()
        self.sent = {}          # sequence number: nada.Packet
        self.next_ms = 0.0

    def put(self, packet):
        with self.lock:
            self.waiting.append(packet)
            self.waiting_bytes += len(packet)
        os.write(self.wakes, b"x")

    def send_due(self):
        """ms until the next is due; None: nothing waits."""
        with self.lock:
            while self.waiting:
                now = now_ms()
                if now < self.next_ms:
                    return self.next_ms - now
                packet = self.waiting.popleft()
                rate = self.control.sending_rate(self.waiting_bytes)
                self.waiting_bytes -= len(packet)
                self.next_ms = max(self.next_ms, now - 1) \
                    + 8000 * len(packet) / rate
                self.sent[int.from_bytes(packet[2:4], "big")] = nada.Packet(
                    now, len(packet))
                self.socket.send(packet)
        return None

    def on_reports(self, compound):
        told = list(reports.arrivals(compound))
        newest = max((place for place, one in enumerate(told)
                      if one[1] is not None), default=None)
        if newest is None:
            return
        news, now, rtt = [], now_ms(), 0.0
        for place, (number, arrival, marked, held) in enumerate(told):
            packet = self.sent.get(number)
            if packet is None or arrival is None \
                    and newest - place < REORDERING:
                continue
            del self.sent[number]
            if arrival is not None:
                packet.delay_ms = arrival - packet.sent_ms
                packet.marked = marked
                rtt = now - packet.sent_ms - held
            news.append(packet)
        if news:
            self.control.on_report(news, rtt, now)


class NadaSender(sender.Sender):

    def __init__(self, spec):
        self.flow = Flow((spec["host"], spec["port"]), spec["rates"])
        super().__init__(
            spec, f"{sender.encoded(spec)} ! appsink name=packets sync=false "
            "async=false emit-signals=true")

    def prepare(self):
        super().prepare()
        self.element("encoder").set_property("vbv-buf-capacity",
                                             self.spec["buffer_ms"])
        self.element("packets").connect("new-sample", self.on_sample)
        self.set_encoder()
        threading.Thread(target=self.serve, daemon=True).start()

    def set_encoder(self):
        rate = MEDIA_SHARE * self.flow.control.encoder_rate(
            self.flow.waiting_bytes)
        self.element("encoder").set_property("bitrate",
                                             max(1, int(rate / 1000)))

    def on_sample(self, sink):
        buffer = sink.emit("pull-sample").get_buffer()
        self.flow.put(buffer.extract_dup(0, buffer.get_size()))
        return Gst.FlowReturn.OK

    def serve(self):
        set_at = 0.0
        while not self.stopping:
            wait = self.flow.send_due()
            readable, _, _ = select.select(
                [self.flow.socket, self.flow.woken], [], [],
                0.05 if wait is None else min(wait / 1000, 0.05))
            if self.flow.woken in readable:
                os.read(self.flow.woken, 4096)
            if self.flow.socket in readable:
                self.receive()
            if time.monotonic() - set_at >= ENCODER_INTERVAL_S:
                set_at = time.monotonic()
                self.set_encoder()

    def receive(self):
        try:
            compound = self.flow.socket.recv(2048)
        except ConnectionError:     # nobody there yet
            return
        self.flow.on_reports(compound)
        if reports.wants_key_frame(compound):
            self.element("encoder").get_static_pad("src").send_event(
                GstVideo.video_event_new_upstream_force_key_unit(
                    Gst.CLOCK_TIME_NONE, True, 0))


if __name__ == "__main__":
    sys.exit(NadaSender(json.loads(sys.argv[1])).run())
