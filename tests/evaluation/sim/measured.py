# SPDX-License-Identifier: LGPL-2.1-or-later
"""The line under a table of the documents that no command writes:

    *Measured at 0123abcd (2026-11-22): `tests/evaluation/net/run.sh group`.*
    *Measured at 0123abcd (2026-11-22; 7 commits to gst/ since): `...`.*

The second is what mark() makes of the first where it has grown old."""

import re

import records

LINE = re.compile(
    r"^\*Measured at (?P<commit>[0-9a-f]{8})(?P<before> and before)? "
    r"\((?P<date>\d{4}-\d\d-\d\d)(?P<age>; \d+ commits? to [^)]+ since)?\): "
    r"`(?P<command>[^`]+)`\.\*$", re.MULTILINE)
# What a figure depends on, by what its command begins with.
SOURCES = {
    "build/tests/evaluation/bench/bench-core": ("gst/protocol",),
    "": ("gst",)}


def mark(text, as_of):
    """The text with the age of each line at the commit `as_of`.  Of records
    their scenarios tell what has moved."""
    return LINE.sub(lambda found: _line(found, as_of), text)


def oldest(kept, names):
    """The line of the oldest of these records."""
    commit, date = min(
        (kept[name].confirmed or f"{kept[name].commit} {kept[name].date}"
         for name in names if name in kept),
        key=lambda told: told.split()[1]).split()
    return f"*Measured at {commit} ({date}): `tests/evaluation/sim/run.sh " \
        f"{' '.join(names)}`.*\n"


def _line(found, as_of):
    told = found.groupdict(default="")
    if told["command"].startswith("tests/evaluation/sim/"):
        return found.group()
    sources = next(sources for start, sources in SOURCES.items()
                   if told["command"].startswith(start))
    count = len(records.commits(told["commit"], as_of, sources))
    age = f"; {count} commit{'s' * (count > 1)} to " \
        + " and ".join(f"{name}/" for name in sources) + " since" \
        if count else ""
    return (f"*Measured at {told['commit']}{told['before']} "
            f"({told['date']}{age}): `{told['command']}`.*")
