#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The demo of a group without its set-up; start it with multicast.sh."""

import sys

from live import options


def run(chosen):
    from live import group_report
    from live.group_recording import GroupRecording
    from live.group_session import GroupPlan, GroupSession
    from live.session import SessionError
    from live.status import GroupStatus
    plan = GroupPlan(
        seconds=chosen.seconds, encoder=chosen.encoder,
        screen=options.show_on_screen(chosen), folder=chosen.report)
    title = (f"A synthetic scene with {chosen.encoder} to a group of "
             f"{len(plan.members)} receivers")
    print(f"Demo: {title}, {chosen.seconds:g} s; Ctrl-C ends it early.",
          flush=True)
    recording = GroupRecording()
    status = GroupStatus(recording)
    failure = None
    try:
        GroupSession(plan, recording, status.show).run()
    except SessionError as error:
        failure = error
    status.done()
    if recording.seconds > 0:
        values, text = group_report.write(recording, plan, title)
        if chosen.json:
            group_report.write_json(chosen.json, values)
        print("\n" + text + f"\nReport: {plan.folder}", flush=True)
    if failure:
        print(f"multicast.sh: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    chosen = options.group_parser().parse_args()
    sys.exit(0 if chosen.check_options else run(chosen))
