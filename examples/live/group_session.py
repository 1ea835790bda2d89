# SPDX-License-Identifier: LGPL-2.1-or-later
"""A session with a group: one sender, and receivers behind links of their
own, of which the last one joins later and leaves again.

A link joins the multicast group, as a router does for the network behind it,
and serves one receiver; reports go back through the link.  With a ladder there
are two groups, each with a sender of the same pictures, and two links of a
kind for each receiver."""

import dataclasses
import pathlib
import random

from .session import Session, free_port

LINKS = pathlib.Path(__file__).resolve().parents[2] / "data" / "links"
# When the guest joins and leaves, as parts of the run.
JOINS_AT, LEAVES_AT = 0.5, 0.75

# Less than the longest: few receivers may all report in the first round, and a larger
# one means a slower start.
MAX_RTT_MS = 100
# What is less is not worth it, and what is more than that is made by nobody.
FAST = {"min-bitrate": 600000, "max-bitrate": 3000000}
SLOW = {"min-bitrate": 150000, "max-bitrate": 250000}


@dataclasses.dataclass
class Member:
    """A receiver and the link before it."""
    name: str
    link: pathlib.Path
    guest: bool = False     # joins later and leaves

    @property
    def process(self):
        return "receiver-" + self.name


def standard_members():
    return [Member("far", LINKS / "group-far.link"),
            Member("fast", LINKS / "group-fast.link"),
            Member("lossy", LINKS / "group-lossy.link"),
            Member("guest", LINKS / "group-narrow.link", guest=True)]


@dataclasses.dataclass
class GroupPlan:
    """What to run."""
    seconds: float
    members: list = dataclasses.field(default_factory=standard_members)
    encoder: str = "x264"
    screen: bool = False        # of the fast receiver
    reference: bool = False     # find out which frames arrive intact
    folder: pathlib.Path = pathlib.Path("report")
    seed: int = 1
    sink: dict = dataclasses.field(default_factory=dict)
    src: dict = dataclasses.field(default_factory=dict)

    @property
    def joins_at(self):
        return JOINS_AT * self.seconds

    @property
    def leaves_at(self):
        return LEAVES_AT * self.seconds


def group_address():
    """Of the block that organisations use as they like (RFC 2365)."""
    return "239.255.%d.%d" % (random.randrange(256), random.randrange(1, 255))


class GroupSession(Session):

    def _start(self):
        self.group, self.port = group_address(), free_port()
        self.receiver_ports = {}
        self.ready = set()
        there = [one for one in self.plan.members if not one.guest]
        for member in self.plan.members:
            self._choose_ports(member)
        for member in there:
            self._start_member_link(member)
        self._wait_for({("link-" + member.name, "listening")
                        for member in there})
        senders = self._senders()
        for name, where in senders.items():
            self._spawn_sender(name, *where)
        for member in there:
            self._spawn_receiver(member)
        self._wait_for({(member.process, "ready") for member in there}
                       | {(name, "ready") for name in senders})
        for member in there:
            self._play(member.process)
        for name in senders:
            self._play(name)

    def _senders(self):
        """{process: group, port, properties of tfrcsink, picture}"""
        return {"sender": (self.group, self.port, self.plan.sink,
                           str(self.plan.folder / "frame-sent.png"))}

    def _spawn_sender(self, name, group, port, sink, picture):
        self._spawn(name, "sender.py", {
            "source": "scene", "encoder": self.plan.encoder,
            "reference": self.plan.reference, "host": group, "port": port,
            "picture": picture,
            "sink": {"multicast-iface": "lo",
                     "rtptfrcsend::initial-max-rtt": MAX_RTT_MS, **sink}})

    def _choose_ports(self, member):
        self.receiver_ports[member.name] = free_port()

    def _start_member_link(self, member):
        """Each has random losses of its own."""
        log = self.plan.folder / f"link-{member.name}.csv"
        self.recording.link_logs[member.name] = log
        place = self.plan.members.index(member)
        self._start_link(
            "link-" + member.name, member.link,
            self.receiver_ports[member.name],
            ["--bind", self.group, "--listen", str(self.port),
             "--seed", str(1000 * place + self.plan.seed),
             "--log", str(log)])

    def _spawn_receiver(self, member):
        self._spawn(member.process, "receiver.py", {
            "source": "scene", "encoder": self.plan.encoder,
            "reference": self.plan.reference,
            "port": self.receiver_ports[member.name],
            **self._rungs(member),
            "screen": self.plan.screen and member.name == "fast",
            "picture": str(self.plan.folder / f"frame-{member.name}.png"),
            "src": {"mode": "tfmcc", **self.plan.src}})

    def _rungs(self, _member):
        return {}

    def _act(self, now):
        for member in self.plan.members:
            if not member.guest:
                continue
            if member.process not in self.children:
                if now >= self.plan.joins_at:
                    self._spawn_receiver(member)
            elif member.name not in self.recording.joined:
                # No packet waits in its link before it listens.
                if member.process in self.ready:
                    self._start_member_link(member)
                    self._command(member.process, "play")
                    self.recording.joined[member.name] = now
            elif now >= self.plan.leaves_at \
                    and member.name not in self.recording.left:
                self._command(member.process, "stop")
                self.recording.left[member.name] = now

    def _handle(self, name, event):
        if event["event"] == "ready":
            self.ready.add(name)
        super()._handle(name, event)

    def _may_have_ended(self, name):
        return super()._may_have_ended(name) \
            or name.removeprefix("receiver-") in self.recording.left


class LadderSession(GroupSession):

    def _start(self):
        self.slow_group, self.slow_port = group_address(), free_port()
        self.slow_ports = {}
        super()._start()

    def _senders(self):
        return {**super()._senders(),
                "sender-slow": (self.slow_group, self.slow_port, SLOW, None)}

    def _choose_ports(self, member):
        super()._choose_ports(member)
        self.slow_ports[member.name] = free_port()

    def _start_member_link(self, member):
        super()._start_member_link(member)
        place = self.plan.members.index(member)
        log = self.plan.folder / f"link-slow-{member.name}.csv"
        self.recording.slow_link_logs[member.name] = log
        self._start_link(
            "link-slow-" + member.name, member.link,
            self.slow_ports[member.name],
            ["--bind", self.slow_group, "--listen", str(self.slow_port),
             "--seed", str(1000 * place + self.plan.seed),
             "--log", str(log)])

    def _rungs(self, member):
        return {"rungs": [self.receiver_ports[member.name],
                          self.slow_ports[member.name]]}
