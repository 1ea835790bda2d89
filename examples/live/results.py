# SPDX-License-Identifier: LGPL-2.1-or-later
"""The numbers of a session, as docs/demo.md defines them: the keys are
stable.  What happened in the network comes from the link's own log, never
from what the protocol believes."""

import pathlib
import sys

sys.path.insert(
    0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "support"))

import metrics  # noqa: E402

WARMUP_S = 10.0


def warmup_of(seconds):
    """The first 10 s are not counted; of a short run, the first half."""
    return min(WARMUP_S, seconds / 2)


def rounded(value, digits=3):
    if isinstance(value, dict):
        return {key: rounded(one, digits) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(one, digits) for one in value]
    return round(value, digits) if isinstance(value, float) else value


def grown(series, start, end):
    """What a counter of the elements gained; None if it was never told."""
    if not series.times:
        return None
    first, last = metrics.counter_at(
        series.times, series.values, [start, end])
    return int(round(last - first))


def happened(series, start, end):
    return sum(start <= when < end for when in series.times)


def mean_level(series, start, end):
    mean = metrics.level_mean(series.times, series.values, start, end)
    return mean


def mean_kbit_s(times, counter, start, end):
    mean = metrics.mean_rate(times, counter, start, end)
    return None if mean is None else metrics.kbit_s(mean)


def ratio(part, whole):
    return None if part is None or not whole else part / whole


def scaled(value, factor):
    return None if value is None else value * factor


def link_results(link, start, end, seconds):
    """What the link saw: capacity, rates, losses, queue."""
    capacity = metrics.level_mean(
        link.times, link.capacity, start, end)
    sent = mean_kbit_s(link.times, link.offered_bytes, start, end)
    received = mean_kbit_s(link.times, link.delivered_bytes, start, end)
    offered = metrics.mean_rate(link.times, link.offered_packets, start, end)
    dropped = metrics.mean_rate(link.times, link.dropped_packets, start, end)
    delays = metrics.between(link.times, link.queue_delay_s, start, end)
    kilobits = [metrics.kbit_s(one) for one in link.capacity]
    byte_kilobits = [metrics.kbit_s(one) for one in link.offered_bytes]
    reaction, recovery = metrics.step_responses(
        link.times, byte_kilobits, link.times, kilobits, 0, seconds)
    capacity = scaled(capacity, 8 / 1000)
    return {
        "capacity_kbit_s": capacity,
        "sent_kbit_s": sent,
        "received_kbit_s": received,
        "utilisation": ratio(received, capacity),
        "loss_fraction": ratio(dropped, offered),
        "queue_delay_ms_p50": scaled(metrics.percentile(delays, 50), 1000),
        "queue_delay_ms_p95": scaled(metrics.percentile(delays, 95), 1000),
        "rate_cov_200ms": metrics.rate_cov(
            link.times, link.offered_bytes, start, end, 0.2),
        "rate_cov_1s": metrics.rate_cov(
            link.times, link.offered_bytes, start, end, 1),
        "feedback_kbit_s": mean_kbit_s(
            link.times, link.back_bytes, start, end),
        "reaction": reaction,
        "recovery": recovery,
    }


def flow_results(recording, start, end):
    """What the two elements told."""
    sender, receiver = recording.sender, recording.receiver
    delays = sender("pacer-delay-ns")
    return {
        "allowed_kbit_s": scaled(mean_level(
            sender("allowed-rate"), start, end), 8 / 1000),
        "loss_event_rate": mean_level(
            sender("loss-event-rate"), start, end),
        "rtt_ms_mean": scaled(mean_level(
            sender("rtt-ns"), start, end), 1e-6),
        "pacer_delay_ms_p95": scaled(metrics.percentile(metrics.between(
            delays.times, delays.values, start, end), 95), 1e-6),
        "frames_dropped_by_pacer": grown(
            sender("frames-dropped"), start, end),
        "repair_share": ratio(
            sum(grown(sender(name), start, end) or 0
                for name in ("retransmission-bytes", "fec-bytes")),
            grown(sender("bytes"), start, end)),
        "feedback_packets": grown(receiver("feedback"), start, end),
    }


def intact(reference, pictures, start, end):
    """The share of the encoder's frames that came out of the decoder as one
    right behind the encoder makes them.  Those of the last second may be on
    their way."""
    sent = [picture for when, picture in zip(reference.times, reference.values)
            if start <= when < end - 1]
    return ratio(sum(one in pictures for one in sent), len(sent))


def video_results(recording, start, end):
    """What the probes at encoder, decoder and screen saw."""
    encoded = recording.encoded_bytes
    glass = recording.glass_to_glass_ms
    delays = metrics.between(glass.times, glass.values, start, end)
    return {
        "encoder_kbit_s": mean_kbit_s(
            encoded.times, encoded.values, start, end),
        "frames_encoded": happened(encoded, start, end),
        "frames_decoded": happened(recording.decoded, start, end),
        "frames_intact": intact(
            recording.reference, recording.pictures, start, end),
        "keyframe_requests": happened(
            recording.keyframe_requests, start, end),
        "glass_to_glass_ms_p50": metrics.percentile(delays, 50),
        "glass_to_glass_ms_p95": metrics.percentile(delays, 95),
    }


ORDER = (
    "seconds warmup_seconds capacity_kbit_s sent_kbit_s received_kbit_s "
    "utilisation encoder_kbit_s allowed_kbit_s loss_fraction "
    "loss_event_rate rtt_ms_mean queue_delay_ms_p50 queue_delay_ms_p95 "
    "pacer_delay_ms_p95 glass_to_glass_ms_p50 glass_to_glass_ms_p95 "
    "rate_cov_200ms rate_cov_1s frames_encoded frames_decoded frames_intact "
    "repair_share "
    "frames_dropped_by_pacer keyframe_requests feedback_packets "
    "feedback_kbit_s reaction recovery").split()


def results(recording):
    """The dictionary that the demo writes as JSON."""
    end = recording.seconds
    start = warmup_of(end)
    values = {"seconds": end, "warmup_seconds": start}
    if recording.link:
        values.update(link_results(recording.link, start, end, end))
    values.update(flow_results(recording, start, end))
    values.update(video_results(recording, start, end))
    return {name: rounded(values.get(name)) for name in ORDER}
