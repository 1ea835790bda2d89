# SPDX-License-Identifier: LGPL-2.1-or-later
"""Hosts in namespaces of their own, joined by the emulator, each behind a
link of its own.

    with Network(folder) as network:
        network.add_host("sender")
        network.add_host("receiver", rate_kbit_s=2000, delay_ms=25)
        network.start(seed=1)
        network.spawn("sender", [...], on_line)

A link's keys are those of link profiles: `rate_kbit_s` is towards the host,
`back_rate_kbit_s` away from it.  Two hosts with links of 25 ms both are 100 ms
apart and back; usually only one of them has a link."""

import csv
import json
import os
import pathlib
import signal
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "examples"))
sys.path.insert(0, str(HERE.parents[1] / "support"))

from live.child import Child  # noqa: E402
from live.session import build_folder, environment  # noqa: E402

from namespaces import (  # noqa: E402
    NamespaceError, Namespaces, command_in, ip, run_in)
from waiting import wait_until  # noqa: E402

DEVICE = "net0"
# Longer than any stall of the emulator that a run may still count with.
DEVICE_QUEUE = 2000
START_LIMIT_S = 10


def run_before_others(pid):
    """Real time for what has little to do and must not be late, where that is
    allowed."""
    try:
        os.sched_setscheduler(pid, os.SCHED_RR, os.sched_param(1))
    except PermissionError:
        pass


def emulator_program():
    return build_folder() / "tests/evaluation/net" / "linkemu"


class Host:
    def __init__(self, number, name, namespace, link, schedule):
        self.number = number
        self.name = name
        self.namespace = namespace
        self.link = link
        self.schedule = schedule
        self.ipv4 = f"10.77.{number}.2"
        self.ipv6 = f"fd77:{number:x}::2"

    @property
    def routes(self):
        return [f"10.77.{self.number}.0/24", f"fd77:{self.number:x}::/64"]

    def profile(self):
        lines = [f"# link of {self.name}"]
        lines += [f"{key} {value}" for key, value in self.link.items()]
        return "\n".join(lines + self.schedule) + "\n"


class Network:

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.namespaces = Namespaces()
        self.hosts = {}
        self.children = []
        self.emulator = None
        self.emulator_lines = []
        self.summary = None
        # A row for each packet that comes to a queue: 3 MB in a minute of
        # 10 Mbit/s.
        self.logs_packets = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def add_host(self, name, schedule=(), **link):
        """`schedule`: lines as `at 40% rate_kbit_s 500`."""
        number = len(self.hosts) + 1
        host = Host(number, name, self.namespaces.add(name), link,
                    list(schedule))
        self.hosts[name] = host
        there = ("-n", host.namespace)
        ip(*there, "tuntap", "add", "dev", DEVICE, "mode", "tun")
        ip(*there, "addr", "add", host.ipv4 + "/24", "dev", DEVICE)
        ip(*there, "addr", "add", host.ipv6 + "/64", "dev", DEVICE, "nodad")
        ip(*there, "link", "set", DEVICE, "txqueuelen", DEVICE_QUEUE, "up")
        for family, group in (("-4", "224.0.0.0/4"), ("-6", "ff00::/8")):
            ip(*there, family, "route", "add", "default", "dev", DEVICE)
            # Of routes that are alike but for where they lead Linux (6.18)
            # takes one for the other: TCP behind a group is unreachable.
            ip(*there, family, "route", "add", group, "dev", DEVICE,
               "metric", "1")
        return host

    def start(self, seconds=0, seed=1):
        """The links come up; schedules begin."""
        self.folder.mkdir(parents=True, exist_ok=True)
        command = [str(emulator_program()), "--seed", str(seed),
                   "--seconds", str(seconds), "--log", str(self.log),
                   "--flows", str(self.flow_log), "--control", "-"]
        if self.logs_packets:
            command += ["--packets", str(self.packet_log)]
        for host in self.hosts.values():
            profile = self.folder / f"{host.name}.link"
            profile.write_text(host.profile())
            command += ["--port", host.name, "--namespace", host.namespace,
                        "--device", DEVICE, "--profile", str(profile)]
            for route in host.routes:
                command += ["--route", route]
        self.emulator = Child("linkemu", command, environment(build_folder()),
                              self.emulator_lines.append)
        run_before_others(self.emulator.process.pid)
        wait_until(lambda: self.emulator_lines or not
                   self.emulator.is_running(), START_LIMIT_S)
        if self.emulator_lines[:1] != ["ready"]:
            raise NamespaceError(f"linkemu: {self.emulator.last_words()}")

    @property
    def log(self):
        return self.folder / "links.csv"

    @property
    def flow_log(self):
        return self.folder / "flows.csv"

    @property
    def packet_log(self):
        return self.folder / "packets.csv"

    def change(self, name, key, value):
        """A link, live."""
        self.emulator.command(f"{name} {key} {value}")

    def run(self, name, *command):
        return run_in(self.hosts[name].namespace, *command)

    def spawn(self, name, command, on_line, label=None):
        child = Child(label or name,
                      command_in(self.hosts[name].namespace, command),
                      environment(build_folder()), on_line)
        self.children.append(child)
        return child

    def close(self):
        """Ends all processes, keeps the emulator's summary, and removes the
        namespaces, whatever fails on the way."""
        try:
            for child in self.children:
                child.stop(signal.SIGTERM)
            if self.emulator:
                self.emulator.stop(signal.SIGTERM)
                if self.emulator_lines[1:]:
                    self.summary = json.loads(self.emulator_lines[-1])
        finally:
            self.namespaces.remove()


class LinkLog:
    """The emulator's log, as columns for each port and direction."""

    def __init__(self, path):
        self.origin_ns = 0
        self.columns = {}
        with open(path, encoding="ascii") as file:
            self.origin_ns = int(file.readline().partition("=")[2])
            for row in csv.DictReader(file):
                key = row.pop("port"), row.pop("direction")
                columns = self.columns.setdefault(
                    key, {name: [] for name in row})
                for name, value in row.items():
                    columns[name].append(float(value))

    def column(self, port, direction, name):
        return self.columns[port, direction][name]

    def times(self):
        return next(iter(self.columns.values()))["time_s"]

    def lateness_ms(self):
        """Of each instant that was logged."""
        return next(iter(self.columns.values()))["lateness_ms"]
