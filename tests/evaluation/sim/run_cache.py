# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs tfrc-sim, and keeps what it wrote.

    FOLDER/<program>/<run>/      description.json and the engine's files

<program> is the digest of the engine's binary, and of the rules that are
turned off in it (TFRC_WITHOUT), <run> that of the description: a changed engine or table runs anew, an interrupted evaluation
goes on.  A folder of that name is a finished run; what is being written has
another name until it is whole."""

import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import time

from results import Result

UNUSED_S = 24 * 3600


class RunError(Exception):
    """A run that ended without a result, and the engine's last words."""


class RunCache:
    """For use by several threads: each simulates another run."""

    def __init__(self, folder, program):
        self._program = pathlib.Path(program)
        program = (self._program.read_bytes()
                   + os.environ.get("TFRC_WITHOUT", "").encode())
        digest = hashlib.sha256(program).hexdigest()[:16]
        self._folder = pathlib.Path(folder) / digest
        self._folder.mkdir(parents=True, exist_ok=True)
        self._folder.touch()
        self._remove_unused()
        self._children = set()
        self._lock = threading.Lock()
        self._stopping = False

    def result(self, run):
        """The Result of a finished run, or None."""
        folder = self._folder / run.digest()
        return Result(folder, run) if folder.is_dir() else None

    def simulate(self, run):
        """Runs it, unless it is finished already.  Raises RunError."""
        if self.result(run) is not None:
            return
        folder = pathlib.Path(tempfile.mkdtemp(
            prefix=f"unfinished-{run.digest()}-", dir=self._folder))
        try:
            (folder / "description.json").write_text(run.json())
            self._run_engine(folder)
            try:
                folder.rename(self._folder / run.digest())
            except OSError:
                # Somebody else has finished the same run meanwhile.
                if self.result(run) is None:
                    raise
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def stop(self):
        """Ends the engines that run, and lets none start."""
        with self._lock:
            self._stopping = True
            children = list(self._children)
        for child in children:
            child.terminate()
        for child in children:
            child.wait()

    def _run_engine(self, folder):
        with self._lock:
            if self._stopping:
                raise RunError("interrupted")
            child = subprocess.Popen(
                [str(self._program), str(folder / "description.json"),
                 str(folder)], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            self._children.add(child)
        _, errors = child.communicate()
        with self._lock:
            self._children.discard(child)
        if child.returncode:
            words = [line for line in errors.split("\n") if line.strip()]
            raise RunError((words or ["no word of why"])[-1].strip()
                           + f" (exit code {child.returncode})")
        if not (folder / "summary.json").exists():
            raise RunError("it wrote no summary.json")

    def _remove_unused(self):
        """Results of engines that nobody has asked for a day, and what an
        interrupted run left."""
        for other in self._folder.parent.iterdir():
            if time.time() - other.stat().st_mtime > UNUSED_S:
                shutil.rmtree(other, ignore_errors=True)
        for left in self._folder.glob("unfinished-*"):
            if time.time() - left.stat().st_mtime > UNUSED_S:
                shutil.rmtree(left, ignore_errors=True)
