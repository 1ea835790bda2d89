#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes a trace of delivery opportunities that looks like a recorded one of
LTE, as a link profile's `trace` reads it (tests/virtual/link-trace.h).

    make_cellular_trace.py [--seed N] [--seconds N] > cellular.trace

The model is that by which Sprout describes cellular links (Winstein,
Sivaraman and Balakrishnan, "Stochastic Forecasts Achieve High Throughput and
Low Delay over Cellular Networks", NSDI 2013): opportunities are a Poisson
process, whose rate does a Brownian motion, and stays a while where it comes to
the bottom.  Here the rate changes each 100 ms by a normal variable, is
reflected at 12 Mbit/s, and stays at 0.3 Mbit/s for 0.7 s in the mean.  The
constants are chosen.  Seed 1 has a mean of 3.7 Mbit/s, and a fade below 0.8
Mbit/s each ten seconds."""

import argparse
import random
import sys

PACKET_BITS = 8 * 1500
SLOT_S = 0.1
LOWEST = 0.3e6 / PACKET_BITS      # opportunities per second
HIGHEST = 12e6 / PACKET_BITS
STEP = 75                         # per second, standard deviation in a slot
LEAVES_BOTTOM = SLOT_S / 0.7      # probability, in a slot


def rates(draw, slots):
    """Opportunities per second in each slot."""
    rate = 4e6 / PACKET_BITS
    for _ in range(slots):
        yield rate
        if rate <= LOWEST and draw.random() >= LEAVES_BOTTOM:
            continue
        rate += draw.gauss(0, STEP)
        if rate > HIGHEST:
            rate = 2 * HIGHEST - rate
        rate = max(rate, LOWEST)


def opportunities(draw, slots):
    """Their times [ms]: the gaps of a Poisson process are exponential, and it
    has no memory, so that each slot may begin anew."""
    for slot, rate in enumerate(rates(draw, slots)):
        at = draw.expovariate(rate)
        while at < SLOT_S:
            yield int(1000 * (slot * SLOT_S + at))
            at += draw.expovariate(rate)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=60)
    chosen = parser.parse_args()
    draw = random.Random(chosen.seed)
    for at in opportunities(draw, round(chosen.seconds / SLOT_S)):
        print(at)
    # The trace is as long as its last opportunity is late.
    print(1000 * chosen.seconds)


if __name__ == "__main__":
    sys.exit(main())
