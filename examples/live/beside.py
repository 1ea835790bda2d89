# SPDX-License-Identifier: LGPL-2.1-or-later
"""Beside the stream the same pictures at a rate that stays, which nobody
controls, over a second link of the same kind."""

import dataclasses

from . import conditions, report, status
from .comparison import moments
from .recording import Recording
from .session import WITHOUT_CONTROL, Session, free_port, screen_name

# Of the link's capacity at the start: what somebody would set who knows it.
FIXED_SHARE = 0.8
PLAIN = "plain-"


class BesideFixedRate:
    """In front of Session; `fixed` is the recording of the other stream."""

    def __init__(self, plan, recording):
        super().__init__(plan, recording)
        self.fixed = Recording()

    @property
    def fixed_folder(self):
        return self.plan.folder / WITHOUT_CONTROL

    def fixed_bitrate(self):
        return FIXED_SHARE * 1000 \
            * conditions.read_profile(self.plan.link)[0].capacity_kbit_s

    def _start(self):
        self.fixed_folder.mkdir(exist_ok=True)
        self.fixed_port = free_port()
        self.fixed.link_log = self.fixed_folder / "link.csv"
        self._start_link("link-plain", self.plan.link, self.fixed_port, [
            "--log", str(self.fixed.link_log)])
        self._wait_for({("link-plain", "listening")})
        super()._start()

    def _spawn(self, name, program, spec):
        if program == "sender.py":
            spec["plain"] = {"port": self.relay_ports.get("link-plain"),
                             "bitrate": self.fixed_bitrate()}
        elif name == "receiver":
            super()._spawn("receiver-plain", program, {
                **spec, "port": self.fixed_port, "plain": True,
                "picture": str(self.plan.folder / "frame-plain.png"),
                "screens": {str(self.fixed_folder / screen_name(place)): when
                            for place, when in enumerate(
                                self.plan.screens_at)}})
            self._wait_for({("receiver-plain", "ready")})
            self._command("receiver-plain", "play")
        super()._spawn(name, program, spec)

    def _handle(self, name, event):
        kind = event["event"]
        if name == "receiver-plain" and kind != "error":
            self._take_fixed("receiver", event)
        elif kind.startswith(PLAIN):
            self._take_fixed(
                "sender", {**event, "event": kind.removeprefix(PLAIN)})
        else:
            super()._handle(name, event)

    def _take_fixed(self, end, event):
        self.fixed.start_ns = self.recording.start_ns
        self.fixed.take(end, event)


class FixedRateComparison(BesideFixedRate, Session):
    """With an end of its own, and a report of both."""

    def __init__(self, plan, recording):
        super().__init__(dataclasses.replace(
            plan, screens_at=moments(plan.seconds)), recording)

    def run(self):
        try:
            super().run()
        finally:
            self.fixed.seconds = self.recording.seconds
            self.fixed.close()

    def write_report(self, recording, folder, title):
        """As report.write."""
        values, text = report.write(recording, folder, title)
        fixed, _ = report.write(
            self.fixed, self.fixed_folder, f"{title} at a fixed rate")
        values = {**values, "without_control": fixed,
                  "screens_at_s": [one for one in self.plan.screens_at
                                   if one < values["seconds"]]}
        title, _, rest = text.partition("\n\n")
        text = f"{title}\n\n{self._side_by_side(values, fixed)}\n{rest}"
        report.write_numbers(folder, values, text)
        return values, text

    def _side_by_side(self, values, fixed):
        kbit_s = self.fixed_bitrate() / 1000

        def both(name, key, form):
            return report.line(name, report.columns(
                form(values[key]), form(fixed[key])))

        return "".join((
            report.line("", report.columns(
                "with tfrcsink", f"fixed rate, {kbit_s:g} kbit/s")),
            both("packets lost", "loss_fraction", report.per_cent),
            both("frames intact", "frames_intact", report.per_cent),
            both("picture's age, median", "glass_to_glass_ms_p50",
                 report.milliseconds),
            both("picture's age, p95", "glass_to_glass_ms_p95",
                 report.milliseconds),
            both("queue, p95", "queue_delay_ms_p95", report.milliseconds)))

    def draw_report(self, recording, folder, title):
        report.draw(recording, folder, title)
        report.draw(self.fixed, self.fixed_folder,
                    f"{title}: the stream at a fixed rate")


class FixedRateStatus(status.Status):
    """Tells what the other stream loses, too."""

    def __init__(self, recording, fixed):
        super().__init__(recording)
        self.fixed = fixed

    def text(self):
        link = self.fixed.live_link()
        lost = 0.0 if link is None else status.lost_share(link)
        return f"{super().text()}  fixed rate: {lost * 100:4.1f} % lost"
