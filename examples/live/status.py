# SPDX-License-Identifier: LGPL-2.1-or-later
"""One line that says how the session does: refreshed on a terminal, once a
second anywhere else."""

import sys

RECENT_S = 1.0


def recent_kbit_s(series, now):
    """Growth of a counter over about the last second."""
    before = series.at(now - RECENT_S, 0)
    return (series.at(now, 0) - before) * 8 / 1000 / RECENT_S


def lost_share(link):
    """Of the packets that a link was offered, by a row of its log."""
    lost = sum(link[name] for name in (
        "dropped_queue", "dropped_outage", "lost"))
    return lost / max(link["offered_packets"], 1)


class Status:

    def __init__(self, recording, stream=sys.stdout):
        self.recording = recording
        self.stream = stream
        self.on_terminal = stream.isatty()
        self.last_second = -1

    def text(self):
        recording = self.recording
        now = recording.now()
        sender, receiver = recording.sender, recording.receiver
        allowed = sender("allowed-rate").last(0) * 8 / 1000
        link = recording.live_link()
        queue = "    -" if link is None else f"{link['queue_ms']:5.0f}"
        capacity = "" if link is None \
            else f"  link {link['capacity_kbit_s']:5.0f}"
        return (
            f"{now:5.1f} s{capacity}"
            f"  allowed {allowed:5.0f}"
            f"  sent {recent_kbit_s(sender('bytes'), now):5.0f}"
            f"  received {recent_kbit_s(receiver('bytes'), now):5.0f}"
            f"  encoder {recent_kbit_s(recording.encoded_bytes, now):5.0f}"
            f" kbit/s"
            f"  p {sender('loss-event-rate').last(0) * 100:5.2f} %"
            f"  RTT {sender('rtt-ns').last(0) / 1e6:4.0f}"
            f"  queue {queue} ms")

    def show(self):
        if self.on_terminal:
            self.stream.write("\r\033[K" + self.text())
        elif int(self.recording.now()) != self.last_second:
            self.last_second = int(self.recording.now())
            self.stream.write(self.text() + "\n")
        self.stream.flush()

    def done(self):
        if self.on_terminal:
            self.stream.write("\n")


class GroupStatus(Status):

    def text(self):
        recording = self.recording
        now, sender = recording.now(), recording.sender
        names = recording.names_by_ssrc()
        limiter = names.get(sender("clr-ssrc").last(0), "-")
        rates = "  ".join(
            f"{name} {series.last(0) / 1000:5.0f}"
            for name in recording.link_logs
            for series in [recording.member(name, "calculated-bitrate")]
            if series.times and name not in recording.left)
        return (
            f"{now:5.1f} s"
            f"  sent {recent_kbit_s(sender('bytes'), now):5.0f} kbit/s"
            f"  limited by {limiter:6}"
            f"  could take (kbit/s): {rates}")
