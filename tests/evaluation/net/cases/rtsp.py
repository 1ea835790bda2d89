# SPDX-License-Identifier: LGPL-2.1-or-later
"""Stock clients of the RTSP example's server: rtspsrc and ffmpeg over a step of the
link, and three rtspsrc that share a media; rtspsrc by transport-wide feedback, too,
which it sends once a frame."""

import itertools
import pathlib

import metrics
from claims import NOT_QUICK, PRESENT_DAY, Claim, Scale, Scenario
from endpoints import Endpoint

SERVER = pathlib.Path(__file__).resolve().parents[4] \
    / "examples" / "rtsp" / "server.py"
PORT = 8554
LINK = {"queue_ms": 100, "delay_ms": 25}
HIGH_KBIT_S, LOW_KBIT_S = 2000, 500
SHARED_KBIT_S = {"fast": 2000, "middle": 1000, "slow": 600}
SETTLE_S, STEP_S = 30, 30
# What a viewer bears: until below the slow link, until at 0.8 of the fast one.
REACTION_S, RETURN_S = 4, 15
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
    return {} if scale is Scale.QUICK else {
        **{(client, 1): over_a_step(client, "rr") for client in CLIENTS},
        ("rtspsrc-twcc", 1): over_a_step("rtspsrc", "twcc"),
        ("shared", 1): three_share("rr"),
        ("shared-twcc", 1): three_share("twcc")}


def offered(stage, host="client"):
    """(times, counter) of the link to it, by the clock of the marks."""
    origin = stage.links.origin_ns / 1e9
    return ([origin + time for time in stage.links.times()],
            [metrics.kbit_s(size) for size in stage.links.column(
                host, "to", "offered_bytes")])


def reaction(stage):
    return metrics.reaction_s(*offered(stage), stage.marks["down"],
                              stage.marks["up"], LOW_KBIT_S) or STEP_S


def recovery(stage):
    return metrics.recovery_s(*offered(stage), stage.marks["up"],
                              stage.marks["end"], HIGH_KBIT_S) or STEP_S


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


# ffmpeg reports each 280 kB: 4.5 s at the slow link's rate.
LIMITS = {
    "rtspsrc": (REACTION_S, RETURN_S),
    "rtspsrc-twcc": (None, None),
    "ffmpeg": (None, None)}


def claims():
    for client, limits in LIMITS.items():
        for what, measure, limit in zip(
                ("until the rate is below the slow link",
                 "until it is at 0.8 of the fast one"),
                (reaction, recovery), limits):
            yield Claim(f"{what} [s], {client}", "",
                        lambda results, measure=measure, client=client:
                        results.each(measure, client, None),
                        high=limit, scales=NOT_QUICK)
    for case, host in itertools.product(("shared", "shared-twcc"),
                                        SHARED_KBIT_S):
        yield Claim(f"rate by the slowest link of three, {host}, {case}", "",
                    lambda results, case=case, host=host:
                    results.each(shared_rate(host), case, None),
                    low=0.7, high=1.1, scales=NOT_QUICK)
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
