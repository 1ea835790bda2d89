# SPDX-License-Identifier: LGPL-2.1-or-later
"""Network namespaces of a test, and processes inside them.

Names are tfrc-OWNER-START-NUMBER-NAME: the process that made the namespace,
when it started, which of its networks it is, and what it is called there.
So nobody takes another run's, and what a crashed run left is known by its
owner being gone.  Nothing else on the machine is looked at or changed."""

import itertools
import os
import pathlib
import re
import shutil
import signal
import subprocess

FOLDER = pathlib.Path("/run/netns")
NAME = re.compile(r"tfrc-(\d+)-(\d+)-[a-z0-9-]+")
TUN = pathlib.Path("/dev/net/tun")
TOOLS = ("ip", "nsenter", "setpriv")
_numbers = itertools.count(1)


class NamespaceError(Exception):
    """Its text is what the user reads."""


def why_not():
    """What is missing here to make namespaces, or None."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        return f"not installed: {', '.join(missing)}"
    if not TUN.exists():
        return f"this machine has no {TUN}"
    try:
        with Namespaces() as probe:
            name = probe.add("probe")
            ip("-n", name, "tuntap", "add", "dev", "net0", "mode", "tun")
    except NamespaceError as error:
        return str(error)
    return None


def ip(*arguments):
    """iproute2; NamespaceError when it fails."""
    done = subprocess.run(
        ["ip", *map(str, arguments)], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise NamespaceError(
            f"ip {' '.join(map(str, arguments))}: {done.stderr.strip()}")
    return done.stdout


class Namespaces:
    """Removes on exit all that it made, with the processes in them."""

    def __init__(self):
        remove_stale()
        own = os.getpid()
        self.prefix = f"tfrc-{own}-{_started(own)}-{next(_numbers)}-"
        self.names = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()

    def add(self, name):
        """Makes one, with its loopback device up; returns the whole name."""
        whole = self.prefix + name
        ip("netns", "add", whole)
        self.names.append(whole)
        ip("-n", whole, "link", "set", "lo", "up")
        return whole

    def remove(self):
        while self.names:
            _remove(self.names.pop())


def command_in(name, command):
    """The command line that runs a command in a namespace, and ends with
    the process that starts it, however that one ends."""
    return ["setpriv", "--pdeathsig", "KILL", "--", "nsenter",
            f"--net={FOLDER / name}", "--", *map(str, command)]


def run_in(name, *command):
    """Runs it to its end and returns what it printed."""
    done = subprocess.run(
        command_in(name, command), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise NamespaceError(f"{' '.join(map(str, command))}: "
                             f"{(done.stderr or done.stdout).strip()}")
    return done.stdout


def stale():
    """The namespaces of owners that are gone."""
    found = []
    for path in FOLDER.glob("tfrc-*") if FOLDER.exists() else []:
        match = NAME.fullmatch(path.name)
        if match and _started(int(match[1])) != match[2]:
            found.append(path.name)
    return found


def remove_stale():
    for name in stale():
        _remove(name)


def _remove(name):
    """A process that was left inside is one of a test: it goes as well."""
    pids = subprocess.run(
        ["ip", "netns", "pids", name], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    for pid in pids.split():
        try:
            os.kill(int(pid), signal.SIGKILL)
        except ProcessLookupError:
            pass
    # Somebody who cleans up at the same time may have been faster.
    subprocess.run(["ip", "netns", "delete", name], stdin=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def _started(pid):
    """Clock ticks since the machine's start, as text; None: no such one."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    # The name in front may hold spaces and brackets.
    return text.rpartition(")")[2].split()[19]
