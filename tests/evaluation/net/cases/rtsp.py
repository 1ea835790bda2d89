# SPDX-License-Identifier: LGPL-2.1-or-later
"""Stock clients of the RTSP example's server: rtspsrc and ffmpeg over a step of the
link, and three rtspsrc that share a media; rtspsrc by transport-wide feedback, too,
which it sends once a frame."""

import itertools
import pathlib

import metrics
from cases.other_receivers import BACK_S, BACK_SHARE, BELOW_S, seconds_until
from claims import NOT_QUICK, PRESENT_DAY, Claim, Scale, Scenario
from endpoints import Endpoint

SERVER = pathlib.Path(__file__).resolve().parents[4] \
    / "examples" / "rtsp" / "server.py"
PORT = 8554
LINK = {"queue_ms": 100, "delay_ms": 25}
HIGH_KBIT_S, LOW_KBIT_S = 2000, 500
SHARED_KBIT_S = {"fast": 2000, "middle": 1000, "slow": 600}
SETTLE_S, STEP_S = 30, 30
CLIENTS = {
    "rtspsrc": ["gst-launch-1.0", "-q", "rtspsrc", "protocols=udp",
                "location={uri}", "!", "fakesink"],
    "ffmpeg": ["ffmpeg", "-nostdin", "-v", "error", "-rtsp_transport", "udp",
               "-i", "{uri}", "-c", "copy", "-f", "null", "-"]}


def serve(stage, feedback, shared=False):
    stage.endpoints["server"] = Endpoint(stage.net, "server", SERVER, {
        "source": "scene", "file": None, "encoder": "x264",
        "address": stage.address("server"), "port": PORT, "shared": shared,
        "send": {"feedback": feedback}})


def play(stage, host, client):
    uri = f"rtsp://{stage.address('server')}:{PORT}/live"
    stage.net.spawn(host, [word.format(uri=uri) for word in CLIENTS[client]],
                    lambda line: None)


def over_a_step(client, feedback):
    def act(stage):
        stage.host("server")
        stage.host("client", rate_kbit_s=HIGH_KBIT_S, **LINK)
        stage.start()
        serve(stage, feedback)
        play(stage, "client", client)
        stage.sleep(SETTLE_S)
        stage.mark("down")
        stage.net.change("client", "rate_kbit_s", LOW_KBIT_S)
        stage.sleep(STEP_S)
        stage.mark("up")
        stage.net.change("client", "rate_kbit_s", HIGH_KBIT_S)
        stage.sleep(STEP_S)
        stage.mark("end")
    return act


def three_share(feedback):
    def act(stage):
        stage.host("server")
        for host, rate in SHARED_KBIT_S.items():
            stage.host(host, rate_kbit_s=rate, **LINK)
        stage.start()
        serve(stage, feedback, shared=True)
        for host in SHARED_KBIT_S:
            play(stage, host, "rtspsrc")
        stage.sleep(SETTLE_S)
        stage.mark("steady")
        stage.sleep(STEP_S)
        stage.mark("end")
    return act


def runs(scale):
    cases = {
        **{client: over_a_step(client, "rr") for client in CLIENTS},
        "rtspsrc-twcc": over_a_step("rtspsrc", "twcc"),
        "shared": three_share("rr"),
        "shared-twcc": three_share("twcc")}
    return {} if scale is Scale.QUICK else {
        (case, seed): act for case, act in cases.items() for seed in (1, 2, 3)}


def below(stage):
    return seconds_until(stage, ["down"], "offered_bytes",
                         lambda rate: rate <= LOW_KBIT_S, "client")


def stays_below(stage):
    origin = stage.links.origin_ns / 1e9
    return metrics.reaction_s(
        [origin + time for time in stage.links.times()],
        [metrics.kbit_s(size) for size in stage.links.column(
            "client", "to", "offered_bytes")],
        stage.marks["down"], stage.marks["up"], LOW_KBIT_S) or STEP_S


def back(stage):
    return seconds_until(stage, ["up"], "bytes",
                         lambda rate: rate >= BACK_SHARE * HIGH_KBIT_S,
                         "client")


def shared_rate(host):
    return lambda stage: stage.link_kbit_s(
        host, "to", *stage.between("steady", "end")) / min(
            SHARED_KBIT_S.values())


def shared_losses(host):
    def of(stage):
        arrived, sent = (stage.link_kbit_s(
            host, "to", *stage.between("steady", "end"), column)
            for column in ("bytes", "offered_bytes"))
        return 1 - arrived / sent
    return of


# Until below the slow link, and back: what a viewer bears of reception reports.
LIMITS_S = {"rtspsrc": (4, 15), "ffmpeg": (4, 15),
            "rtspsrc-twcc": (BELOW_S, BACK_S)}


def claims():
    for client, (below_s, back_s) in LIMITS_S.items():
        for what, measure, limit in (
                ("less than the slow link carries is offered", below, below_s),
                ("no more than a tenth above that is, for 3 s", stays_below,
                 None),
                (f"{BACK_SHARE} of the fast link arrive", back, back_s)):
            yield Claim(f"seconds until {what}, {client}", "",
                        lambda results, measure=measure, client=client:
                        results.each(measure, client, None),
                        high=limit, scales=NOT_QUICK)
    for case, host in itertools.product(("shared", "shared-twcc"),
                                        SHARED_KBIT_S):
        yield Claim(f"rate by the slowest link of three, {host}, {case}", "",
                    lambda results, case=case, host=host:
                    results.each(shared_rate(host), case, None),
                    low=0.9, high=1.1, scales=NOT_QUICK)
        yield Claim(f"lost, {host}, {case}", "",
                    lambda results, case=case, host=host:
                    results.each(shared_losses(host), case, None),
                    scales=NOT_QUICK)


SCENARIOS = [
    Scenario(
        "rtsp-clients", source=PRESENT_DAY,
        what="stock clients of an RTSP server, with reception reports alone or "
        "transport-wide feedback: a step of the link between 2 and 0.5 Mbit/s, "
        "and three on one media",
        runs=runs, claims=list(claims()))]
