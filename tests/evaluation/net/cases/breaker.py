# SPDX-License-Identifier: LGPL-2.1-or-later
"""The circuit breakers of RFC 8083: streams that hear nothing, which have to
cease and to come back, and streams in trouble, which must not cease.

The congestion breaker has no scenario of its own here: no setting makes a
sender exceed what TFRC allows.  A receiver that conceals its losses, and one
that reports for 25 s that nothing new comes, are in the element's test."""

import time

from cases import faults
from claims import NOT_QUICK, PRESENT_DAY, Claim, Scale, Scenario

# RFC 8083 section 4.1: three times 5 s.
TIMEOUT_S = 15
# RTCP of a session of two, 5 s by 0.5 to 1.5 and 1.22 (RFC 3550 section 6.3).
REPORT_S = 6.2
PROBE_S = 3
# After an outage of more than 6 s.
BACK_S = 6

# A path on which TFRC has far more than ten packets in a round trip, so that
# a burst that is averaged over time looks like ten times TCP's rate.
FAST = {"rate_kbit_s": 20000, "queue_ms": 100, "delay_ms": 50}


def news(stage):
    """[(time, tripped, reason)]"""
    return [(when, fields["tripped"], fields["reason"]) for when, fields in
            stage.endpoints["sender"].messages("rtp-circuit-breaker")]


def limits(stage):
    """What each trip left, [bit/s]; 0: probes."""
    return [fields["bitrate-limit"] for _, fields in
            stage.endpoints["sender"].messages("rtp-circuit-breaker")
            if fields["tripped"]]


def wait_for_trip(stage, seconds):
    """No longer than that."""
    end = time.monotonic() + seconds
    while not news(stage) and time.monotonic() < end:
        stage.sleep(0.1)


def silent(cut, restore):
    """`cut` and `restore`: (key, value) of the link."""
    def act(stage):
        faults.stream(stage)
        stage.mark("steady", after=faults.WARMUP_S)
        stage.sleep(faults.WARMUP_S)
        stage.net.change("receiver", *cut)
        stage.mark("cut")
        wait_for_trip(stage, 3 * TIMEOUT_S)
        stage.mark("ceased", after=0.5)
        stage.sleep(PROBE_S + 1)
        stage.net.change("receiver", *restore)
        stage.mark("back")
        stage.sleep(BACK_S + 4)
        stage.mark("end")
    return act


def first(stage, tripped):
    """When it first told so, or None."""
    return next((when for when, found, _ in news(stage)
                 if found == tripped), None)


def since(mark, tripped):
    def seconds(stage):
        when = first(stage, tripped)
        return None if when is None else when - stage.marks[mark]
    return faults.each(seconds)


def other_reasons(*reasons):
    """Trips for another reason, and more trips than one."""
    def count(stage):
        found = [reason for _, tripped, reason in news(stage) if tripped]
        return len(found) - (found[:1] != [] and found[0] in reasons)
    return faults.each(count)


def probes_by_bound(stage):
    """Packets of RTP that left while it was open, by one at once and one in
    3 s."""
    start, end = stage.between("ceased", "back")
    return faults.stat_grown(stage, "sender", "packets", "ceased", "back") \
        / (1 + (end - start) / PROBE_S)


def silence_claims(*reasons):
    return [
        Claim("trips for another reason, or again", "none",
              other_reasons(*reasons), high=0),
        Claim("packets while it was open, by one in 3 s", "<= 1",
              faults.each(probes_by_bound), low=0.01, high=1,
              note="deviation D50"),
        Claim("from the path's return to the restart [s]", "",
              since("back", False), high=PROBE_S + 1,
              note="the next probe, and its feedback"),
        Claim("first fresh frame after the path's return [s]", "",
              faults.each(faults.first_fresh_frame_s), high=BACK_S),
    ]


def outages(stage):
    """Three of 5 s, all ways."""
    for _ in range(3):
        stage.sleep(8)
        stage.net.change("receiver", "rate_kbit_s", 0)
        stage.net.change("receiver", "back_rate_kbit_s", 0)
        stage.sleep(5)
        stage.net.change("receiver", "rate_kbit_s", FAST["rate_kbit_s"])
        stage.net.change("receiver", "back_rate_kbit_s", "unlimited")


def steps(stage):
    """To a tenth, and back."""
    for rate in (2000, FAST["rate_kbit_s"], 2000):
        stage.sleep(13)
        stage.net.change("receiver", "rate_kbit_s", rate)


def troubled(link, happens=None, seconds=40):
    def act(stage):
        faults.stream(stage, link, source="greedy")
        stage.mark("steady", after=faults.WARMUP_S)
        stage.sleep(faults.WARMUP_S)
        if happens:
            happens(stage)
        else:
            stage.sleep(seconds)
        stage.sleep(8)
        stage.mark("end")
    return act


TROUBLES = {
    "loss-10-percent": troubled({**faults.LINK, "loss": 0.1}),
    "300-kbit-s": troubled({**faults.LINK, "rate_kbit_s": 300}),
    "reports-lost-30-percent": troubled({**faults.LINK, "back_loss": 0.3}),
    "outages-20-mbit-s": troubled(FAST, outages),
    "steps-20-to-2-mbit-s": troubled(FAST, steps),
}


def ceased(kind):
    return lambda results: results.each(
        lambda stage: limits(stage).count(0), kind)


def reduced(kind):
    return lambda results: results.each(
        lambda stage: sum(limit > 0 for limit in limits(stage)), kind)


SCENARIOS = [
    Scenario(
        "breaker-no-reports", source=PRESENT_DAY,
        what="no report comes through, packets do",
        runs=faults.runs(silent(("back_rate_kbit_s", 0),
                                ("back_rate_kbit_s", "unlimited"))),
        claims=[
            Claim("from the last report to the trip [s]", TIMEOUT_S,
                  since("cut", True), low=TIMEOUT_S - 0.5,
                  high=TIMEOUT_S + 1,
                  note="the last report came up to 0.5 s before the cut, or "
                       "was on its way; on a busy machine the sender looks "
                       "late"),
            *silence_claims("rtcp-timeout"),
        ]),
    Scenario(
        "breaker-no-data", source=PRESENT_DAY,
        what="no packet comes through, the way back is free",
        runs=faults.runs(silent(("rate_kbit_s", 0),
                                ("rate_kbit_s",
                                 faults.LINK["rate_kbit_s"])), quick=False),
        claims=[
            Claim("from the cut to the trip [s]", "", since("cut", True),
                  low=TIMEOUT_S - 0.5, high=5 * REPORT_S + 1,
                  note="five report blocks that tell of nothing new, or 15 s "
                       "after the last one: an rtpsession has no block for "
                       "who was not heard for two intervals"),
            *silence_claims("media-timeout", "rtcp-timeout"),
        ]),
    Scenario(
        "breaker-correct", source=PRESENT_DAY,
        what="streams in trouble that obey TFRC",
        runs=lambda scale: {} if scale is Scale.QUICK else {
            (kind, seed): act for kind, act in TROUBLES.items()
            for seed in faults.seeds(scale)},
        claims=[Claim(f"flows that ceased, {kind}", "none", ceased(kind),
                      high=0, scales=NOT_QUICK) for kind in TROUBLES]
        + [Claim(f"flows whose rate was reduced, {kind}", "", reduced(kind),
                 high=1, scales=NOT_QUICK,
                 note="to a tenth for 15 s, which RFC 8083 lets them try "
                      "first") for kind in TROUBLES]),
]
