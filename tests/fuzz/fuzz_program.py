# SPDX-License-Identifier: LGPL-2.1-or-later
"""What all programs are written in, as fuzz-program.h reads it."""

import struct


def duration(ns):
    exponent = 0
    while ns >> (2 * exponent) > 0xfff:
        exponent += 1
    return struct.pack(">H", exponent << 12 | ns >> (2 * exponent))
