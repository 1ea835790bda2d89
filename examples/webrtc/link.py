# SPDX-License-Identifier: LGPL-2.1-or-later
"""The link of a run without a screen: its profile, and what its log says."""

import shutil

import numpy as np

import network


def profile_lines(path, seconds, folder):
    """The lines of a profile for a stream of so many seconds: the emulator
    runs longer than the stream, so that shares of its time become seconds.
    What cannot be read is left to the emulator, which says why."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.partition("#")[0].split()
        if words[:1] == ["at"] and len(words) > 1:
            words[1] = _in_seconds(words[1], seconds)
        elif words[:1] == ["trace"] and len(words) == 2 \
                and (path.parent / words[1]).is_file():
            shutil.copy(path.parent / words[1], folder)
        if words:
            lines.append(" ".join(words))
    return lines


def _in_seconds(text, seconds):
    share, sign, more = text.partition("%")
    try:
        return f"{float(share) / 100 * seconds + float(more or 0):g}" \
            if sign else text
    except ValueError:
        return text


class Link:
    """The emulator's log of what goes to a host as live/results.py takes it:
    rates in bytes/s, times in seconds since `start_ns`."""

    def __init__(self, path, host, start_ns):
        log = network.LinkLog(path)

        def column(name, direction="to"):
            return np.array(log.column(host, direction, name))

        self.times = column("time_s") + (log.origin_ns - start_ns) / 1e9
        self.capacity = column("rate_kbit_s") * 125
        self.queue_delay_s = column("queue_ms") / 1000
        self.offered_packets = column("offered_packets")
        self.offered_bytes = column("offered_bytes")
        self.delivered_bytes = column("bytes")
        self.dropped_packets = sum(column(name) for name in (
            "dropped_queue", "dropped_red", "dropped_outage", "lost"))
        self.back_bytes = column("bytes", "from")
        self.lateness_s = column("lateness_ms") / 1000
