# SPDX-License-Identifier: LGPL-2.1-or-later
"""Paths that carry smaller packets than the sender's device: the router in
between drops what is larger and says so by ICMP."""

from cases import faults, life
from claims import PRESENT_DAY, Claim, Scale, Scenario

# What is on its way when ICMP comes for the first time: 50 ms of it.
UNTIL_TOLD = 30
NARROW = 1280
MOVE_S = 8
SECONDS = {Scale.QUICK: 8, Scale.STANDARD: 15}


def warnings(stage):
    """That name the property and the size to set."""
    return sum(f"set the property 'mtu' to {stage.mtu}" in event["text"]
               for event in stage.endpoints["sender"].of("warning"))


def act(mtu, version, fits, seconds):
    def run(stage):
        stage.mtu = mtu
        stage.host("sender")
        stage.host("receiver", mtu_bytes=mtu, **faults.LINK)
        stage.start()
        stage.receiver("receiver").play()
        stage.sender("sender", stage.address("receiver", version),
                     sink={"mtu": mtu} if fits else {}).play()
        stage.mark("begin")
        stage.mark("steady", after=faults.WARMUP_S)
        stage.sleep(faults.WARMUP_S + seconds)
        faults.finish(stage)
    return run


def move(told):
    """The receiver goes from a narrow network to another one, as a phone.  Not told:
    the system ignores what the router says."""
    def run(stage):
        stage.mtu = NARROW
        stage.host("sender")
        stage.host("receiver", mtu_bytes=NARROW, **faults.LINK)
        stage.start()
        if not told:
            stage.net.run("sender", "sysctl", "-q", "-w",
                          "net.ipv4.ip_no_pmtu_disc=2")
        stage.receiver("receiver").play()
        stage.sender("sender", to="receiver").play()
        stage.sleep(faults.WARMUP_S)
        stage.mark("narrow")
        stage.sleep(MOVE_S)
        life.change_network(stage, {"mtu_bytes": 1500})
        stage.sleep(faults.WARMUP_S)
        stage.mark("steady")
        stage.sleep(MOVE_S)
        faults.finish(stage)
    return run


def runs_of(mtus, fits, in_quick):
    """Keys are (MTU, IP version, seed)."""
    return lambda scale: {
        (mtu, version, seed): act(mtu, version, fits, SECONDS[scale])
        for seed in faults.seeds(scale, in_quick)
        for mtu, version in (mtus[:1] if scale is Scale.QUICK else mtus)}


def too_big(stage):
    return stage.net.summary["too_big"]


def packets_by_sent(stage):
    """IP packets on the link by RTP packets that left."""
    return faults.link_grown(stage, "offered_packets") \
        / faults.stat_grown(stage, "sender", "packets")


def path_mtu(stage):
    return stage.endpoints["sender"].stat_at(
        "path-mtu", stage.marks["end"]) / stage.mtu


def packet_size(stage, first, last):
    return faults.link_grown(stage, "offered_bytes", first, last) \
        / faults.link_grown(stage, "offered_packets", first, last)


def size_by_former(stage):
    return packet_size(stage, "steady", "end") \
        / packet_size(stage, "narrow", "steady")


# IPv6 has no links below 1280 bytes (RFC 8200 section 5).
MTUS = [(1280, 6), (576, 4), (1280, 4)]
PICTURES = Claim("longest time between two decoded frames [s]", "",
                 faults.each(faults.longest_standstill_s), high=1,
                 note="a key frame a second at most, where one was lost")

SCENARIOS = [
    Scenario(
        "fault-mtu-set", source=PRESENT_DAY,
        what="paths of 1280 and 576 bytes, with `mtu` set to that",
        runs=runs_of(MTUS, True, in_quick=False),
        claims=faults.SURVIVES + [
            Claim("packets that were too big for the path", "none",
                  faults.each(too_big), high=0),
            Claim("IP packets by RTP packets", 1,
                  faults.each(packets_by_sent), high=1.01,
                  note="none is a fragment; RTCP comes on top"),
            PICTURES,
        ]),
    Scenario(
        "fault-mtu-default", source=PRESENT_DAY,
        what="paths of 1280 and 576 bytes, with the default of 1500",
        runs=runs_of(MTUS, False, in_quick=True),
        claims=[faults.SURVIVES[0], faults.SURVIVES[2]] + [
            Claim("warnings that name the property and the size", 1,
                  faults.each(warnings), low=1, high=1),
            Claim("path-mtu by the path's", 1, faults.each(path_mtu),
                  low=1, high=1),
            Claim("packets that were too big for the path", "",
                  faults.each(too_big), low=1, high=UNTIL_TOLD,
                  note="only until ICMP comes; then the sender's system "
                       "fragments, until the payloader makes smaller ones"),
            Claim("IP packets by RTP packets", 1,
                  faults.each(packets_by_sent), high=1.01,
                  note="none is a fragment any more; RTCP comes on top"),
            PICTURES,
        ]),
    Scenario(
        "fault-mtu-moves", source=PRESENT_DAY,
        what="the receiver leaves a path of 1280 bytes, of which the router "
             "tells or nobody, for one of 1500",
        runs=lambda scale: {} if scale is Scale.QUICK else {
            (told, seed): move(told) for told in (True, False)
            for seed in (1, 2, 3)},
        claims=[
            Claim("mean size of packets after, by that before", "",
                  faults.each(size_by_former), low=1.1,
                  note="1428 by 1280 is 1.12, but pictures end in a smaller packet"),
        ]),
]
