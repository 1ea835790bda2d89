#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Watches the flows of a program that uses the elements, without a change of it:

    examples/monitor.py [--csv FILE] -- gst-launch-1.0 ...

runs the command, and shows its flows in the terminal, one line each, with a chart
of the rate.  A program that runs anyway is started with what

    examples/monitor.py --socket PATH

says, which waits for it.  Needs the plugin in GST_PLUGIN_PATH."""

import argparse
import collections
import contextlib
import csv
import dataclasses
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

BARS = " ▁▂▃▄▅▆▇█"
CHART_WIDTH = 30
NAME_WIDTH = 16
CELL_WIDTH = 10
MAX_LINE = 65536
# Without a sample for so many intervals an element is gone.
GONE_AFTER = 4


@dataclasses.dataclass
class Column:
    title: str
    unit: str
    show: object        # of (newest sample, the one before or None)


def number(field, factor):
    """A field of the statistics; None where it says nothing."""
    def show(stats, before):
        value = stats.get(field)
        if value is None or value == float("inf"):
            return None
        return value * factor
    return show


def queue(stats, before):
    """Queueing delay [ms]; only where the delay control measures it."""
    return stats["queue-delay-ns"] / 1e6 if stats.get("queue-target-ns") \
        else None


def rate(field):
    """What a counter of bytes grew by [kbit/s]."""
    def show(stats, before):
        if before is None or field not in stats:
            return None
        took_ns = stats["time-ns"] - before["time-ns"]
        grew = stats[field] - before[field]
        return grew * 8e6 / took_ns if took_ns > 0 and grew >= 0 else None
    return show


COLUMNS = [
    Column("allowed", "kbit/s", number("allowed-rate", 8e-3)),
    Column("carried", "kbit/s", rate("bytes")),
    Column("encoder", "kbit/s", number("encoder-target-bitrate", 1e-3)),
    Column("loss", "%", number("loss-event-rate", 100)),
    Column("RTT", "ms", number("rtt-ns", 1e-6)),
    Column("queue", "ms", queue),
    Column("pacer", "ms", number("pacer-delay-ns", 1e-6)),
    Column("lost", "packets", number("packets-lost", 1)),
]


class Flow:
    """An element, by its newest samples."""

    def __init__(self):
        self.stats = None
        self.before = None
        self.came_at = 0.0
        self.rates = collections.deque(maxlen=CHART_WIDTH)

    def on_sample(self, stats):
        restarted = self.stats and stats["time-ns"] < self.stats["time-ns"]
        self.before, self.stats = None if restarted else self.stats, stats
        self.came_at = time.monotonic()
        self.rates.append(rate("bytes")(stats, self.before) or 0.0)

    def values(self):
        return [column.show(self.stats, self.before) for column in COLUMNS]

    def chart(self):
        most = max(self.rates) or 1.0
        return "".join(BARS[round(each / most * (len(BARS) - 1))]
                       for each in self.rates).rjust(CHART_WIDTH)


class Table:
    """A CSV file that somebody may read while it grows."""

    def __init__(self, path):
        self.path = path
        self.file = open(path, "w", newline="", encoding="utf-8")
        self.writer = csv.writer(self.file)
        self.failed = False

    def add(self, row):
        if self.failed:
            return
        try:
            self.writer.writerow(row)
            self.file.flush()
        except OSError as error:
            self.failed = True
            complain(f"{self.path}: {error.strerror}; it ends here")

    def close(self):
        with contextlib.suppress(OSError):      # told by the write
            self.file.close()


class Monitor:
    def __init__(self, table, interval_s):
        self.flows = {}
        self.table = table      # or None
        self.interval_s = interval_s
        self.on_terminal = sys.stdout.isatty()
        self.unreadable = 0
        if table:
            table.add(["seconds", "element"] + [
                f"{column.title} [{column.unit}]" for column in COLUMNS])

    def on_line(self, line):
        stats = Gst.Structure.from_string(line)[0]
        if stats is None or not stats.has_field("element"):
            self.unreadable += 1
            return
        values = {stats.nth_field_name(i): stats.get_value(
            stats.nth_field_name(i)) for i in range(stats.n_fields())}
        flow = self.flows.setdefault(values["element"], Flow())
        flow.on_sample(values)
        if self.table:
            self.table.add(
                [f"{values['time-ns'] / 1e9:.3f}", values["element"]]
                + ["" if value is None else f"{value:.3f}"
                   for value in flow.values()])
        if not self.on_terminal:
            print(self.line_of(values["element"], flow), flush=True)

    def show(self):
        """The whole table, in place of the last one."""
        if not self.on_terminal:
            return
        limit = time.monotonic() - GONE_AFTER * self.interval_s
        for name in [name for name, flow in self.flows.items()
                     if flow.came_at < limit]:
            del self.flows[name]
        width = shutil.get_terminal_size().columns
        lines = [self.heading()] + [
            self.line_of(name, flow) for name, flow in self.flows.items()]
        print("\033[H\033[J" + "\n".join(line[:width] for line in lines),
              flush=True)

    @staticmethod
    def heading():
        return "\n".join(
            f"{'':{NAME_WIDTH}s}" + "".join(
                f"{text:>{CELL_WIDTH}s}" for text in texts)
            for texts in zip(*[(column.title, column.unit)
                               for column in COLUMNS]))

    @staticmethod
    def line_of(name, flow):
        cells = "".join(
            " " * CELL_WIDTH if value is None else f"{value:{CELL_WIDTH}.1f}"
            for value in flow.values())
        own = name.rsplit("/", 1)[-1].rsplit(":", 1)[-1]
        return f"{own[-NAME_WIDTH:]:{NAME_WIDTH}s}{cells}  {flow.chart()}"


def complain(text):
    print(f"monitor.py: {text}", file=sys.stderr)


def run(monitor, listener, process, seconds):
    """Until the process, if there is one, ends, or the time; its exit code."""
    end = time.monotonic() + seconds if seconds else float("inf")
    listener.settimeout(monitor.interval_s / 2)
    try:
        while time.monotonic() < end and not (
                process and process.poll() is not None):
            with contextlib.suppress(socket.timeout):
                monitor.on_line(listener.recv(MAX_LINE).decode())
            monitor.show()
    except KeyboardInterrupt:
        pass
    if process is None:
        return 0
    ended_by_itself = process.poll() is not None
    process.terminate()
    code = process.wait()
    return code if ended_by_itself else 0


class Parser(argparse.ArgumentParser):

    def error(self, message):
        self.exit(2, f"monitor.py: {message} (see --help)\n")


def parse(arguments):
    parser = Parser(
        description="Shows the flows of a program that uses the elements.")
    parser.add_argument("--interval", type=int, default=1000, metavar="MS",
                        help="time between two samples (%(default)s)")
    parser.add_argument("--csv", metavar="FILE",
                        help="write what is shown to this file, too")
    parser.add_argument("--seconds", type=float, default=0.0,
                        help="end after this time (0: not)")
    parser.add_argument("--socket", metavar="PATH",
                        help="listen at this path instead of a temporary one")
    parser.add_argument("command", nargs="*",
                        help="what to run, after --")
    options = parser.parse_args(arguments)
    if not options.command and not options.socket:
        parser.error("say what to run after --, or where to listen with "
                     "--socket PATH")
    if options.interval < 10:
        parser.error(f"--interval {options.interval}: at least 10 ms")
    if options.socket and os.path.exists(options.socket):
        parser.error(f"--socket: {options.socket} is there already; remove it, "
                     "or choose another name")
    if options.command and not shutil.which(options.command[0]):
        parser.error(f"there is no program '{options.command[0]}'")
    return options


def main(arguments):
    options = parse(arguments)
    Gst.init(None)
    with contextlib.ExitStack() as stack:
        path = options.socket or os.path.join(
            stack.enter_context(tempfile.TemporaryDirectory()), "tfrc")
        listener = stack.enter_context(
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        tracer = f"tfrc(interval={options.interval},socket={path})"
        others = os.environ.get("GST_TRACERS")
        table = process = None
        try:
            listener.bind(path)
            stack.callback(os.unlink, path)
            if options.csv:
                table = Table(options.csv)
                stack.callback(table.close)
            if options.command:
                process = subprocess.Popen(options.command, env=dict(
                    os.environ, GST_TRACERS=f"{others};{tracer}" if others
                    else tracer))
        except OSError as error:
            complain(f"{error.filename or path}: {error.strerror or error}; "
                     "name a path that can be written, and a program that "
                     "runs")
            return 1
        if not process:
            print(f"waiting for a program with GST_TRACERS='{tracer}'",
                  flush=True)
        monitor = Monitor(table, options.interval / 1000)
        code = run(monitor, listener, process, options.seconds)
        if not monitor.flows:
            complain("no sample came: does GST_PLUGIN_PATH lead to the "
                     "plugin, and is one of its elements in PLAYING?")
            return code or 1
        return code or int(table is not None and table.failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
