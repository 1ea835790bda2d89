# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a session: sender, link and receiver, each a process of its own, for
some seconds, and hands what they tell to a recording.  All of them end with
this process, however it ends."""

import dataclasses
import json
import os
import pathlib
import queue
import signal
import socket
import time

from .child import Child

HERE = pathlib.Path(__file__).resolve().parent
START_LIMIT_S = 30
TICK_S = 0.2


@dataclasses.dataclass
class Plan:
    """What to run."""
    seconds: float
    link: pathlib.Path
    source: str = "scene"       # or "file", "greedy"
    file: str = None
    encoder: str = "x264"
    screen: bool = False
    folder: pathlib.Path = pathlib.Path("report")
    seed: int = 1
    sink: dict = dataclasses.field(default_factory=dict)
    src: dict = dataclasses.field(default_factory=dict)


class SessionError(Exception):
    """Its text is what the user reads."""


def build_folder():
    top = HERE.parents[1]
    return pathlib.Path(os.environ.get("TFRC_BUILD_DIR")
                        or os.environ.get("BUILD_DIR") or top / "build")


def environment(build):
    """The build's plugin, with a registry of its own beside it."""
    result = dict(os.environ)
    folders = [str(build / "gst" / "elements"),
               result.get("GST_PLUGIN_PATH_1_0", "")]
    result["GST_PLUGIN_PATH_1_0"] = ":".join(filter(None, folders))
    if os.access(build, os.W_OK):
        result.setdefault("GST_REGISTRY_1_0", str(build / "registry.bin"))
    return result


def free_port():
    """A UDP port that nobody uses at the moment."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Session:

    def __init__(self, plan, recording, on_tick=None):
        self.plan = plan
        self.recording = recording
        self.on_tick = on_tick
        self.events = queue.Queue()
        self.children = {}
        self.variables = {}
        self.relay_port = None
        self.interrupted = False
        self.error = None

    def run(self):
        """Raises SessionError when it could not start or an element failed;
        what was recorded until then is in the recording."""
        self.plan.folder.mkdir(parents=True, exist_ok=True)
        before = [signal.signal(number, self._interrupt)
                  for number in (signal.SIGINT, signal.SIGTERM)]
        try:
            self._start()
            self._watch()
        finally:
            self._stop()
            self.recording.close()
            for number, handler in zip((signal.SIGINT, signal.SIGTERM),
                                       before):
                signal.signal(number, handler)
        if self.error:
            raise SessionError(self.error)

    def _interrupt(self, _number, _frame):
        self.interrupted = True

    def _start(self):
        plan, build = self.plan, build_folder()
        self.variables = environment(build)
        receiver_port = free_port()
        self.recording.link_log = plan.folder / "link.csv"
        self.recording.drops_log = plan.folder / "drops.csv"
        # The schedule of the link begins with the first packet.
        self.children["link"] = Child("link", [
            str(build / "tests" / "support" / "tfrc-relay"),
            "--profile", str(plan.link), "--listen", "0",
            "--to", f"127.0.0.1:{receiver_port}",
            "--seconds", str(plan.seconds), "--wait",
            "--seed", str(plan.seed),
            "--log", str(self.recording.link_log),
            "--drops", str(self.recording.drops_log)],
            self.variables, self._on_link_line)
        self._wait_for({("link", "listening")})
        common = {"source": plan.source, "encoder": plan.encoder}
        self._spawn("receiver", {
            **common, "port": receiver_port, "screen": plan.screen,
            "src": plan.src, "picture": str(plan.folder / "frame.png")})
        self._spawn("sender", {
            **common, "file": plan.file, "host": "127.0.0.1",
            "port": self.relay_port, "sink": plan.sink})
        self._wait_for({("receiver", "ready"), ("sender", "ready")})
        self._command("receiver", "play")
        self._wait_for({("receiver", "playing")})
        self._command("sender", "play")
        self._wait_for({("sender", "playing")})

    def _on_link_line(self, line):
        """`listening PORT` at the start, a summary at the end."""
        words = line.split()
        if words[:1] == ["listening"]:
            self.relay_port = int(words[1])
            self.events.put(("link", {"event": "listening"}))

    def _spawn(self, name, spec):
        if self.error or self.interrupted:
            return
        self.children[name] = Child(
            name, ["/usr/bin/python3", str(HERE / (name + ".py")),
                   json.dumps(spec)], self.variables,
            lambda line: self.events.put((name, json.loads(line))))

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
            self._look_for_dead()
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
                self._look_for_dead()
                if self.on_tick:
                    self.on_tick()
        recording.stop()

    def _next_event(self, timeout):
        """Takes one event in; (process, event name) or None."""
        try:
            name, event = self.events.get(timeout=timeout)
        except queue.Empty:
            return None
        self._take(name, event)
        return name, event["event"]

    def _take(self, name, event):
        if event["event"] == "error" and not self.error:
            # The last line of the debug text is what the element added.
            debug = event["debug"].split("\n")[-1]
            self.error = ": ".join(filter(None, [
                name, event["source"], event["text"], debug]))
        self.recording.take(name, event)

    def _look_for_dead(self):
        for name, child in self.children.items():
            if child.is_running() or self.error:
                continue
            if name == "link" and child.process.returncode == 0:
                continue        # its own --seconds are over
            text = f"{name}: {child.last_words()}"
            self._take_all()    # an element's own words are better
            self.error = self.error or text

    def _take_all(self):
        while not self.events.empty():
            self._take(*self.events.get())

    def _stop(self):
        # The receiver first: what it shows last was sent, not cut off.
        for name in ("receiver", "sender"):
            if name in self.children:
                self.children[name].stop()
        if "link" in self.children:
            self.children["link"].stop(signal.SIGTERM)
        self._take_all()
