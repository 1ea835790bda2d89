#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes corpus-core, the programs that fuzz-core starts from: each a flow that
works, since random bytes hardly ever make one.  The calls and their bytes are
those of fuzz-core.c."""

import pathlib
import struct

from fuzz_program import duration

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus-core"
MS = 1000000
RTT = 50 * MS
SELF_CLOCKING, LONG_HISTORY, DELAY_CONTROL = 0x02, 0x20, 0x40
MARKED = 0x10


def start(options=0, history_length=None):
    head = struct.pack(">BHI", options, 1200, 0x12345678) + duration(3000 * MS)
    if history_length:
        head += struct.pack(">H", history_length)
    return head


def send():
    return bytes([0]) + struct.pack(">H", 1199)


def receive(bits=0):
    """`bits`: how many packets ago it was sent, or-ed with marks."""
    return bytes([3, bits])


def report(index):
    return bytes([6, index % 16])


def forge(index, delay_us, arrival_us, arrived):
    """A report on that packet that says the same of rate and loss, and what it
    likes of delays."""
    return (bytes([8, index % 16, index % 16, 0]) + duration(0)
            + struct.pack(">dd", 40000.0, 0.0)
            + struct.pack(">IIII", delay_us, delay_us, arrival_us, arrived))


def wait(ns):
    return bytes([9]) + duration(ns)


def flow(rounds, is_lost=lambda packet: False, marks=0, per_round=4):
    """Sends and receives packets, and reports once per round."""
    program = (send() + wait(RTT // 2) + receive() + wait(RTT // 2)
               + report(0))
    packet = 0
    for number in range(1, rounds + 1):
        for _ in range(per_round):
            program += send() + wait(RTT // per_round // 2)
            if not is_lost(packet):
                program += receive(marks if packet % 20 == 19 else 0)
            program += wait(RTT // per_round // 2)
            packet += 1
        program += wait(2 * MS) + report(number) + report(number + 1)
    return program


PROGRAMS = {
    "plain-flow": start() + flow(12),
    "losses": start() + flow(30, lambda packet: packet % 17 == 5),
    "marks": start() + flow(15, marks=MARKED),
    "silence": start() + flow(8) + wait(40000 * MS) + send()
    + wait(3000 * MS) + send() + wait(60 * MS) + receive() + report(9),
    "late-packets": start() + flow(6, lambda packet: packet % 9 == 2,
                                   per_round=8)
    + receive(7) + receive(6) + receive(9),
    "long-history": start(SELF_CLOCKING | LONG_HISTORY, 256)
    + flow(20, lambda packet: packet % 5 == 1),
    "delays": start(DELAY_CONTROL) + flow(30),
    "forged-delays": start(DELAY_CONTROL) + flow(10) + b"".join(
        send() + wait(RTT) + forge(number, delay_us, arrival_us, arrived)
        for number, (delay_us, arrival_us, arrived) in enumerate([
            (0, 0, 0), (2**32 - 1, 2**31, 2**31), (2**31, 1, 1),
            (10**6, 10**6, 10**4), (10**6, 10**6, 10**4)])) + flow(3),
}

if __name__ == "__main__":
    for name, program in PROGRAMS.items():
        (CORPUS / name).write_bytes(program)
