# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a session: sender, link and receiver, each a process of its own, for
some seconds, and hands what they tell to a recording.  All of them end with
this process, however it ends."""

import dataclasses
import json
import os
import pathlib
import queue
import shutil
import signal
import socket
import subprocess
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
START_LIMIT_S = 30
STOP_LIMIT_S = 10
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
    return pathlib.Path(os.environ.get("BUILD_DIR")
                        or os.environ.get("TFRC_BUILD_DIR") or top / "build")


def environment(build):
    """The build's plugin, with a registry of its own beside it."""
    result = dict(os.environ)
    folders = [str(build / "gst" / "elements"),
               result.get("GST_PLUGIN_PATH_1_0", "")]
    result["GST_PLUGIN_PATH_1_0"] = ":".join(filter(None, folders))
    if os.access(build, os.W_OK):
        result.setdefault("GST_REGISTRY_1_0", str(build / "registry.bin"))
    return result


def free_ports(count):
    """UDP ports that nobody uses at the moment."""
    sockets = []
    for _ in range(count):
        sockets.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        sockets[-1].bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Child:
    """A process that dies with this one, does not hear the terminal's
    Ctrl-C, and whose output lines go to `on_line`."""

    def __init__(self, name, command, variables, on_line):
        self.name = name
        self.errors = []
        dies_with_us = ["setpriv", "--pdeathsig", "TERM", "--"]
        if shutil.which("setpriv") is None:
            dies_with_us = []
        self.process = subprocess.Popen(
            dies_with_us + command, env=variables, text=True,
            errors="replace", start_new_session=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.threads = [
            threading.Thread(target=self._read, args=arguments, daemon=True)
            for arguments in ((self.process.stdout, on_line),
                              (self.process.stderr, self.errors.append))]
        for thread in self.threads:
            thread.start()

    def _read(self, stream, on_line):
        for line in stream:
            on_line(line.rstrip("\n"))

    def command(self, word):
        try:
            self.process.stdin.write(word + "\n")
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError):
            pass

    def is_running(self):
        return self.process.poll() is None

    def stop(self, number=None):
        """Ends it; with a signal when it knows no commands."""
        if number is not None and self.is_running():
            self.process.send_signal(number)
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            self.process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for thread in self.threads:
            thread.join(STOP_LIMIT_S)


class Session:

    def __init__(self, plan, recording, on_tick=None):
        self.plan = plan
        self.recording = recording
        self.on_tick = on_tick
        self.events = queue.Queue()
        self.children = {}
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
        variables = environment(build)
        relay_port, receiver_port = free_ports(2)
        common = {"source": plan.source, "encoder": plan.encoder}
        self._spawn("receiver", {
            **common, "port": receiver_port, "screen": plan.screen,
            "src": plan.src, "picture": str(plan.folder / "frame.png")},
            variables)
        self._spawn("sender", {
            **common, "file": plan.file, "host": "127.0.0.1",
            "port": relay_port, "sink": plan.sink}, variables)
        self._wait_for({("receiver", "ready"), ("sender", "ready")})
        self.children["receiver"].command("play")
        self._wait_for({("receiver", "playing")})
        # The link's schedule begins when its process does, and the sender
        # right behind it.
        self.recording.link_log = plan.folder / "link.csv"
        self.children["link"] = Child("link", [
            str(build / "tests" / "support" / "tfrc-relay"),
            "--profile", str(plan.link), "--listen", str(relay_port),
            "--to", f"127.0.0.1:{receiver_port}",
            "--seed", str(plan.seed),
            "--log", str(self.recording.link_log)], variables,
            lambda line: self.events.put(("link", {"event": line})))
        self.children["sender"].command("play")
        self._wait_for({("sender", "playing")})

    def _spawn(self, name, spec, variables):
        self.children[name] = Child(
            name, ["/usr/bin/python3", str(HERE / (name + ".py")),
                   json.dumps(spec)], variables,
            lambda line: self.events.put((name, json.loads(line))))

    def _wait_for(self, wanted):
        wanted = set(wanted)
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
        end = time.monotonic() + self.plan.seconds
        self.recording.start()
        tick = time.monotonic()
        while not (self.error or self.interrupted):
            self._next_event(0.1)
            now = time.monotonic()
            if now >= end:
                break
            if now >= tick:
                tick = now + TICK_S
                self._look_for_dead()
                if self.on_tick:
                    self.on_tick()
        self.recording.stop()

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
            source = event["source"]
            self.error = ": ".join(filter(None, [
                name, source, event["text"], event["debug"]]))
        self.recording.take(name, event)

    def _look_for_dead(self):
        for name, child in self.children.items():
            if not child.is_running() and not self.error:
                said = [line for line in child.errors if line.strip()]
                self.error = f"{name}: " + (
                    said[-1] if said
                    else f"ended with code {child.process.returncode}")

    def _stop(self):
        # The receiver first: what it shows last was sent, not cut off.
        for name in ("receiver", "sender"):
            if name in self.children:
                self.children[name].stop()
        if "link" in self.children:
            self.children["link"].stop(signal.SIGTERM)
        while not self.events.empty():
            self._take(*self.events.get())
