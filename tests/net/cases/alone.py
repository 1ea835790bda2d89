# SPDX-License-Identifier: LGPL-2.1-or-later
"""One stream alone on a link: how much of it it uses, and what waits."""

from claims import PRESENT_DAY, Claim, Scale, Scenario

LINK = {"rate_kbit_s": 2000, "queue_ms": 100, "delay_ms": 25}
SECONDS = {Scale.QUICK: 20, Scale.STANDARD: 60}


def act(seconds):
    def alone(stage):
        stage.host("sender")
        stage.host("receiver", **LINK)
        stage.start()
        stage.receiver("receiver", source="greedy").play()
        stage.sender("sender", to="receiver", source="greedy").play()
        stage.mark("steady", after=6)
        stage.sleep(seconds)
        stage.mark("end")
    return alone


def utilisation(results):
    return results.each(lambda stage: stage.link_kbit_s(
        "receiver", "to", *stage.between("steady", "end"))
        / LINK["rate_kbit_s"])


def queue_ms(percentile):
    return lambda results: results.each(
        lambda stage: stage.net.summary["ports"]["receiver"]["to"]
        ["queue_ms"][percentile])


SCENARIOS = [Scenario(
    "alone", source=PRESENT_DAY,
    what="one greedy stream on 2 Mbit/s, drop-tail of 100 ms, 50 ms RTT",
    runs=lambda scale: {
        (seed,): act(SECONDS[scale])
        for seed in range(1, 2 if scale is Scale.QUICK else 4)},
    claims=[
        Claim("utilisation of the link", "", utilisation, low=0.93,
              note="IP packets delivered by the rate, after 6 s"),
        Claim("median wait in the queue, own sending time included [ms]",
              "", queue_ms("p50"),
              note="loss-based control fills a drop-tail queue"),
    ])]
