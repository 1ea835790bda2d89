# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the command lines of tests/sim and tests/net have in common."""

import argparse


class Parser(argparse.ArgumentParser):
    """Takes which scenarios to run."""

    def __init__(self, **more):
        super().__init__(prog="run.sh", **more)
        self.add_argument("scenarios", metavar="SCENARIO", nargs="*",
                          help="only these (see --list); default: all")
        self.add_argument("--except", dest="left_out", metavar="SCENARIO",
                          action="append", default=[],
                          help="but not this one; may be given several times")

    def error(self, message):
        self.exit(2, f"{self.prog}: {message} (see --help)\n")

    def choose(self, chosen, known):
        """[scenario, ...] of {name: scenario}, as `chosen` on the command
        line."""
        for name in chosen.scenarios + chosen.left_out:
            if name not in known:
                self.error(f"there is no scenario '{name}' (see --list)")
        found = [known[name] for name in chosen.scenarios or known
                 if name not in chosen.left_out]
        if not found:
            self.error("--except: no scenario is left")
        return found


def interrupt(signum, frame):
    """A signal that ends a run as Ctrl-C does."""
    raise KeyboardInterrupt
