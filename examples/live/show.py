# SPDX-License-Identifier: LGPL-2.1-or-later
"""What every demo does with its session: says what it shows, tells how it
does while it runs, and leaves a report."""

import subprocess
import sys

from . import options, page
from .report import write_json
from .session import SessionError


def show(session, status, title, write_report, draw_report, chosen, program):
    """The exit code.  `write_report` returns (numbers, text)."""
    print(f"Demo: {title}, {chosen.seconds:g} s; Ctrl-C ends it early.",
          flush=True)
    session.on_tick = status.show
    failure = None
    try:
        session.run()
    except SessionError as error:
        failure = error
    status.done()
    if session.recording.seconds > 0:
        try:
            without = leave_report(write_report, draw_report, chosen)
            failure = failure or without
        except OSError as error:
            failure = (f"the report cannot be written to {chosen.report}: "
                       f"{error.strerror}; --report names another folder")
    if failure:
        print(f"{program}: {failure}", file=sys.stderr)
        return 1
    return 0


def leave_report(write_report, draw_report, chosen):
    """Why it is without its picture, or None."""
    failure = None
    values, text = write_report()
    if chosen.json:
        write_json(chosen.json, values)
    print(f"\n{text}\nReport: {chosen.report / page.NAME}", flush=True)
    try:
        draw_report()
    except (ImportError, subprocess.CalledProcessError) as error:
        failure = f"no plot.png: {error}"
    page.write(chosen.report, text, values)
    if chosen.report_is_wanted and options.show_on_screen(chosen):
        page.open_in_browser(chosen.report)
    return failure
