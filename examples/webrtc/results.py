# SPDX-License-Identifier: LGPL-2.1-or-later
"""The numbers of a run without a screen, as docs/interop.md defines them: what
happened in the network comes from the link's log, what was seen from the
browser's getStats()."""

import numpy as np

from live import results

metrics = results.metrics

# A frame that comes later than this after the one before is a freeze for the
# browser as well, when the video has 30 frames/s.
STALL_S = 0.5
ORDER = (
    "seconds warmup_seconds capacity_kbit_s sent_kbit_s received_kbit_s "
    "utilisation allowed_kbit_s loss_fraction loss_event_rate rtt_ms_mean "
    "queue_delay_ms_p50 queue_delay_ms_p95 pacer_delay_ms_p95 "
    "frames_per_second frames_decoded frames_dropped_by_pacer key_frames "
    "freezes longest_freeze_ms freezes_ms packets_lost retransmissions nacks "
    "feedback_kbit_s link_lateness_ms_max reaction recovery").split()


def results_of(session):
    end = session.seconds
    start = results.warmup_of(end)
    values = {"seconds": end, "warmup_seconds": start}
    values.update(results.link_results(
        session.recording.link, start, end, end))
    values.update(results.flow_results(session.recording, start, end))
    values.update(player_results(session.player, start, end))
    late = metrics.between(session.recording.link.times,
                           session.recording.link.lateness_s, 0, end)
    values["link_lateness_ms_max"] = float(late.max()) * 1000
    return {name: results.rounded(values.get(name)) for name in ORDER}


def player_results(player, start, end):
    def grown(name):
        return results.grown(player[name], start, end)

    frames = player["framesDecoded"]
    freezes = freeze_lengths(player, start, end)
    return {
        "frames_per_second": metrics.mean_rate(
            frames.times, frames.values, start, end),
        "frames_decoded": grown("framesDecoded"),
        "key_frames": grown("keyFramesDecoded"),
        "freezes": len(freezes),
        "longest_freeze_ms": max(freezes, default=0.0) * 1000,
        "freezes_ms": sum(freezes) * 1000,
        "packets_lost": grown("packetsLost"),
        "retransmissions": grown("retransmittedPacketsReceived"),
        "nacks": grown("nackCount"),
    }


def freeze_lengths(player, start, end):
    """Of the freezes that the browser counted, and of one that has not ended:
    it counts a freeze with the frame that ends it."""
    times = np.array(player["freezeCount"].times)
    here = (times >= start) & (times < end)
    counts = np.array(player["freezeCount"].values)[here]
    sums = np.array(player["totalFreezesDuration"].values)[here]
    lengths = []
    for count, seconds in zip(np.diff(counts), np.diff(sums)):
        lengths += int(count) * [float(seconds / count)] if count else []
    frames = np.array(player["framesDecoded"].values)[here]
    grows = np.flatnonzero(np.diff(frames) > 0)
    if len(frames):
        last = times[here][grows[-1] + 1] if len(grows) else start
        if end - last > STALL_S:
            lengths.append(float(end - last))
    return lengths


def text(values):
    def of(name, unit):
        value = values[name]
        return f"{'-' if value is None else format(value, 'g')} {unit}"

    lines = [
        ("link", of("capacity_kbit_s", "kbit/s")),
        ("sent", of("sent_kbit_s", "kbit/s")),
        ("received", of("received_kbit_s", "kbit/s, ")
         + of("utilisation", "of the link")),
        ("allowed", of("allowed_kbit_s", "kbit/s")),
        ("round-trip time", of("rtt_ms_mean", "ms")),
        ("queueing delay", "median " + of("queue_delay_ms_p50", "ms, ")
         + "p95 " + of("queue_delay_ms_p95", "ms")),
        ("video", of("frames_per_second", "frames/s, ")
         + of("freezes", "freezes, ") + "the longest "
         + of("longest_freeze_ms", "ms")),
    ]
    for name in ("reaction", "recovery"):
        for step in values[name]:
            seconds = step["seconds"]
            lines.append((name, (
                f"{step['from']:g} -> {step['to']:g} kbit/s at "
                f"{step['at']:.1f} s: "
                f"{'-' if seconds is None else format(seconds, 'g')} s")))
    return "".join(f"{name:18}{what}\n" for name, what in lines)
