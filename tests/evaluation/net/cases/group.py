# SPDX-License-Identifier: LGPL-2.1-or-later
"""One sender, a group of receivers behind different links that come, leave
and die, with a real encoder and real IGMP."""

import dataclasses
import time

from claims import NOT_QUICK, RFC_4654, Claim, Scale, Scenario

# Group, and what both ends need to know of it.
IPV4 = ("239.77.0.1", {"multicast-iface": "net0"})
IPV6_SRTP = ("ff15::77:1", {"multicast-iface": "net0",
                            "srtp-key": "5a" * 30})
LINKS = {
    "near": {"rate_kbit_s": 4000, "queue_ms": 100, "delay_ms": 10},
    "lossy": {"rate_kbit_s": 4000, "queue_ms": 100, "delay_ms": 10,
              "loss": 0.05},
    "dsl": {"rate_kbit_s": 2000, "queue_ms": 100, "delay_ms": 20,
            "loss": 0.002},
    "middle": {"rate_kbit_s": 800, "queue_ms": 150, "delay_ms": 30},
    # The slowest at first; killed.
    "far": {"rate_kbit_s": 450, "queue_ms": 200, "delay_ms": 150},
    # The slowest of all; joins late.
    "late": {"rate_kbit_s": 300, "queue_ms": 300, "delay_ms": 50},
}
FIRST = ("near", "middle", "far")
# A group that knows no loss yet is in slow start, and the first loss ends it.
# RFC 4654 adds a packet per R_max in each R_max then: from the first packets
# on that would take minutes.
SECOND = ("lossy", "dsl")
SECONDS = {
    # Until the second ones join, the kill, the leave, the late one, the end.
    Scale.QUICK: (12, 14, 12, 5, 26),
    Scale.STANDARD: (15, 45, 30, 20, 60),
}
# The rate is settled so long after the last change.
SETTLED_S = 10
# The sender hears of the leave of a receiver that limits the group; others
# leave in silence.  To become the slowest may take so long.
LIMITING_S = 15


def act(group, seconds):
    address, options = group

    def join(stage, name):
        stage.receiver(name, src={"host": address, **options}).play()

    def life(stage):
        until_second, until_kill, until_leave, until_join, rest = seconds
        stage.host("sender")
        for name, link in LINKS.items():
            stage.host(name, **link)
        stage.start()
        for name in FIRST:
            join(stage, name)
        stage.sender("sender", to=address,
                     sink={"ttl-mc": 4, **options}).play()
        stage.mark("begin")
        stage.sleep(until_second)
        for name in SECOND:
            join(stage, name)
        stage.sleep(until_kill)
        # Who loses a twentieth may seem to be slower while it knows few losses.
        wait_for_clr(stage, "far")
        stage.mark("kill")
        stage.endpoints["far"].kill()
        stage.sleep(until_leave)
        wait_for_clr(stage, "middle")
        stage.mark("leave")
        stage.endpoints["middle"].stop()
        stage.sleep(until_join)
        join(stage, "late")
        stage.mark("join")
        stage.mark("settled", after=SETTLED_S)
        stage.sleep(rest)
        stage.mark("end")
    return life


def wait_for_clr(stage, name):
    end = time.monotonic() + LIMITING_S
    while clr_at(stage, time.monotonic()) != name and time.monotonic() < end:
        stage.sleep(0.2)


def alone(seconds):
    """Unicast TFRC to the slowest receiver, with the same encoder."""
    def unicast(stage):
        stage.host("sender")
        stage.host("late", **LINKS["late"])
        stage.start()
        stage.receiver("late").play()
        stage.sender("sender", to="late").play()
        stage.mark("settled", after=SETTLED_S)
        stage.sleep(seconds)
        stage.mark("end")
    return unicast


def sent_kbit_s(stage):
    return stage.link_kbit_s("sender", "from",
                             *stage.between("settled", "end"), "udp_bytes")


def of_group(measure):
    return lambda results: results.each(measure, "group")


def share_of_unicast(results):
    """The group's rate by what unicast TFRC gets, seed by seed."""
    return [sent_kbit_s(stage) / sent_kbit_s(results["alone", key[1]])
            for key, stage in results.select("group").items()]


def feedback_delay_s(stage, when):
    """T as the sender has it, from its statistics: b R_max, and at least
    b (c + 1) packets' time; b = 6, c = 3."""
    sender = stage.endpoints["sender"]
    interval = sender.stat_at("segment-size", when) \
        / sender.stat_at("instant-rate", when)
    return 6 * max(sender.stat_at("max-rtt-ns", when) / 1e9, 4 * interval)


def clr_changes(stage):
    """[(time, name or None, reason)] as the sender told on its bus."""
    names = {}
    for name, endpoint in stage.endpoints.items():
        for ssrc in endpoint.stats("ssrc")[1]:
            names[ssrc] = name
    return [(when, names.get(fields["ssrc"]) if fields["ssrc"] else None,
             fields["reason"])
            for when, fields in stage.endpoints["sender"].messages(
                "tfmcc-clr")]


def clr_at(stage, when):
    told = [name for at, name, _ in clr_changes(stage) if at <= when]
    return told[-1] if told else None


def late_clr(stage):
    """(first packet, CLR) of the late receiver.  The first packet came
    after the last look at its statistics at which it had none."""
    late = stage.endpoints["late"]
    start = late.of("playing")[0]["t"]
    for when, packets in zip(*late.stats("packets")):
        if packets:
            break
        start = when
    return start, next((at for at, name, _ in clr_changes(stage)
                        if name == "late"), None)


def seconds_to_new_clr(stage):
    start, end = late_clr(stage)
    return None if end is None else end - start


def new_clr(stage):
    """By 2 T + 1 s.  T is that of when it came, or the longer one that its
    own first report brought about before it told of its losses."""
    start, end = late_clr(stage)
    return None if end is None else (end - start) / (1 + 2 * max(
        feedback_delay_s(stage, start), feedback_delay_s(stage, end - 0.2)))


def seconds_to_replacement(stage):
    kill = stage.marks["kill"]
    return next((at - kill for at, name, _ in clr_changes(stage)
                 if at > kill and name not in (None, "far")), None)


def replacement(stage):
    """By 10 RTTs of the killed CLR and one round, both as its last report
    left them, which was on its way when it was killed."""
    seconds, kill = seconds_to_replacement(stage), stage.marks["kill"]
    rtt = stage.endpoints["sender"].stat_at("clr-rtt-ns", kill)
    if seconds is None or not rtt:
        return None
    last = kill + rtt / 1e9
    rtt = stage.endpoints["sender"].stat_at("clr-rtt-ns", last)
    return seconds / (10 * rtt / 1e9 + feedback_delay_s(stage, last))


def fewest_frames(stage):
    """Decoded per second by the receiver that decoded least, over the last
    eight seconds that each was there."""
    rates = []
    for name in LINKS:
        endpoint = stage.endpoints[name]
        end = min(endpoint.stopped_at or stage.marks["end"],
                  stage.marks["end"])
        rates.append(endpoint.decoded(end - 8, end) / 8)
    return min(rates)


def load_after_leaving(stage):
    """From a second after the polite leave on [kbit/s]."""
    return stage.link_kbit_s("middle", "to", stage.marks["leave"] + 1,
                             stage.marks["end"])


CLAIMS = [
    Claim("group's rate by that of unicast TFRC to the slowest receiver",
          1, share_of_unicast, low=0.75, high=1.25),
    Claim("far is the CLR before it is killed", 1, of_group(
        lambda stage: clr_at(stage, stage.marks["kill"]) == "far"), low=1),
    Claim("a killed CLR is replaced, by 10 of its RTTs and a round", "",
          of_group(replacement), high=1),
    Claim("a killed CLR is replaced after [s]", "",
          of_group(seconds_to_replacement)),
    Claim("a new slowest receiver is CLR, by 2 T + 1 s", "",
          of_group(new_clr), high=1),
    Claim("a new slowest receiver is CLR after [s]", "",
          of_group(seconds_to_new_clr)),
    Claim("fewest frames that a receiver decoded, over 8 s [1/s]", "",
          of_group(fewest_frames), low=5),
    Claim("leaves that the sender heard of", 1, of_group(
        lambda stage: stage.endpoints["sender"].stat_at(
            "leaves", stage.marks["leave"] + 2)), low=1, high=1,
        note="the killed one said nothing"),
    Claim("load of the link of a receiver that left [kbit/s]", 0,
          of_group(load_after_leaving), high=0),
]


def runs(group, n_seeds):
    def at(scale):
        return {(kind, seed): run for seed in range(1, n_seeds[scale] + 1)
                for kind, run in (("group", act(group, SECONDS[scale])),
                                  ("alone", alone(SECONDS[scale][-1])))}
    return at


WHAT = ("one encoder, five receivers behind 0.45 to 4 Mbit/s; the CLR is "
        "killed, one leaves, one joins behind 300 kbit/s")
SCENARIOS = [
    Scenario("group", source=RFC_4654, what=WHAT, claims=CLAIMS,
             runs=runs(IPV4, {Scale.QUICK: 1, Scale.STANDARD: 3})),
    Scenario("group-ipv6-srtp", source=RFC_4654,
             what="the same over IPv6 with a shared key",
             claims=[dataclasses.replace(claim, scales=NOT_QUICK)
                     for claim in CLAIMS],
             runs=runs(IPV6_SRTP, {Scale.QUICK: 0, Scale.STANDARD: 1})),
]
