# SPDX-License-Identifier: LGPL-2.1-or-later
"""One stream of a real encoder, and what happens to the processes and to the
addresses of its ends: everything goes on, within seconds, at a rate that the
receiver's reports allow."""

import bisect
import glob

import network
import rebinding
from claims import NOT_QUICK, PRESENT_DAY, Claim, Scale, Scenario
from cases import _wire
from namespaces import NamespaceError

LINK = {"rate_kbit_s": 2000, "queue_ms": 100, "delay_ms": 25}
# Of a phone.
WIFI = {"rate_kbit_s": 20000, "queue_ms": 100, "delay_ms": 10}
LTE = {"rate_kbit_s": 3000, "delay_ms": 50}
OUTAGE_S = 1
NEW_HOST = "10.77.{}.3/24"
PORT = 5004
# Of the sender, where it must be known.
OWN_PORT = 6004
# Slow start, the loss that ends it, and what the encoder makes of both.
WARMUP_S = 8
# Until the stream is back, longer after an outage of
# more than 6 s, and then until it has its rate.
BACK_S = 3
BACK_AFTER_LONG_S = 6
FULL_RATE_S = 4
# The mean of this is the rate before and after.
RATE_S = 4
LONG_S = 10
AWAY_S = 8
WRAP_S = 4
CLOCK_RATE = 90000
PACKETS_TO_WRAP = 200 * (WARMUP_S + WRAP_S)
FAKETIME = "/usr/lib/*/faketime/libfaketimeMT.so.1"


def begin(stage, sink=None, payloader=None, variables=None, link=None):
    stage.host("sender")
    stage.host("receiver", **(link or LINK))
    stage.start()
    stage.receiver("receiver", variables=variables).play()
    stage.sender("sender", to="receiver", sink=sink,
                 payloader=payloader or {}, variables=variables).play()
    stage.mark("playing")
    stage.sleep(WARMUP_S)
    stage.mark("before")


def finish(stage, back_s=BACK_S):
    """The fault is over."""
    stage.mark("over")
    stage.mark("rate", after=back_s + FULL_RATE_S)
    stage.sleep(back_s + FULL_RATE_S + RATE_S)
    stage.mark("end")


def receiver_killed(stage):
    begin(stage)
    stage.endpoints["receiver"].kill()
    stage.receiver("receiver", name="receiver-2").play()
    finish(stage)


def receiver_restarts(stage):
    begin(stage)
    stage.endpoints["receiver"].stop()
    stage.receiver("receiver", name="receiver-2").play()
    finish(stage)


def receiver_away(stage):
    """So long that the sender thinks that it is alone."""
    begin(stage)
    stage.endpoints["receiver"].kill()
    stage.sleep(AWAY_S)
    stage.unreachable = unreachable_told(stage, "receiver")
    stage.receiver("receiver", name="receiver-2").play()
    finish(stage, BACK_AFTER_LONG_S)


def unreachable_told(stage, host):
    """ICMP messages "unreachable" that a host has sent."""
    names, values = (line.split()[1:] for line in stage.net.run(
        host, "cat", "/proc/net/snmp").splitlines()
        if line.startswith("Icmp:"))
    return int(values[names.index("OutDestUnreachs")])


def sender_killed(stage):
    begin(stage)
    stage.endpoints["sender"].kill()
    stage.sender("sender", to="receiver", name="sender-2").play()
    finish(stage)


def sender_restarts(stage):
    begin(stage)
    stage.endpoints["sender"].stop()
    stage.sender("sender", to="receiver", name="sender-2").play()
    finish(stage)


def receiver_rebound(stage):
    begin(stage)
    rebinding.rebind(stage.net, "receiver", PORT, 1)
    finish(stage)


def change_network(stage, link):
    """The receiver has no network for a second, then another address."""
    net, host = stage.net, stage.net.hosts["receiver"]
    former = host.ipv4 + "/24"
    net.run("receiver", "ip", "addr", "del", former, "dev", network.DEVICE)
    for key, value in link.items():
        net.change("receiver", key, value)
    stage.sleep(OUTAGE_S)
    net.run("receiver", "ip", "addr", "add", NEW_HOST.format(host.number),
            "dev", network.DEVICE)
    net.run("receiver", "ip", "route", "add", "default", "dev",
            network.DEVICE)


def receiver_moves(stage):
    """A phone that leaves the house: no network for a second, then another one,
    with another address."""
    begin(stage, link=WIFI)
    change_network(stage, LTE)
    finish(stage)


def sender_rebound(stage):
    begin(stage, sink={"bind-port": OWN_PORT})
    rebinding.rebind(stage.net, "sender", OWN_PORT, 1)
    finish(stage)


def ssrc_changes(stage):
    begin(stage)
    stage.endpoints["sender"].child.command("collide")
    finish(stage)


def numbers_wrap(stage):
    seconds = WARMUP_S + WRAP_S
    begin(stage, payloader={
        "seqnum-offset": (1 << 16) - PACKETS_TO_WRAP,
        "timestamp-offset": (1 << 32) - seconds * CLOCK_RATE})
    stage.sleep(WRAP_S)
    finish(stage)


def frozen(name):
    def act(stage):
        begin(stage)
        stage.mark(f"{name} stopped")
        stage.endpoints[name].freeze()
        stage.sleep(LONG_S)
        stage.endpoints[name].thaw()
        finish(stage, BACK_AFTER_LONG_S)
    return act


def clock_jumps(stage):
    """An hour ahead, and two back."""
    libraries = glob.glob(FAKETIME)
    if not libraries:
        raise NamespaceError("not installed: faketime")
    offset = stage.folder / "offset"
    stage.folder.mkdir(parents=True, exist_ok=True)
    offset.write_text("+0\n")
    begin(stage, variables={
        "LD_PRELOAD": libraries[0], "FAKETIME_TIMESTAMP_FILE": offset,
        "FAKETIME_NO_CACHE": 1, "FAKETIME_DONT_FAKE_MONOTONIC": 1})
    offset.write_text("+3600\n")
    stage.sleep(WRAP_S)
    offset.write_text("-3600\n")
    finish(stage)


# What a run showed.

def of_kind(stage, kind):
    """The endpoints of one end, first to last."""
    return [endpoint for name, endpoint in stage.endpoints.items()
            if name.startswith(kind)]


def frame_times(stage):
    return sorted(event["t"] for endpoint in of_kind(stage, "receiver")
                  for event in endpoint.of("decoded"))


def seconds_until_back(stage):
    """Until the first frame of a second in which four fifths of what was
    encoded came out of the decoder."""
    encoded = sorted(event["t"] for endpoint in of_kind(stage, "sender")
                     for event in endpoint.of("encoded"))
    decoded = frame_times(stage)
    for when in decoded:
        if stage.marks["over"] <= when < stage.marks["end"] - 1 \
                and count(decoded, when) >= 0.8 * count(encoded, when) > 0:
            return when - stage.marks["over"]
    return None


def seconds_until_frame(stage):
    """From the first packet that the receiver sends over the new link."""
    origin = stage.links.origin_ns / 1e9
    sent = [(origin + time, packets) for time, packets in zip(
        stage.links.times(),
        stage.links.column("receiver", "from", "offered_packets"))]
    before = max(packets for time, packets in sent
                 if time < stage.marks["over"])
    first = next(time for time, packets in sent if packets > before)
    return next(time for time in frame_times(stage) if time >= first) - first


def count(times, when):
    """In the second from then on."""
    return bisect.bisect_left(times, when + 1) \
        - bisect.bisect_left(times, when)


def rate_allowed(stage):
    """X after by X before, as far as the link carries it."""
    def mean(start):
        capacity = LINK["rate_kbit_s"] * 125
        rates = [min(event["fields"]["allowed-rate"], capacity)
                 for endpoint in of_kind(stage, "sender")
                 for event in endpoint.of("stats")
                 if start <= event["t"] < start + RATE_S]
        return sum(rates) / len(rates)
    return mean(stage.marks["rate"]) / mean(stage.marks["before"] - RATE_S)


def rate_delivered(stage):
    """By the rate before."""
    before = stage.marks["before"]
    rate = stage.marks["rate"]
    return stage.link_kbit_s("receiver", "to", rate, rate + RATE_S) \
        / stage.link_kbit_s("receiver", "to", before - RATE_S, before)


def wire_by_limit(stage):
    """Over the whole run; a stopped sender does not see what passes."""
    over = stage.marks["over"]
    return _wire.sent_by_limit(
        stage, stage.marks["before"], stage.marks["end"],
        2 * LINK["delay_ms"] / 1000,
        unseen=(stage.marks.get("sender stopped", over), over))


def memory_grown_mib(stage):
    """Once the stream has its rate again, of the process that grew most."""
    start, end = stage.marks["rate"], stage.marks["end"]
    return max(
        endpoint.usage.largest("rss_kib", end - 1, end)
        - endpoint.usage.largest("rss_kib", start, start + 1)
        for endpoint in stage.endpoints.values()
        if endpoint.stopped_at >= end) / 1024


def packets_after_wrap(stage):
    return stage.endpoints["sender"].stat_at(
        "packets", stage.marks["end"]) - PACKETS_TO_WRAP


def critical(stage):
    return sum(len(endpoint.critical())
               for endpoint in stage.endpoints.values())


def each(measure):
    return lambda results: results.each(measure)


def claims(back_s):
    return [
        Claim("until the stream is back [s]", "", each(seconds_until_back),
              high=back_s),
        Claim("allowed rate 4 s later, by that before", "",
              each(rate_allowed), low=0.8,
              note="both at most the link's; a mean of 4 s, between a loss "
                   "and the next"),
        Claim("rate delivered then, by that before", "",
              each(rate_delivered), low=0.8, scales=NOT_QUICK,
              note="what the encoder makes, which needs the machine's time"),
        Claim("largest rate on the wire by max (initial_rate, twice what was "
              "delivered)", "", each(wire_by_limit), high=1),
        Claim("growth of memory over 4 s, with the rate back, in the run that "
              "grew most [MiB]", "",
              lambda results: max(results.each(memory_grown_mib)), high=1,
              scales=NOT_QUICK,
              note="a few pages of queues that are filled for the first time"),
        Claim("critical warnings", "", each(critical), high=0),
    ]


def scenario(name, what, act, more=(), back_s=BACK_S, quick=False):
    return Scenario(
        name, source=PRESENT_DAY, what=what,
        runs=lambda scale: {
            (seed,): act for seed in (1, 2, 3)}
        if scale is not Scale.QUICK else {(1,): act} if quick else {},
        claims=claims(back_s) + list(more))


SCENARIOS = [
    scenario("receiver-killed", "the receiver dies and is started anew",
             receiver_killed),
    scenario("receiver-restarts", "the receiver leaves and is started anew",
             receiver_restarts),
    scenario("receiver-away", "the receiver dies; for 8 s its host says that "
             "the port is unreachable", receiver_away, more=[
                 Claim("ICMP messages that said so", "",
                       each(lambda stage: stage.unreachable), low=1)],
             back_s=BACK_AFTER_LONG_S),
    scenario("sender-killed", "the sender dies and is started anew",
             sender_killed),
    scenario("sender-restarts", "the sender leaves and is started anew",
             sender_restarts, quick=True),
    scenario("receiver-rebound", "the receiver's reports come from another "
             "address and port", receiver_rebound),
    Scenario(
        "receiver-moves", source=PRESENT_DAY,
        what="the receiver is without a network for a second, then on another "
             "one with another address: 20 Mbit/s and 10 ms, 3 Mbit/s and 50 ms",
        runs=lambda scale: {(seed,): receiver_moves for seed in
                            ((1,) if scale is Scale.QUICK else (1, 2, 3))},
        claims=[
            Claim("next frame after the first packet from there [s]", "",
                  each(seconds_until_frame), high=1),
            Claim("until the stream is back [s]", "",
                  each(seconds_until_back), high=2),
            Claim("critical warnings", "", each(critical), high=0),
        ]),
    scenario("sender-rebound", "the packets come from another address and "
             "port, where reports are to go", sender_rebound, quick=True),
    scenario("ssrc-changes", "the sender takes another SSRC", ssrc_changes),
    scenario("numbers-wrap", "sequence numbers and timestamps wrap",
             numbers_wrap, more=[
                 Claim("packets sent after sequence numbers wrapped", "",
                       each(packets_after_wrap), low=1)]),
    scenario("sender-frozen", "the sender's process is stopped for 10 s",
             frozen("sender"), back_s=BACK_AFTER_LONG_S),
    scenario("receiver-frozen", "the receiver's process is stopped for 10 s",
             frozen("receiver"), back_s=BACK_AFTER_LONG_S),
    scenario("clock-jumps", "the system clock jumps ahead by an hour, and "
             "back by two", clock_jumps),
]
