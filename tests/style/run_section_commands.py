#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the launch lines in the SECTION comments of gst/elements/*.c as they
are printed: those of one file together, for a few seconds.  Each must run until
it is interrupted and post no error or warning.  The substitutions are those of
run_doc_commands.py."""

import pathlib
import re
import sys
import tempfile
import time

from run_doc_commands import TOP, output, start, stop

SECONDS = 4
SECTION = re.compile(r"/\*\*\n \* SECTION:.*?\*/", re.DOTALL)
EXAMPLE = re.compile(r"\|\[\n(.*?)\]\|", re.DOTALL)


def examples(path):
    """The launch lines of a file, as a reader copies them."""
    for section in SECTION.findall(path.read_text(encoding="utf-8")):
        text = re.sub(r"^ \* ?", "", section, flags=re.MULTILINE)
        yield from (line.strip() for line in EXAMPLE.findall(text))


def problems(lines, folder):
    processes = [start("exec " + line, folder) for line in lines]
    time.sleep(SECONDS)
    for line, process in zip(lines, processes):
        ended = process.poll() is not None
        stopped = stop(process)
        text = output(process)
        if ended or not stopped or re.search("^(ERROR|WARNING)", text, re.M):
            yield f"{line}\n{text}"


def main():
    count = failed = 0
    for path in sorted((TOP / "gst" / "elements").rglob("*.c")):
        lines = list(examples(path))
        count += len(lines)
        with tempfile.TemporaryDirectory() as folder:
            for problem in problems(lines, pathlib.Path(folder)) \
                    if lines else ():
                print(f"{path.relative_to(TOP)}: {problem}")
                failed += 1
    print(f"{count} launch lines, {failed} failed")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
