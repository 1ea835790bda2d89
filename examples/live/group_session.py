# SPDX-License-Identifier: LGPL-2.1-or-later
"""A session with a group: one sender, and receivers behind links of their
own, of which the last one joins later and leaves again.

A link joins the multicast group, as a router does for the network behind it,
and serves one receiver; reports go back through the link."""

import dataclasses
import pathlib
import random

from .session import Session, free_port

LINKS = pathlib.Path(__file__).resolve().parents[2] / "data" / "links"
# When the guest joins and leaves, as parts of the run.
JOINS_AT, LEAVES_AT = 0.5, 0.75

# All that the links can make of it; a larger one means a slower start.
MAX_RTT_MS = 350


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
        for place, member in enumerate(self.plan.members):
            self._start_member_link(place, member)
        self._wait_for({("link-" + member.name, "listening")
                        for member in self.plan.members})
        self._spawn("sender", "sender.py", {
            "source": "scene", "encoder": self.plan.encoder,
            "reference": self.plan.reference,
            "host": self.group, "port": self.port,
            "picture": str(self.plan.folder / "frame-sent.png"),
            "sink": {"multicast-iface": "lo",
                     "rtptfrcsend::initial-max-rtt": MAX_RTT_MS,
                     **self.plan.sink}})
        there = [one for one in self.plan.members if not one.guest]
        for member in there:
            self._spawn_receiver(member)
        self._wait_for({(member.process, "ready") for member in there}
                       | {("sender", "ready")})
        for member in there:
            self._play(member.process)
        self._play("sender")

    def _start_member_link(self, place, member):
        """Each has random losses of its own."""
        log = self.plan.folder / f"link-{member.name}.csv"
        self.recording.link_logs[member.name] = log
        self.receiver_ports[member.name] = free_port()
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
            "screen": self.plan.screen and member.name == "fast",
            "picture": str(self.plan.folder / f"frame-{member.name}.png"),
            "src": {"mode": "tfmcc", **self.plan.src}})

    def _act(self, now):
        for member in self.plan.members:
            if not member.guest:
                continue
            if member.process not in self.children:
                if now >= self.plan.joins_at:
                    self._spawn_receiver(member)
                    self._command(member.process, "play")
                    self.recording.joined[member.name] = now
            elif now >= self.plan.leaves_at \
                    and member.name not in self.recording.left:
                self._command(member.process, "stop")
                self.recording.left[member.name] = now

    def _may_have_ended(self, name):
        return super()._may_have_ended(name) \
            or name.removeprefix("receiver-") in self.recording.left
