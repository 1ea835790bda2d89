# SPDX-License-Identifier: LGPL-2.1-or-later
"""A process of a session: dies with this one, does not hear the terminal's
Ctrl-C, takes commands on stdin and tells on stdout, line by line."""

import os
import pathlib
import shutil
import subprocess
import threading

STOP_LIMIT_S = 10


def share_priority(pid):
    """Where Linux groups processes by session, a nice value counts within the
    group alone: that of what was started gets ours."""
    try:
        pathlib.Path(f"/proc/{pid}/autogroup").write_text(
            str(os.getpriority(os.PRIO_PROCESS, 0)))
    except OSError:
        pass


class Child:
    def __init__(self, name, command, variables, on_line):
        self.name = name
        self.errors = []
        dies_with_us = ["setpriv", "--pdeathsig", "TERM", "--"]
        if shutil.which("setpriv") is None:
            dies_with_us = []
        self.process = subprocess.Popen(
            dies_with_us + command, env=variables, text=True,
            errors="replace", start_new_session=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        share_priority(self.process.pid)
        self.threads = [
            threading.Thread(target=self._read, args=arguments, daemon=True)
            for arguments in ((self.process.stdout, on_line),
                              (self.process.stderr, self.errors.append))]
        for thread in self.threads:
            thread.start()

    def _read(self, stream, on_line):
        for line in stream:
            on_line(line.rstrip("\n"))

    def command(self, word):
        try:
            self.process.stdin.write(word + "\n")
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError):
            pass

    def is_running(self):
        return self.process.poll() is None

    def ended_well(self):
        return self.process.poll() == 0

    def last_words(self):
        """Of one that ended: what its output threads have read is all."""
        for thread in self.threads:
            thread.join(STOP_LIMIT_S)
        said = [line for line in self.errors if line.strip()]
        return said[-1] if said \
            else f"ended with code {self.process.returncode}"

    def stop(self, number=None):
        """Ends it; with a signal when it knows no commands."""
        if number is not None and self.is_running():
            self.process.send_signal(number)
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            self.process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for thread, stream in zip(self.threads, (self.process.stdout,
                                                 self.process.stderr)):
            thread.join(STOP_LIMIT_S)
            if not thread.is_alive():
                stream.close()
