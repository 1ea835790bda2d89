# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the window remembers of a session: the last minutes."""

import bisect
import copy

from live.group_recording import GroupRecording
from live.recording import Recording, Series

KEPT_S = 600.0


class GroupWindowRecording(GroupRecording):
    """Knows the delay of each receiver, too."""

    def __init__(self):
        super().__init__()
        self.glass = {}

    def _on_shown(self, end, event, when):
        one = self.glass.setdefault(
            end.removeprefix("receiver-"), Recording())
        one.start_ns = self.start_ns
        one._on_shown(end, event, when)


def all_series(value):
    """Every Series within."""
    if isinstance(value, Series):
        yield value
    elif isinstance(value, dict):
        for one in list(value.values()):
            yield from all_series(one)
    elif isinstance(value, Recording):
        yield from all_series(vars(value))


def forget(recording, before):
    """What is older than that, but for the newest value of each series."""
    for series in all_series(recording):
        old = min(bisect.bisect_left(series.times, before),
                  max(len(series.times) - 1, 0))
        del series.times[:old], series.values[:old]


def recent(recording, seconds):
    """A copy of its last seconds, in whose time they begin at 0."""
    result = copy.deepcopy(recording)
    start = max(0.0, result.now() - seconds)
    forget(result, start)
    for series in all_series(result):
        series.times = [max(when - start, 0.0) for when in series.times]
    result.warnings = [(when - start, text) for when, text in result.warnings
                       if when >= start]
    if isinstance(result, GroupRecording):
        result.clr_changes = [(max(when - start, 0.0), *more)
                              for when, *more in result.clr_changes]
    result.start_ns += int(start * 1e9)
    result.stop()
    result.close()
    return result
