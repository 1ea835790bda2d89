# SPDX-License-Identifier: LGPL-2.1-or-later
"""The sessions of the window: those of the command line's demos, but without an
end of their own, with links that are changed while they run, and with the
receivers in this process.  Each runs in a thread, where it may wait; the window
hears of it in its own."""

import dataclasses
import pathlib
import shutil
import tempfile
import threading

from gi.repository import GLib

from live.beside import FIXED_SHARE, BesideFixedRate
from live.group_session import FAST, GroupSession, LadderSession, Member
from live.options import delay_target
from live.session import FOR_EVER, Session, SessionError

from .receiver import WindowReceiver
from .recording import KEPT_S, forget

SHOW_LIMIT_S = 10


@dataclasses.dataclass(frozen=True)
class Choice:
    """What the window is to show."""
    form: str = "compare"       # or "one", "group", "ladder", "send", "receive"
    source: str = "scene"       # or "camera", "screen", "file"
    file: str = None
    encoder: str = "x264"
    host: str = ""              # of the second machine
    port: int = 5004
    sdp: str = ""               # of the sender there
    delay_target: int = None    # [ms]; tfrcsink's own
    repair: bool = True         # of one receiver: lost packets come again

    @property
    def is_group(self):
        return self.form in ("group", "ladder")


@dataclasses.dataclass
class WindowPlan:
    """What Session and GroupSession want to know."""
    choice: Choice
    folder: pathlib.Path
    members: list = dataclasses.field(default_factory=list)
    seconds: float = FOR_EVER
    joins_at: float = FOR_EVER
    leaves_at: float = FOR_EVER
    screen: bool = True
    screens_at: list = ()       # as in a report, which this is not
    reference: bool = False
    seed: int = 1

    @property
    def source(self):
        return self.choice.source

    @property
    def file(self):
        return self.choice.file

    @property
    def encoder(self):
        return self.choice.encoder

    @property
    def sink(self):
        return {**delay_target(self.choice.delay_target),
                "retransmission": "auto" if self.choice.repair else "off",
                **(FAST if self.choice.form == "ladder" else {})}

    @property
    def src(self):
        return {"retransmission": "auto" if self.choice.repair else "off"}

    @property
    def link(self):
        return self.members[0].link


def call_in_window_thread(function, *arguments):
    """Before the next picture is drawn, or many pictures would hold it up.
    Returns an Event that is set behind the call."""
    done = threading.Event()

    def call():
        function(*arguments)
        done.set()
        return GLib.SOURCE_REMOVE

    GLib.idle_add(call, priority=GLib.PRIORITY_DEFAULT)
    return done


class WindowSession:
    """Beside Session: where links and receivers are."""

    def prepare(self, links, window):
        """`window` has show_receiver (name, widget), and on_started,
        on_event (name, event), on_ended (session, error): all called in the
        window's thread."""
        self.links = links
        self.window = window
        self.thread = threading.Thread(target=self._run_in_thread, daemon=True)
        self.thread.start()

    def _run_in_thread(self):
        error = None
        try:
            self.run_uninterrupted()
        except (SessionError, OSError) as failure:
            error = str(failure)
        for link in self.links:
            link.detach()
        shutil.rmtree(self.plan.folder, ignore_errors=True)
        call_in_window_thread(self.window.on_ended, self, error)

    def _watch(self):
        if not (self.error or self.interrupted):
            call_in_window_thread(self.window.on_started, self)
        super()._watch()

    def _start_link(self, name, profile, target_port, options):
        super()._start_link(name, profile, target_port, options)
        self.link_of(name).attach(self.children[name])

    def link_of(self, name):
        """Both links of a comparison are one to the window, as are those of the
        two groups of a ladder to one receiver."""
        member = name.removeprefix("link-").removeprefix("slow-")
        return next((link for link in self.links if link.name == member),
                    self.links[0])

    def _spawn(self, name, program, spec):
        if program != "receiver.py":
            super()._spawn(name, program, spec)
            return
        if self.error or self.interrupted:
            return
        child = WindowReceiver(
            name, spec, lambda *event: self.events.put(event))
        self.children[name] = child
        if child.is_running():
            call_in_window_thread(lambda: self.window.show_receiver(
                name, child.widget())).wait(SHOW_LIMIT_S)

    def receivers(self):
        return [child for child in self.children.values()
                if isinstance(child, WindowReceiver)]

    def call(self, function):
        """Between two events, so that the recordings hold still."""
        self.events.put((None, {"event": "call", "function": function}))

    def _handle(self, name, event):
        if event["event"] == "call":
            event["function"]()
            return
        super()._handle(name, event)
        if event["event"] in ("sdp", "warning"):
            call_in_window_thread(self.window.on_event, name, event)

    def _act(self, now):
        forget(self.recording, now - KEPT_S)


class OneSession(WindowSession, Session):
    """One receiver, as the command line's demo has it."""


class CompareSession(BesideFixedRate, WindowSession, Session):
    """Beside one whose rate stays."""

    def fixed_bitrate(self):
        return FIXED_SHARE * 1000 \
            * self.links[0].conditions.capacity_kbit_s

    def _act(self, now):
        super()._act(now)
        forget(self.fixed, now - KEPT_S)


class WindowGroupSession(WindowSession, GroupSession):
    """Receivers of a multicast group, each behind a link of its own."""


class WindowLadderSession(WindowSession, LadderSession):
    """Two groups of the same pictures."""


class SendSession(WindowSession, Session):
    """To a second machine, with no link of ours between."""

    def _start(self):
        choice = self.plan.choice
        self._spawn("sender", "sender.py", {
            "source": choice.source, "encoder": choice.encoder,
            "file": choice.file, "host": choice.host, "port": choice.port,
            "sink": self.plan.sink})
        self._wait_for({("sender", "ready")})
        self._play("sender")


class ReceiveSession(WindowSession, Session):
    """From a second machine."""

    def _start(self):
        choice = self.plan.choice
        self._spawn("receiver", "receiver.py", {
            "source": "scene", "encoder": choice.encoder,
            "port": choice.port, "src": self.plan.src | (
                {"sdp": choice.sdp} if choice.sdp else {})})
        self._play("receiver")

    def _handle(self, name, event):
        # The clocks of two machines tell no delay.
        if event["event"] == "shown":
            return
        super()._handle(name, event)
        if event["event"] == "playing":
            self.recording.start_ns = event["base_ns"]


def members_of(links, group):
    return [Member(link.name, link.preset) for link in links] if group \
        else [Member("link", links[0].preset)]


def start(choice, links, recording, window):
    """The session, which runs."""
    kinds = {"one": OneSession, "compare": CompareSession,
             "group": WindowGroupSession, "ladder": WindowLadderSession,
             "send": SendSession, "receive": ReceiveSession}
    plan = WindowPlan(
        choice, pathlib.Path(tempfile.mkdtemp(prefix="tfrc-desktop-")),
        members_of(links, choice.is_group))
    session = kinds[choice.form](plan, recording)
    session.prepare(links, window)
    return session
