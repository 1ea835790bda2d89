#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a program in a network of its own: a loopback device, and nothing else.

    own_network.py PROGRAM [ARGUMENT...]
    own_network.py --check

So programs that take the same ports and groups can run side by side.  Network
namespaces that one makes have names that no other program sees.  The
program's processes have a process namespace, too: with the first of them all
others end, however it ends, and with the last of them the network is gone.
That needs root, or a system on which everybody can have a user namespace;
--check tells in a line what is missing, and fails."""

import os
import shutil
import subprocess
import sys
import unittest

INSIDE = "--inside"
SKIPPED = 77
TOOLS = ("unshare", "ip")
# The shell stays, as the process that others are left to.  Who looks for names
# of namespaces whose maker has ended cannot know process numbers in here.
NAMES = "/run/netns"
SETUP = (f"if [ -d {NAMES} ] || mkdir {NAMES} 2>/dev/null; then "
         f"mount -t tmpfs names {NAMES} || exit; fi; "
         'ip link set lo up && "$@"')


def command(program):
    """The command line that runs that one."""
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    return ["unshare", *user, "--net", "--pid", "--fork", "--kill-child",
            "--mount-proc", "--", "sh", "-c", SETUP, "sh", *program]


def run(program):
    """Becomes it, in its network."""
    line = command(program)
    os.execvp(line[0], line)


def why_not(tools=()):
    """What is missing here, or None."""
    missing = [tool for tool in (*TOOLS, *tools) if shutil.which(tool) is None]
    if missing:
        return f"not installed: {', '.join(missing)}"
    done = subprocess.run(command(["true"]), stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True)
    if done.returncode == 0:
        return None
    said = done.stderr.strip().splitlines()
    return said[-1] if said else f"unshare: exit code {done.returncode}"


def run_tests(setup, tools=()):
    """What a program of tests does that needs a network of its own: it goes into one,
    makes it as the shell script says, and runs them; or says what is missing.  Gives
    the exit code."""
    program, *arguments = sys.argv
    if arguments[:1] != [INSIDE]:
        reason = why_not(tools)
        if reason:
            print(f"SKIP: {reason}")
            return SKIPPED
        run([sys.executable, os.path.abspath(program), INSIDE, *arguments])
    subprocess.run(["sh", "-e", "-c", setup], check=True)
    return unittest.main(argv=[program, *arguments[1:]], verbosity=2)


def main(arguments):
    if not arguments:
        print("own_network.py: which program? (see its first lines)",
              file=sys.stderr)
        return 2
    reason = why_not()
    if reason:
        print(f"own_network.py: no network namespace to be had here: {reason}",
              file=sys.stderr)
        return 1
    if arguments == ["--check"]:
        return 0
    run(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
