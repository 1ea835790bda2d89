# SPDX-License-Identifier: LGPL-2.1-or-later
"""A third host sends forged packets to both ends of a stream, with SRTP and
without: what it can do, and what it cannot."""

import json
import pathlib

import forms
from claims import NOT_QUICK, PRESENT_DAY, Claim, Scale, Scenario

# The stream is far below the link, so what the attacker sends takes nothing
# from it but by deceit.
LINK = {"rate_kbit_s": 4000, "queue_ms": 100, "delay_ms": 25}
SOURCE = "steady"               # 1.5 Mbit/s
PORT, SENDER_PORT = 5004, 5006
WARMUP_S, STEADY_S, REST_S = 4, 3, 3
FORGER = pathlib.Path(__file__).resolve().parents[1] / "forger.py"
# Without a look at the packets, but with addresses and ports of both ends.
BLIND = {
    "own-address": "from its own address",
    "spoofed": "in the name of both ends",
    "guessing": "in the sender's name, 250 packets a second with an SSRC and "
                "a clock that it guesses",
    "flood": "2000 packets a second to each end, from made-up ports",
}
# By who reads every packet: the SSRCs, sequence numbers, and the clock.
READING = {
    "starve": "reports of p = 1 and X_recv = 1 byte/s",
    "say-bye": "BYE in the name of both ends",
    "collide": "RTCP under the SSRCs of both ends",
    "ask-key-frames": "fifty key frame requests a second",
    "take-pad": "a stream beside the sender's",
    "inject": "packets into the sender's stream",
    "draw-reports": "the same from its own address",
    "replay": "packets and reports once more",
    # The last one: the stream has to recover from the narrow link.
    "inflate": "reports of no loss and a huge X_recv, while the link falls "
               "to 700 kbit/s",
}
ATTACKS = {**BLIND, **READING}
QUICK = ("spoofed", "starve", "take-pad")
SECONDS = {Scale.QUICK: 3, Scale.STANDARD: 4}
# While an attacker inflates the rate [kbit/s].
NARROW = 700
# A steady stream loses nothing, and its receiver's buffer holds 300 ms.
UNHARMED = 0.95
GAP_S = 0.3
BACK_S = 3


def act(form, attacks, seconds):

    def attacked(stage):
        stage.host("sender")
        stage.host("receiver", **LINK)
        stage.host("attacker", delay_ms=5)
        stage.start()
        form.receiver(stage, "receiver", source=SOURCE).play()
        form.sender(stage, "sender", "receiver", source=SOURCE,
                    sink={"bind-port": SENDER_PORT}).play()
        forger = stage.net.spawn("attacker", [
            "/usr/bin/python3", str(FORGER), json.dumps({
                "own": [stage.address("attacker"), PORT],
                "sender": [stage.address("sender"), SENDER_PORT],
                "receiver": [stage.address("receiver"), PORT],
                "reads": f"/run/netns/{stage.net.hosts['sender'].namespace}",
                "srtp": "srtp-key" in form.sink})], lambda line: None,
            label="forger")
        stage.mark("steady", after=WARMUP_S)
        stage.sleep(WARMUP_S + STEADY_S)
        stage.mark("attacked")
        for name in attacks:
            narrow = name == "inflate"
            if narrow:
                stage.net.change("receiver", "rate_kbit_s", NARROW)
                stage.sleep(REST_S)
            stage.mark(name)
            forger.command(name)
            stage.sleep(seconds)
            stage.mark(name + " over")
            forger.command("rest")
            if narrow:
                stage.net.change("receiver", "rate_kbit_s",
                                 LINK["rate_kbit_s"])
            stage.sleep(REST_S)
            stage.mark(name + " rested")
        if not forger.is_running():
            stage.failure = f"forger: {forger.last_words()}"
    return attacked


def sent_kbit_s(stage, first, last):
    return stage.link_kbit_s("sender", "from", *stage.between(first, last),
                             "udp_bytes")


def rate(stage, name):
    """What the sender sent under an attack, by what it sent before all of
    them, or, where the attacker wants more, by the link's rate."""
    before = NARROW if name == "inflate" else sent_kbit_s(
        stage, "steady", "attacked")
    return sent_kbit_s(stage, name, name + " over") / before


def came_out(stage):
    """When packets of the sender left tfrcsrc, and not somebody else's."""
    told = stage.endpoints["receiver"].of("audio")
    return [event["t"] for event in told if event["ssrc"] == told[0]["ssrc"]]


def gap_s(stage, name):
    """The longest time in which nothing of the sender came out."""
    start, end = stage.between(name, name + " over")
    out = [start] + [t for t in came_out(stage) if start < t < end] + [end]
    return max(later - earlier for earlier, later in zip(out, out[1:]))


def after_s(stage, name):
    """Until something comes out after an attack."""
    over_at = stage.marks[name + " over"]
    return min((t for t in came_out(stage) if t > over_at),
               default=float("inf")) - over_at


def over(measure, form, names, wanted):
    """The worst attack's, of those that this run has."""
    return lambda results: results.each(lambda stage: wanted(
        measure(stage, name) for name in names if name in stage.marks), form)


def counted(endpoint, *fields):
    return lambda results: sum(
        stage.endpoints[endpoint].stats(field)[1][-1]
        for stage in results.values() for field in fields)


def runs(scale):
    attacks = QUICK if scale is Scale.QUICK else ATTACKS
    return {(name, 1): act(forms.FORMS[name], attacks, SECONDS[scale])
            for name in ("plain", "srtp")}


CLAIMS = [
    Claim("least rate under blind attacks without SRTP, by that before", "",
          over(rate, "plain", BLIND, min), low=UNHARMED),
    Claim("longest gap in what comes out under blind attacks without SRTP "
          "[s]", "", over(gap_s, "plain", BLIND, max),
          high=GAP_S),
    Claim("least rate under any attack with SRTP, by that before", "",
          over(rate, "srtp", [name for name in ATTACKS if name != "inflate"],
               min), low=UNHARMED),
    Claim("longest gap in what comes out under any attack with SRTP [s]",
          "", over(gap_s, "srtp",
                   [name for name in ATTACKS if name != "inflate"], max),
          high=GAP_S),
    Claim("rate under forged reports of p = 1 by who reads the packets, "
          "without SRTP, by that before", "",
          over(rate, "plain", ["starve"], min), high=0.5,
          note="the attacker is one"),
    Claim("longest gap in what comes out while somebody sends a stream "
          "beside the sender's, without SRTP [s]", "",
          over(gap_s, "plain", ["take-pad"], max), high=GAP_S),
    Claim("longest wait for the stream after an attack [s]", "",
          lambda results: results.each(lambda stage: max(
              after_s(stage, name) for name in ATTACKS
              if name in stage.marks)), high=BACK_S),
    Claim("packets that were refused as foreign, without SRTP", "",
          lambda results: counted("receiver", "packets-foreign")(
              results.select("plain")), low=1),
    Claim("packets that did not authenticate, at both ends", "",
          lambda results: sum(counted(end, "srtp-dropped")(
              results.select("srtp")) for end in ("sender", "receiver")),
          low=1),
]
for _name in READING:
    for _form in ("plain", "srtp"):
        CLAIMS += [
            Claim(f"{_form}, {_name}: "
                  + ("sent, by the link's rate" if _name == "inflate"
                     else "rate, by that before"), "",
                  over(rate, _form, [_name], min), scales=NOT_QUICK,
                  note=READING[_name]),
            Claim(f"{_form}, {_name}: longest gap in what comes out [s]",
                  "", over(gap_s, _form, [_name], max),
                  scales=NOT_QUICK, note=READING[_name]),
        ]

SCENARIOS = [Scenario(
    "attacker", source=PRESENT_DAY,
    what="a third host forges packets of a stream of 1.5 Mbit/s, blind and "
         "reading, without SRTP and with it",
    runs=runs, claims=CLAIMS)]
