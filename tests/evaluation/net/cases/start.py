# SPDX-License-Identifier: LGPL-2.1-or-later
"""The first second of a stream: with the start that RFC 5348 has, and with a
start-bitrate that is given, by what the receiver reports."""

import statistics

from claims import NOT_QUICK, PRESENT_DAY, Claim, Scale, Scenario

LINK = {"rate_kbit_s": 2000, "queue_ms": 100, "delay_ms": 25}
FORMATS = ("tfrc", "ccfb")
GIVEN_KBIT_S = 1500
USABLE_KBIT_S = 300
SECONDS = 5


def stream(feedback, given):
    def act(stage):
        stage.host("sender")
        stage.host("receiver", **LINK)
        stage.start()
        stage.receiver("receiver", src={"feedback": feedback}).play()
        stage.sender("sender", to="receiver", as_it_comes=True, sink={
            "feedback": feedback,
            **({"start-bitrate": 1000 * GIVEN_KBIT_S} if given else {})}).play()
        stage.sleep(SECONDS)
    return act


def runs(scale):
    return {} if scale is Scale.QUICK else {
        (feedback, given, seed): stream(feedback, given)
        for feedback in FORMATS for given in (False, True)
        for seed in (1, 2, 3)}


def arrivals(stage):
    """(seconds since the first packet, bytes until then) of each 100 ms."""
    times = stage.links.times()
    counted = stage.links.column("receiver", "to", "bytes")
    # RTCP and the like come before it.
    first = next(i for i, size in enumerate(counted) if size > 1000)
    return [(time - times[first - 1], size - counted[first - 1])
            for time, size in zip(times[first - 1:], counted[first - 1:])]


def usable(stage):
    """Seconds until so much came within 200 ms."""
    found = arrivals(stage)
    return next((t for (_, before), (t, size) in zip(found, found[2:])
                 if (size - before) * 8 / 200 >= USABLE_KBIT_S), SECONDS)


def first_second(stage):
    """Mean rate by what was given."""
    found = arrivals(stage)
    size = max(size for t, size in found if t <= 1.05)
    return size * 8 / 1000 / GIVEN_KBIT_S


def claims():
    for feedback in FORMATS:
        yield Claim(f"until {USABLE_KBIT_S} kbit/s come, {feedback} [s]", "",
                    lambda results, feedback=feedback: statistics.median(
                        results.each(usable, feedback, False, None)),
                    high=1, scales=NOT_QUICK)
        yield Claim("rate of the first second by a start-bitrate that is given, "
                    f"{feedback}", "",
                    lambda results, feedback=feedback: statistics.median(
                        results.each(first_second, feedback, True, None)),
                    low=0.7, high=1.3, scales=NOT_QUICK)


SCENARIOS = [Scenario(
    "start", source=PRESENT_DAY,
    what="the first second on 2 Mbit/s, 50 ms RTT, with a start-bitrate that is "
    "given and without", runs=runs, claims=list(claims()))]
