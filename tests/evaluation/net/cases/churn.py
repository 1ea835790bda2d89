# SPDX-License-Identifier: LGPL-2.1-or-later
"""A group whose receivers come, leave and die all the time."""

import random
import time

from cases import group
from claims import NOT_QUICK, RFC_4654, Claim, Scale, Scenario

SECONDS = 60
# Between two changes [s].
PAUSES_S = (1, 4)
# Who was there for less may have seen no key frame.
COUNTED_S = 5


def act(seed):
    address, options = group.IPV4

    def churn(stage):
        dice = random.Random(seed)
        guests = [name for name in group.LINKS if name != "near"]
        stage.host("sender")
        for name, link in group.LINKS.items():
            stage.host(name, **link)
        stage.start()
        # One that stays.
        stage.receiver("near", src={"host": address, **options}).play()
        stage.sender("sender", to=address,
                     sink={"ttl-mc": 4, **options}).play()
        stage.mark("begin")
        there, end = {}, time.monotonic() + SECONDS
        while time.monotonic() < end:
            stage.sleep(dice.uniform(*PAUSES_S))
            host = dice.choice(guests)
            if host in there:
                dice.choice([there[host].stop, there[host].kill])()
                del there[host]
            else:
                there[host] = stage.receiver(
                    host, name=f"{host}-{len(stage.endpoints)}",
                    src={"host": address, **options})
                there[host].play()
        stage.mark("end")
    return churn


def guests(stage):
    """[(endpoint, when it came, when it left)] of those that count."""
    found = []
    for name, endpoint in stage.endpoints.items():
        if name == "sender":
            continue
        came = endpoint.of("playing")[0]["t"]
        left = min(endpoint.stopped_at, stage.marks["end"])
        if left - came >= COUNTED_S:
            found.append((endpoint, came, left))
    return found


def slowest_picture_s(stage):
    """From coming to the first decoded frame; None: somebody had none."""
    waits = []
    for endpoint, came, left in guests(stage):
        frames = endpoint.of("decoded")
        if not frames:
            return None
        waits.append(frames[0]["t"] - came)
    return max(waits)


def longest_without_clr_s(stage):
    """Between giving one up and having the next."""
    changes = group.clr_changes(stage)
    ends = [at for at, _, _ in changes[1:]] + [stage.marks["end"]]
    return max((end - at for (at, name, _), end in zip(changes, ends)
                if name is None), default=0)


def rounds_without_clr(stage):
    """The same by T + R_max and the second of a shortest round."""
    changes = group.clr_changes(stage)
    ends = [at for at, _, _ in changes[1:]] + [stage.marks["end"]]
    return max(((end - at) / (
        1 + group.feedback_delay_s(stage, at)
        + stage.endpoints["sender"].stat_at("max-rtt-ns", at) / 1e9)
        for (at, name, _), end in zip(changes, ends) if name is None),
        default=0)


def frames_of_the_one_that_stays(stage):
    start = stage.marks["begin"] + COUNTED_S
    return stage.endpoints["near"].decoded(start, stage.marks["end"]) / (
        stage.marks["end"] - start)


def each(measure):
    return lambda results: results.each(measure)


SCENARIOS = [Scenario(
    "churn", source=RFC_4654,
    what="a group of up to six; every few seconds somebody comes, leaves or "
         "is killed",
    runs=lambda scale: {} if scale is Scale.QUICK else {
        (seed,): act(seed) for seed in (1, 2, 3)},
    claims=[
        Claim("frames that the one that stays decodes [1/s]", 30,
              each(frames_of_the_one_that_stays), low=25, scales=NOT_QUICK),
        Claim("longest wait of a newcomer for its first frame [s]", "",
              each(slowest_picture_s), high=4, scales=NOT_QUICK,
              note="a key frame a second for all, 300 ms of jitter buffer"),
        Claim("longest time without a CLR, by T + R_max + 1 s", "",
              each(rounds_without_clr), high=1, scales=NOT_QUICK),
        Claim("longest time without a CLR [s]", "",
              each(longest_without_clr_s), scales=NOT_QUICK),
    ])]
