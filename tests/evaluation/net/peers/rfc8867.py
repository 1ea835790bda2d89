# SPDX-License-Identifier: LGPL-2.1-or-later
"""The cells of RFC 8867 that the controls are compared in: sections 5.1, 5.2, 5.4, 5.6
and 5.7, with its rates, times, delay of 50 ms, jitter of 30 ms and queue of 300 ms, but
without sound.  Counted is from 5 s behind the begin of the last stream to the end."""

import pathlib
import time

from cases import _delay

SHORT_TCP = pathlib.Path(__file__).resolve().parent / "short_tcp.py"
# Section 4.1: what the encoder makes, and what it begins with [bit/s].
RATES = {"lowest": 150000, "first": 150000, "highest": 1500000}
SINK = {"start-bitrate": RATES["first"]}
DELAY_MS, JITTER_MS, QUEUE_MS = 50, 30, 300
SETTLE_S = 5
LONG_TCP, SHORT_TCPS = "8867-5.6", "8867-5.7"
# {cell: (reference capacity [kbit/s], when the streams begin [s], the end [s], changes
# of the capacity: (when [s], kbit/s))}
CELLS = {
    "8867-5.1": (1000, (0,), 99, ((40, 2500), (60, 600), (80, 1000))),
    "8867-5.2": (2000, (0, 0), 125, ((0, 4000), (25, 2000), (50, 3500), (75, 1000),
                                     (100, 2000))),
    "8867-5.4": (3500, (0, 20, 40), 119, ()),
    LONG_TCP: (2000, (5,), 119, ()),
    SHORT_TCPS: (2000, (5, 5), 299, ()),
}
SEVERAL = tuple(cell for cell, (_, begin, *_) in CELLS.items() if len(begin) > 1)


def events(cell):
    """[(when [s], what, its argument)]"""
    _, begin, end, changes = CELLS[cell]
    told = [(when, "rate", rate) for when, rate in changes]
    told += [(when, "stream", number) for number, when in enumerate(begin)]
    told += [(begin[-1] + SETTLE_S, "mark", "steady"), (end, "mark", "end")]
    return sorted(told, key=lambda one: one[0])


def act(stage, cell, stream):
    """`stream`: begins one, of these rates, with this number and this of tfrcsink."""
    reference, _, end, _ = CELLS[cell]
    _delay.network(stage, {"rate_kbit_s": reference, "delay_ms": DELAY_MS,
                           "queue_bytes": reference * QUEUE_MS // 8},
                   {"back_jitter_ms": JITTER_MS})
    if cell == LONG_TCP:
        stage.tcp("sender", "receiver", end + SETTLE_S, "cubic")
    elif cell == SHORT_TCPS:
        short_tcps(stage)
    began = time.monotonic()
    for when, what, argument in events(cell):
        stage.sleep(began + when - time.monotonic())
        if what == "rate":
            stage.net.change("receiver", "rate_kbit_s", argument)
        elif what == "stream":
            stream(RATES, argument, SINK)
        else:
            stage.mark(argument)


def short_tcps(stage):
    command = ["/usr/bin/python3", str(SHORT_TCP)]
    stage.net.spawn("receiver", command + ["listen"], print, label="short TCP server")
    stage.net.spawn("sender", command + [stage.address("receiver"), str(stage.seed)],
                    print, label="short TCP")
