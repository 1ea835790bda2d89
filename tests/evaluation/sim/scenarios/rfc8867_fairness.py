# SPDX-License-Identifier: LGPL-2.1-or-later
"""RFC 8867 sections 5.4, 5.5 and 5.8: several videos on one bottleneck."""

from claims import Claim, NOT_QUICK, RFC_8867, Scale, Scenario
from scenarios import _figures
from scenarios._video import (
    MEDIA_MAX_BIT_S, each,
    frames_complete, jain, link, lowest_bit_s, media, packet_bytes,
    seconds_up, seeds, used)
from simulation import Run

MBIT = 1e6
CAPACITY = 3.5 * MBIT
FAIR = CAPACITY / 3

# 5.4


def self_runs(scale):
    return {("self", seed): Run(
        links=(link(CAPACITY, 50),), seconds=120, seed=seed,
        flows=tuple(media(f"S{i + 1}", start_s=20 * i, stop_s=119)
                    for i in range(3)))
        for seed in seeds(scale)}


def extremes(names, start, end):
    """The largest throughput by the smallest."""
    def measure(result):
        rates = [result.throughput(name, start, end) for name in names]
        return max(rates) / min(rates)
    return measure


ALL = ["S1", "S2", "S3"]
SELF = Scenario(
    "rfc8867-self", source=RFC_8867 + ", section 5.4",
    what="three videos that start 20 s apart on 3.5 Mbit/s", runs=self_runs,
    plot=_figures.capacity(("self", 1), ALL, "3 videos"), claims=[
        Claim("Jain's index, 60 to 119 s", "a fair share",
              each(jain(ALL, 60, 119), "self"),
              note="equal flows"),
        Claim("largest throughput by smallest, 60 to 119 s", "a fair share",
              each(extremes(ALL, 60, 119), "self"),
              note="guideline of RFC 8868 section 2.1"),
        Claim("used of 3.5 Mbit/s, 60 to 119 s", "close to the capacity",
              each(used(ALL, 60, 119), "self")),
        Claim("seconds until the second flow has 80 % of 1.5 Mbit/s",
              "converges", each(seconds_up(["S2"], 20, 40, MEDIA_MAX_BIT_S),
                                "self"),
              note="there is room for two: slow start, or the way there"),
        Claim("seconds until the third flow has 80 % of its fair share",
              "converges", each(seconds_up(["S3"], 40, 119, FAIR), "self"),
              note="the time that the case leaves between starts"),
        Claim("worst second of any, 60 to 119 s (bit/s)", "no starvation",
              each(lambda result: min(lowest_bit_s(name, 60, 119)(result)
                                      for name in ALL), "self"),
              note="the encoder's minimum"),
        Claim("share of frames that arrive whole, worst flow", "",
              each(lambda result: min(frames_complete(name)(result)
                                      for name in ALL), "self"),
              note="a loss in each of five or six seconds, and the frames "
              "that wait for the key frame after it"),
    ])

# 5.5

ONE_WAY_MS = (10, 25, 50, 100, 150)
PATHS = [f"{delay} ms" for delay in ONE_WAY_MS]


def rtt_runs(scale):
    seconds = 120 if scale is Scale.QUICK else 300
    return {("rtt", seed): Run(
        links=(link(4 * MBIT, min(ONE_WAY_MS)),), seconds=seconds, seed=seed,
        flows=tuple(media(f"{delay} ms", start_s=10 * i, rtt_ms=2 * delay)
                    for i, delay in enumerate(ONE_WAY_MS)))
        for seed in seeds(scale)}


def by_rtt(result):
    """How many times more the shortest path gets than the longest, by how
    many times shorter it is with the queue on top."""
    start, end = 60, result.seconds
    rates = result.throughput(PATHS[0], start, end) \
        / result.throughput(PATHS[-1], start, end)
    mean, _ = result.queue()
    first = round(start / result.bin_s)
    queue_ms = mean[first:].mean() * packet_bytes(result) \
        / result.capacity(start, end) * 1000
    return rates / ((2 * ONE_WAY_MS[-1] + queue_ms)
                    / (2 * ONE_WAY_MS[0] + queue_ms))


RTT = Scenario(
    "rfc8867-rtt", source=RFC_8867 + ", section 5.5",
    what="five videos of 20 to 300 ms RTT on 4 Mbit/s", runs=rtt_runs,
    plot=_figures.capacity(("rtt", 1), PATHS, "5 videos"), claims=[
        Claim("Jain's index, from 60 s on", "published",
              each(lambda result: result.jain(PATHS, 60, result.seconds),
                   "rtt"),
              note="the equation gives rates as 1/R: with the mean queue of "
              "150 to 300 ms on top, at most 2.6 to 1 and a Jain's index of "
              "0.9 over the five; 0.7 would be two that have nearly "
              "nothing"),
        Claim("20 ms by 300 ms, by the inverse ratio of their RTTs with the "
              "mean queue", "", each(by_rtt, "rtt"), scales=NOT_QUICK,
              note="of two flows in one run: 0.9 to 1.4 over three seeds"),
        Claim("smallest share of a fair one, from 60 s on", "no starvation",
              each(lambda result: min(
                  result.normalised(name, 60, result.seconds)
                  for name in PATHS), "rtt"),
              note="RFC 8868's guideline, although it is for similar RTTs"),
        Claim("used of 4 Mbit/s, from 60 s on", "close to the capacity",
              each(lambda result: used(PATHS, 60, result.seconds)(result),
                   "rtt")),
        Claim("seconds until the last flow, of 300 ms, has a third of its "
              "fair share", "", each(lambda result: seconds_up(
                  [PATHS[-1]], 40, result.seconds, 0.8 * MBIT, 1 / 3)(result),
                  "rtt"),
              note="its RTT is 0.6 s with the queue; 50 of these"),
    ])

# 5.8


def pause_runs(scale):
    return {("pause", seed): Run(
        links=(link(CAPACITY, 50),), seconds=120, seed=seed,
        flows=tuple(media(
            f"S{i + 1}", {"pauses_s": [[40, 60]]} if i == 1 else {},
            start_s=(0, 0.1), stop_s=119) for i in range(3)))
        for seed in seeds(scale)}


PAUSE = Scenario(
    "rfc8867-pause", source=RFC_8867 + ", section 5.8",
    what="three videos, the second is paused from 40 to 60 s",
    runs=pause_runs,
    plot=_figures.capacity(("pause", 1), ALL, "3 videos, S2 paused"),
    claims=[
        Claim("used by the others, of what they can take, 50 to 60 s",
              "they use what is left", each(used(
                  ["S1", "S3"], 50, 60, 2 * MEDIA_MAX_BIT_S), "pause"),
              note="3 of 3.5 Mbit/s"),
        Claim("seconds until the second flow is back at 80 % of its fair "
              "share", "resumes", each(seconds_up(["S2"], 60, 119, FAIR),
                                       "pause"),
              note="its rate is kept while it is idle (RFC 5348 section "
              "8.2.1), down to W_init / R"),
        Claim("Jain's index, 75 to 119 s", "a fair share",
              each(jain(ALL, 75, 119), "pause"),
              note="equal flows"),
        Claim("used of 3.5 Mbit/s, 75 to 119 s", "close to the capacity",
              each(used(ALL, 75, 119), "pause")),
        Claim("worst second of S1 and S3, 20 to 119 s (bit/s)",
              "no starvation", each(lambda result: min(
                  lowest_bit_s(name, 20, 119)(result)
                  for name in ("S1", "S3")), "pause"),
              note="the encoder's minimum"),
        Claim("loss rate of all, 60 to 70 s", "", each(
            lambda result: result.drop_rate(60, 70), "pause"),
            note="the flow that comes back must not flood the queue: with "
            "5 % each frame of a dozen packets would miss one every second "
            "time", scales=NOT_QUICK),
    ])

SCENARIOS = [SELF, RTT, PAUSE]
