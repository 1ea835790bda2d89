# SPDX-License-Identifier: LGPL-2.1-or-later
"""The demo's sender and receiver as processes on hosts of a Network, and what
they told: each an endpoint with its events, at times of the monotonic
clock [s]."""

import bisect
import json
import pathlib
import signal
import subprocess
import time

from usage import Usage
from waiting import wait_until

HERE = pathlib.Path(__file__).resolve().parent
LIVE = HERE.parents[2] / "examples" / "live"
READY_LIMIT_S = 30
# A process that is told to stop and is not gone by then hangs.
STOP_LIMIT_S = 5


class EndpointError(Exception):
    """Its text is what the user reads."""


class Endpoint:

    """`variables`: of its environment, besides the usual ones."""

    def __init__(self, net, host, program, spec, name=None,
                 variables=None):
        self.name = name or host
        self.source = spec.get("source")
        self.events = []
        self.error = None
        self.hung = False
        self.killed = False
        self.stopped_at = None
        self.child = net.spawn(
            host, ["env"] + [f"{key}={value}" for key, value in
                             (variables or {}).items()]
            + ["/usr/bin/python3", str(program), json.dumps(spec)], self._on_line, label=self.name)
        if not wait_until(
                lambda: self.has("ready") or not self.child.is_running(),
                READY_LIMIT_S) or not self.has("ready"):
            raise EndpointError(f"{self.name}: {self.last_words()}")
        self.usage = Usage(self.child.process.pid)

    def _on_line(self, line):
        event = json.loads(line)
        event["t"] /= 1e9
        if event["event"] == "error":
            self.error = f"{self.name}: {event['source']}: {event['text']}"
        self.events.append(event)

    def has(self, kind):
        return any(event["event"] == kind for event in self.events)

    def last_words(self):
        return self.error or self.child.last_words()

    def play(self):
        self.child.command("play")
        if not wait_until(
                lambda: self.has("playing") or not self.child.is_running(),
                READY_LIMIT_S) or self.error:
            raise EndpointError(f"{self.name}: {self.last_words()}")

    def critical(self):
        """What GLib found wrong with how it was used."""
        return [line for line in self.child.errors if "CRITICAL" in line]

    def freeze(self):
        """As a debugger or an overloaded machine would; see thaw."""
        self.child.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.child.process.send_signal(signal.SIGCONT)

    def stop(self):
        """Asks it to end, and waits until it did."""
        self.stopped_at = self.stopped_at or time.monotonic()
        self.usage.stop()
        self.child.command("stop")
        try:
            self.child.process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self.hung = True
            self.child.process.kill()

    def kill(self):
        """Without a word to anybody."""
        self.killed = True
        self.stopped_at = time.monotonic()
        self.usage.stop()
        self.child.process.send_signal(signal.SIGKILL)
        self.child.process.wait()

    def failure(self):
        """What went wrong in it, or None."""
        if self.error:
            return self.error
        if self.hung:
            return f"{self.name}: still there {STOP_LIMIT_S} s after its end"
        code = self.child.process.poll()
        if code and not self.killed:
            return f"{self.name}: {self.last_words()}"
        return None

    def of(self, kind):
        return [event for event in self.events if event["event"] == kind]

    def messages(self, name):
        """Element messages: [(time, fields)]."""
        return [(event["t"], event["fields"]) for event in self.of("message")
                if event["name"] == name]

    def stats(self, field):
        """(times, values) of a field of the statistics."""
        told = [event for event in self.of("stats")
                if field in event["fields"]]
        return ([event["t"] for event in told],
                [event["fields"][field] for event in told])

    def stat_at(self, field, when):
        """The last value told by then, or None."""
        times, values = self.stats(field)
        place = bisect.bisect_right(times, when)
        return values[place - 1] if place else None

    def decoded(self, start, end):
        """Frames that came out of the decoder in [start, end)."""
        return sum(start <= event["t"] < end for event in self.of("decoded"))


def sender(net, host, to, port=5004, source="scene", sink=None, name=None,
           variables=None, as_it_comes=False, **spec):
    """By RFC 5348 alone, but for what `sink` has, unless it is `as_it_comes`."""
    plain = {} if as_it_comes else {"delay-target": 0, "tcp": "reno"}
    sink = {**plain, **(sink or {})}
    return Endpoint(net, host, LIVE / "sender.py", {
        "source": source, "encoder": "x264", "file": None, "host": to,
        "port": port, "sink": sink, **spec}, name, variables)


def peer(net, host, to, control, port=5004, name=None, **spec):
    """A sender with another control: gcc or nada; see peers/."""
    return Endpoint(net, host, HERE / "peers" / f"{control}_sender.py", {
        "source": "scene", "encoder": "x264", "file": None, "host": to,
        "port": port, **spec}, name)


def receiver(net, host, port=5004, source="scene", src=None, name=None,
             variables=None, pictures=None):
    """`pictures`: a file for all that it shows."""
    spec = {"source": source, "encoder": "x264", "port": port, "screen": False,
            "picture": None, "src": src or {}}
    if not pictures:
        return Endpoint(net, host, LIVE / "receiver.py", spec, name, variables)
    return Endpoint(net, host, HERE / "peers" / "recording_receiver.py",
                    {**spec, "pictures": str(pictures)}, name, variables)


def ffmpeg_receiver(net, host, to, port=5004, name=None, **spec):
    """As rtpbin_receiver; see ffmpeg_receiver.py."""
    return Endpoint(net, host, HERE / "ffmpeg_receiver.py", {
        "port": port, "host": to, **spec}, name)


def rtpbin_receiver(net, host, to, port=5004, name=None, **spec):
    """RTCP goes to the address `to`; see rtpbin_receiver.py for the rest."""
    return Endpoint(net, host, HERE / "rtpbin_receiver.py", {
        "port": port, "host": to, **spec}, name)
