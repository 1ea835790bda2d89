# SPDX-License-Identifier: LGPL-2.1-or-later
"""The same stream twice: with repair, then without, so that one report has
both, and what the screen shows at the same moments of each."""

import dataclasses

from . import report, results
from .recording import Recording
from .session import WITHOUT_REPAIR, Session, unrepaired
from .status import Status

SCREENS = 3


def moments(seconds):
    """When the screens are kept [s]: evenly spread over what is counted."""
    start = results.warmup_of(seconds)
    return [round(start + (seconds - start) * place / (SCREENS + 1), 1)
            for place in range(1, SCREENS + 1)]


class Comparison(Session):

    def __init__(self, plan, recording):
        plan = dataclasses.replace(plan, screens_at=moments(plan.seconds))
        super().__init__(plan, recording)
        self.without = Session(
            dataclasses.replace(
                unrepaired(plan), folder=plan.folder / WITHOUT_REPAIR),
            Recording())

    def run(self):
        super().run()
        if self.interrupted:
            return
        print("\nThe same without repair.", flush=True)
        status = Status(self.without.recording)
        self.without.on_tick = status.show
        try:
            self.without.run()
        finally:
            status.done()

    def write_report(self, recording, folder, title):
        """As report.write."""
        other = self.without.recording
        values, text = report.write(recording, folder, title)
        if not other.seconds:
            return values, text
        without, _ = report.write(
            other, self.without.plan.folder, f"{title} without repair")
        values = {
            **values, "without_repair": without,
            "screens_at_s": [one for one in self.plan.screens_at if one < min(
                values["seconds"], without["seconds"])]}
        text += report.line("without repair", (
            f"{report.per_cent(without['frames_intact'])} intact, "
            f"{without['keyframe_requests']} key frames asked for, "
            f"{report.number(without['sent_kbit_s'], ' kbit/s')} sent"))
        report.write_numbers(folder, values, text)
        return values, text
