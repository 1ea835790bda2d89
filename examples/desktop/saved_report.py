# SPDX-License-Identifier: LGPL-2.1-or-later
"""The report of what the window showed: that of the command line's demos."""

import dataclasses
import pathlib
import subprocess
import threading
import time

from live import group_report, page, report

from .recording import KEPT_S, recent
from .session import call_in_window_thread


def new_folder():
    return pathlib.Path.cwd() / time.strftime("report-%Y%m%d-%H%M%S")


def save(session, folder, on_saved):
    """`on_saved` (sentence, is it a failure?), in the window's thread."""
    def finish(sentence, failed):
        call_in_window_thread(on_saved, sentence, failed)

    def copy_and_write():
        kept = recent(session.recording, KEPT_S)
        threading.Thread(target=write, args=(session, kept, folder, finish),
                         daemon=True).start()

    session.call(copy_and_write)


def write(session, recording, folder, finish):
    """All files; the pictures need what may not be installed."""
    choice = session.plan.choice
    source = pathlib.Path(choice.file).name if choice.source == "file" \
        else choice.source
    title = f"{source} with {choice.encoder}, from the desktop demo"
    try:
        folder.mkdir(parents=True)
        for child in session.receivers():
            stem = child.name.replace("receiver", "frame")
            child.end.write_picture(folder / f"{stem}.png", child.end.last)
        if choice.is_group:
            plan = dataclasses.replace(session.plan, folder=folder)
            values, text = group_report.write(recording, plan, title)
            group_report.draw(recording, plan, title)
        else:
            values, text = report.write(recording, folder, title)
            report.draw(recording, folder, title)
        page.write(folder, text, values)
    except OSError as error:
        finish(f"The report cannot be written to {folder}: "
               f"{error.strerror}; start the demo in a folder of yours.", True)
    except (ImportError, subprocess.CalledProcessError):
        finish(f"The report is in {folder}, but for its picture: install "
               "python3-matplotlib for that.", True)
    else:
        finish(f"The report is in {folder}; {page.NAME} has all of it.", False)
