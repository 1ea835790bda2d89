# SPDX-License-Identifier: LGPL-2.1-or-later
"""One end of a session: a process with one pipeline, told on stdin what to
do ("play", "stop") and telling on stdout what happens, one JSON object a
line, each with "event" and "t" (ns of the monotonic clock, which is also
GStreamer's system clock).  End of stdin is "stop": nobody is left behind
when the parent dies."""

import json
import os
import pathlib
import resource
import signal
import sys
import threading
import time

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import GLib, Gst, GstVideo  # noqa: E402

Gst.init(None)

STATS_INTERVAL_MS = 100
_out_lock = threading.Lock()


def tell(event, **fields):
    line = json.dumps({"event": event, "t": time.monotonic_ns(), **fields})
    with _out_lock:
        try:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
        except BrokenPipeError:
            # The parent is gone, and so is the reason to run.
            os._exit(1)


def structure_fields(structure):
    """The numbers and strings of a GstStructure."""
    fields = {}
    for i in range(structure.n_fields()):
        name = structure.nth_field_name(i)
        value = structure.get_value(name)
        if isinstance(value, (bool, int, float, str)):
            fields[name] = value
    return fields


def cpu_s():
    """What this process has used."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


class Endpoint:
    """Runs `description`, a launch line or a bin that somebody else runs;
    subclasses add probes in `prepare`.  What happens goes to `tell`."""

    def __init__(self, description, tell=tell):
        self.tell = tell
        self.last = None        # (buffer, caps) of the newest raw frame
        self.loop = GLib.MainLoop()
        self.code = 0
        self.stopping = False
        if isinstance(description, Gst.Bin):
            self.pipeline = description
            return
        try:
            self.pipeline = Gst.parse_launch(description)
        except GLib.Error as error:
            self.pipeline = None
            self.fail(error.message, description)
            return
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message", self.on_message)

    def element(self, name):
        return self.pipeline.get_by_name(name)

    def prepare(self):
        """Before anything runs."""

    def played(self):
        """After PLAYING was asked for."""

    def finish(self):
        """Before the pipeline goes to NULL."""

    def run(self):
        if self.pipeline is None:
            return 1
        for number in (signal.SIGINT, signal.SIGTERM):
            GLib.unix_signal_add(GLib.PRIORITY_HIGH, number, self.stop)
        self.prepare()
        if not self.stopping:
            threading.Thread(target=self.read_commands, daemon=True).start()
            self.tell("ready")
            self.loop.run()
        self.stopping = True
        self.finish()
        self.pipeline.set_state(Gst.State.NULL)
        self.tell("end", cpu_s=cpu_s())
        return self.code

    def commands(self):
        """{word: what is done, in the main loop}."""
        return {"play": self.play, "stop": self.stop}

    def read_commands(self):
        commands = self.commands()
        for line in sys.stdin:
            if line.strip() in commands:
                GLib.idle_add(commands[line.strip()])
        GLib.idle_add(self.stop)

    def play(self):
        # A failure posts its own, better message.  Both ends are live: they
        # are in PLAYING, with a base time, when this returns.
        self.pipeline.set_state(Gst.State.PLAYING)
        self.played()
        self.tell("playing", base_ns=self.pipeline.get_base_time())
        return GLib.SOURCE_REMOVE

    def stop(self):
        self.stopping = True
        self.loop.quit()
        return GLib.SOURCE_REMOVE

    def write_picture(self, path, frame):
        """A raw frame (buffer, caps) as PNG, if there is one, where a path is
        told."""
        if frame is None or not path:
            return
        sample = Gst.Sample.new(*frame, None, None)
        try:
            picture = GstVideo.video_convert_sample(
                sample, Gst.Caps.from_string("image/png"), 5 * Gst.SECOND)
        except GLib.Error as error:
            self.tell("warning", text=error.message, debug="", source=path)
            return
        data = picture.get_buffer()
        pathlib.Path(path).write_bytes(data.extract_dup(0, data.get_size()))

    def fail(self, text, debug, source=""):
        self.tell("error", text=text, debug=debug or "", source=source)
        self.code = 1
        self.stop()

    def on_message(self, _bus, message):
        if message.type == Gst.MessageType.ERROR:
            error, debug = message.parse_error()
            if not self.stopping:
                self.fail(error.message, debug,
                          message.src.get_path_string())
        elif message.type == Gst.MessageType.WARNING:
            error, debug = message.parse_warning()
            self.tell("warning", text=error.message, debug=debug or "",
                      source=message.src.get_path_string())
        elif message.type == Gst.MessageType.EOS:
            self.stop()
        elif message.type == Gst.MessageType.LATENCY:
            self.pipeline.recalculate_latency()
        elif message.type == Gst.MessageType.ELEMENT:
            structure = message.get_structure()
            name = structure.get_name() if structure else ""
            if name == "tfrc-stats":
                self.tell("stats", source=message.src.get_name(),
                          fields=structure_fields(structure))
            elif name.startswith(("tf", "rtp-circuit-breaker")):
                self.tell("message", name=name,
                          fields=structure_fields(structure))


def capsule(value):
    """A property value of a launch line, quoted."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def launch_properties(properties):
    return " ".join(f"{name}={capsule(value)}"
                    for name, value in sorted(properties.items()))
