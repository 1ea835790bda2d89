# SPDX-License-Identifier: LGPL-2.1-or-later
"""Asks the protocol core itself (engine/core-calculator.c) for numbers.
Units: bytes, seconds, bytes/s, packets."""

import os
import pathlib
import subprocess

import numpy as np

TOP = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("TFRC_BUILD_DIR", TOP / "build"))
PROGRAM = BUILD / "tests/evaluation/sim" / "core-calculator"


class Core:
    """A calculator that runs until the `with` block ends."""

    def __enter__(self):
        self._process = subprocess.Popen(
            [str(PROGRAM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, bufsize=1)
        return self

    def __exit__(self, *exception):
        self._process.communicate()

    def rate(self, p, rtt, rto=None, segment=1000, b=1):
        """The equation's bytes/s; rto: 4 RTT unless given."""
        return self._ask("rate", segment, rtt, rto or 4 * rtt, b, p)[0]

    def window(self, p, rtt=0.1, rto=None):
        """The equation's rate in packets per RTT."""
        return self.rate(p, rtt, rto, segment=1) * rtt

    def loss_event_rate(self, rate, rtt, rto=None, segment=1000, b=1):
        """The p at which the equation gives that rate."""
        return self._ask("loss-event-rate", segment, rtt, rto or 4 * rtt, b,
                         rate)[0]

    def rto(self, mode, rtt, scale=3, floor=1):
        """t_RTO of a steady RTT; mode: rfc5348, tcp or scaled."""
        return self._ask("rto", mode, scale, floor, rtt)[0]

    def intervals(self, closed, open_interval, length=8, threshold=1.0):
        """(p, discount) of closed intervals, oldest first, and the open one;
        threshold 1 is no discounting.  Whole packets."""
        return self._ask("intervals", length, threshold,
                         int(max(open_interval, 1)),
                         *[int(max(one, 1)) for one in closed])

    def events(self, window, p, packets, seed=1, length=8):
        """(loss events, losses) of a flow of `window` packets per RTT whose
        packets are lost independently with probability p."""
        return self._ask("events", length, window, p, packets, seed)

    def feedback(self, receivers, rounds=200, rtts=6.0, bias=0.25,
                 margin=0.1, rates=(1.0, 1.0), plain_offset=False,
                 gap=0.01, seed=1):
        """Feedback rounds of a group in which nothing but timers and delay
        counts (engine/feedback-round.h).  rates: by the sending rate, drawn
        uniformly; gap: RTTs between data packets.  An array of one row for
        each round: reports, RTTs until the first one leaves its receiver,
        lowest reported rate by the lowest."""
        return np.reshape(self._ask(
            "feedback", seed, rounds, receivers, gap, rtts, bias, margin,
            *rates, int(plain_offset)), (-1, 3))

    def _ask(self, *words):
        question = " ".join(map(str, words))
        self._process.stdin.write(question + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline().split()
        if not answer or answer == ["error"]:
            raise ValueError(f"core-calculator does not answer: {question}")
        return [float(number) for number in answer]
