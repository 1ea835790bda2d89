#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes corpus-reports, the programs that fuzz-reports starts from: flows that
work, and reports of each kind.  The calls and their bytes are those of
fuzz-reports.c."""

import pathlib
import struct

from fuzz_program import duration

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus-reports"
MS = 1000000
COUNTED, TRANSPORT = 0x40, 0x80
MISSING, MARKED, UNTIMED = 0x04, 0x30, 0x08


def send(count=20, options=0x20):
    return bytes([0, options | count - 1])


def report(packets, options=0):
    return bytes([2, options | len(packets)]) + bytes(packets)


def forged(packets, reporter=0, clock=0, options=0):
    """(flags, seq, missing, age) of each packet."""
    program = bytes([4, options | len(packets), reporter]) + duration(clock)
    for flags, seq, missing, age in packets:
        program += bytes([flags]) + struct.pack(">HH", seq, missing)
        program += duration(age)
    return program


def raw(call, data):
    return bytes([call, len(data)]) + data


def wait(ns):
    return bytes([7]) + duration(ns)


def flow(rounds, flags=lambda packet: 0, options=0):
    program = b""
    for number in range(rounds):
        program += send() + wait(20 * MS) + report(
            [flags(20 * number + i) for i in range(20)], options)
    return program


def twcc(base, count, chunks, deltas, reference=0x123456, number=1):
    data = bytes(12) + struct.pack(">HHI", base, count, reference << 8 | number)
    data += b"".join(struct.pack(">H", chunk) for chunk in chunks) + deltas
    return data + bytes(-len(data) % 4)


def ccfb(ssrc, base, metrics, timestamp):
    data = bytes(8) + struct.pack(">IHH", ssrc, base, len(metrics))
    data += b"".join(struct.pack(">H", metric) for metric in metrics)
    return data + bytes(-len(data) % 4) + struct.pack(">I", timestamp)


def block(back=0, lost=0, stream=0, sender_report=(0, 0)):
    """Of the packet that left so many before the newest."""
    return bytes([stream, back, lost]) + struct.pack(">II", *sender_report)


def reception(*blocks, ntp=0x10000000, reporter=0):
    return bytes([8, reporter << 7 | len(blocks) - 1]) \
        + struct.pack(">I", ntp) + b"".join(blocks)


PROGRAMS = {
    "reception": b"".join(
        send() * 8 + wait(5000 * MS) + reception(block(1, number // 4))
        for number in range(20)),
    "reception-forged": send() * 4 + wait(5000 * MS) + reception(
        b"\x80" + struct.pack(">IBII", 0xffffffff, 255, 1, 1),
        b"\x40\x01" + struct.pack(">III", 0x80000000, 0xffffffff, 0xffffffff),
        block(200, 3, 2), block(1, 0, 1, (0x0fff0000, 0x1000)))
    + send() * 4 + wait(5000 * MS) + reception(block(1), reporter=1)
    + flow(3) + reception(block(1)),
    "plain": flow(30, options=COUNTED),
    "losses": flow(30, lambda packet: MISSING if packet % 50 == 9 else 0),
    "marks": flow(30, lambda packet: MARKED if packet % 40 == 9 else 0x20),
    "untimed": flow(10, lambda packet: UNTIMED if packet % 2 else 0),
    "lost-reports": flow(5) + send() + send() + flow(5),
    "silence": flow(10) + send() + wait(5000 * MS) + flow(10),
    "forged": flow(5) + forged([(0, 7, 65535, 0), (0, 65520, 0, 9000 * MS)])
    + forged([(0, 1, 0, 0)], 1, 30000 * MS) + flow(5),
    "another-receiver": flow(5) + wait(600 * MS)
    + forged([(0, 65530, 0, 0)], 1, 5 * MS) + send() + wait(600 * MS) + flow(3),
    "twcc": flow(3) + send()
    + raw(5, twcc(24, 20, [0x2014], bytes([4] * 20))) + send()
    + raw(5, twcc(44, 20, [0xbfff, 0xd555], bytes([4] * 20), 0x123457, 2)),
    "ccfb": flow(3) + send() + raw(6, ccfb(0, 24, [0x8000] * 10, 1 << 16))
    + raw(6, ccfb(0, 34, [0xe010, 0, 0x9ffe, 0x9fff] * 2, 2 << 16)),
}


def main():
    CORPUS.mkdir(exist_ok=True)
    for name, program in PROGRAMS.items():
        (CORPUS / name).write_bytes(program)


if __name__ == "__main__":
    main()
