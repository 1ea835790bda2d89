# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests that end when they hang, and say where.

A state change that never returns keeps the main thread in C, where no
exception reaches it: a thread beside it reports and ends the process."""

import faulthandler
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import unittest
import weakref

# What libcheck, too, multiplies its time limits by, where a sanitizer makes
# programs slow.
SLOWNESS = float(os.environ.get("CK_TIMEOUT_MULTIPLIER", 1))
# Seconds that one test may take: many times what the slowest does, as the first
# frame of x264enc alone can take 10 s where others compute.
LIMIT = 240 * SLOWNESS
# More, in case that this process cannot run Python at all.
HARD_LIMIT = LIMIT + 30

pipelines = weakref.WeakSet()


class WatchedTest(unittest.TestCase):
    def run(self, result=None):
        timer = threading.Timer(LIMIT, end_process, [self.id()])
        timer.daemon = True
        timer.start()
        faulthandler.dump_traceback_later(HARD_LIMIT, exit=True)
        try:
            return super().run(result)
        finally:
            faulthandler.cancel_dump_traceback_later()
            timer.cancel()


class PipelineTest(WatchedTest):
    """Stops what a test has started."""

    def setUp(self):
        self.running = []

    def tearDown(self):
        for each in self.running:
            each.stop()

    def start(self, pipeline):
        self.running.append(pipeline)
        # GST_STATE_CHANGE_FAILURE
        self.assertNotEqual(int(pipeline.play()), 0)
        return pipeline

    def assert_quiet(self, *pipelines_started):
        for pipeline in pipelines_started:
            self.assertEqual(pipeline.errors(), [])
            self.assertEqual(pipeline.warnings(), [])


def end_process(test):
    print(f"\n{test} has not come to its end in {LIMIT} s.",
          file=sys.stderr, flush=True)
    faulthandler.dump_traceback(all_threads=True)
    # The last one may hang itself, at a lock.
    for report in report_threads, report_stacks, report_elements:
        try:
            report()
        except Exception as problem:    # one report less, but the others
            print(f"{report.__name__}: {problem!r}", file=sys.stderr)
    sys.stderr.flush()
    os._exit(1)


def report_elements():
    """Who is on the way to another state, or has not got there."""
    for pipeline in list(pipelines):
        if pipeline.get_state(0).state.value_nick == "null":
            continue
        print(f"{pipeline.get_name()}:", file=sys.stderr)
        for element in [pipeline] + list(pipeline.iterate_recurse()):
            state = element.get_state(0)
            print(f"  {element.get_path_string()}: {state.state.value_nick}"
                  f", pending {state.pending.value_nick}"
                  f", {state[0].value_nick}", file=sys.stderr)


def report_threads():
    """GStreamer names threads after the pad whose task they run."""
    for task in sorted(pathlib.Path("/proc/self/task").iterdir(),
                       key=lambda path: int(path.name)):
        name = (task / "comm").read_text().strip()
        call = (task / "syscall").read_text().split()[0]
        print(f"thread {task.name} {name}: system call {call}",
              file=sys.stderr)


def report_stacks():
    if shutil.which("gdb") is None:
        print("No gdb, no stacks.", file=sys.stderr)
        return
    subprocess.run(["gdb", "-p", str(os.getpid()), "-batch", "-ex",
                    "thread apply all bt"], stdin=subprocess.DEVNULL,
                   stdout=sys.stderr, stderr=subprocess.STDOUT, timeout=20)
