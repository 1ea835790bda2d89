#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The layers of gst/: its folders, and who uses whom, read from the includes.
`layers.py [TREE]` prints one line per finding and fails if there is one.

A folder uses only folders below it, and no two files need each other, directly or
through others; a header and its source are one file here.  The README.md of a
folder has a line for each of its files, `name.[ch]` where it is both."""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]

# From the ground up.  Folders of one layer know nothing of each other.
LAYERS = [
    ["protocol/base"],
    ["protocol/tfrc", "protocol/rtp"],
    ["protocol/tfmcc", "protocol/delay"],
    ["protocol/checks", "wire"],
    ["elements/common"],
    ["elements/encoder", "elements/net"],
    ["elements/send", "elements/receive"],
    ["elements/bins"],
    ["elements"],
]
LAYER = {folder: level for level, folders in enumerate(LAYERS) for folder in folders}

# The plugin's entry point and its tracer have none.
WITHOUT_README = {"elements"}
README_LINE = re.compile(r"^\| `([\w-]+)\.(\[ch\]|[ch])` \|", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# The names in an include begin here, or in the folder of the file itself.
INCLUDE_FOLDERS = ["elements", "wire", "protocol"]


def folder(gst, path):
    return path.parent.relative_to(gst).as_posix()


def sources(gst):
    return sorted(gst.rglob("*.[ch]"))


def includes(gst):
    """(file, the file of gst/ that it includes, or its name if there is
    none) for all files of gst/."""
    for path in sources(gst):
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            folders = [path.parent] + [gst / each for each in INCLUDE_FOLDERS]
            yield path, next((folder / name for folder in folders
                              if (folder / name).is_file()), name)


def arrows(gst):
    """{(folder, folder that it uses): number of includes}."""
    count = {}
    for path, other in includes(gst):
        if isinstance(other, pathlib.Path):
            pair = folder(gst, path), folder(gst, other)
            if pair[0] != pair[1]:
                count[pair] = count.get(pair, 0) + 1
    return count


def check_layers(gst):
    """Every file is in a folder, and uses only folders below its own."""
    for path in sources(gst):
        if folder(gst, path) not in LAYER:
            yield f"{path}: {folder(gst, path)} has no layer in {__file__}"
    for path, other in includes(gst):
        if isinstance(other, str):
            yield f'{path}: no file in gst/ is "{other}"'
            continue
        here, there = folder(gst, path), folder(gst, other)
        if here == there:
            continue
        if here in LAYER and LAYER.get(there, -1) >= LAYER[here]:
            yield (f"{path}: {here} must not use {there} ({other.name}), "
                   "which is not below it")


def check_circles(gst):
    """No file needs itself by way of others."""
    needs = {}
    for path, other in includes(gst):
        if isinstance(other, pathlib.Path):
            needs.setdefault(path.with_suffix(""), set()).add(
                other.with_suffix(""))
    for circle in circles(needs):
        names = ", ".join(str(path.relative_to(gst)) for path in circle)
        yield f"these need each other: {names}"


def check_readmes(gst):
    """Each file has a line in the README.md of its folder, and no other has."""
    files = {}
    for path in sources(gst):
        files.setdefault(folder(gst, path), set()).add(path.name)
    for name in sorted(files.keys() - WITHOUT_README):
        readme = gst / name / "README.md"
        text = readme.read_text(encoding="utf-8") if readme.exists() else ""
        listed = {f"{stem}.{end}" for stem, ends in README_LINE.findall(text)
                  for end in ends.strip("[]")}
        for missing in sorted(files[name] - listed):
            yield f"{readme}: has no line for {missing}"
        for gone in sorted(listed - files[name]):
            yield f"{readme}: there is no {gone}"


def circles(needs):
    """The sets of more than one node, each of which can reach the others, in
    {node: nodes that it needs} (Tarjan 1972)."""
    order, lowest, stack, found = {}, {}, [], []

    def visit(node):
        order[node] = lowest[node] = len(order)
        stack.append(node)
        for needed in sorted(needs.get(node, ())):
            if needed not in order:
                visit(needed)
            if needed in stack:
                lowest[node] = min(lowest[node], lowest[needed])
        if lowest[node] == order[node]:
            circle = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(circle) > 1:
                found.append(sorted(circle))

    for node in sorted(needs):
        if node not in order:
            visit(node)
    return found


def main():
    top = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else TOP
    gst = top.resolve() / "gst"
    if not sources(gst):
        sys.exit(f"layers.py: no sources in {gst}")
    findings = [*check_layers(gst), *check_circles(gst), *check_readmes(gst)]
    for finding in findings:
        print(finding.replace(f"{gst.parent}/", ""))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
