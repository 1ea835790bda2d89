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
PLAIN_CAPS = ("application/x-rtp,media=audio,clock-rate=192000,"
              "encoding-name=L16,channels=8,payload=96")
PLAIN_SDP = "\n".join((
    "v=0", "o=- 0 0 IN IP4 0.0.0.0", "s=-", "c=IN IP4 0.0.0.0", "t=0 0",
    "m=audio 0 RTP/AVP 96", "a=rtpmap:96 L16/192000/8"))
RTP_CAPS = f"{PLAIN_CAPS},extmap-1=(string){TRANSPORT_NUMBERS}"
# Five minutes, with a step down and up in each.
STEP_S = 30
STEPS = 5
HIGH_KBIT_S, LOW_KBIT_S = 2000, 500
# Until the rate is below a link that became slower, or near one that is faster.
SETTLE_S = 10
# Until a mean over half a second is below the slow link, and at this share of the fast one.
MEAN_S, BACK_SHARE = 0.5, 0.8
BELOW_S, BACK_S = 1, 4
# With reception reports alone, which come every 2 to 7 s.
CLEAN_S, SLOW_S = 120, 60
REPORTS_SETTLE_S = 30
# From the report that tells on: the report's way, and the emulator's log.
REACTION_S = 1
RECOVERED_S = 60
RTCP_PORT = 6001
# As rtspsrc is asked to (docs/interop.md), and by itself.
REPORT_INTERVALS_MS = (500, 5000)


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
        add_hosts(stage)
        both = ends(feedback, INTERVALS_MS[0])
        stage.receiver("receiver", source="greedy", src=both["src"]).play()
        stage.sender("sender", to="receiver", source="greedy", as_it_comes=True,
                     sink=both["sink"], rtp_caps=RTP_CAPS).play()
        step_up_and_down(stage)
    return act


def add_hosts(stage):
    stage.host("sender")
    stage.host("receiver", rate_kbit_s=HIGH_KBIT_S, queue_ms=100,
               delay_ms=1000 * _beside.RTT_S / 2)
    stage.start()


def step_up_and_down(stage):
    for number in range(STEPS):
        stage.sleep(STEP_S)
        stage.mark(f"down-{number}")
        stage.net.change("receiver", "rate_kbit_s", LOW_KBIT_S)
        stage.sleep(STEP_S)
        stage.mark(f"up-{number}")
        stage.net.change("receiver", "rate_kbit_s", HIGH_KBIT_S)
    stage.mark("end")


def play_to_rtpbin(stage, caps, as_it_comes=False, **receiver):
    """A pair of an rtpbin that knows nothing of TFRC, and tfrcsink."""
    stage.rtpbin_receiver("receiver", to="sender", feedback_port=RTCP_PORT,
                          caps=caps, **receiver).play()
    play_to_plain_ports(stage, caps, as_it_comes=as_it_comes)


def play_to_plain_ports(stage, caps, as_it_comes=False, **sink):
    stage.sender("sender", to="receiver", source="greedy", rtp_caps=caps,
                 as_it_comes=as_it_comes,
                 sink={"rtcp-mux": False, "bind-port": RTCP_PORT - 1,
                       **sink}).play()


def rtpbin_over_steps(stage):
    """It reports as often as a browser (docs/interop.md)."""
    add_hosts(stage)
    play_to_rtpbin(stage, RTP_CAPS, as_it_comes=True, profile="avpf", session={
        "twcc-feedback-interval": INTERVALS_MS[0] * 10 ** 6,
        "rtcp-min-interval": 20 * 10 ** 6, "bandwidth": 2e6})
    step_up_and_down(stage)


def reception_reports_over_a_step(stage):
    add_hosts(stage)
    play_to_rtpbin(stage, PLAIN_CAPS, profile="avp", session={})
    step_for_a_minute(stage)


def ffmpeg_over_a_step(stage):
    add_hosts(stage)
    stage.ffmpeg_receiver("receiver", to="sender", feedback_port=RTCP_PORT,
                          sdp=PLAIN_SDP).play()
    play_to_plain_ports(stage, PLAIN_CAPS, feedback="rr")
    step_for_a_minute(stage)


def reports_beside(interval_ms):
    def act(stage):
        stage.host("sender")
        stage.host("receiver", rate_kbit_s=RATE_KBIT_S, queue_ms=QUEUE_MS,
                   delay_ms=1000 * _beside.RTT_S / 2)
        stage.start()
        play_to_rtpbin(stage, PLAIN_CAPS, profile="avp", session={
            "rtcp-min-interval": interval_ms * 10 ** 6})
        settle_s, seconds = _beside.SECONDS[Scale.STANDARD]
        stage.tcp("sender", "receiver", settle_s + seconds + 5, "reno", FLOWS)
        stage.mark("steady", after=settle_s)
        stage.sleep(settle_s + seconds)
        stage.mark("end")
    return act


def reports_beside_runs(scale):
    return {} if scale is Scale.QUICK else {
        (interval_ms, seed): reports_beside(interval_ms)
        for interval_ms in REPORT_INTERVALS_MS for seed in (1, 2, 3)}


def reports_beside_claims():
    for interval_ms in REPORT_INTERVALS_MS:
        yield Claim(
            f"rate by the mean TCP's, a reception report every {interval_ms} ms",
            "", lambda results, interval_ms=interval_ms:
            results.each(_beside.share, interval_ms, None),
            low=SHARE[0], high=SHARE[1], scales=NOT_QUICK)


def step_for_a_minute(stage):
    """Two minutes, one behind a slow link, two minutes."""
    stage.sleep(CLEAN_S)
    stage.mark("down")
    stage.net.change("receiver", "rate_kbit_s", LOW_KBIT_S)
    stage.sleep(SLOW_S)
    stage.mark("up")
    stage.net.change("receiver", "rate_kbit_s", HIGH_KBIT_S)
    stage.sleep(CLEAN_S)
    stage.mark("end")


def report_runs(scale):
    return {} if scale is Scale.QUICK else {
        ("rtpbin", 1): reception_reports_over_a_step,
        ("ffmpeg", 1): ffmpeg_over_a_step}


def clean_share(results, receiver):
    """Without the time in which nothing is known yet."""
    return results.each(lambda stage: stage.link_kbit_s(
        "receiver", "to", stage.marks["down"] - CLEAN_S + REPORTS_SETTLE_S,
        stage.marks["down"]) / HIGH_KBIT_S, receiver, None)


def seconds_of_reports(stage, since):
    """When the sender had taken each report that came after an instant."""
    times, counts = stage.endpoints["sender"].stats("reception-reports")
    return [when for when, before, count in zip(times[1:], counts, counts[1:])
            if count > before and when > since]


def offered_after_two_reports(results, receiver):
    def offered(stage):
        second = seconds_of_reports(stage, stage.marks["down"])[1]
        return stage.link_kbit_s("receiver", "to", second + REACTION_S,
                                 stage.marks["up"], "offered_bytes") \
            / LOW_KBIT_S
    return results.each(offered, receiver, None)


def least_rate(results, receiver):
    """Over 10 s: it stops nowhere."""
    def least(stage):
        start = int(stage.marks["down"] - CLEAN_S + REPORTS_SETTLE_S)
        return min(stage.link_kbit_s("receiver", "to", at, at + 10)
                   for at in range(start, int(stage.marks["end"]) - 10, 10))
    return results.each(least, receiver, None)


def recovered_share(results, receiver):
    return results.each(lambda stage: stage.link_kbit_s(
        "receiver", "to", stage.marks["end"] - RECOVERED_S,
        stage.marks["end"]) / HIGH_KBIT_S, receiver, None)


def report_claims():
    for receiver in ("rtpbin", "ffmpeg"):
        for what, measure, low, high in (
                ("share of the clean link from 30 s on", clean_share, 0.7,
                 None),
                ("what is offered to the slow link by its rate, from two "
                 "reports after the step on", offered_after_two_reports,
                 None, 1.0),
                ("the least rate over 10 s [kbit/s]", least_rate, 100, None),
                ("share of the link in the last minute", recovered_share, 0.7,
                 None)):
            yield Claim(f"{what}, {receiver}", "",
                        lambda results, measure=measure, receiver=receiver:
                        measure(results, receiver),
                        low=low, high=high, scales=NOT_QUICK)


def step_runs(scale):
    return {} if scale is Scale.QUICK else {
        **{(feedback, 1): over_steps(feedback) for feedback in FORMATS},
        ("rtpbin", 1): rtpbin_over_steps}


def shares_of_link(stage, direction, rate_kbit_s):
    """What arrives from SETTLE_S after each step on, by the link."""
    for number in range(STEPS):
        start = stage.marks[f"{direction}-{number}"] + SETTLE_S
        yield stage.link_kbit_s("receiver", "to", start,
                                start + STEP_S - SETTLE_S) / rate_kbit_s


def least_share(stage):
    return min([*shares_of_link(stage, "down", LOW_KBIT_S),
                *list(shares_of_link(stage, "up", HIGH_KBIT_S))[:-1]])


def offered_after_steps(stage):
    return max(
        stage.link_kbit_s("receiver", "to", at + SETTLE_S, at + STEP_S,
                          "offered_bytes") / LOW_KBIT_S
        for at in (stage.marks[f"down-{number}"] for number in range(STEPS)))


def seconds_until(stage, marks, column, holds, host="receiver"):
    """The most, over all steps, until a mean of MEAN_S `holds` [kbit/s]."""
    def wait(start):
        return next((at for at in (0.05 * i for i in range(20 * STEP_S))
                     if holds(stage.link_kbit_s(
                         host, "to", start + at, start + at + MEAN_S,
                         column))), STEP_S)
    return max(wait(stage.marks[mark]) for mark in marks)


def seconds_until_below(stage):
    return seconds_until(stage, [f"down-{n}" for n in range(STEPS)],
                         "offered_bytes", lambda rate: rate <= LOW_KBIT_S)


def seconds_until_back(stage):
    """The test ends with the last step up."""
    return seconds_until(stage, [f"up-{n}" for n in range(STEPS - 1)],
                         "bytes", lambda rate: rate >= BACK_SHARE * HIGH_KBIT_S)


def step_claims():
    for reporter in (*FORMATS, "rtpbin"):
        for what, measure, high in (
                ("until less than the slow link carries is offered",
                 seconds_until_below, BELOW_S),
                (f"until {BACK_SHARE} of the fast link arrive",
                 seconds_until_back, BACK_S)):
            yield Claim(
                f"seconds {what}, the most, {reporter}", "",
                lambda results, reporter=reporter, measure=measure:
                results.each(measure, reporter, None),
                high=high, scales=NOT_QUICK)
        yield Claim(
            f"least share of the link from 10 s after a step on, {reporter}",
            "", lambda results, reporter=reporter:
            results.each(least_share, reporter, None),
            low=0.8, scales=NOT_QUICK)
        yield Claim(
            f"what is offered to the slow link by its rate, the most, "
            f"{reporter}", "", lambda results, reporter=reporter:
            results.each(offered_after_steps, reporter, None),
            high=1.15, scales=NOT_QUICK)


SCENARIOS = [
    Scenario(
        "other-receivers-beside", source=PRESENT_DAY,
        what="a stream beside three Reno flows on 5 Mbit/s, 50 ms RTT; the "
        "receiver reports arrivals as RFC 8888 or transport-wide feedback",
        runs=beside_runs, claims=list(share_claims())),
    Scenario(
        "other-receivers-steps", source=PRESENT_DAY,
        what="five minutes on a link that changes between 2 and 0.5 Mbit/s "
        "every 30 s, by default; tfrcsrc reports arrivals as RFC 8888 or transport-wide "
        "feedback, an rtpbin reports them transport-wide",
        runs=step_runs, claims=list(step_claims())),
    Scenario(
        "other-receivers-reports", source=PRESENT_DAY,
        what="five minutes to an rtpbin and to ffmpeg, with reception reports "
        "alone; the link of 2 Mbit/s has 0.5 for one of them",
        runs=report_runs, claims=list(report_claims())),
    Scenario(
        "other-receivers-reports-beside", source=PRESENT_DAY,
        what="reception reports alone, beside three Reno flows on 5 Mbit/s, "
        "50 ms RTT",
        runs=reports_beside_runs, claims=list(reports_beside_claims()))]
