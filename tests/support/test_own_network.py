#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Networks of their own: programs do not meet in them, and nothing is left of
them, however a program ends."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import own_network  # noqa: E402
from waiting import wait_until  # noqa: E402

PROGRAM = str(pathlib.Path(own_network.__file__).resolve())
SKIPPED = 77
LIMIT_S = 20
# Says that it has the port, and waits.
LISTENER = """
import socket, time
listener = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
listener.bind(("::", 5004))
print("bound", flush=True)
time.sleep(600)
"""
# A program with another one that nobody ends.  Its process number is not the
# same outside, its argument is.
PARENT = 'sleep "$0" & echo started; wait'


def start(*program):
    return subprocess.Popen(
        [PROGRAM, *program], stdin=subprocess.DEVNULL, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True)


def run(*program, **more):
    return subprocess.run([sys.executable, PROGRAM, *program],
                          stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          **more)


def running(*words):
    """How many processes have that command line."""
    wanted = "\0".join(words).encode() + b"\0"
    found = 0
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += path.read_bytes() == wanted
        except OSError:         # it has ended
            pass
    return found


class Network(unittest.TestCase):

    def test_has_a_loopback_device_that_is_up_and_no_other(self):
        done = run("ip", "-br", "address")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.strip().split("\n")
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("127.0.0.1/8", lines[0])
        self.assertIn("::1/128", lines[0])

    def test_lets_two_programs_have_one_port(self):
        programs = [start(sys.executable, "-c", LISTENER) for _ in range(2)]
        try:
            for program in programs:
                self.assertEqual(program.stdout.readline(), "bound\n")
        finally:
            for program in programs:
                program.kill()
                program.communicate(timeout=20)

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_keeps_the_names_of_its_namespaces_to_itself(self):
        name = f"test-{os.getpid()}"
        program = start("sh", "-c", f"ip netns add {name} && echo made; sleep 60")
        try:
            self.assertEqual(program.stdout.readline(), "made\n")
            self.assertFalse(pathlib.Path("/run/netns", name).exists())
        finally:
            program.kill()
            program.communicate(timeout=20)

    def test_ends_as_its_program_does(self):
        self.assertEqual(run("sh", "-c", "exit 77").returncode, 77)

    def test_is_gone_with_all_in_it_when_its_program_ends(self):
        seconds = "600.1"
        process = start("sh", "-c", PARENT.replace("wait", ""), seconds)
        self.assertEqual(process.communicate(timeout=20), ("started\n", ""))
        self.assertTrue(wait_until(
            lambda: not running("sleep", seconds), LIMIT_S))

    def test_is_gone_with_all_in_it_when_it_is_killed(self):
        # As meson does, and as bad luck does.
        for kill, seconds in ((os.killpg, "600.2"), (os.kill, "600.3")):
            process = start("sh", "-c", PARENT, seconds)
            self.assertEqual(process.stdout.readline(), "started\n")
            self.assertTrue(wait_until(
                lambda: running("sleep", seconds), LIMIT_S))
            kill(process.pid, signal.SIGKILL)
            process.communicate(timeout=20)
            self.assertTrue(wait_until(
                lambda: not running("sleep", seconds), LIMIT_S))

    @unittest.skipUnless(os.geteuid() == 0, "not root anyway")
    def test_needs_no_root_where_everybody_may_have_a_user_namespace(self):
        nobody = ["setpriv", "--reuid", "65534", "--regid", "65534",
                  "--clear-groups"]
        if subprocess.run(nobody + ["unshare", "--user", "true"]).returncode:
            self.skipTest("not here")
        # Read for them: a clone in /root is closed to others.
        with open(PROGRAM, encoding="utf-8") as program:
            done = subprocess.run(
                nobody + ["/usr/bin/python3", "-", "id", "-u"], stdin=program,
                text=True, stdout=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stdout), (0, "0\n"))


class Refusal(unittest.TestCase):

    def test_names_the_tool_that_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            for arguments in (["--check"], ["true"]):
                done = run(*arguments, env={"PATH": folder})
                self.assertEqual(done.returncode, 1)
                self.assertEqual(done.stdout, "")
                self.assertEqual(
                    done.stderr, "own_network.py: no network namespace to be "
                    "had here: not installed: unshare, ip\n")

    def test_tells_what_the_system_said(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("unshare", "echo unshare: no way >&2; exit 1"),
                               ("ip", "")):
                tool = pathlib.Path(folder) / name
                tool.write_text("#!/bin/sh\n" + text + "\n")
                tool.chmod(0o755)
            done = run("--check", env={"PATH": folder})
            self.assertEqual(done.returncode, 1)
            self.assertTrue(done.stderr.endswith(": unshare: no way\n"))

    def test_asks_which_program(self):
        self.assertEqual(run().returncode, 2)


if __name__ == "__main__":
    reason = own_network.why_not()
    if reason:
        print(f"SKIP: {reason}")
        sys.exit(SKIPPED)
    unittest.main()
