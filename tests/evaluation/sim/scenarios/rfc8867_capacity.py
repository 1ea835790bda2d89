# SPDX-License-Identifier: LGPL-2.1-or-later
"""RFC 8867 sections 5.1 to 5.3: a capacity that changes.

The RFC gives parameters and says what is expected in words; the numbers to
be met are ours, each with its reason.  Queues of 300 ms are those of the
reference capacity r: at 0.6 r they take 500 ms to empty."""

from claims import Claim, NOT_QUICK, RFC_8867, Scale, Scenario
from scenarios import _figures
from scenarios._video import (
    MEDIA_MAX_BIT_S, each, frames_complete, jain,
    link, lowest_bit_s, media, mean_bit_s, queue_ms_p95, seconds_down,
    seconds_up, seeds, used, value)
from simulation import Flow, Run

MBIT = 1e6

USED = ("a drop-tail queue of more than the BDP would be kept full by TCP; "
        "0.15 is for frames that the pacer drops after a loss, and for the "
        "wait for a key frame")
DOWN = ("TFRC halves in 4 to 6 RTTs of persistent loss, 0.4 to 0.7 s each "
        "here with the queue full")
UP = ("without losses TFRC adds 0.12 to 0.48 packets per RTT in each RTT: "
      "100 to 400 kbit/s a second at 100 ms, a quarter of it at 200 ms")

# 5.1

PATTERN_1 = ((40, 2.5 * MBIT), (60, 0.6 * MBIT), (80, 1.0 * MBIT))


def single_runs(scale):
    delays = (50,) if scale is Scale.QUICK else (50, 100)
    runs = {(delay, seed): Run(
        links=(link(1 * MBIT, delay, schedule=PATTERN_1),),
        flows=(media(start_s=0, stop_s=99, trace=True),),
        seconds=100, seed=seed)
        for delay in delays for seed in seeds(scale)}
    if scale is not Scale.QUICK:
        runs.update({("udp", seed): single_udp(seed) for seed in seeds(scale)})
    return runs


def single_udp(seed):
    """The variant of section 5.1: 4 Mbit/s, and UDP takes what the pattern
    does not leave."""
    left = [[0, 3.0 * MBIT], [40, 1.5 * MBIT], [60, 3.4 * MBIT],
            [80, 3.0 * MBIT]]
    return Run(links=(link(4 * MBIT, 50),), seconds=100, seed=seed, flows=(
        media(start_s=0, stop_s=99, trace=True),
        Flow(name="udp", kind="cbr", packet_bytes=1200, start_s=0,
             parameters={"steps": left})))


def single_claims(delay):
    first = f"{delay} ms: "
    scales = {} if delay == 50 else {"scales": NOT_QUICK}
    return [
        Claim(first + "used of 1 Mbit/s, 20 to 40 s", "close to the capacity",
              each(used(["media"], 20, 40), delay), note=USED, **scales),
        Claim(first + "seconds to 80 % of 1.5 Mbit/s after the step up at "
              "40 s", "converges", each(seconds_up(
                  ["media"], 40, 60, MEDIA_MAX_BIT_S), delay), note=UP,
              **scales),
        Claim(first + "seconds to stay within 1.1 times 0.6 Mbit/s after the "
              "step down at 60 s", "converges", each(seconds_down(
                  ["media"], 60, 80, 0.6 * MBIT), delay), note=DOWN, **scales),
        Claim(first + "used of 0.6 Mbit/s, 65 to 80 s",
              "close to the capacity",
              each(used(["media"], 65, 80), delay), note=USED, **scales),
        Claim(first + "seconds to 80 % of 1 Mbit/s after the step up at 80 s",
              "converges", each(seconds_up(
                  ["media"], 80, 99, 1 * MBIT), delay), note=UP,
              **scales),
        Claim(first + "worst second after the first 5 s (bit/s)",
              "no unwanted oscillation",
              each(lowest_bit_s("media", 5, 99), delay),
              note="the encoder's minimum", **scales),
        Claim(first + "share of frames that arrive whole", "",
              each(frames_complete("media"), delay),
              note="start, one step down, and the losses of a loss-based "
              "control: less would look broken", **scales),
        Claim(first + "delay of a packet of video from the encoder, p95 (ms)",
              "", each(value("media", "delay_ms_p95"), delay),
              note="published: a loss-based control fills the queue, 300 ms "
              "at 1 Mbit/s and 500 at 0.6", **scales),
    ]


SINGLE = Scenario(
    "rfc8867-single", source=RFC_8867 + ", section 5.1",
    what="one video, capacity 1, 2.5, 0.6, 1 Mbit/s", runs=single_runs,
    plot=_figures.capacity((50, 1), ["media"], "1 video, 50 ms"),
    claims=single_claims(50) + single_claims(100) + [
        Claim("UDP variant: used of what UDP leaves, 20 to 40 s",
              "close to the capacity", each(
                  lambda result: mean_bit_s("media", 20, 40)(result)
                  / (1 * MBIT), "udp"), scales=NOT_QUICK,
              note="UDP's packets do not yield, so losses are rarer for the "
              "video and queues are shorter: 75 ms at 1 Mbit/s"),
        Claim("UDP variant: seconds to stay within 1.1 times 0.6 Mbit/s",
              "converges", each(seconds_down(["media"], 60, 80, 0.6 * MBIT),
                                "udp"), note=DOWN, scales=NOT_QUICK),
    ])

# 5.2

PATTERN_2 = ((25, 2.0 * MBIT), (50, 3.5 * MBIT), (75, 1.0 * MBIT),
             (100, 2.0 * MBIT))


def pair_runs(scale):
    delays = (50,) if scale is Scale.QUICK else (50, 100)
    return {(delay, seed): Run(
        links=(link(4 * MBIT, delay, reference_bit_s=2 * MBIT,
                    schedule=PATTERN_2),),
        flows=(media(count=2, start_s=(0, 0.5), stop_s=125),),
        seconds=125, seed=seed)
        for delay in delays for seed in seeds(scale)}


def pair_claims(delay):
    first = f"{delay} ms: "
    scales = {} if delay == 50 else {"scales": NOT_QUICK}
    both = 2 * MEDIA_MAX_BIT_S
    return [
        Claim(first + "used of 2 Mbit/s, 35 to 50 s", "close to the capacity",
              each(used(["media"], 35, 50, both), delay), note=USED, **scales),
        Claim(first + "used of 1 Mbit/s, 85 to 100 s",
              "close to the capacity",
              each(used(["media"], 85, 100, both), delay), note=USED,
              **scales),
        Claim(first + "seconds to stay within 1.1 times 2 Mbit/s after 25 s",
              "converges", each(seconds_down(
                  ["media"], 25, 50, 2 * MBIT), delay), note=DOWN,
              **scales),
        Claim(first + "seconds to 80 % of 3 Mbit/s after 50 s", "converges",
              each(seconds_up(["media"], 50, 75, both), delay),
              note=UP, **scales),
        Claim(first + "seconds to stay within 1.1 times 1 Mbit/s after 75 s",
              "converges", each(seconds_down(
                  ["media"], 75, 100, 1 * MBIT), delay), note=DOWN,
              **scales),
        Claim(first + "seconds to 80 % of 2 Mbit/s after 100 s", "converges",
              each(seconds_up(["media"], 100, 125, 2 * MBIT), delay),
              note=UP, **scales),
        Claim(first + "Jain's index, 25 to 125 s", "share it fairly",
              each(jain(["media"], 25, 125), delay),
              note="equal flows: 0.95 is 1.6 to 1", **scales),
        Claim(first + "worst second of either after 5 s (bit/s)",
              "no starvation", each(lowest_bit_s("media", 5, 125), delay),
              note="the encoder's minimum, and a frame that misses the second",
              **scales),
    ]


PAIR = Scenario(
    "rfc8867-pair", source=RFC_8867 + ", section 5.2",
    what="two videos, capacity 4, 2, 3.5, 1, 2 Mbit/s", runs=pair_runs,
    plot=_figures.capacity((50, 1), ["media"], "2 videos, 50 ms"),
    claims=pair_claims(50) + pair_claims(100))

# 5.3

FORWARD = ((20, 1.0 * MBIT), (40, 0.5 * MBIT), (60, 2.0 * MBIT))
BACK = ((35, 0.8 * MBIT), (70, 2.0 * MBIT))


def feedback_runs(scale):
    """With and without the flow that congests the way of the reports."""
    def run(seed, impaired):
        flows = (media("there", start_s=0, stop_s=99),)
        if impaired:
            flows += (media("back", reverse=True, start_s=0, stop_s=99),)
        return Run(links=(link(2 * MBIT, 50, reference_bit_s=1 * MBIT,
                               schedule=FORWARD, reverse_schedule=BACK),),
                   flows=flows, seconds=100, seed=seed)
    return {(kind, seed): run(seed, kind == "impaired")
            for kind in ("impaired", "alone") for seed in seeds(scale)}


def compared(measure):
    """The impaired runs by those alone, seed by seed."""
    return lambda results: [
        impaired / alone for impaired, alone in zip(
            results.each(measure, "impaired"), results.each(measure, "alone"))]


FEEDBACK = Scenario(
    "rfc8867-feedback", source=RFC_8867 + ", section 5.3",
    what="videos in both directions, reports share a congested link",
    runs=feedback_runs,
    plot=_figures.capacity(("impaired", 1), ["there"],
                           "video there, reports behind a video back"),
    claims=[
        Claim("used of 1 Mbit/s, 25 to 40 s", "close to the capacity",
              each(used(["there"], 25, 40), "impaired"), note=USED),
        Claim("used of 0.5 Mbit/s, 45 to 60 s", "close to the capacity",
              each(used(["there"], 45, 60), "impaired"), note=USED),
        Claim("seconds to stay within 1.1 times 0.5 Mbit/s after 40 s",
              "converges", each(seconds_down(
                  ["there"], 40, 60, 0.5 * MBIT), "impaired"),
              note=DOWN + ", and the reports wait in a queue of up to 375 ms"),
        Claim("throughput, by that with an empty way back, 20 to 99 s",
              "compare with an unimpaired channel",
              compared(mean_bit_s("there", 20, 99))),
        Claim("the video on the way back: used of 0.8 Mbit/s, 45 to 70 s",
              "close to the capacity", each(
                  lambda result: result.throughput("back", 45, 70) * 8
                  / (0.8 * MBIT), "impaired")),
        Claim("queueing delay, p95, 45 to 60 s (ms)", "",
              each(queue_ms_p95(45, 60), "impaired"),
              note="published: 300 ms at 1 Mbit/s is 600 ms at 0.5"),
    ])

SCENARIOS = [SINGLE, PAIR, FEEDBACK]
