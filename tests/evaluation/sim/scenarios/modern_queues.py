# SPDX-License-Identifier: LGPL-2.1-or-later
"""Short queues: CoDel, FQ-CoDel, drop-tail of a fraction of the BDP."""

from claims import Claim, NOT_QUICK, PRESENT_DAY, Scale, Scenario
from scenarios._video import (
    drop_tail, each, frames_complete,
    greedy, media, ratio, seeds, tcp, used, value)
from simulation import Queue, dumbbell

MBIT = 1e6
RATE = 10 * MBIT
RTT_MS = 50
SECONDS = 60
START, END = 20, 60

# Limits that CoDel never reaches.
QUEUES = {
    "drop-tail of 0.1 BDP": drop_tail(RATE, 0.1 * RTT_MS),
    "drop-tail of 0.25 BDP": drop_tail(RATE, 0.25 * RTT_MS),
    "drop-tail of 1 BDP": drop_tail(RATE, RTT_MS),
    "CoDel": Queue(kind="codel", packets=1000),
    "FQ-CoDel": Queue(kind="fq-codel", packets=1000),
}
IN_QUICK = ("drop-tail of 0.25 BDP", "CoDel", "FQ-CoDel")


def flows(kind):
    ours = greedy(start_s=(0, 1))
    reno = tcp(start_s=(0, 1))
    return {"tfrc": [ours], "tcp": [reno], "both": [ours, reno]}[kind]


def runs(scale):
    kinds = IN_QUICK if scale is Scale.QUICK else QUEUES
    return {(queue, kind, seed): dumbbell(
        RATE, RTT_MS / 2, QUEUES[queue], flows(kind), SECONDS, seed=seed)
        for queue in kinds for kind in ("tfrc", "tcp", "both")
        for seed in seeds(scale)}


def by_reno(queue):
    """What one TFRC uses of the link, by what one Reno uses."""
    def measure(results):
        return [ours / theirs for ours, theirs in zip(
            results.each(used(["tfrc"], START, END), queue, "tfrc"),
            results.each(used(["tcp"], START, END), queue, "tcp"))]
    return measure


def mean_queue_ms(result):
    mean, _ = result.queue()
    first = round(START / result.bin_s)
    return mean[first:].mean() * 1200 * 8 / RATE * 1000


def queue_claims(queue):
    scales = {} if queue in IN_QUICK else {"scales": NOT_QUICK}
    # A queue for each flow shares by itself.
    return [
        Claim(f"{queue}: what TFRC alone uses, by what Reno alone does", "",
              by_reno(queue),
              note="a smoother rate needs no more queue than a window that "
              "halves; 0.1 for the noise of few loss events", **scales),
        Claim(f"{queue}: TFRC by Reno, one against one", "a fair share",
              each(ratio("tfrc", "tcp", START, END), queue, "both"),
              note="the queue shares by itself: who gets less did not ask "
              "for it" if queue == "FQ-CoDel"
              else "guideline of RFC 8868 section 2.1", **scales),
        Claim(f"{queue}: mean queueing delay of TFRC alone (ms)", "",
              each(mean_queue_ms, queue, "tfrc"),
              note="published beside Reno's", **scales),
        Claim(f"{queue}: mean queueing delay of Reno alone (ms)", "",
              each(mean_queue_ms, queue, "tcp"),
              note="to compare with", **scales),
    ]


GREEDY = Scenario(
    "short-queues", source=PRESENT_DAY,
    what="TFRC and Reno, alone and together, 10 Mbit/s, 50 ms",
    runs=runs, claims=sum((queue_claims(queue) for queue in QUEUES), []))

VIDEO_RATE = 1 * MBIT
VIDEO_QUEUES = {
    "drop-tail of 20 ms": drop_tail(VIDEO_RATE, 20),
    "drop-tail of 100 ms": drop_tail(VIDEO_RATE, 100),
    "CoDel": Queue(kind="codel", packets=1000),
    "FQ-CoDel": Queue(kind="fq-codel", packets=1000),
}


def video_runs(scale):
    kinds = ("CoDel",) if scale is Scale.QUICK else VIDEO_QUEUES
    return {(queue, seed): dumbbell(
        VIDEO_RATE, RTT_MS / 2, VIDEO_QUEUES[queue], [media(start_s=(0, 1))],
        SECONDS, seed=seed) for queue in kinds for seed in seeds(scale)}


def video_claims(queue):
    scales = {} if queue == "CoDel" else {"scales": NOT_QUICK}
    return [
        Claim(f"{queue}: used of 1 Mbit/s by the video", "",
              each(used(["media"], START, END), queue), **scales),
        Claim(f"{queue}: share of frames that arrive whole", "",
              each(frames_complete("media"), queue),
              note="alone on its link", **scales),
        Claim(f"{queue}: delay of a packet of video, p95 (ms)", "",
              each(value("media", "delay_ms_p95"), queue),
              note="published: pacer, queue and 25 ms", **scales),
    ]


VIDEO = Scenario(
    "short-queues-video", source=PRESENT_DAY,
    what="a video alone on 1 Mbit/s, 50 ms", runs=video_runs,
    claims=sum(map(video_claims, VIDEO_QUEUES), []))

SCENARIOS = [GREEDY, VIDEO]
