#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The demo without its set-up; start it with demo.sh."""

import sys

from live import options


def run(chosen):
    from live import report
    from live.comparison import Comparison
    from live.recording import Recording
    from live.session import Plan, Session, unrepaired
    from live.show import show
    from live.status import Status
    plan = Plan(
        seconds=chosen.seconds, link=chosen.link, encoder=chosen.encoder,
        source="file" if chosen.input else "scene",
        file=str(chosen.input) if chosen.input else None,
        screen=options.show_on_screen(chosen),
        sink=options.delay_target(chosen.delay_target),
        reference=True, folder=chosen.report)
    scene = chosen.input.name if chosen.input else "a synthetic scene"
    title = (f"{scene} with {chosen.encoder} over the link "
             f"\"{chosen.link.stem}\"")
    recording = Recording()
    if chosen.repair == "compare":
        session = Comparison(plan, recording)
        write_report = session.write_report
    else:
        session = Session(
            plan if chosen.repair == "auto" else unrepaired(plan), recording)
        write_report = report.write
    return show(session, Status(recording), title,
                lambda: write_report(recording, plan.folder, title),
                lambda: report.draw(recording, plan.folder, title),
                chosen, "demo.sh")


if __name__ == "__main__":
    sys.exit(run(options.parser().parse_args()))
