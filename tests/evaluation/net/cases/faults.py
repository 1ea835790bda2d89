# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the scenarios of link faults share: how a run goes, what is measured
by the links' log, and what holds whatever the network does."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3]
                       / "live"))

import measures  # noqa: E402
from cases import _wire  # noqa: E402
from claims import NOT_QUICK, Claim, Scale  # noqa: E402
from live import scene  # noqa: E402

metrics = measures.metrics

LINK = {"rate_kbit_s": 2000, "queue_ms": 100, "delay_ms": 25}
RTT_S = 0.05
# For slow start, and what it leaves behind.
WARMUP_S = 8
STANDARD_SEEDS = (1, 2, 3)
# A leak of every other packet at 2 Mbit/s is more in a quarter of 40 s.
GROWTH_KIB = 1024
# Nothing of ours holds an encoder up: it is the machine's doing.
ENCODED_SHARE = 0.9
# What a sender says after 5 s of it.
SILENCE = "Nothing comes back from the receiver"
# What it says of a source that is greedy.
GREEDY = "There is no encoder upstream to set"


def seeds(scale, quick=True):
    if scale is Scale.QUICK:
        return (1,) if quick else ()
    return STANDARD_SEEDS


def runs(act, quick=True):
    """`act` at each seed."""
    return lambda scale: {(seed,): act for seed in seeds(scale, quick)}


def stream(stage, link=LINK, source="scene", sink=None):
    """A stream to a receiver behind a link, which has to get into its
    stride first."""
    stage.host("sender")
    stage.host("receiver", **link)
    stage.start()
    stage.receiver("receiver", source=source).play()
    stage.sender("sender", to="receiver", source=source, sink=sink).play()
    stage.mark("begin")


def finish(stage):
    """Ends a run, of which nothing can be said when the machine left the
    encoder too little time for its pictures."""
    stage.mark("end")
    start, end = stage.between("steady", "end")
    encoded = sum(start <= event["t"] < end for event in
                  stage.endpoints["sender"].of("encoded"))
    stage.starved = encoded < ENCODED_SHARE * scene.FRAMES_PER_S \
        * (end - start)


def steady(seconds, link, warmup=WARMUP_S, during=None, **more):
    """A link that is bad in the same way all the time.  `during (stage)`
    starts what goes on beside."""
    def act(stage):
        stream(stage, link, **more)
        if during:
            during(stage)
        stage.mark("steady", after=warmup)
        stage.sleep(warmup + seconds)
        if more.get("source") == "greedy":
            stage.mark("end")
        else:
            finish(stage)
    return act


def each(measure):
    return lambda results: results.each(measure)


# The links' log, at times of the monotonic clock.

def link_times(stage):
    origin = stage.links.origin_ns / 1e9
    return [origin + when for when in stage.links.times()]


def link_column(stage, name, host="receiver", direction="to"):
    return stage.links.column(host, direction, name)


def offered_kbit(stage):
    """What had come to the link by each of its times."""
    return [metrics.kbit_s(one)
            for one in link_column(stage, "offered_bytes")]


def link_grown(stage, name, first="steady", last="end", host="receiver",
               direction="to"):
    """What a counter gained between two marks."""
    low, high = metrics.counter_at(
        link_times(stage), link_column(stage, name, host, direction),
        stage.between(first, last))
    return high - low


def stat_grown(stage, host, name, first="steady", last="end"):
    times, values = stage.endpoints[host].stats(name)
    low, high = metrics.counter_at(times, values, stage.between(first, last))
    return high - low


def stat_mean(stage, host, name, first="steady", last="end"):
    times, values = stage.endpoints[host].stats(name)
    return metrics.level_mean(times, values, *stage.between(first, last))


def utilisation(stage):
    """IP packets that the link delivered, copies left out, by its rate."""
    packets = link_grown(stage, "packets")
    share = 1 - link_grown(stage, "duplicated") / packets
    return share * stage.link_kbit_s(
        "receiver", "to", *stage.between("steady", "end")) \
        / LINK["rate_kbit_s"]


def rtt_ms(stage):
    return stat_mean(stage, "sender", "rtt-ns") / 1e6


# Pictures.

def decoded_share(stage, first="steady", last="end"):
    """Frames decoded by frames that were sent."""
    sender = stage.endpoints["sender"]
    start, end = stage.between(first, last)
    encoded = sum(start <= event["t"] < end for event in sender.of("encoded"))
    dropped = stat_grown(stage, "sender", "frames-dropped", first, last)
    return stage.endpoints["receiver"].decoded(start, end) \
        / (encoded - dropped)


def longest_standstill_s(stage, first="steady", last="end"):
    """Between two decoded frames."""
    start, end = stage.between(first, last)
    times = [event["t"] for event in stage.endpoints["receiver"].of("decoded")
             if start <= event["t"] < end]
    edges = [start, *times, end]
    return max(after - before for before, after in zip(edges, edges[1:]))


def first_fresh_frame_s(stage, back="back"):
    """From the mark to the first decoded frame that was taken after it."""
    base = stage.endpoints["sender"].of("playing")[0]["base_ns"] / 1e9
    for event in stage.endpoints["receiver"].of("decoded"):
        taken = event["captured_s"]
        if taken is not None and base + taken >= stage.marks[back]:
            return event["t"] - stage.marks[back]
    return None


def reaches_s(stage, kbit_s, start, end):
    """From the mark until the half-second mean of the sent rate exceeds
    that."""
    return metrics.recovery_s(link_times(stage), offered_kbit(stage),
                              *stage.between(start, end), kbit_s, share=1)


# What holds in each of them.

def wire_by_limit(stage):
    """Since the stream has got into its stride."""
    return _wire.sent_by_limit(stage, *stage.between("steady", "end"), RTT_S)


def is_expected(stage, endpoint, text):
    """A warning of a greedy source, or of a sender while the link is gone."""
    return (endpoint.source == "greedy" and GREEDY in text) \
        or ("away" in stage.marks and text.startswith(SILENCE))


def complaints(stage):
    """Of GLib and GStreamer in the processes, and warnings on their bus."""
    return sum(
        len([line for line in endpoint.child.errors
             if "CRITICAL" in line or "WARNING" in line])
        + len([event for event in endpoint.of("warning")
               if not is_expected(stage, endpoint, event["text"])])
        for endpoint in stage.endpoints.values())


def growth_kib(stage):
    """Of the end that grew more, in the last quarter: what a decoder and
    its queues need most, they have had by then."""
    start, end = stage.between("steady", "end")
    last = end - (end - start) / 4
    return max(endpoint.usage.largest("rss_kib", last, end)
               - endpoint.usage.largest("rss_kib", start, last)
               for endpoint in stage.endpoints.values())


SURVIVES = [
    Claim("largest rate on the wire by max (initial_rate, twice what was "
          "delivered)", "<= 1", each(wire_by_limit), high=1,
          note="RFC 5348 section 4.3 step 4, in spans of 100 ms"),
    Claim("critical warnings, and warnings on the bus", "none",
          each(complaints), high=0),
    Claim("memory's growth in the last quarter, in the run that grew most "
          "[KiB]", "flat", lambda results: max(results.each(growth_kib)),
          high=GROWTH_KIB, scales=NOT_QUICK,
          note="of the end that grew more, the tests' own probes included; a "
               "quick run is too short to tell"),
]
