#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes corpus-group, the programs that fuzz-group starts from: each a group
that works, since random bytes hardly ever make one; and TFMCC's packets for
corpus-wire.  The calls and their bytes are those of fuzz-group.c."""

import pathlib
import struct

from fuzz_program import duration

HERE = pathlib.Path(__file__).resolve().parent
MS = 1000000
RTT = 50 * MS
SECOND = 0x80                   # the call is about the second receiver


def start(options=0):
    return struct.pack(">BHII", options, 1200, 0x12345678, 0x87654321)


def send():
    return bytes([0]) + struct.pack(">H", 1200)


def receive(bits=0):
    """`bits`: how many packets ago it was sent, or-ed with marks."""
    return bytes([2, bits])


def report(index):
    return bytes([7, index % 16])


def leave(which=0):
    return bytes([11 | which])


def change_ssrc(ssrc, which=0):
    return bytes([13 | which, ssrc])


def wait(ns):
    return bytes([15]) + duration(ns)


def forged_packet(send_time=0, round_number=9, max_rtt=60000):
    return bytes([5, 0]) + struct.pack(">BHId", 1, 7, 1200, 1.0) + struct.pack(
        ">HBIBBIB", max_rtt, round_number, send_time, 1, 1, 0, 1)


def forged_report(ssrc, rate, flags=3, round_age=0):
    return bytes([9, 0, flags]) + struct.pack(
        ">HdBI", ssrc, rate, round_age, 0) + bytes([0, 0, 0, 0])


def group(packets, is_lost=lambda packet, which: False, every=8 * MS):
    """Packets to both receivers, and their reports as they come."""
    program = b""
    for packet in range(packets):
        program += send() + wait(RTT // 2)
        for which in (0, SECOND):
            if not is_lost(packet, which):
                program += receive(which)
        program += wait(every) + report(packet) + report(packet + 1)
    return program


PROGRAMS = {
    "plain": start() + group(40, every=400 * MS),
    "losses": start() + group(
        120, lambda packet, which: packet % 17 == 5 and which == 0),
    "both-lose": start() + group(
        80, lambda packet, which: packet % (7 if which else 11) == 3),
    "leave": start() + group(60, lambda packet, which: packet % 9 == 1)
    + leave() + report(0) + group(20),
    "pause": start() + group(40, lambda packet, which: packet % 9 == 1)
    + wait(60000 * MS) + group(20),
    "starve": start() + group(20) + (send() + wait(9000 * MS)) * 20,
    "collision": start() + change_ssrc(1, SECOND) + group(
        60, lambda packet, which: packet % 9 == 1),
    "forged-packets": start() + group(20)
    + (forged_packet() + wait(8 * MS)) * 20
    + (forged_packet(2 ** 31) + wait(900 * MS)) * 8 + group(10),
    "forged-reports": start() + group(20)
    + b"".join(forged_report(ssrc, 1000.0 - ssrc) for ssrc in range(40))
    + forged_report(1, 0.1, 7) + group(10),
}

PACKETS = {
    "group-extension": "0fff900700112233",
    "group-echo": "c6ea900700112233deadbeef01020304",
    "group-report": "8fce0006deadbeef0102030454464d43c69c0710"
                    "1122334455667788",
    "group-diagnostics": "8fce0008deadbeef0102030454464d43d69c0710"
                         "1122334455667788800000000000ea60",
}

if __name__ == "__main__":
    for name, program in PROGRAMS.items():
        (HERE / "corpus-group" / name).write_bytes(program)
    for name, packet in PACKETS.items():
        (HERE / "corpus-wire" / name).write_bytes(bytes.fromhex(packet))
