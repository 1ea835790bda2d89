#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints a C header that gives every function of other headers another name,
so that a program can hold two builds of a library with different limits:

    rename_functions.py PREFIX HEADER..."""

import re
import sys
from pathlib import Path

FUNCTION = re.compile(r"\b((?:tfrc|tfmcc|group)_\w+) \(")


def main():
    prefix, headers = sys.argv[1], sys.argv[2:]
    names = {name for header in headers
             for name in FUNCTION.findall(Path(header).read_text())}
    print("#pragma once")
    for name in sorted(names):
        print(f"#define {name} {prefix}{name}")


if __name__ == "__main__":
    main()
