# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the charts and captions show at a moment, out of a recording and the log
of its link.  Rates are in kbit/s, delays in ms, shares in %."""

import collections
import math

from live.link_log import LinkLog
from live.status import recent_kbit_s

RECENT_S = 1.0
# A delay that is older than this is none of now.
STALE_S = 2.0


class LinkMeter:
    """One link, by the newest rows of its log."""

    def __init__(self, path):
        self.path = path
        self.rows = collections.deque()

    def read(self):
        try:
            row = LinkLog.newest(self.path)
        except FileNotFoundError:   # not yet, or no longer
            return
        if row is None:
            return
        self.rows.append(row)
        while row["time_s"] - self.rows[0]["time_s"] > RECENT_S:
            self.rows.popleft()

    def _grown(self, *columns):
        return sum(self.rows[-1][name] - self.rows[0][name]
                   for name in columns)

    def values(self):
        if len(self.rows) < 2:
            return {}
        seconds = self._grown("time_s") or math.inf
        offered = self._grown("offered_packets")
        lost = self._grown("dropped_queue", "dropped_outage", "lost")
        return {
            "capacity": self.rows[-1]["capacity_kbit_s"],
            "queue": self.rows[-1]["queue_ms"],
            "sent": self._grown("offered_bytes") * 8e-3 / seconds,
            "received": self._grown("forward_bytes") * 8e-3 / seconds,
            "lost": 100 * lost / offered if offered else None}


def newest(series, now):
    """None when it is no longer true."""
    return series.last() if series.times \
        and series.times[-1] > now - STALE_S else None


def frames_per_s(decoded, now):
    return sum(when > now - RECENT_S for when in decoded.times[-100:])


def sender_values(recording, now):
    def level(name, factor):
        value = recording.sender(name).last()
        return None if value is None else value * factor

    return {
        "allowed": level("allowed-rate", 8e-3),
        "encoder": recent_kbit_s(recording.encoded_bytes, now),
        "sent": recent_kbit_s(recording.sender("bytes"), now),
        "p": level("loss-event-rate", 100),
        "rtt": level("rtt-ns", 1e-6)}


def receiver_values(recording, now):
    p = recording.receiver("loss-event-rate").last()
    return {"arriving": recent_kbit_s(recording.receiver("bytes"), now),
            "p": None if p is None else 100 * p}


def caption(link, frames, glass, rung=None):
    """Of a picture."""
    words = [] if rung is None else [f"group {rung + 1}"]
    if link.get("received") is not None:
        words.append(f"{link['received']:.0f} kbit/s")
    if link.get("lost") is not None:
        words.append(f"{link['lost']:.1f} % lost")
    words.append(f"{frames} frames/s")
    words.append("no picture" if glass is None and frames == 0
                 else "" if glass is None else f"{glass:.0f} ms old")
    return "  ·  ".join(filter(None, words))
