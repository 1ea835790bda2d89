# SPDX-License-Identifier: LGPL-2.1-or-later
"""TFRC beside what TCP is today: Cubic and BBR, and Reno to compare with."""

from claims import Claim, NOT_QUICK, PRESENT_DAY, Scale, Scenario
from scenarios._video import (
    drop_tail, each,
    frames_complete, greedy, lowest_bit_s, media, ratio, seeds, tcp, used)
from simulation import dumbbell

MBIT = 1e6
RTT_MS = 50
SECONDS = 90
START, END = 30, 90

NAMES = {"linux-reno": "Reno", "cubic": "Cubic", "bbr": "BBR"}


def run(source, congestion, tcps, seed):
    """A share of 5 Mbit/s for each flow; of 1 Mbit/s beside video.  The
    queue is one BDP, for the video 100 ms."""
    make = {"video": media, "greedy": greedy, "Reno": tcp}[source]
    ours = make("ours", start_s=(0, 1))
    rate = (1 if source == "video" else 5) * MBIT * (1 + tcps)
    return dumbbell(
        rate, RTT_MS / 2,
        drop_tail(rate, 100 if source == "video" else RTT_MS),
        [ours, tcp(congestion=congestion, count=tcps, start_s=(0, 1))],
        SECONDS, seed=seed)


def runs(sources, congestions):
    def make(scale):
        many = (1,) if scale is Scale.QUICK else (1, 3)
        return {(source, congestion, tcps, seed):
                run(source, congestion, tcps, seed)
                for source in sources for congestion in congestions
                for tcps in many for seed in seeds(scale)}
    return make


def judged(source, congestion, tcps):
    """Claims of a cell that RFC 8868's guideline is applied to."""
    scales = {} if tcps == 1 else {"scales": NOT_QUICK}
    key = (source, congestion, tcps)
    what = f"{source} beside {tcps} {NAMES[congestion]}: "
    return [
        Claim(what + "its throughput by that of a TCP", "a fair share",
              each(ratio("ours", "tcp", START, END), *key),
              note="guideline of RFC 8868 section 2.1",
              **scales),
        Claim(what + "utilisation", "",
              each(used(["ours", "tcp"], START, END), *key),
              note="a queue of a BDP is enough for TCP alone", **scales),
    ]


# ns-3's with its measurement of rates mended, see engine/tcp-bbr-mended.h.
NS3_BBR = ("a measurement without a bound: BBR version 1 does not slow down "
           "for losses, and leaves little to whoever does; see Reno in "
           "TFRC's place")


def published(source, tcps):
    key = (source, "bbr", tcps)
    what = f"{source} beside {tcps} BBR: "
    claims = [
        Claim(what + "its throughput by that of a BBR", "",
              each(ratio("ours", "tcp", START, END), *key), scales=NOT_QUICK,
              note=NS3_BBR),
    ]
    if source == "video":
        claims += [
            Claim(what + "worst 5 s of the video (bit/s)", "at worst the "
                  "minimum rate", each(lowest_bit_s("ours", START, END, 5.0),
                                       *key), scales=NOT_QUICK,
                  note="a measurement without a bound"),
            Claim(what + "share of frames that arrive whole", "",
                  each(frames_complete("ours"), *key), scales=NOT_QUICK,
                  note="a measurement without a bound"),
        ]
    return claims


CUBIC = Scenario(
    "cubic", source=PRESENT_DAY,
    what="TFRC, greedy and as video, beside Cubic",
    runs=runs(("greedy", "video"), ("cubic", "linux-reno")),
    claims=sum((judged(source, "cubic", tcps)
                for source in ("greedy", "video") for tcps in (1, 3)), [])
    + sum((judged(source, "linux-reno", tcps)
           for source in ("greedy", "video") for tcps in (1, 3)), [])
    + [Claim("video beside 3 Cubic: worst 5 s of the video (bit/s)",
             "no starvation", each(lowest_bit_s("ours", START, END, 5.0),
                                   "video", "cubic", 3),
             note="the encoder's minimum",
             scales=NOT_QUICK)])

BBR = Scenario(
    "bbr", source=PRESENT_DAY,
    what="TFRC, greedy and as video, beside BBR",
    runs=lambda scale: {} if scale is Scale.QUICK
    else runs(("greedy", "Reno", "video"), ("bbr",))(scale),
    claims=sum((published(source, tcps) for source in (
        "greedy", "Reno", "video") for tcps in (1, 3)), []))

SCENARIOS = [CUBIC, BBR]
