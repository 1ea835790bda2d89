# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the live tests measure beyond the demo's numbers.  Each function takes
a Recording and returns a number, or None when the run does not tell."""

import math
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]
                       / "examples"))

from live import link_log, results  # noqa: E402

metrics = results.metrics


def warmup(recording):
    return results.warmup_of(recording.seconds)


def links_return(recording):
    """When the capacity came back from nothing."""
    link = recording.link
    for at, before, _ in metrics.level_steps(link.times, link.capacity):
        if before == 0:
            return at
    return None


def first_fresh_frame_s(recording):
    """Seconds from the link's return to the first decoded frame that was
    taken after it."""
    back = links_return(recording)
    if back is None:
        return None
    for when, delay in zip(recording.decoded.times,
                           recording.decoded.values):
        if delay is not None and when - delay >= back:
            return when - back
    return None


def back_at_1500_kbit_s(recording):
    """Seconds from the link's return until the half-second mean of the sent
    rate exceeds 1.5 Mbit/s."""
    back = links_return(recording)
    if back is None:
        return None
    link = recording.link
    return metrics.recovery_s(
        link.times, metrics.kbit_s(link.offered_bytes), back,
        recording.seconds, 1500, share=1)


def pacer_excess_ms(recording):
    """In the outage: the most by which the oldest packet in the pacer was
    older than the bound, 200 ms or two packets' time at the paced rate."""
    link = recording.link
    start = next((at for at, _, after in metrics.level_steps(
        link.times, link.capacity) if after == 0), None)
    end = links_return(recording)
    ages = recording.sender("queue-time-ns")
    rates = recording.sender("instant-rate")
    sizes = recording.sender("segment-size")
    if start is None or end is None:
        return None
    excesses = []
    for when, age_ns in zip(ages.times, ages.values):
        if start <= when < end:
            rate = max(rates.at(when, 0), 1e-9)
            bound_ms = max(200, 2000 * sizes.at(when, 0) / rate)
            excesses.append(age_ns / 1e6 - bound_ms)
    return max(excesses) if excesses else None


def decoded_share(recording):
    """Frames decoded by frames encoded, each over the counted time; what
    the pacer dropped was not sent."""
    start, end = warmup(recording), recording.seconds
    encoded = results.happened(recording.encoded_bytes, start, end)
    dropped = results.grown(
        recording.sender("frames-dropped"), start, end) or 0
    decoded = results.happened(recording.decoded, start, end)
    return decoded / (encoded - dropped) if encoded > dropped else None


def seconds_without_frame(recording):
    """Whole seconds of the counted time in which nothing was decoded."""
    edges = np.arange(math.ceil(warmup(recording)),
                      math.floor(recording.seconds) + 1)
    counts, _ = np.histogram(recording.decoded.times, bins=edges)
    return int(np.sum(counts == 0))


def longest_silence_of_feedback_s(recording):
    """Between two counted reports; the first second is the start."""
    reports = recording.receiver("feedback")
    changes = [warmup(recording)]
    for i in range(1, len(reports.times)):
        if reports.values[i] != reports.values[i - 1] \
                and reports.times[i] >= changes[0]:
            changes.append(reports.times[i])
    changes.append(recording.seconds)
    return float(np.max(np.diff(changes)))


def _shares_of_cap(recording, cap_kbit_s):
    """Means over 5 s of what the encoder put out, by its cap: what the cap
    of the flow leaves when the packets' own headers are taken off."""
    encoded, sent = recording.encoded_bytes, recording.sender("bytes")
    start, end = warmup(recording), recording.seconds
    overhead = (metrics.mean_rate(sent.times, sent.values, start, end)
                / metrics.mean_rate(
                    encoded.times, encoded.values, start, end))
    _, rates = metrics.rate_series(
        encoded.times, encoded.values, start, end, 5)
    return metrics.kbit_s(rates) * overhead / cap_kbit_s


def lowest_share_of_cap(cap_kbit_s):
    return lambda recording: float(
        _shares_of_cap(recording, cap_kbit_s).min())


def highest_share_of_cap(cap_kbit_s):
    return lambda recording: float(
        _shares_of_cap(recording, cap_kbit_s).max())


def throughput_equation(s, rtt_s, p, b=1):
    """RFC 5348 section 3.1 with t_RTO = 4 R [bytes/s]."""
    root = math.sqrt(2 * b * p / 3)
    return s / (rtt_s * (root + 4 * 3 * math.sqrt(3 * b * p / 8)
                         * p * (1 + 32 * p * p)))


def loss_events(times, rtt_s):
    """How many loss events the losses at these times are: a loss within one
    RTT of the first loss of an event belongs to it."""
    count, first = 0, -math.inf
    for when in times:
        if when > first + rtt_s:
            count, first = count + 1, when
    return count


def share_of_equation(delay_s):
    """The sent rate by the equation at what the link itself says: its loss
    events per packet, twice its delay plus its mean queue as the RTT."""
    def share(recording):
        link = recording.link
        start, end = warmup(recording), recording.seconds
        rtt_s = 2 * delay_s + metrics.level_mean(
            link.times, link.queue_delay_s, start, end)
        drops = [drop[0] for drop in link_log.read_drops(
            recording.drops_log, recording.start_ns)
            if start <= drop[0] < end]
        packets, sent = (
            metrics.mean_rate(link.times, counter, start, end) * (end - start)
            for counter in (link.offered_packets, link.offered_bytes))
        p = loss_events(drops, rtt_s) / packets
        if p == 0:
            return None
        return sent / (end - start) / throughput_equation(
            sent / packets, rtt_s, p)
    return share


def worst_lateness_ms(recording, link=None):
    """How badly the machine stalled the link; not a matter of ours."""
    link = link or recording.link
    late = metrics.between(link.times, link.lateness_s, 0,
                           recording.seconds)
    return float(late.max()) * 1000 if len(late) else None
