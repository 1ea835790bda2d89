# SPDX-License-Identifier: LGPL-2.1-or-later
"""Debian's Chromium without a screen."""

import pathlib
import shutil

# The program itself: the script in front of it reads the desktop's settings.
PROGRAM = pathlib.Path("/usr/lib/chromium/chromium")


def why_not():
    """What is missing, or None."""
    if PROGRAM.exists():
        return None
    return ("no browser is installed: "
            "tests/support/install-packages.sh browser installs Chromium")


def player_wishes(nack, buffer_ms, **more):
    """What the page is told behind the # of its address (page.html)."""
    if not nack:
        more["nack"] = "no"
    if buffer_ms is not None:
        more["buffer"] = buffer_ms
    return "&".join(f"{name}={value}" for name, value in more.items())


def command(url, folder):
    """Its sandbox needs a user of its own, and root has none.  It sees nothing
    but this page."""
    shutil.rmtree(folder, ignore_errors=True)
    return [str(PROGRAM), "--headless=new", "--no-sandbox", "--disable-gpu",
            "--disable-background-networking", "--disable-component-update",
            "--no-first-run", f"--user-data-dir={folder}", url]
