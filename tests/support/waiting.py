# SPDX-License-Identifier: LGPL-2.1-or-later
"""What tests wait for."""

import pathlib
import time


def wait_until(condition, seconds):
    """Looks often; False when it did not come true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return bool(condition())


def is_running(pid):
    """A process that has ended and waits for its parent does not count."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return state.rpartition(")")[2].split()[0] != "Z"
