# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a sender reads of its receiver's RTCP: RFC 8888, and requests of key
frames."""

import struct

CCFB, PSFB_KEY_FRAMES = (205, 11), {(206, 1), (206, 4)}
RECEIVED, UNKNOWN_FROM = 0x8000, 0x1FFE
CE = 3


def packets_of(compound):
    """[((packet type, format), body behind the header)]"""
    while len(compound) >= 4:
        first, kind, words = struct.unpack_from(">BBH", compound)
        size = 4 * (words + 1)
        yield (kind, first & 0x1F), compound[4:size]
        compound = compound[size:]


def wants_key_frame(compound):
    return any(kind in PSFB_KEY_FRAMES for kind, _ in packets_of(compound))


def arrivals(compound):
    """[(sequence number, arrival [ms of the receiver's clock] or None, CE, held
    back [ms])] of one stream (RFC 8888 section 3.1)."""
    for kind, body in packets_of(compound):
        if kind != CCFB:
            continue
        begin, count = struct.unpack_from(">HH", body, 8)
        stamp_ms = struct.unpack(">I", body[-4:])[0] * 1000 / 65536
        metrics = struct.unpack_from(f">{count}H", body, 12)
        for place, metric in enumerate(metrics):
            offset = metric & 0x1FFF
            known = metric & RECEIVED and offset < UNKNOWN_FROM
            held_ms = offset * 1000 / 1024
            yield ((begin + place) & 0xFFFF,
                   stamp_ms - held_ms if known else None,
                   metric >> 13 & 3 == CE, held_ms)
