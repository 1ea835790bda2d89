# SPDX-License-Identifier: LGPL-2.1-or-later
"""Links whose rate changes at once, and links that are gone for a while.  Not at
the quick scale: there the live scenarios (tests/live/scenarios.py) judge the
same links by the same ranges."""

import math
import statistics

from cases import faults
from claims import PRESENT_DAY, RFC_8867, Claim, Scale, Scenario

WARMUP_S = 12
LOW_KBIT_S = 500
STEP_S = 14
# Longest wait for a picture after an outage, by its length [s].
PICTURE_S = {5: 3, 30: 6}


def steps(stage):
    faults.stream(stage)
    stage.mark("steady", after=faults.WARMUP_S)
    stage.sleep(WARMUP_S)
    stage.net.change("receiver", "rate_kbit_s", LOW_KBIT_S)
    stage.mark("down")
    stage.sleep(STEP_S)
    stage.net.change("receiver", "rate_kbit_s", faults.LINK["rate_kbit_s"])
    stage.mark("up")
    stage.sleep(STEP_S)
    faults.finish(stage)


def step_runs(scale):
    """Five, as the median of them is judged."""
    return {} if scale is Scale.QUICK else {
        (seed,): steps for seed in range(1, 6)}


def answers(stage):
    """(seconds down, seconds up), as the demo judges them."""
    times = faults.link_times(stage)
    down, up = faults.metrics.step_responses(
        times, faults.offered_kbit(stage), times,
        faults.link_column(stage, "rate_kbit_s"),
        *stage.between("steady", "end"))
    return down[0]["seconds"], up[0]["seconds"]


def median_answer(place):
    """A run without an answer counts as the worst."""
    def median(results):
        found = results.each(lambda stage: answers(stage)[place])
        return statistics.median(
            math.inf if one is None else one for one in found)
    return median


def after_the_step(stage):
    """What is sent from 2 to 5 s after the step down, by the new rate."""
    down = stage.marks["down"]
    return faults.metrics.mean_rate(
        faults.link_times(stage), faults.offered_kbit(stage),
        down + 2, down + 5) / LOW_KBIT_S


def set_rates(stage, rate):
    """Both ways: nothing comes back either."""
    stage.net.change("receiver", "rate_kbit_s", rate or 0)
    stage.net.change("receiver", "back_rate_kbit_s",
                     "unlimited" if rate else 0)


def outage(seconds):
    def act(stage):
        faults.stream(stage)
        stage.mark("steady", after=faults.WARMUP_S)
        stage.sleep(WARMUP_S)
        set_rates(stage, None)
        stage.mark("away")
        stage.sleep(seconds)
        set_rates(stage, faults.LINK["rate_kbit_s"])
        stage.mark("back")
        stage.sleep(PICTURE_S[seconds] + 5)
        faults.finish(stage)
    return act


def full_rate_s(stage):
    """Of the link's rate, as the demo's outage is judged."""
    return faults.reaches_s(stage, 0.75 * faults.LINK["rate_kbit_s"],
                            "back", "end")


def outage_scenario(seconds):
    picture = PICTURE_S[seconds]
    return Scenario(
        f"fault-outage-{seconds}", source=PRESENT_DAY,
        what=f"2 Mbit/s with an encoder, gone for {seconds} s both ways",
        runs=faults.runs(outage(seconds), quick=False),
        claims=faults.SURVIVES + [
            Claim("first fresh frame after the link's return [s]", "",
                  faults.each(faults.first_fresh_frame_s), high=picture),
            Claim("1.5 Mbit/s after the link's return [s]", "",
                  faults.each(full_rate_s), high=picture + 4,
                  note="full rate 4 s after the stream is back"),
        ])


SCENARIOS = [
    Scenario(
        "fault-steps", source=RFC_8867 + ", section 5.1",
        what="an encoder on a link of 2, 0.5 and again 2 Mbit/s, drop-tail "
             "of 100 ms, 50 ms RTT",
        runs=step_runs,
        claims=faults.SURVIVES + [
            Claim("sent by the link's rate, 2 to 5 s after 2000 -> 500 "
                  "kbit/s", "", faults.each(after_the_step), high=1.1,
                  note="the bound of the reaction, in the mean"),
            Claim("reaction at 2000 -> 500 kbit/s, median [s]", "",
                  median_answer(0), high=2,
                  note="half-second means within 1.1 times the rate for 3 s "
                       "on end, which a single run misses by chance"),
            Claim("recovery at 500 -> 2000 kbit/s, median [s]", "",
                  median_answer(1), high=6),
        ]),
    outage_scenario(5),
    outage_scenario(30),
]
