# SPDX-License-Identifier: LGPL-2.1-or-later
"""The live scenarios and what each must show.

A claim's measure is the name of one of the demo's numbers or a function of
the recording; low and high bound it, None leaves a side open.  Claims are
judged by the median of the scenario's runs; with worst=True by the run that
does worst."""

import dataclasses
from typing import Callable, Optional, Union

import measures


@dataclasses.dataclass
class Claim:
    claim: str
    measure: Union[str, Callable]
    low: Optional[float] = None
    high: Optional[float] = None
    worst: bool = False
    note: str = ""


@dataclasses.dataclass
class Scenario:
    link: str
    seconds: float
    claims: list
    source: str = "scene"
    encoder: str = "x264"
    sink: dict = dataclasses.field(default_factory=dict)
    runs: int = 3


def step_seconds(kind):
    """The slowest of the answers to the steps of a run."""
    def slowest(recording):
        answers = measures.results.results(recording)[kind]
        seconds = [answer["seconds"] for answer in answers]
        return None if not seconds or None in seconds else max(seconds)
    return slowest


KEEPS_FRAMES = Claim(
    "share of the sent frames that were decoded",
    measures.decoded_share, low=0.99)

SCENARIOS = {
    "steady": Scenario("steady", 40, [
        Claim("sent rate (kbit/s)", "sent_kbit_s", low=1860),
        Claim("CoV of the sent rate at 1 s", "rate_cov_1s", high=0.06),
        Claim("queueing delay p95 (ms)", "queue_delay_ms_p95",
              note="published, not judged"),
    ]),
    "loss2": Scenario("loss2-10m", 44, [
        Claim("sent rate by the equation at the link's own loss events",
              measures.share_of_equation(delay_s=0.025), low=0.8, high=1.2),
        Claim("CoV of the sent rate at 1 s", "rate_cov_1s", high=0.3),
    # Where each loss counts: with delay control those without a queue count less.
    ], source="greedy", sink={"delay-target": 0}),
    "loss1": Scenario("loss1", 40, [
        Claim("sent rate (kbit/s)", "sent_kbit_s", low=1500),
    ], source="greedy"),
    "steps": Scenario("steps", 40, [
        Claim("reaction at 2000 -> 500 kbit/s (s)",
              step_seconds("reaction"), high=2),
        Claim("recovery at 500 -> 2000 kbit/s (s)",
              step_seconds("recovery"), high=6),
    ]),
    "outage": Scenario("outage", 32, [
        Claim("first fresh frame after the link's return (s)",
              measures.first_fresh_frame_s, high=3),
        Claim("1.5 Mbit/s after the link's return (s)",
              measures.back_at_1500_kbit_s, high=7),
        Claim("age in the pacer beyond its bound (ms)",
              measures.pacer_excess_ms, high=2100, worst=True,
              note="a frame of which a packet has left stays, and one of seven packets "
              "leaves in 300 ms while no report comes"),
    ]),
    "outage30": Scenario("outage30", 56, [
        Claim("first fresh frame after the link's return (s)",
              measures.first_fresh_frame_s, high=6),
        Claim("age in the pacer beyond its bound (ms)",
              measures.pacer_excess_ms, high=2100, worst=True,
              note="a frame of which a packet has left stays, and one of seven packets "
              "leaves in 300 ms while no report comes"),
    ]),
    "lan": Scenario("lan", 70, [
        Claim("encoder by its cap, lowest mean of 5 s",
              measures.lowest_share_of_cap(3000), low=0.95),
        Claim("encoder by its cap, highest mean of 5 s",
              measures.highest_share_of_cap(3000), high=1.05),
        KEEPS_FRAMES,
    ], sink={"max-bitrate": 3000000}),
    "dialup": Scenario("dialup", 40, [
        Claim("seconds without a decoded frame",
              measures.seconds_without_frame, high=0, worst=True),
        Claim("longest silence of feedback (s)",
              measures.longest_silence_of_feedback_s, high=3),
    ]),
}
