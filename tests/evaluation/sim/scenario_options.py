# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the command lines of tests/evaluation/sim and tests/evaluation/net have in common."""

import argparse
import fnmatch


class Parser(argparse.ArgumentParser):
    """Takes which scenarios to run."""

    def __init__(self, **more):
        super().__init__(prog="run.sh", **more)
        self.add_argument("scenarios", metavar="SCENARIO", nargs="*",
                          help="only these (see --list), or all that match a "
                          "pattern such as 'delay-*'; default: all")
        self.add_argument("--except", dest="left_out", metavar="SCENARIO",
                          action="append", default=[],
                          help="but not this one; may be given several times")

    def error(self, message):
        self.exit(2, f"{self.prog}: {message} (see --help)\n")

    def choose(self, chosen, known):
        """[scenario, ...] of {name: scenario}, as `chosen` on the command
        line."""
        left_out = self._match(chosen.left_out, known)
        found = [known[name] for name in
                 self._match(chosen.scenarios, known) or known
                 if name not in left_out]
        if not found:
            self.error("--except: no scenario is left")
        return found

    def _match(self, patterns, known):
        names = {}
        for pattern in patterns:
            matching = fnmatch.filter(known, pattern)
            if not matching:
                self.error(f"there is no scenario '{pattern}' (see --list)")
            names.update(dict.fromkeys(matching))
        return list(names)


def interrupt(signum, frame):
    """A signal that ends a run as Ctrl-C does."""
    raise KeyboardInterrupt
