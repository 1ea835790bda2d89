#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The demo without its set-up; start it with examples/desktop.sh."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from desktop import options  # noqa: E402
from live.options import LINKS, delay_target, show_on_screen  # noqa: E402


def open_window(chosen):
    from live.session import build_folder, environment
    # Before GStreamer looks for plugins.
    os.environ.update(environment(build_folder()))
    try:
        from desktop.application import Application
    except (ImportError, ValueError) as error:
        print(f"desktop.sh: {error}: install what is missing with "
              "tests/support/install-packages.sh desktop", file=sys.stderr)
        return 1
    except RuntimeError:
        print(f"desktop.sh: the display {os.environ.get('DISPLAY')} cannot be "
              "opened: set DISPLAY to one that can, or use --headless",
              file=sys.stderr)
        return 1
    return Application(chosen).run([])


def write_report(chosen):
    """What the window shows at first, over a link that changes by itself."""
    from live.beside import FixedRateComparison, FixedRateStatus
    from live.recording import Recording
    from live.session import Plan
    from live.show import show
    link = chosen.link or LINKS / "steps.link"
    plan = Plan(
        seconds=chosen.seconds, link=link, encoder=chosen.encoder,
        source="file" if chosen.input else chosen.source,
        file=str(chosen.input) if chosen.input else None,
        sink=delay_target(chosen.delay_target),
        reference=True, folder=chosen.report)
    title = (f"{chosen.input.name if chosen.input else 'a synthetic scene'} "
             f"with {chosen.encoder} over the link \"{link.stem}\", "
             "beside a fixed rate")
    recording = Recording()
    session = FixedRateComparison(plan, recording)
    return show(
        session, FixedRateStatus(recording, session.fixed), title,
        lambda: session.write_report(recording, plan.folder, title),
        lambda: session.draw_report(recording, plan.folder, title),
        chosen, "desktop.sh")


def run(chosen):
    return (open_window if show_on_screen(chosen) else write_report)(chosen)


if __name__ == "__main__":
    sys.exit(run(options.parser().parse_args()))
