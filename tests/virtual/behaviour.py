#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether the core behaves as behaviour.json says: its sources are the same but
for comments and layout, or the traces of behaviour.c are.

    behaviour.py             exit code 1 if neither, and which scripts have moved
    behaviour.py --traces    the same by the traces alone
    behaviour.py --write     keeps what is found in behaviour.json

A refactoring changes the sources and moves nothing.  What moves on purpose is
written, and the commit says why.  `behaviour SCRIPT` prints a trace: with the one
of the build before, diff tells where they part."""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
KEPT = HERE / "behaviour.json"
SOURCES = ("gst/protocol", "gst/wire")
RIG = ("tests/virtual",)  # what the traces depend on besides
COMMENT = re.compile(
    r"//[^\n]*|/\*.*?\*/|(\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*')", re.DOTALL)


def digest(paths, top=TOP):
    """Of all sources there; not of comments, layout, and names of files."""
    files = [file for path in paths
             for file in (top / path, *(top / path).rglob("*"))
             if file.suffix in (".c", ".cc", ".h", ".py")]
    return hashlib.sha256("".join(sorted(
        hashlib.sha256(strip(file.read_text()).encode()).hexdigest()
        for file in files)).encode()).hexdigest()[:16]


def strip(text):
    return " ".join(COMMENT.sub(lambda found: found[1] or " ", text).split())


def trace():
    """{script: hash}."""
    build = pathlib.Path(os.environ.get("TFRC_BUILD_DIR", TOP / "build"))
    told = subprocess.run([build / "tests" / "virtual" / "behaviour"], check=True,
                          capture_output=True, text=True).stdout
    return dict(line.split() for line in told.splitlines())


def moved(before, after):
    """The scripts that differ, are new or gone."""
    return sorted(name for name in before | after
                  if before.get(name) != after.get(name))


def parse(text):
    """What is kept: nothing of what two changes have moved, or where they
    conflict."""
    def unique(pairs):
        found = {}
        for name, value in pairs:
            found[name] = value if found.get(name, value) == value else ""
        return found

    try:
        return json.loads(text, object_pairs_hook=unique)
    except ValueError:
        return {"sources": "", "traces": {}}


def main(arguments, path=KEPT, sources=SOURCES, rig=RIG, make=trace):
    kept = parse(path.read_text() if path.exists() else "")
    found = {"sources": digest(sources), "rig": digest(rig),
             "traces": kept["traces"]}
    if found == kept and not arguments:
        print("the sources are the same")
        return 0
    found["traces"] = make()
    others = moved(kept["traces"], found["traces"])
    print(f"{len(others)} of {len(found['traces'])} scripts moved: "
          + ", ".join(others) if others else
          f"{len(found['traces'])} scripts give the same traces")
    if arguments == ["--write"]:
        path.write_text(json.dumps(found, indent=1) + "\n")
        return 0
    if others:
        print(f"write it if it is meant: {sys.argv[0]} --write")
    return int(bool(others))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
