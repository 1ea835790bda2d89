# SPDX-License-Identifier: LGPL-2.1-or-later
"""A group beside the kernel's TCP: each receiver is behind a link of its own,
which it shares with a TCP flow of its own.  Links, packets and the noise in
front of the bottleneck are those of the scenarios beside TCP."""

import statistics

import flow_log
from cases import _beside, beside_tcp
from claims import NOT_QUICK, PRESENT_DAY, Claim, Scale, Scenario

# With TFMCC's header extension, which has twice the bytes of TFRC's where a
# report is echoed, 12 bytes short of TCP's segments.
RTP_MTU = 1440
GROUP, OPTIONS = "239.77.0.2", {"multicast-iface": "net0"}
RATE_KBIT_S = 5000
QUEUE = "drop-tail-50"
# {receivers: least of the group's rate by TCP's}: the lowest of several
# estimates counts, each of which errs, so that a group gets the less the larger
# it is (Widmer and Handley 2001, section 4.2).  It never gets more than one
# receiver may (beside_tcp.SHARES).
LEAST = {1: 0.5, 2: 0.33, 6: 0.2}
MOST = 2
SEEDS = (1, 2, 3)
# To settle, measured.
SECONDS = {Scale.QUICK: (12, 18), Scale.STANDARD: (20, 45)}
QUICK = "reno", 2


def act(algorithm, receivers, seconds):
    def run(stage):
        names = [f"receiver-{i}" for i in range(receivers)]
        stage.host("sender",
                   back_jitter_ms=8 * _beside.PACKET_BYTES / RATE_KBIT_S)
        for name in names:
            stage.host(name, rate_kbit_s=RATE_KBIT_S,
                       delay_ms=1000 * _beside.RTT_S / 2,
                       **beside_tcp.QUEUES[QUEUE])
        stage.start()
        for name in names:
            stage.receiver(name, source="greedy",
                           src={"host": GROUP, **OPTIONS}).play()
        stage.sender("sender", to=GROUP, source="greedy",
                     mtu=RTP_MTU,
                     sink={"ttl-mc": 4, **OPTIONS}).play()
        for i, name in enumerate(names):
            stage.tcp("sender", name, sum(seconds) + 5, algorithm,
                      port=5201 + i)
        stage.mark("steady", after=seconds[0])
        stage.sleep(sum(seconds))
        stage.mark("end")
    return run


def rates(stage, protocol):
    """Of the largest flow on each receiver's link [kbit/s]."""
    return [max(flow.kbit_s(*stage.between("steady", "end"))
                for flow in stage.flows(name, "to", protocol))
            for name in stage.endpoints if name != "sender"]


def share(stage):
    """The group's rate by the mean of the TCP flows'."""
    return statistics.fmean(rates(stage, flow_log.UDP)) \
        / statistics.fmean(rates(stage, flow_log.TCP))


def changes(stage):
    """Of the limiting receiver, in the measured time."""
    first, last = (stage.endpoints["sender"].stat_at("clr-changes", when)
                   for when in stage.between("steady", "end"))
    return last - first


def fragments(stage):
    """Packets without ports on the receivers' links: what Linux cut off a
    packet that was too large for the path.  Right behind its first part it
    finds a full queue full, and the packet is lost with it."""
    return sum(flow.packets[-1] + flow.dropped[-1]
               for name in stage.endpoints if name != "sender"
               for flow in stage.flows(name, "to", flow_log.UDP)
               if flow.destination_port == 0)


def runs(algorithm):
    def at(scale):
        if scale is Scale.QUICK:
            return {(QUICK[1], 1): act(*QUICK, SECONDS[scale])} \
                if algorithm == QUICK[0] else {}
        return {(receivers, seed): act(algorithm, receivers, SECONDS[scale])
                for receivers in LEAST for seed in SEEDS}
    return at


def claims():
    for receivers, least in LEAST.items():
        yield Claim(
            f"group's rate by the mean TCP's, {receivers} receivers",
            "about 1", lambda results, receivers=receivers: results.each(
                share, receivers), low=least, high=MOST, scales=NOT_QUICK,
            middle=statistics.median)
        yield Claim(
            f"changes of the limiting receiver, {receivers} receivers", "",
            lambda results, receivers=receivers: results.each(
                changes, receivers), scales=NOT_QUICK)
    yield Claim("fragments of the group's packets", "none",
                lambda results: results.each(fragments), high=0)
    yield Claim("group's rate by the mean TCP's, one short run", "",
                lambda results: results.each(share), low=0.1, high=5,
                scales={Scale.QUICK},
                note="nothing finer can be told so soon: neither starves "
                     "the other")


SCENARIOS = [
    Scenario(
        f"group-beside-{algorithm}", source=PRESENT_DAY,
        what=f"a greedy group of 1, 2 and 6 receivers, each behind 5 Mbit/s "
             f"and 50 ms RTT with a {algorithm} flow, drop-tail of 50 ms",
        runs=runs(algorithm), claims=list(claims()))
    for algorithm in ("reno", "cubic")]
