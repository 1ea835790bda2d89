# SPDX-License-Identifier: LGPL-2.1-or-later
"""One stream of small packets beside three Reno flows, with TFRC-SP (RFC 4828) and
without.  What it may have beside large packets depends on what the queue counts
(RFC 4828 section 6): bytes, where a small packet finds a place that a large one
does not, or packets."""

import statistics

from cases import _beside
from claims import NOT_QUICK, PRESENT_DAY, Claim, Scale, Scenario

RATE_KBIT_S = 1000
FLOWS = 3
# 100 of these packets a second are 304 kbit/s of IP: more than a flow's share.
RTP_MTU = 352
# 12.5 kB, or as many packets of 1500 bytes; RED as in beside_tcp.py, by packets.
QUEUES = {
    "100 ms of bytes": {"queue_bytes": 12500},
    "8 packets": {"queue_packets": 8},
    "RED": {"queue_ms": 250, "red_min_ms": 25, "red_max_ms": 125},
}


def runs(scale):
    return {} if scale is Scale.QUICK else {
        (queue, small, seed): _beside.act(
            "reno", FLOWS, RATE_KBIT_S, link, _beside.SECONDS[scale],
            src={"rtptfrcreceive::small-packets": small},
            sink={"rtptfrcsend::small-packets": small}, mtu=RTP_MTU)
        for queue, link in QUEUES.items() for small in (True, False)
        for seed in (1, 2, 3)}


SCENARIOS = [Scenario(
    "beside-reno-small-packets", source=PRESENT_DAY,
    what=f"one stream of {RTP_MTU}-byte packets beside {FLOWS} Reno flows on "
         "1 Mbit/s, 50 ms RTT, with small-packets and without",
    runs=runs, claims=[
        Claim(f"the stream's rate by the mean TCP's, {queue}, "
              f"{'with' if small else 'without'}",
              "about 1" if small else "",
              lambda results, key=(queue, small): results.each(
                  _beside.share, *key),
              scales=NOT_QUICK, middle=statistics.median)
        for queue in QUEUES for small in (True, False)])]
