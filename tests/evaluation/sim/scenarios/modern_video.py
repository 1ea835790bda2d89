# SPDX-License-Identifier: LGPL-2.1-or-later
"""Data-limited video: an encoder below what it may send, with pauses, with
rare losses, on the frame sizes of a real encoder."""

import random

from claims import Claim, NOT_QUICK, PRESENT_DAY, Scale, Scenario
from scenarios import _figures
from scenarios._video import (
    drop_tail, each, frames_complete, lowest_bit_s, media, mean_bit_s,
    seconds_up, seeds, value)
from simulation import Link, Loss, Run

MBIT = 1e6

# An unused link: 20 Mbit/s for an encoder of 3 at most.

CAP = 3 * MBIT
UNUSED_RATE = 20 * MBIT
RTTS_MS = (1, 10, 50, 150)


def unused(rtt, seed, seconds, trace="x264-scene", loss=None):
    parameters = {"max_bit_s": CAP, "trace": trace}
    return Run(
        links=(Link(rate_bit_s=UNUSED_RATE, delay_ms=rtt / 2,
                    queue=drop_tail(UNUSED_RATE, 100),
                    loss=(Loss(kind="bernoulli", p=loss),) if loss else None),
               ), flows=(media(parameters=parameters, trace=True),),
        seconds=seconds, seed=seed)


def unused_runs(scale):
    seconds = 30 if scale is Scale.QUICK else 60
    found = {(rtt, seed): unused(rtt, seed, seconds)
             for rtt in RTTS_MS for seed in seeds(scale)}
    if scale is not Scale.QUICK:
        found.update({("clip", seed): unused(
            50, seed, seconds, trace="x264-clip") for seed in seeds(scale)})
    return found


def highest_allowed(result):
    """The largest X of the trace after the start, by twice the link."""
    trace = result.trace("media")
    allowed = trace["sender_allowed_rate"][trace["time_s"] >= 10]
    return float(allowed.max()) * 8 / (2 * UNUSED_RATE)


def highest_bit_s(name, start, bin_s):
    return lambda result: float(
        result.series(name, bin_s, start, result.seconds).max()) * 8


def lowest_of_cap(result):
    return lowest_bit_s("media", 10, result.seconds, 5.0)(result) / CAP


def unused_claims(key, what, **more):
    return [
        Claim(f"{what}: lowest mean of 5 s, by the cap", "not collapse",
              each(lowest_of_cap, key),
              note="there is no loss; the encoder makes 91 to 100 % of what "
              "it is told, and what it lacks is made up for", **more),
        Claim(f"{what}: highest mean of 5 s, by the cap", "nor run away",
              each(lambda result: highest_bit_s("media", 10, 5.0)(result)
                   / CAP, key), **more),
        Claim(f"{what}: largest X, by twice the link", "nor run away",
              each(highest_allowed, key),
              note="2 max (X_recv_set), and a frame arrives no faster than "
              "the link is, but for one packet in a window of one RTT",
              **more),
    ]


UNUSED = Scenario(
    "video-unused-link", source=PRESENT_DAY,
    what="video of 3 Mbit/s on 20 Mbit/s, RTT 1 to 150 ms", runs=unused_runs,
    claims=sum((unused_claims(rtt, f"RTT {rtt} ms")
                for rtt in RTTS_MS), [])
    + unused_claims("clip", "a film clip, 50 ms", scales=NOT_QUICK))

# Losses that the equation answers with more than the video needs.

LOSSES = (0.001, 0.003)


def losses_runs(scale):
    seconds = 60 if scale is Scale.QUICK else 120
    return {(loss, rtt, seed): unused(rtt, seed, seconds, loss=loss)
            for loss, rtt in ((0.001, 10), (0.001, 50), (0.003, 10))
            for seed in seeds(scale)}


LOSSY = Scenario(
    "video-rare-losses", source=PRESENT_DAY,
    what="video of 3 Mbit/s, losses that leave the equation above it",
    runs=losses_runs, claims=[
        Claim(f"losses of {loss:.1%}, {rtt} ms: mean, by the cap",
              "not collapse",
              each(lambda result: mean_bit_s("media", 10, result.seconds)(
                  result) / CAP, loss, rtt),
              note=f"the equation gives {allowed} Mbit/s at p = {loss:g}; a "
              "loss in a data-limited interval lowers recv_limit for one "
              "report")
        for loss, rtt, allowed in ((0.001, 10, 37), (0.001, 50, 7.3),
                                   (0.003, 10, 20))])

# An encoder that cannot make less than 1 Mbit/s, and the least rate at which
# TFRC starts: 117 kbit/s at 300 ms, 35 at 1 s.

LEAST = 1 * MBIT
STUBBORN_RTTS_MS = (100, 300, 600, 1000)
OUTAGE = (15, 20)


def stubborn_runs(scale):
    rtts = (300,) if scale is Scale.QUICK else STUBBORN_RTTS_MS
    outage = (Loss(until_s=OUTAGE[0]),
              Loss(kind="bernoulli", p=1.0, until_s=OUTAGE[1]), Loss())
    return {(loss, rtt, seed): Run(
        links=(Link(rate_bit_s=UNUSED_RATE, delay_ms=rtt / 2,
                    queue=drop_tail(UNUSED_RATE, 100),
                    loss=outage if loss == "outage" else None),),
        flows=(media(parameters={"min_bit_s": LEAST, "start_bit_s": LEAST,
                                 "max_bit_s": CAP}),),
        seconds=60, seed=seed)
        for loss in ("start", "outage") for rtt in rtts
        for seed in seeds(scale)}


def stubborn_claims(rtt):
    scales = {} if rtt == 300 else {"scales": NOT_QUICK}
    return [
        Claim(f"RTT {rtt} ms: seconds until 80 % of that least rate are sent",
              "not starve itself",
              each(seconds_up(["media"], 1, 60, LEAST), "start", rtt),
              note="slow start doubles in two RTTs where the "
              "flow uses what it may; 5 doublings from W_init / R at 1 s",
              **scales),
        Claim(f"RTT {rtt} ms: mean from 40 to 60 s, after an outage that "
              "ended at 20 s (bit/s)", "not starve itself",
              each(mean_bit_s("media", 40, 60), "outage", rtt),
              note="the losses of the outage leave p, and "
              "the equation rises by 0.12 to 0.48 packets per RTT in each "
              "RTT: from 600 ms on published only", **scales),
    ]


STUBBORN = Scenario(
    "video-least-rate", source=PRESENT_DAY,
    what="an encoder that cannot make less than 1 Mbit/s, unused 20 Mbit/s",
    runs=stubborn_runs,
    claims=sum(map(stubborn_claims, STUBBORN_RTTS_MS), []))

# Talking: seconds of video, seconds of nothing.

TALK_RATE = 2 * MBIT


def pauses(seed, seconds, mean_s=5):
    """Exponential spells of both, from 10 s on; none shorter than 1 s."""
    draw = random.Random(seed)
    now, found = 10.0, []
    while now < seconds - 10:
        end = now + max(1, draw.expovariate(1 / mean_s))
        found.append([round(now, 2), round(end, 2)])
        now = end + max(3, draw.expovariate(1 / mean_s))
    return found


def talk_runs(scale):
    seconds = 120 if scale is Scale.QUICK else 300
    return {("talk", seed): Run(
        links=(Link(rate_bit_s=TALK_RATE, delay_ms=25,
                    queue=drop_tail(TALK_RATE, 100)),),
        flows=(media(parameters={"pauses_s": pauses(seed, seconds)}),),
        seconds=seconds, seed=seed) for seed in seeds(scale)}


def resumed(result):
    """Mean over the resumptions of the second from 1 to 2 s after each, by
    the encoder's maximum."""
    bin_s = result.bin_s
    rows = result.series("media", bin_s)[:, 0]
    ends = [end for _, end in
            result.run.flows[0].parameters["pauses_s"]
            if end + 2 < result.seconds]
    seconds = [rows[round((end + 1) / bin_s):round((end + 2) / bin_s)].mean()
               for end in ends]
    return sum(seconds) / len(seconds) * 8 / 1.5e6


TALK = Scenario(
    "video-talk", source=PRESENT_DAY,
    what="video of up to 1.5 Mbit/s with pauses, alone on 2 Mbit/s",
    runs=talk_runs,
    plot=_figures.capacity(("talk", 1), ["media"], "pauses"), claims=[
        Claim("second second after a pause, by the maximum",
              "not collapse", each(resumed, "talk"),
              note="RFC 5348 keeps the rate of an idle flow down to W_init / "
              "R, here 0.76 Mbit/s, and doubles it up to recv_limit"),
        Claim("loss rate", "nor run away",
              each(lambda result: result.drop_rate(10, result.seconds),
                   "talk"),
              note="the link has room for all: what is lost is a burst"),
        Claim("share of frames that arrive whole", "",
              each(frames_complete("media"), "talk")),
        Claim("delay in the pacer, p95 (ms)", "",
              each(value("media", "pacer_ms_p95"), "talk"),
              note="max-queue-time"),
    ])

SCENARIOS = [UNUSED, LOSSY, STUBBORN, TALK]
