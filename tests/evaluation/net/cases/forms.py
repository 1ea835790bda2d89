# SPDX-License-Identifier: LGPL-2.1-or-later
"""The same life over IPv6, on two ports, with either form of report, and with
SRTP: a steady stream, a step of the link's rate, an outage, and a receiver
that is killed and comes back."""

import forms
from claims import NOT_QUICK, PRESENT_DAY, Claim, Scale, Scenario

RATE = 2000
STEP = 700
LINK = {"rate_kbit_s": RATE, "queue_ms": 100, "delay_ms": 25}
# Until the stream is steady, then: steady, on the lower rate, without a link,
# after it, after the receiver's restart.
WARMUP_S = 6
SECONDS = {Scale.QUICK: (2, 4, 3, 8.5, 8.5),
           Scale.STANDARD: (20, 15, 5, 12, 12)}
# A stream is back, and at its full rate so long after that.
BACK_S, FULL_S = 3, 4
# What differs from "plain", all at once.
QUICK = {"all"}


def act(form, seconds):
    steady, low, outage, after, restarted = seconds

    def life(stage):
        stage.host("sender")
        stage.host("receiver", **LINK)
        stage.start()
        first = form.receiver(stage, "receiver", name="first",
                              source="greedy")
        first.play()
        form.sender(stage, "sender", "receiver", source="greedy").play()
        stage.mark("steady", after=WARMUP_S)
        stage.sleep(WARMUP_S + steady)
        stage.mark("step")
        stage.net.change("receiver", "rate_kbit_s", STEP)
        stage.mark("low", after=2)
        stage.sleep(low)
        stage.mark("step-back")
        stage.net.change("receiver", "rate_kbit_s", RATE)
        stage.sleep(FULL_S)
        stage.mark("outage")
        stage.net.change("receiver", "rate_kbit_s", 0)
        stage.sleep(outage)
        stage.net.change("receiver", "rate_kbit_s", RATE)
        stage.mark("restored")
        stage.sleep(after)
        first.kill()
        stage.mark("killed")
        second = form.receiver(stage, "receiver", name="second",
                               source="greedy")
        second.play()
        stage.mark("restarted")
        stage.sleep(restarted)
        stage.mark("end")
    return life


def carried(first, last, rate):
    """What the link carried, as a share of its rate."""
    return lambda stage: stage.link_kbit_s(
        "receiver", "to", *stage.between(first, last)) / rate


def worst(measure, wanted=max):
    """Of all runs, one for each form."""
    return lambda results: wanted(results.each(measure))


def back_after(name, mark):
    """Seconds until a receiver counts packets again."""
    def wait(stage):
        start, endpoint = stage.marks[mark], stage.endpoints[name]
        before = endpoint.stat_at("packets", start) or 0
        return next(when for when, packets in zip(*endpoint.stats("packets"))
                    if when > start and packets > before) - start
    return wait


def full_after(mark, end):
    """The link's load from 3 + 4 s after an event on, as a share of that
    before all of them."""
    def share(stage):
        return stage.link_kbit_s(
            "receiver", "to", stage.marks[mark] + BACK_S + FULL_S,
            stage.marks[end]) / stage.link_kbit_s(
                "receiver", "to", *stage.between("steady", "step"))
    return share


def loss_rate(stage):
    """Of the steady time, as the first receiver counts packets."""
    lost, packets = [
        stage.endpoints["first"].stat_at(name, stage.marks["step"])
        - stage.endpoints["first"].stat_at(name, stage.marks["steady"])
        for name in ("packets-lost", "packets")]
    return lost / (lost + packets)


def more_loss_than_plain(results):
    plain = results.each(loss_rate, "plain")[0]
    return max(results.each(loss_rate)) - plain


def unauthenticated(stage):
    return max(endpoint.stat_at("srtp-dropped", stage.marks["end"])
               for endpoint in stage.endpoints.values())


def runs(scale):
    return {(name, 1): act(form, SECONDS[scale])
            for name, form in forms.FORMS.items()
            if scale is not Scale.QUICK or name in QUICK}


SCENARIOS = [Scenario(
    "forms", source=PRESENT_DAY,
    what="a greedy stream on 2 Mbit/s, 50 ms RTT, in every form: a step to "
         "700 kbit/s, an outage, a receiver killed and started anew",
    runs=runs,
    claims=[
        Claim("least utilisation of the link, steady", "", worst(
            carried("steady", "step", RATE), min), low=0.93,
            note="the worst form, as all below"),
        Claim("least utilisation of the link at its lower rate", "", worst(
            carried("low", "step-back", STEP), min), low=0.8,
            note="from 2 s after the step, with the reaction to its losses"),
        Claim("longest time until packets come after the outage [s]", "",
              worst(back_after("first", "restored")), high=BACK_S),
        Claim("longest time until packets come after the receiver's restart "
              "[s]", "", worst(back_after("second", "restarted")),
              high=BACK_S),
        Claim("least rate from 7 s after the outage on, by that before", "",
              worst(full_after("restored", "killed"), min), low=0.9),
        Claim("least rate from 7 s after the restart on, by that before", "",
              worst(full_after("restarted", "end"), min), low=0.9),
        Claim("most loss more than the plain form's, steady", "",
              more_loss_than_plain, high=0.01, scales=NOT_QUICK),
        Claim("packets that did not authenticate", "",
              worst(unauthenticated), high=0),
    ])]
