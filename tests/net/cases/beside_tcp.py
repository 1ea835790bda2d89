# SPDX-License-Identifier: LGPL-2.1-or-later
"""One stream beside the kernel's TCP on one link."""

from claims import PRESENT_DAY, Claim, NOT_QUICK, Scale, Scenario

SECONDS = {Scale.QUICK: 26, Scale.STANDARD: 70}
# For slow start, and what it leaves behind.
WARMUP_S = 8


def act(link, algorithm, flows, seconds):
    def beside(stage):
        stage.host("sender")
        stage.host("receiver", **link)
        stage.start()
        stage.receiver("receiver", source="greedy").play()
        stage.sender("sender", to="receiver", source="greedy").play()
        stage.tcp("sender", "receiver", seconds + 5, algorithm, flows)
        stage.mark("steady", after=WARMUP_S)
        stage.sleep(seconds)
        stage.mark("end")
    return beside


def share(flows):
    """TFRC's rate by the mean of the TCP flows'."""
    def ratio(results):
        return results.each(lambda stage: flows * stage.link_kbit_s(
            "receiver", "to", *stage.between("steady", "end"), "udp_bytes")
            / stage.link_kbit_s("receiver", "to", *stage.between(
                "steady", "end"), "tcp_bytes"))
    return ratio


def utilisation(rate):
    return lambda results: results.each(lambda stage: stage.link_kbit_s(
        "receiver", "to", *stage.between("steady", "end")) / rate)


def scenario(name, what, link, algorithm, flows, low, high):
    return Scenario(
        name, source=PRESENT_DAY, what=what,
        runs=lambda scale: {
            (seed,): act(link, algorithm, flows, SECONDS[scale])
            for seed in range(1, 2 if scale is Scale.QUICK else 6)},
        claims=[
            Claim("TFRC's rate by the mean TCP's", "", share(flows), low=low,
                  high=high, scales=NOT_QUICK),
            Claim("TFRC's rate by the mean TCP's, one short run", "",
                  share(flows), low=0.2, high=5, scales={Scale.QUICK},
                  note="in 18 s nothing finer can be told: neither starves "
                       "the other"),
            Claim("utilisation of the link", "",
                  utilisation(link["rate_kbit_s"]), low=0.93),
        ])


SCENARIOS = [
    scenario("beside-reno", "one greedy stream beside one Reno flow on "
             "5 Mbit/s, drop-tail of 50 ms, 50 ms RTT",
             {"rate_kbit_s": 5000, "queue_ms": 50, "delay_ms": 25},
             "reno", 1, 0.5, 2),
]
