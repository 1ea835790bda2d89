# SPDX-License-Identifier: LGPL-2.1-or-later
"""RFC 8867 sections 5.6 and 5.7: video beside TCP."""

from claims import Claim, NOT_QUICK, RFC_8867, Scale, Scenario
from scenarios import _figures
from scenarios._video import (
    each, frames_complete,
    jain, link, lowest_bit_s, mean_bit_s, media, ratio, seeds, tcp, used,
    value)
from simulation import Flow, Run

MBIT = 1e6

# 5.6


def long_runs(scale):
    cells = ((300, "linux-reno"), (300, "cubic")) if scale is Scale.QUICK \
        else tuple((queue, kind) for queue in (300, 1000)
                   for kind in ("linux-reno", "cubic"))
    ours = {"video": media(start_s=5, stop_s=119)}
    if scale is not Scale.QUICK:
        # What the video must be compared with, and what its audio costs.
        ours["Reno instead"] = tcp("media", start_s=5, stop_s=119)
        ours["no audio"] = media(parameters={"audio_bit_s": 0}, start_s=5,
                                 stop_s=119)
    return {(queue, kind, what, seed): Run(
        links=(link(2 * MBIT, 50, queue_ms=queue),), seconds=120, seed=seed,
        flows=(flow, tcp(congestion=kind, start_s=(0, 0.1), stop_s=119)))
        for queue, kind in cells for what, flow in ours.items()
        for seed in seeds(scale)}


def by_reno(queue, kind):
    """The video's rate by that of a Reno in its place, seed by seed."""
    return lambda results: [
        ours / theirs for ours, theirs in zip(*(results.each(
            mean_bit_s("media", 30, 119), queue, kind, what)
            for what in ("video", "Reno instead")))]


def long_claims(queue, kind, name):
    scales = {} if queue == 300 else {"scales": NOT_QUICK}
    first = f"{queue} ms queue, {name}: "
    key = (queue, kind, "video")
    return [
        Claim(first + "video by TCP, 30 to 119 s",
              "a fair share: 1/3 to 3",
              each(ratio("media", "tcp", 30, 119), *key),
              note="guideline of RFC 8868 section 2.1", **scales),
        Claim(first + "video by what a Reno gets in its place",
              "what TFRC is to be fair to", by_reno(queue, kind),
              scales=NOT_QUICK),
        Claim(first + "a Reno in the video's place by TCP", "",
              each(ratio("media", "tcp", 30, 119), queue, kind,
                   "Reno instead"), scales=NOT_QUICK, note="to compare with"),
        Claim(first + "the video without its audio by TCP", "",
              each(ratio("media", "tcp", 30, 119), queue, kind, "no audio"),
              scales=NOT_QUICK, note="to compare with: s is larger"),
        Claim(first + "worst 5 s of the video, 15 to 119 s (bit/s)",
              "at worst the minimum rate",
              each(lowest_bit_s("media", 15, 119, 5.0), *key),
              note="the encoder's minimum",
              **scales),
        Claim(first + "used of 2 Mbit/s by both, 30 to 119 s", "",
              each(used(["media", "tcp"], 30, 119), *key),
              note="TCP takes what is left", **scales),
        Claim(first + "share of frames that arrive whole", "",
              each(frames_complete("media"), *key),
              note="TCP fills the queue every few seconds", **scales),
        Claim(first + "delay of a packet of video, p95 (ms)", "",
              each(value("media", "delay_ms_p95"), *key),
              note="published: TCP fills the queue, whatever we do", **scales),
    ]


LONG = Scenario(
    "rfc8867-tcp", source=RFC_8867 + ", section 5.6",
    what="a video beside a long TCP on 2 Mbit/s", runs=long_runs,
    plot=_figures.capacity((300, "cubic", "video", 1), ["media", "tcp"],
                           "1 video and 1 Cubic, 300 ms queue"),
    claims=sum((long_claims(queue, kind, name) for queue in (300, 1000)
                for kind, name in (("linux-reno", "Reno"),
                                   ("cubic", "Cubic"))), []))

# 5.7


def short_runs(scale):
    seconds = 100 if scale is Scale.QUICK else 300
    short = {"congestion": "cubic", "parallel": 1,
             "object_bytes": {"kind": "uniform", "low": 30e3, "high": 50e3},
             "pause": {"kind": "exponential", "mean": 10}}
    return {("short", seed): Run(
        links=(link(2 * MBIT, 50),), seconds=seconds, seed=seed, flows=(
            media(count=2, start_s=5, stop_s=seconds - 1),
            Flow(name="short", kind="web", count=10, packet_bytes=1200,
                 parameters=short)))
        for seed in seeds(scale)}


SHORT = Scenario(
    "rfc8867-short", source=RFC_8867 + ", section 5.7",
    what="two videos beside ten short TCPs on 2 Mbit/s", runs=short_runs,
    plot=_figures.capacity(("short", 1), ["media", "short"],
                           "2 videos and 10 short TCPs", total=["short"]),
    claims=[
        Claim("used of 2 Mbit/s by all, 30 s to the end", "",
              each(lambda result: used(["media", "short"], 30,
                                       result.seconds - 1)(result), "short"),
              note="the short ones offer 0.3 Mbit/s on the average"),
        Claim("Jain's index of the videos", "a fair share",
              each(lambda result: jain(["media"], 30, result.seconds - 1)(
                  result), "short"), note="equal flows"),
        Claim("worst second of either video (bit/s)", "no starvation",
              each(lambda result: lowest_bit_s(
                  "media", 30, result.seconds - 1)(result), "short"),
              note="the encoder's minimum"),
        Claim("share of frames that arrive whole", "",
              each(frames_complete("media"), "short"),
              note="each TCP's slow start may fill the queue"),
        Claim("bits/s of the short TCPs together", "they are not starved",
              each(lambda result: result.throughputs(
                  "short", 30, result.seconds - 1).sum() * 8, "short"),
              note="10 times 40 kB every 10 s and what it takes "
              "to send them: 0.3 Mbit/s alone, a third of it is the bound"),
    ])

SCENARIOS = [LONG, SHORT]
