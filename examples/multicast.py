#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The demo of a group without its set-up; start it with multicast.sh."""

import sys

from live import options


def run(chosen):
    from live import group_report
    from live.group_recording import GroupRecording
    from live.group_session import (
        FAST, GroupPlan, GroupSession, LadderSession)
    from live.show import show
    from live.status import GroupStatus
    kind = LadderSession if chosen.ladder else GroupSession
    plan = GroupPlan(
        seconds=chosen.seconds, encoder=chosen.encoder,
        sink=FAST if chosen.ladder else {},
        screen=options.show_on_screen(chosen), folder=chosen.report)
    title = (f"A synthetic scene with {chosen.encoder} to a group of "
             f"{len(plan.members)} receivers")
    recording = GroupRecording()
    return show(kind(plan, recording), GroupStatus(recording), title,
                lambda: group_report.write(recording, plan, title),
                lambda: group_report.draw(recording, plan, title),
                chosen, "multicast.sh")


if __name__ == "__main__":
    sys.exit(run(options.group_parser().parse_args()))
