# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a session left behind, as series: what the two ends told, and the
link's own log.  Times are seconds since the sender began to play."""

import bisect
import time

from . import time_code
from .link_log import LinkLog


class Series:
    """Values of one name in order of time."""

    def __init__(self):
        self.times = []
        self.values = []

    def add(self, when, value):
        self.times.append(when)
        self.values.append(value)

    def last(self, default=None):
        return self.values[-1] if self.values else default

    def at(self, when, default=None):
        """The newest value that is not younger than `when`."""
        place = bisect.bisect_right(self.times, when) - 1
        return self.values[place] if place >= 0 else default


class Recording:

    def __init__(self):
        self.start_ns = None        # monotonic clock
        self.seconds = 0.0
        self.link_log = None        # path, as soon as the link runs
        self.drops_log = None
        self.link = None            # LinkLog, once the session is over
        self.stats = {"sender": {}, "receiver": {}}
        self.encoded_bytes = Series()   # cumulative
        self.encoded_key = Series()
        self.decoded = Series()         # seconds the frame was on its way
        self.reference = Series()       # pictures where nothing is lost
        self.pictures = set()           # that came out of the decoder
        self.glass_to_glass_ms = Series()   # of frames with a time code
        self.keyframe_requests = Series()
        self.warnings = []
        self.cpu_s = {}

    def stop(self):
        if self.start_ns is not None:
            self.seconds = self.now()

    def now(self):
        return (time.monotonic_ns() - self.start_ns) / 1e9

    def close(self):
        """After the link has ended: reads its log."""
        if self.link_log and self.link_log.exists() and self.start_ns:
            self.link = LinkLog(self.link_log, self.start_ns)

    def live_link(self):
        """The newest state of the running link, or None."""
        if self.link_log and self.link_log.exists():
            return LinkLog.newest(self.link_log)
        return None

    def take(self, end, event):
        handler = getattr(
            self, "_on_" + event["event"].replace("-", "_"), None)
        if handler:
            when = 0.0 if self.start_ns is None \
                else (event["t"] - self.start_ns) / 1e9
            handler(end, event, when)

    def _on_stats(self, end, event, when):
        for name, value in event["fields"].items():
            if not isinstance(value, str):
                self.stats[end].setdefault(name, Series()).add(when, value)

    def _on_encoded(self, _end, event, when):
        self.encoded_bytes.add(
            when, self.encoded_bytes.last(0) + event["bytes"])
        self.encoded_key.add(when, event["key"])

    def _on_keyframe_request(self, _end, _event, when):
        self.keyframe_requests.add(when, 1)

    def _on_playing(self, end, event, _when):
        """The sender's base time: when its running time was 0."""
        if end == "sender":
            self.start_ns = event["base_ns"]

    def _on_decoded(self, _end, event, when):
        taken = event["captured_s"]
        self.decoded.add(when, None if taken is None else when - taken)
        self.pictures.add(event.get("picture"))

    def _on_reference(self, _end, event, when):
        self.reference.add(when, event["picture"])

    def _on_shown(self, _end, event, _when):
        if event["time_code"] is not None and self.start_ns is not None:
            shown_ms = (event["at"] - self.start_ns) / 1e6
            self.glass_to_glass_ms.add(shown_ms / 1000, time_code.age_ms(
                event["time_code"], shown_ms))

    def _on_warning(self, end, event, when):
        self.warnings.append((when, f"{end}: {event['source']}: "
                              f"{event['text']}"))

    def _on_end(self, end, event, _when):
        self.cpu_s[end] = event["cpu_s"]

    def sender(self, name):
        return self.stats["sender"].get(name, Series())

    def receiver(self, name):
        return self.stats["receiver"].get(name, Series())
