#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The demo without its set-up; start it with examples/desktop.sh."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from desktop import options  # noqa: E402


def run(chosen):
    reason = options.why_no_window()
    if reason:
        print(f"desktop.sh: {reason}", file=sys.stderr)
        return 1
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
              "opened: set DISPLAY to one that can", file=sys.stderr)
        return 1
    return Application(chosen).run([])


def main():
    return run(options.parser().parse_args())


if __name__ == "__main__":
    sys.exit(main())
