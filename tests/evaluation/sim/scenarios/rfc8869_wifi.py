# SPDX-License-Identifier: LGPL-2.1-or-later
"""RFC 8869 section 3, Wi-Fi: an access point and a station for each flow (see
engine/wifi-cell.h), with the narrowest link on the wire behind it (section
3.1) and in the air (3.2).  Videos of RFC 8867, with and without delay control.
The cases of section 3.2 with UDP and with a varying number of flows are left
out; so is 2, cellular: that needs a model of a radio network.

The RFC tells what to look at, and no numbers."""

from claims import Claim, NOT_QUICK, PRESENT_DAY, Scenario
from scenarios._video import (
    drop_tail, each, frames_complete, link, lowest_bit_s, mean_bit_s, media,
    tcp)
from simulation import Flow, Link, Run

SECONDS = 120
SETTLED_S, END_S = 20, 119
# Of 52 Mbit/s one sender can use 22: so many packets are 300 ms there.
WIFI = Link(rate_bit_s=52e6, delay_ms=0, wifi_mode="HtMcs11",
            wifi_queue_packets=625)
DELAY_MS = 50
NARROW_BIT_S, WIDE_BIT_S = 1e6, 100e6
KINDS = {"plain": {}, "delay-target=8": {"delay_target_ms": 8}}
# Background traffic comes in the middle.
FROM_S, UNTIL_S = 40, 80


def down(count, parameters):
    return media("down", parameters, count=count, start_s=(1, 2), stop_s=END_S)


def up(count, parameters):
    return media("up", parameters, count=count, start_s=(1, 2), stop_s=END_S,
                 reverse=True)


def udp(start_s, stop_s):
    return Flow(name="udp", kind="cbr", packet_bytes=1200, start_s=start_s,
                stop_s=stop_s, parameters={"rate_bit_s": 0.3e6})


WIRED_CASES = {
    "one up": lambda kind: (up(1, kind),),
    "one each way": lambda kind: (down(1, kind), up(1, kind)),
    "and UDP, first half": lambda kind: (
        down(1, kind), up(1, kind), udp(1, 60)),
    "and UDP, second half": lambda kind: (
        down(1, kind), up(1, kind), udp(60, END_S)),
    "one beside Reno": lambda kind: (
        down(1, kind), tcp(start_s=1, stop_s=END_S)),
}
AIR_CASES = {
    "16 down": lambda kind: (down(16, kind),),
    "16 up": lambda kind: (up(16, kind),),
    "8 each way": lambda kind: (down(8, kind), up(8, kind)),
    "8 each way and Reno": lambda kind: (
        down(8, kind), up(8, kind),
        tcp(start_s=FROM_S, stop_s=UNTIL_S, reverse=True)),
}


def runs_of(cases, wire, seeds):
    def runs(scale):
        return {(case, name, seed): Run(
            links=(wire, WIFI), flows=flows(kind), seconds=SECONDS, seed=seed,
            bin_ms=50) for case, flows in cases.items()
            for name, kind in KINDS.items() for seed in range(1, seeds + 1)
        } if scale in NOT_QUICK else {}
    return runs


def ways(result):
    return [flow.name for flow in result.run.flows if flow.kind == "media"]


def worst_delay_ms(result):
    return max(flow["delay_ms_p95"] for flow in result.flows
               if flow["name"] in ways(result))


def complete(result):
    return min(frames_complete(name)(result) for name in ways(result))


def lowest(result):
    return min(lowest_bit_s(name, SETTLED_S, END_S)(result)
               for name in ways(result))


def less_bit_s(result):
    """Of both ways: the wire has a direction for each."""
    return min(mean_bit_s(name, SETTLED_S, END_S)(result)
               for name in ways(result))


def together_bit_s(result):
    return sum(result.throughputs(name, SETTLED_S, END_S).sum()
               for name in ways(result)) * 8


def even(result):
    return result.jain(ways(result), SETTLED_S, END_S)


COMMON = {
    "delay of a packet of video from the encoder, p95 of the worst flow (ms)":
        worst_delay_ms,
    "worst second of the worst flow (bit/s)": lowest,
    "share of frames that arrive whole, worst flow": complete,
}


def claims_of(cases, measures):
    return [Claim(f"{case}, {kind}: {what}", "", each(measure, case, kind),
                  scales=NOT_QUICK)
            for case in cases for kind in KINDS
            for what, measure in {**measures, **COMMON}.items()]


SCENARIOS = [
    Scenario(
        "rfc8869-wired", source=PRESENT_DAY + ", RFC 8869 section 3.1",
        what="videos over Wi-Fi to a wire of 1 Mbit/s",
        runs=runs_of(WIRED_CASES, link(NARROW_BIT_S, DELAY_MS), seeds=3),
        claims=claims_of(WIRED_CASES, {
            "video, the slower way (bit/s)": less_bit_s})),
    Scenario(
        "rfc8869-wifi", source=PRESENT_DAY + ", RFC 8869 section 3.2",
        what="videos that share the air of a Wi-Fi",
        runs=runs_of(AIR_CASES, Link(
            rate_bit_s=WIDE_BIT_S, delay_ms=DELAY_MS,
            queue=drop_tail(WIDE_BIT_S, 300)), seeds=1),
        claims=claims_of(AIR_CASES, {
            "all videos together (bit/s)": together_bit_s,
            "Jain's index of the videos": even})),
]
