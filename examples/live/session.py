# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a session: sender, link and receiver, each a process of its own, for
some seconds, and hands what they tell to a recording.  All of them end with
this process, however it ends."""

import dataclasses
import json
import os
import pathlib
import queue
import random
import signal
import socket
import time

from .child import Child

HERE = pathlib.Path(__file__).resolve().parent
START_LIMIT_S = 30
FOR_EVER = float("inf")
TICK_S = 0.2
# In the report's folder: what a run without repair leaves, beside one with it.
WITHOUT_REPAIR = "without-repair"
# And the stream at a fixed rate, beside one that is controlled.
WITHOUT_CONTROL = "without-control"


@dataclasses.dataclass
class Plan:
    """What to run."""
    seconds: float
    link: pathlib.Path
    source: str = "scene"       # or "file", "greedy"
    file: str = None
    encoder: str = "x264"
    screen: bool = False
    reference: bool = False     # find out which frames arrive intact
    folder: pathlib.Path = pathlib.Path("report")
    screens_at: list = ()       # seconds: keep what the screen shows then
    seed: int = 1
    sink: dict = dataclasses.field(default_factory=dict)
    src: dict = dataclasses.field(default_factory=dict)


def unrepaired(plan):
    off = {"retransmission": "off"}
    return dataclasses.replace(plan, sink={**plan.sink, **off, "fec": 0},
                               src={**plan.src, **off})


def screen_name(place):
    """Of what the screen shows at a moment of `screens_at`."""
    return f"screen-{place}.png"


class SessionError(Exception):
    """Its text is what the user reads."""


def build_folder():
    top = HERE.parents[1]
    return pathlib.Path(os.environ.get("TFRC_BUILD_DIR")
                        or os.environ.get("BUILD_DIR") or top / "build")


def environment(build):
    """The build's plugin, with a registry of its own beside it; with
    TFRC_WITHOUT the tests' one, in which rules can be turned off."""
    result = dict(os.environ)
    without = "TFRC_WITHOUT" in result
    folders = [str(build / ("tests/support" if without else "gst/elements")),
               result.get("GST_PLUGIN_PATH_1_0", "")]
    result["GST_PLUGIN_PATH_1_0"] = ":".join(filter(None, folders))
    if os.access(build, os.W_OK):
        result.setdefault("GST_REGISTRY_1_0", str(build / "registry.bin"))
    return result


def free_port():
    """A UDP port that nobody uses at the moment, nor is given to whoever asks
    for any."""
    while True:
        port = random.randrange(20000, 32768)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            try:
                one.bind(("", port))
            except OSError:
                continue
        return port


class Session:

    def __init__(self, plan, recording, on_tick=None):
        self.plan = plan
        self.recording = recording
        self.on_tick = on_tick
        self.events = queue.Queue()
        self.children = {}
        self.variables = environment(build_folder())
        self.relay_ports = {}
        self.interrupted = False
        self.error = None

    def run(self):
        """Raises SessionError when it could not start or an element failed;
        what was recorded until then is in the recording."""
        before = [signal.signal(number, self._interrupt)
                  for number in (signal.SIGINT, signal.SIGTERM)]
        try:
            self.run_uninterrupted()
        finally:
            for number, handler in zip((signal.SIGINT, signal.SIGTERM),
                                       before):
                signal.signal(number, handler)

    def run_uninterrupted(self):
        """The same in any thread: only interrupt() ends it early."""
        try:
            self.plan.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SessionError(
                f"cannot write into '{self.plan.folder}': {error.strerror}; "
                "--report names another folder") from error
        try:
            self._start()
            self._watch()
        finally:
            self._stop()
            self.recording.close()
        if self.error:
            raise SessionError(self.error)

    def interrupt(self):
        """From any thread."""
        self.interrupted = True

    def _interrupt(self, _number, _frame):
        self.interrupt()

    def _start(self):
        plan = self.plan
        receiver_port = free_port()
        self._start_logged_link(receiver_port)
        common = {"source": plan.source, "encoder": plan.encoder,
                  "reference": plan.reference}
        self._spawn("receiver", "receiver.py", {
            **common, "port": receiver_port, "screen": plan.screen,
            "src": plan.src, "picture": str(plan.folder / "frame.png"),
            "screens": {str(plan.folder / screen_name(place)): when
                        for place, when in enumerate(plan.screens_at)}})
        self._spawn("sender", "sender.py", {
            **common, "file": plan.file, "host": "127.0.0.1",
            "picture": str(plan.folder / "frame-sent.png"),
            "port": self.relay_ports.get("link"), "sink": plan.sink})
        self._wait_for({("receiver", "ready"), ("sender", "ready")})
        self._play("receiver")
        self._play("sender")

    def _start_logged_link(self, target_port):
        recording, folder = self.recording, self.plan.folder
        recording.link_log = folder / "link.csv"
        recording.drops_log = folder / "drops.csv"
        self._start_link("link", self.plan.link, target_port, [
            "--log", str(recording.link_log),
            "--drops", str(recording.drops_log)])
        self._wait_for({("link", "listening")})

    def _start_link(self, name, profile, target_port, options):
        """Its schedule begins with the first packet."""
        def on_line(line):
            # `listening PORT` at the start, a summary at the end.
            words = line.split()
            if words[:1] == ["listening"]:
                self.relay_ports[name] = int(words[1])
                self.events.put((name, {"event": "listening"}))

        if self.plan.seconds != FOR_EVER:
            options = ["--seconds", str(self.plan.seconds), *options]
        self.children[name] = Child(name, [
            str(build_folder() / "tests" / "support" / "tfrc-relay"),
            "--profile", str(profile), "--listen", "0",
            "--to", f"127.0.0.1:{target_port}", "--wait", "--control", "-",
            "--seed", str(self.plan.seed), *options],
            self.variables, on_line)

    def _spawn(self, name, program, spec):
        if self.error or self.interrupted:
            return
        self.children[name] = Child(
            name, ["/usr/bin/python3", str(HERE / program),
                   json.dumps(spec)], self.variables,
            lambda line: self.events.put((name, json.loads(line))))

    def _play(self, name):
        self._command(name, "play")
        self._wait_for({(name, "playing")})

    def _command(self, name, word):
        if name in self.children:
            self.children[name].command(word)

    def _wait_for(self, wanted):
        wanted = set(wanted)
        if self.error or self.interrupted:
            return
        limit = time.monotonic() + START_LIMIT_S
        while wanted:
            wanted -= {self._next_event(0.1)}
            self._check_for_dead()
            if self.error or self.interrupted:
                return
            if time.monotonic() > limit:
                names = ", ".join(sorted(name for name, _ in wanted))
                self.error = f"{names}: not ready after {START_LIMIT_S} s"

    def _watch(self):
        if self.error or self.interrupted:
            return
        recording, tick = self.recording, 0.0
        while not (self.error or self.interrupted):
            self._next_event(0.1)
            now = recording.now()
            if now >= self.plan.seconds:
                break
            if now >= tick:
                tick = now + TICK_S
                self._check_for_dead()
                self._act(now)
                if self.on_tick:
                    self.on_tick()
        recording.stop()

    def _act(self, now):
        """What is to happen while it runs."""

    def _next_event(self, timeout):
        """Takes one event in; (process, event name) or None."""
        try:
            name, event = self.events.get(timeout=timeout)
        except queue.Empty:
            return None
        self._handle(name, event)
        return name, event["event"]

    def _handle(self, name, event):
        if event["event"] == "error" and not self.error:
            # The last line of the debug text is what the element added.
            debug = event["debug"].split("\n")[-1]
            self.error = ": ".join(filter(None, [
                name, event["source"], event["text"], debug]))
        self.recording.take(name, event)

    def _check_for_dead(self):
        for name, child in self.children.items():
            if child.is_running() or self.error:
                continue
            if self._may_have_ended(name) and child.ended_well():
                continue
            text = f"{name}: {child.last_words()}"
            self._handle_all()    # an element's own words are better
            self.error = self.error or text

    def _may_have_ended(self, name):
        return name.startswith("link")      # its own --seconds are over

    def _handle_all(self):
        while not self.events.empty():
            self._handle(*self.events.get())

    def _stop(self):
        # Receivers first: what they show last was sent, not cut off.
        for kind in ("receiver", "sender"):
            for name, child in self.children.items():
                if name.startswith(kind):
                    child.stop()
        for name, child in self.children.items():
            if name.startswith("link"):
                child.stop(signal.SIGTERM)
        self._handle_all()
