# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the scenarios of Floyd, Handley, Padhye and Widmer, "Equation-based
congestion control for unicast applications" (2000), have in common.

The paper's ns-2 TCP has SACK, acknowledges each packet, reckons its RTO in
ticks of 0.1 s and starts with a window of a packet or two; RTT and starts are
drawn, which breaks phase effects.  Its TFRC discounts history down to 0.5,
ours down to 0.25 as RFC 5348 says: the scenarios use ours, and say so where
it shows."""

from claims import Scale
from simulation import Flow, Queue

TCP = {"congestion": "linux-reno", "sack": True, "timestamps": False,
       "delayed_ack": 1, "initial_window": 2, "min_rto_ms": 200,
       "clock_granularity_ms": 100}
# The threshold of the paper's history discounting.
PAPERS_DISCOUNT = {"discount_threshold": 0.5}

RATE_BIT_S = 15e6
RTT_MS = (80, 120)
BOTTLENECK_DELAY_MS = 20
STARTS_S = (0, 10)


def tfrc(count=1, **settings):
    return _flow("tfrc", count, {}, settings)


def tcp(count=1, **settings):
    return _flow("tcp", count, TCP, settings)


def _flow(kind, count, parameters, settings):
    settings = {"name": kind, "start_s": STARTS_S, "rtt_ms": RTT_MS,
                **settings}
    settings["parameters"] = {**parameters, **settings.get("parameters", {})}
    return Flow(kind=kind, count=count, **settings)


def red_of_figure_8(rate_bit_s=RATE_BIT_S):
    """Footnote 2: thresholds of 25 and 125 packets, max_p 0.1, gentle; all
    in proportion to the rate.  The limit is where gentle RED drops all."""
    scale = rate_bit_s / RATE_BIT_S
    return Queue(kind="red", packets=round(250 * scale),
                 min_packets=25 * scale, max_packets=125 * scale,
                 max_p=0.1, weight=0.002, gentle=True)


def red_of_figure_9():
    """Footnote 3: a buffer of 100, thresholds of 10 and 50 packets."""
    return Queue(kind="red", packets=100, min_packets=10, max_packets=50,
                 max_p=0.1, weight=0.002, gentle=True)


def drop_tail(rate_bit_s=RATE_BIT_S, packets=100):
    """The paper gives no size for figure 6: that of figure 9's buffer, in
    proportion to the rate."""
    return Queue(kind="drop-tail",
                 packets=max(2, round(packets * rate_bit_s / RATE_BIT_S)))


def seeds(scale, quick, standard):
    count = {Scale.QUICK: quick, Scale.STANDARD: standard}[scale]
    return range(1, count + 1)
