# SPDX-License-Identifier: LGPL-2.1-or-later
"""A stream whose receiver only reports arrivals: beside TCP, by the interval of
the reports, and alone over steps."""

from cases import _beside
from claims import NOT_QUICK, PRESENT_DAY, Claim, Scale, Scenario

FORMATS = ("ccfb", "twcc")
INTERVALS_MS = (50, 100, 250)
JUDGED_MS = 100
FLOWS = 3
RATE_KBIT_S = 5000
QUEUE_MS = 50
SHARE = (0.5, 1.5)
TRANSPORT_NUMBERS = ("http://www.ietf.org/id/"
                     "draft-holmer-rmcat-transport-wide-cc-extensions-01")
RTP_CAPS = ("application/x-rtp,media=audio,clock-rate=192000,"
            "encoding-name=L16,channels=8,payload=96,"
            f"extmap-1=(string){TRANSPORT_NUMBERS}")
# Five minutes, with a step down and up in each.
STEP_S = 30
STEPS = 5
HIGH_KBIT_S, LOW_KBIT_S = 2000, 500
# Until the rate is below a link that became slower, or near one that is faster.
SETTLE_S = 10


def ends(feedback, interval_ms):
    """What _beside.act makes of the two ends."""
    return {"sink": {"feedback": feedback},
            "src": {"feedback": feedback, "feedback-interval": interval_ms,
                    "caps": RTP_CAPS}}


def beside_runs(scale):
    return {} if scale is Scale.QUICK else {
        (feedback, interval_ms, seed): _beside.act(
            "reno", FLOWS, RATE_KBIT_S, {"queue_ms": QUEUE_MS},
            _beside.SECONDS[scale], **ends(feedback, interval_ms))
        for feedback in FORMATS for interval_ms in INTERVALS_MS
        for seed in (1, 2, 3)}


def share_claims():
    for feedback in FORMATS:
        for interval_ms in INTERVALS_MS:
            low, high = SHARE if interval_ms == JUDGED_MS else (None, None)
            yield Claim(
                f"rate by the mean TCP's, {feedback} every {interval_ms} ms",
                "about 1",
                lambda results, key=(feedback, interval_ms):
                results.each(_beside.share, *key, None),
                low=low, high=high, scales=NOT_QUICK)


def over_steps(feedback):
    def act(stage):
        stage.host("sender")
        stage.host("receiver", rate_kbit_s=HIGH_KBIT_S, queue_ms=100,
                   delay_ms=1000 * _beside.RTT_S / 2)
        stage.start()
        both = ends(feedback, INTERVALS_MS[0])
        stage.receiver("receiver", source="greedy", src=both["src"]).play()
        stage.sender("sender", to="receiver", source="greedy",
                     sink=both["sink"], rtp_caps=RTP_CAPS).play()
        for number in range(STEPS):
            stage.sleep(STEP_S)
            stage.mark(f"down-{number}")
            stage.net.change("receiver", "rate_kbit_s", LOW_KBIT_S)
            stage.sleep(STEP_S)
            stage.mark(f"up-{number}")
            stage.net.change("receiver", "rate_kbit_s", HIGH_KBIT_S)
        stage.mark("end")
    return act


def step_runs(scale):
    return {} if scale is Scale.QUICK else {
        (feedback, 1): over_steps(feedback) for feedback in FORMATS}


def shares_of_link(stage, direction, rate_kbit_s):
    """What arrives from SETTLE_S after each step on, by the link."""
    for number in range(STEPS):
        start = stage.marks[f"{direction}-{number}"] + SETTLE_S
        yield stage.link_kbit_s("receiver", "to", start,
                                start + STEP_S - SETTLE_S) / rate_kbit_s


def least_share(results):
    return results.each(lambda stage: min(
        [*shares_of_link(stage, "down", LOW_KBIT_S),
         *list(shares_of_link(stage, "up", HIGH_KBIT_S))[:-1]]))


def offered_after_steps(results):
    def most(stage):
        return max(
            stage.link_kbit_s("receiver", "to", at + SETTLE_S, at + STEP_S,
                              "offered_bytes") / LOW_KBIT_S
            for at in (stage.marks[f"down-{number}"]
                       for number in range(STEPS)))
    return results.each(most)


SCENARIOS = [
    Scenario(
        "other-receivers-beside", source=PRESENT_DAY,
        what="a stream beside three Reno flows on 5 Mbit/s, 50 ms RTT; the "
        "receiver reports arrivals as RFC 8888 or transport-wide feedback",
        runs=beside_runs, claims=list(share_claims())),
    Scenario(
        "other-receivers-steps", source=PRESENT_DAY,
        what="five minutes on a link that changes between 2 and 0.5 Mbit/s "
        "every 30 s; the receiver reports arrivals",
        runs=step_runs, claims=[
            Claim("least share of the link from 10 s after a step on", "",
                  least_share, low=0.8, scales=NOT_QUICK),
            Claim("what is offered to the slow link by its rate, the most", "",
                  offered_after_steps, high=1.15, scales=NOT_QUICK),
        ])]
