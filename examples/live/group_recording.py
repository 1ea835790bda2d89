# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a session with a group left behind.  Times are seconds since the
sender began to play."""

import collections

from .link_log import LinkLog
from .recording import Recording, Series


class GroupRecording(Recording):

    def __init__(self):
        super().__init__()
        self.stats = collections.defaultdict(dict)
        self.decoded = collections.defaultdict(Series)
        self.pictures = collections.defaultdict(set)
        self.link_logs = {}         # by the member's name, as the rest
        self.slow_link_logs = {}    # to the second group of a ladder
        self.links = {}
        self.joined = {}
        self.left = {}
        self.clr_changes = []       # (when, SSRC or 0, reason)
        self.rungs = collections.defaultdict(list)  # of a ladder: (when, rung)

    def close(self):
        if self.start_ns:
            self.links = {name: LinkLog(path, self.start_ns)
                          for name, path in self.link_logs.items()
                          if path.exists()}

    def _on_decoded(self, end, event, when):
        name, taken = end.removeprefix("receiver-"), event["captured_s"]
        self.decoded[name].add(when, None if taken is None else when - taken)
        self.pictures[name].add(event.get("picture"))

    def _on_shown(self, _end, _event, _when):
        """Delays are told of one receiver only."""

    def _on_message(self, end, event, when):
        if end == "sender" and event["name"] == "tfmcc-clr":
            fields = event["fields"]
            self.clr_changes.append((when, fields["ssrc"], fields["reason"]))

        elif event["name"] == "tfrc-rung":
            self.rungs[end.removeprefix("receiver-")].append(
                (when, event["fields"]["rung"]))

    def member(self, name, field):
        """A field of a receiver's statistics."""
        return self.stats["receiver-" + name].get(field, Series())

    def rung_of(self, name):
        """Of a ladder."""
        return self.rungs[name][-1][1] if self.rungs[name] else 0

    def link_log_of(self, name):
        """Of the link to the group that it listens to."""
        logs = self.slow_link_logs if self.rung_of(name) else self.link_logs
        return logs.get(name)

    def names_by_ssrc(self):
        """Whose SSRC is whose, those that changed included."""
        return {ssrc: name for name in self.link_logs
                for ssrc in self.member(name, "ssrc").values}
