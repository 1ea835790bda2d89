# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the scenarios of delay control share: streams with it ("control") and
without ("plain") on the same links in the same run of the scenario, and what the
packets on the wire say of both."""

import statistics

import flow_log
import packet_log
from cases import _beside, faults
from claims import NOT_QUICK, Claim, Scale
from live import time_code

metrics = faults.metrics

KINDS = ("plain", "control")
# Properties of tfrcsink.
SINKS = {"plain": {"delay-target": 0}, "control": {"delay-target": 8},
         "default": {}}
# Sources without an encoder; the second is of 102 Mbit/s.
UNCOMPRESSED = ("greedy", "fast")
RTT_S = _beside.RTT_S
STANDARD_SEEDS = (1, 2, 3)
# To settle, measured.
SECONDS = {Scale.QUICK: (8, 12), Scale.STANDARD: (15, 45)}


def seeds(scale, quick=True):
    if scale is Scale.QUICK:
        return (1,) if quick else ()
    return STANDARD_SEEDS


def network(stage, link, sender_link=None):
    """Every packet that comes to the link of the receiver is logged."""
    stage.net.logs_packets = True
    stage.host("sender", **(sender_link or {}))
    stage.host("receiver", **{"delay_ms": 1000 * RTT_S / 2, **link})
    stage.start()


def stream(stage, kind, number=0, source="greedy", src=None, **more):
    """One with delay control or without; several have numbers.  `src`:
    properties of tfrcsrc."""
    port = _beside.FIRST_PORT + 2 * number
    stage.receiver("receiver", name=f"receiver-{number}", port=port,
                   source=source, src=src).play()
    sink = {**SINKS[kind], **more.pop("sink", {})}
    if source in UNCOMPRESSED:
        more.setdefault("mtu", _beside.RTP_MTU)
    stage.sender("sender", to="receiver", name=f"sender-{number}", port=port,
                 source=source, sink=sink, as_it_comes=kind == "default",
                 **more).play()


def alone(kind, link, seconds, source="greedy", events=(), during=None,
          sender_link=None, src=None):
    """One stream.  `events`: (seconds behind the start of what is measured,
    key, value) of live changes of the link."""
    def act(stage):
        network(stage, link, sender_link)
        stage.mark("begin")
        stream(stage, kind, source=source, src=src)
        if during:
            during(stage)
        stage.mark("steady", after=seconds[0])
        stage.sleep(seconds[0])
        passed = 0
        for at, key, value in events:
            stage.sleep(at - passed)
            stage.net.change("receiver", key, value)
            stage.mark(f"event-{at}")
            passed = at
        stage.sleep(seconds[1] - passed)
        stage.mark("end")
        if source not in UNCOMPRESSED:
            stage.starved = starved(stage)
    return act


def starved(stage):
    """Whether the machine left the encoder too little time."""
    start, end = stage.between("steady", "end")
    encoded = sum(start <= event["t"] < end for event in
                  stage.endpoints["sender-0"].of("encoded"))
    return encoded < faults.ENCODED_SHARE * faults.scene.FRAMES_PER_S \
        * (end - start)


# What the wire says.

def packets(stage):
    return packet_log.load(stage.net.packet_log)


def udp(stage):
    return packets(stage).of(flow_log.UDP)


def span(stage, first="steady", last="end"):
    return stage.between(first, last)


def queue_ms(per_cent, first="steady", last="end"):
    return lambda stage: packets(stage).queue_ms(
        per_cent, *span(stage, first, last))


def sent_kbit_s(stage):
    return udp(stage).kbit_s(*span(stage))


def carried(stage):
    """What the link delivered by what it could have: the mean of the log's
    rates."""
    start, end = span(stage)
    return stage.link_kbit_s("receiver", "to", start, end) \
        / metrics.level_mean(faults.link_times(stage),
                             faults.link_column(stage, "rate_kbit_s"),
                             start, end)


def cov_1s(stage):
    times, counter = udp(stage).counter()
    return metrics.rate_cov(times, counter, *span(stage), 1)


def first_packet(stage):
    """Of RTP: reports are small."""
    rtp = udp(stage)
    return float(rtp.times[rtp.bytes > 200][0])


def losses_after_5s(stage):
    start = first_packet(stage)
    return udp(stage).n_lost(start + 5, stage.marks["end"])


def start_queue_ms(stage):
    """The longest of the first 3 s."""
    start = first_packet(stage)
    return packets(stage).queue_ms(100, start, start + 3)


def start_s(rate_kbit_s, share=0.8):
    """Until the half-second mean of what is sent exceeds that share."""
    def measure(stage):
        return metrics.recovery_s(
            *udp(stage).counter(), first_packet(stage), stage.marks["end"],
            rate_kbit_s, share)
    return measure


def glass_to_glass_ms(per_cent):
    """Of the frames shown: how long ago each was taken, by the time code in its
    pixels."""
    def measure(stage):
        base_ns = stage.endpoints["sender-0"].of("playing")[0]["base_ns"]
        start, end = span(stage)
        return metrics.percentile([time_code.age_ms(
            event["time_code"], (event["at"] - base_ns) / 1e6)
            for event in stage.endpoints["receiver-0"].of("shown")
            if event["time_code"] is not None
            and start <= event["at"] / 1e9 < end], per_cent)
    return measure


def of(measure, *key):
    """Over the seeds of a case."""
    return lambda results: results.each(measure, *key)


def with_and_without(claim, measure, *key, low=None, high=None, quick=False):
    """Judged with delay control, published without it.  `quick`: holds in a
    short run on a busy machine, too, which takes time from the encoder."""
    yield Claim(claim, "", of(measure, *key, "control"), low, high,
                middle=statistics.median,
                **({} if quick else {"scales": NOT_QUICK}))
    yield Claim(f"{claim}, without", "", of(measure, *key, "plain"),
                scales=NOT_QUICK, middle=statistics.median)
