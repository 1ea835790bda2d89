#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Namespaces are removed, whatever happens to who made them, and nobody
else's are touched.  Needs root."""

import os
import pathlib
import signal
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parents[1] / "support"))

import namespaces  # noqa: E402
from waiting import is_running, wait_until  # noqa: E402

LIMIT_S = 5
FOREIGN = "tfrc-of-somebody"

# Makes a namespace with a process inside that nobody ends, says what they
# are called, and waits.
OWNER = """
import subprocess, sys, time
sys.path.insert(0, sys.argv[1])
import namespaces
made = namespaces.Namespaces()
name = made.add("victim")
inside = subprocess.Popen(
    ["nsenter", f"--net=/run/netns/{name}", "--", "sleep", "600"])
bound = subprocess.Popen(namespaces.command_in(name, ["sleep", "600"]))
print(name, inside.pid, bound.pid, flush=True)
time.sleep(600)
"""


def exists(name):
    return (namespaces.FOLDER / name).exists()


def command_of(pid):
    return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()


class Removal(unittest.TestCase):

    def test_an_exception_removes_what_was_made(self):
        with self.assertRaises(KeyError):
            with namespaces.Namespaces() as made:
                name = made.add("one")
                self.assertTrue(exists(name))
                raise KeyError
        self.assertFalse(exists(name))

    def test_two_at_a_time_do_not_meet(self):
        with namespaces.Namespaces() as one, namespaces.Namespaces() as two:
            names = {one.add("same"), two.add("same")}
            self.assertEqual(len(names), 2)
            self.assertEqual(namespaces.stale(), [])
            two.remove()
            self.assertEqual({exists(name) for name in names}, {True, False})

    def test_a_killed_owner_is_cleaned_up_after(self):
        owner = subprocess.Popen(
            [sys.executable, "-B", "-c", OWNER, str(HERE)],
            stdout=subprocess.PIPE, text=True)
        name, inside, bound = owner.stdout.readline().split()
        # Before that it has not said whose it is.
        self.assertTrue(wait_until(
            lambda: command_of(bound) == "sleep", LIMIT_S))
        namespaces.remove_stale()
        self.assertTrue(exists(name), "removed while its owner lives")
        owner.send_signal(signal.SIGKILL)
        owner.wait()
        owner.stdout.close()
        # A process that belongs to its owner goes with it.
        self.assertTrue(wait_until(
            lambda: not is_running(bound), LIMIT_S))
        self.assertEqual(namespaces.stale(), [name])
        self.assertTrue(is_running(inside))
        namespaces.remove_stale()
        self.assertFalse(exists(name))
        self.assertTrue(wait_until(
            lambda: not is_running(inside), LIMIT_S))

    def test_a_pid_that_is_used_again_is_another_owner(self):
        name = f"tfrc-{os.getpid()}-1-1-old"
        namespaces.ip("netns", "add", name)
        self.assertIn(name, namespaces.stale())
        namespaces.remove_stale()
        self.assertFalse(exists(name))

    def test_nobody_elses_is_touched(self):
        namespaces.ip("netns", "add", FOREIGN)
        try:
            self.assertNotIn(FOREIGN, namespaces.stale())
            namespaces.remove_stale()
            with namespaces.Namespaces():
                pass
            self.assertTrue(exists(FOREIGN))
        finally:
            namespaces.ip("netns", "delete", FOREIGN)

    def test_what_fails_is_told(self):
        with self.assertRaisesRegex(namespaces.NamespaceError,
                                    "^ip -n nowhere link show: .+"):
            namespaces.ip("-n", "nowhere", "link", "show")


if __name__ == "__main__":
    missing = namespaces.why_not()
    if missing:
        print(f"SKIP: {missing}")
        sys.exit(77)
    unittest.main()
