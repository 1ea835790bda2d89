# SPDX-License-Identifier: LGPL-2.1-or-later
"""A time in the pixels of a frame: white and black blocks in its upper left
corner, one macroblock each, so that an encoder keeps them at any rate.  The
first row is the time, 16 bits of milliseconds, the second one 16 check bits,
so that a damaged picture tells no wrong time."""

import binascii

import numpy as np

BLOCK = 16
BITS = 16
PERIOD_MS = 1 << BITS
WIDTH, HEIGHT = BITS * BLOCK, 2 * BLOCK
WHITE, BLACK, GREY = 235, 16, 128


def _rows(milliseconds):
    check = binascii.crc_hqx(milliseconds.to_bytes(2, "big"), 0xffff)
    return np.array([[number >> bit & 1 for bit in reversed(range(BITS))]
                     for number in (milliseconds, check)], dtype=bool)


def draw(planes, milliseconds):
    """Into the planes of an I420 frame, modulo PERIOD_MS."""
    bits = _rows(int(milliseconds) % PERIOD_MS)
    blocks = np.where(bits, WHITE, BLACK)
    planes[0][:HEIGHT, :WIDTH] = np.kron(blocks, np.ones((BLOCK, BLOCK)))
    for plane in planes[1:]:
        plane[:HEIGHT // 2, :WIDTH // 2] = GREY


def read(luma):
    """What was drawn, or None where there is no valid code."""
    if luma.shape[0] < HEIGHT or luma.shape[1] < WIDTH:
        return None
    blocks = luma[:HEIGHT, :WIDTH].reshape(2, BLOCK, BITS, BLOCK)
    bits = blocks.mean(axis=(1, 3)) > (WHITE + BLACK) / 2
    milliseconds = int(bits[0] @ (1 << np.arange(BITS)[::-1]))
    return milliseconds if (bits == _rows(milliseconds)).all() else None


def age_ms(milliseconds, now_ms):
    """How old a code is that is younger than a period."""
    return (now_ms - milliseconds) % PERIOD_MS
