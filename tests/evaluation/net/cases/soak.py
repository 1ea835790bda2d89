# SPDX-License-Identifier: LGPL-2.1-or-later
"""Half an hour in which everything happens to two streams: steps of the link,
losses, jitter, reordering, duplicates, outages, frozen processes and
restarts.

Of one stream the receiver is restarted, of the other the sender: so one of
each kind lives all the time, and sees many of the other kind.  What these two
hold in memory, files and threads must not grow.  Files and threads are
compared between two calm minutes, one at the beginning and one at the end,
when nothing is coming or going."""

import random
import time

from cases import faults
from claims import PRESENT_DAY, Claim, Scale, Scenario

MINUTES = 30
# The worst of each fault comes first: what a process needs for it, it then has.
FROZEN_S = 5
CUT_S = 20
# Of the time after that; the heap is then as large as chance makes it.
SETTLING_SHARE = 1 / 3
CALM_S = 60
# Judged of a calm minute: by then who has left is forgotten.
SETTLED_S = 20
PAUSES_S = (2, 12)
CALM = {
    "rate_kbit_s": 2000, "queue_ms": 100, "delay_ms": 25, "jitter_ms": 0,
    "loss": 0, "duplicate": 0, "reorder": 0, "reorder_delay_ms": 0,
    "back_delay_ms": 25, "back_jitter_ms": 0, "back_loss": 0,
    "back_duplicate": 0,
}
# On stderr: GLib's log, and GStreamer's at level 1; but what the decoder thinks
# of a stream with losses is no fault.
VARIABLES = {
    "GST_DEBUG": "1,libav:0", "GST_DEBUG_NO_COLOR": "1",
    # The C library gives back what a picture took as soon as that is free.
    "MALLOC_MMAP_THRESHOLD_": "65536",
}
BAD_WORDS = ("CRITICAL", "WARNING **", " ERROR ")


class Stream:
    """A sender and a receiver; `restarts`: which of the two may be."""

    def __init__(self, stage, name, restarts):
        self.stage = stage
        self.name = name
        self.restarts = restarts
        self.lives = 0
        self.here = {}

    def start(self):
        for kind in ("receiver", "sender"):
            self._begin(kind)

    def _begin(self, kind):
        self.lives += kind == self.restarts
        name = f"{self.name}-{kind}" + (
            f"-{self.lives}" if kind == self.restarts else "")
        host = f"{self.name}-{kind}"
        if kind == "sender":
            one = self.stage.sender(host, to=f"{self.name}-receiver",
                                    name=name, variables=VARIABLES)
        else:
            one = self.stage.receiver(host, name=name, variables=VARIABLES)
        one.play()
        self.here[kind] = one

    def change(self, **values):
        for key, value in values.items():
            self.stage.net.change(f"{self.name}-receiver", key, value)

    def restart(self, dice):
        one = self.here[self.restarts]
        dice.choice([one.stop, one.kill])()
        self.stage.sleep(dice.uniform(0, 4))
        self._begin(self.restarts)

    def freeze(self, dice):
        self.freeze_one(dice.choice(["sender", "receiver"]),
                        dice.uniform(0.2, FROZEN_S))

    def freeze_one(self, kind, seconds):
        self.here[kind].freeze()
        try:
            self.stage.sleep(seconds)
        finally:
            self.here[kind].thaw()

    def cut(self, dice):
        self.cut_ways(dice.choice(["", "back_", "both"]),
                      dice.choice([0.3, 1, 3, 8, CUT_S]))

    def cut_ways(self, ways, seconds):
        for way in ["", "back_"] if ways == "both" else [ways]:
            self.change(**{f"{way}rate_kbit_s": 0})
        self.stage.sleep(seconds)
        self.change(rate_kbit_s=2000, back_rate_kbit_s=100000)

    def disturb(self, dice):
        self.change(
            rate_kbit_s=round(300 * 13 ** dice.random()),
            queue_ms=round(dice.uniform(30, 300)),
            delay_ms=round(dice.uniform(2, 100)),
            back_delay_ms=round(dice.uniform(2, 100)),
            jitter_ms=dice.choice([0, 0, 5, 30]),
            back_jitter_ms=dice.choice([0, 0, 30]),
            loss=dice.choice([0, 0, 0.001, 0.01, 0.1]),
            back_loss=dice.choice([0, 0, 0.05, 0.3]),
            duplicate=dice.choice([0, 0, 0.2]),
            back_duplicate=dice.choice([0, 0, 0.2]),
            reorder=dice.choice([0, 0, 0.05]),
            reorder_delay_ms=dice.choice([5, 30]))


def warm_up(stage, streams, dice):
    stage.sleep(10)
    for stream in streams:
        for kind in ("sender", "receiver"):
            stream.freeze_one(kind, FROZEN_S)
            stage.sleep(5)
        stream.cut_ways("both", CUT_S)
        stream.restart(dice)
        stream.change(rate_kbit_s=4000)
        stage.sleep(10)


def calm(stage, streams, name):
    for stream in streams:
        stream.change(**CALM)
    stage.sleep(CALM_S - SETTLED_S)
    stage.mark(f"{name}-settled")
    stage.sleep(SETTLED_S)
    stage.mark(f"{name}-over")


def act(seed, minutes=MINUTES):
    def soak(stage):
        dice = random.Random(seed)
        # Half an hour without one late instant is no machine of today; the
        # streams take it as one more fault.
        stage.takes_stalls = True
        end = time.monotonic() + 60 * minutes - CALM_S
        for name in ("one", "two"):
            stage.host(f"{name}-sender")
            stage.host(f"{name}-receiver", **CALM)
        stage.start()
        streams = [Stream(stage, "one", restarts="receiver"),
                   Stream(stage, "two", restarts="sender")]
        for stream in streams:
            stream.start()
        warm_up(stage, streams, dice)
        stage.mark("warm")
        calm(stage, streams, "first")
        while time.monotonic() < end:
            stage.sleep(dice.uniform(*PAUSES_S))
            stream = dice.choice(streams)
            what = dice.choice([Stream.restart, Stream.freeze, Stream.cut,
                                Stream.disturb, Stream.disturb])
            what(stream, dice)
        calm(stage, streams, "last")
    return soak


def stays(stage):
    """The two processes that live all the time."""
    return [stage.endpoints["one-sender"], stage.endpoints["two-receiver"]]


def worst(measure):
    """The larger one, of each run."""
    return lambda results: results.each(
        lambda stage: max(measure(stage, one) for one in stays(stage)))


def growth(name):
    def measure(stage, one):
        first, last = (one.usage.median(name, *stage.between(
            f"{minute}-settled", f"{minute}-over"))
            for minute in ("first", "last"))
        return last - first
    return worst(measure)


@worst
def kib_per_minute(stage, one):
    start, end = stage.between("warm", "last-over")
    return one.usage.trend_per_minute(
        "rss_kib", start + SETTLING_SHARE * (end - start), end)


def complaints(results):
    return results.each(lambda stage: sum(
        sum(any(word in line for word in BAD_WORDS)
            for line in endpoint.child.errors)
        + len([event for event in endpoint.of("warning")
               if not event["text"].startswith(faults.SILENCE)])
        for endpoint in stage.endpoints.values()))


def in_calm_end(kind, event):
    """How many of these events, of both streams [1/s]."""
    def count(stage):
        start, end = stage.between("last-settled", "last-over")
        return [sum(start <= told["t"] < end
                    for name, endpoint in stage.endpoints.items()
                    if name.startswith(f"{stream}-{kind}")
                    for told in endpoint.of(event)) / (end - start)
                for stream in ("one", "two")]
    return count


def least(measure):
    return lambda results: results.each(lambda stage: min(measure(stage)))


encoded = in_calm_end("sender", "encoded")
decoded = in_calm_end("receiver", "decoded")


def alive(stage):
    return [out / put if put else 0
            for put, out in zip(encoded(stage), decoded(stage))]


def restarts(results):
    return results.each(lambda stage: len(stage.endpoints) - 4)


SCENARIOS = [Scenario(
    "soak", source=PRESENT_DAY,
    what=f"{MINUTES} minutes of random faults and restarts; only with --full",
    runs=lambda scale: {(seed,): act(seed) for seed in (
        [1] if scale is Scale.FULL else [])},
    claims=[
        Claim("growth of memory [KiB/min]", "", kib_per_minute, high=100,
              note="Theil and Sen's slope of the last two thirds; of the "
                   "sender and the receiver that are not restarted, the "
                   "larger one"),
        Claim("growth in threads", "", growth("threads"), high=0,
              note="median of the calm end to that of the calm beginning"),
        Claim("growth in open files", "", growth("files"), high=0),
        Claim("criticals, warnings and errors told", "", complaints,
              high=0),
        Claim("frames decoded by frames encoded, at the end", "",
              least(alive), low=0.9, note="of both streams, the lower one"),
        Claim("frames encoded at the end [1/s]", 30, least(encoded),
              note="fewer where the machine has too little time"),
        Claim("restarts", "", restarts, low=20,
              note="so that the run is what it is meant to be"),
    ])]
