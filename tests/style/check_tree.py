#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks of the source tree itself: `check_tree.py CHECK` prints one line
per finding and fails if there is one.  Only tracked files count."""

import os
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TFRC_BUILD_DIR", TOP / "build"))
FORMATTER = BUILD / "formatter" / "clang-format"
FORMATTER_SAYS = re.compile(r"^([^:\n]+):(\d+):\d+: (?:error|warning): code "
                            "should be clang-formatted", re.MULTILINE)

ALLOWED_AT_TOP = {
    "meson.build", "meson_options.txt", "gst", "tests", "examples", "data",
    "docs", "README.md", "COPYING"}
SPDX = "SPDX-License-Identifier: LGPL-2.1-or-later"
SOURCE_SUFFIXES = {".c", ".h", ".cc", ".py", ".sh"}

# Of gst/: what fits on a screen, or nearly.
MAX_FUNCTION_LINES = 60

# Written so that this file does not find itself.
FORBIDDEN_WORDS = re.compile(
    r"/w[o]rk/|\.\./s[h]ared|shared/(spec|design|style|papers)|"
    r"before-s[t]op|DEVELOPERS\.m[d]|\b(TO[D]O|FIX[M]E|X[X]X|HA[C]K)\b")
RATE_WITHOUT_UNIT = re.compile(r"[a-z_]*(b[p]s|_bandwi[d]th)\b")
# What the core and the wire may neither include nor call.
NOT_IN_CORE = re.compile(
    r"#\s*include\s*<(glib|gst|gio|stdio|time|sys/time|pthread|threads|errno)"
    r"|\b(g|gst)_[a-z_]+ *\("
    r"|\b(clock_gettime|gettimeofday|time|malloc|calloc|realloc|free|strdup"
    r"|v?s?n?f?printf|puts|rand|random|srand|pthread_[a-z_]+) *\(")
LOGS = re.compile(
    r"\bGST_((ERROR|WARNING|FIX[M]E|INFO|DEBUG|LOG|TRACE|MEMDUMP)(_OBJECT)?"
    r"|ELEMENT_(ERROR|WARNING|INFO|FLOW_ERROR)) \(")
COMMENT_OR_STRING = re.compile(
    r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)

MAKES_OBJECT = re.compile(r"Tfrc\w+ \*(tfrc_\w+)_new \(")
TEST_CASE = re.compile(r"^class (\w+)\(.*?\):\n((?:[ \t].*\n|\n)*)", re.MULTILINE)
BY_CASE = re.compile(r"files\('(\w+\.py)'\) \+ \[")
QUOTED = re.compile(r"'(\w+)'")


def tracked_files():
    """What git tracks and still exists; without git, what is there."""
    try:
        # The tree may belong to somebody else, as in a container.
        listing = subprocess.run(
            ["git", "-c", "safe.directory=*", "-C", str(TOP),
             "ls-files", "-z"], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, check=True).stdout
        names = [name for name in listing.decode().split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        names = [str(path.relative_to(TOP)) for path in TOP.rglob("*")
                 if path.is_file() and not ignored(path.relative_to(TOP))]
    return [TOP / name for name in sorted(names) if (TOP / name).is_file()]


def ignored(path):
    return (path.parts[0].startswith((".git", "build", "report"))
            or "__pycache__" in path.parts)


def read(path):
    return path.read_text(encoding="utf-8", errors="replace")


def is_text(path):
    return b"\0" not in path.read_bytes()[:8000]


def in_core(path):
    parts = path.relative_to(TOP).parts
    return parts[:2] in {("gst", "protocol"), ("gst", "wire")}


def blank(match):
    """Keeps the line numbers of what is cut out."""
    return re.sub(r"[^\n]", " ", match.group())


def grep(path, pattern, text=None):
    for number, line in enumerate((text or read(path)).split("\n"), 1):
        found = pattern.search(line)
        if found:
            yield path, number, f"'{found.group().strip()}'"


def check_format(files):
    """clang-format with .clang-format changes no C file."""
    if not FORMATTER.exists():
        missing = FORMATTER.with_name("missing.txt")
        print("SKIP: no", FORMATTER.relative_to(BUILD), "in the build folder:",
              read(missing).strip() if missing.exists()
              else "tests/support/fetch-formatter.sh fetches it")
        sys.exit(77)
    run = subprocess.run(
        [FORMATTER, "--dry-run", "--Werror"]
        + [path.relative_to(TOP) for path in files
           if path.suffix in {".c", ".h"}],
        cwd=TOP, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
        encoding="utf-8", errors="replace")
    for line in run.stderr.split("\n"):
        found = FORMATTER_SAYS.match(line)
        if found:
            yield (TOP / found.group(1), int(found.group(2)),
                   "tests/style/format.sh formats this otherwise")
    if run.returncode != 0 and not FORMATTER_SAYS.search(run.stderr):
        yield TOP / ".clang-format", 1, run.stderr.strip()


def check_categories(files):
    """What an element logs has a debug category of its own."""
    for path in files:
        if path.relative_to(TOP).parts[:2] != ("gst", "elements"):
            continue
        text = COMMENT_OR_STRING.sub(blank, read(path))
        if path.suffix == ".c" and "define GST_CAT_DEFAULT" not in text:
            yield from grep(path, LOGS, text)


def check_licence(files):
    """Every source names its licence in its first line (after #!)."""
    for path in files:
        if path.suffix not in SOURCE_SUFFIXES and path.name != "run":
            continue
        lines = (read(path).split("\n") + [""])[:2]
        if SPDX not in lines[1 if lines[0].startswith("#!") else 0]:
            yield path, 1, f"the first line is not '{SPDX}'"


def check_words(files):
    """No open ends, no names of places outside the project."""
    for path in files:
        if is_text(path) and path.name != "COPYING":
            yield from grep(path, FORBIDDEN_WORDS)
            if path.relative_to(TOP).parts[0] == "gst":
                # Strings may hold what other people's elements say.
                code = COMMENT_OR_STRING.sub(blank, read(path))
                yield from grep(path, RATE_WITHOUT_UNIT, code)


def check_core(files):
    """The core and the wire: no GLib, clock, allocation, thread, stdio."""
    for path in files:
        if in_core(path) and path.suffix in {".c", ".h"}:
            text = COMMENT_OR_STRING.sub(blank, read(path))
            yield from grep(path, NOT_IN_CORE, text)


def check_layout(files):
    """Nothing unexpected at the top."""
    for path in files:
        first = path.relative_to(TOP).parts[0]
        if first not in ALLOWED_AT_TOP and not first.startswith("."):
            yield path, 1, "not among the names allowed at the top"


def check_functions(files):
    """Of gst/, no function is longer than it can be read at once."""
    for path in files:
        if path.relative_to(TOP).parts[0] != "gst" or path.suffix != ".c":
            continue
        start = None
        for number, line in enumerate(read(path).split("\n"), 1):
            if line == "{":
                start = number
            elif line == "}" and start:
                if number - start - 1 > MAX_FUNCTION_LINES:
                    yield path, start, (
                        f"a function of {number - start - 1} lines; "
                        f"{MAX_FUNCTION_LINES} at most")
                start = None


def check_cases(files):
    """Where meson runs the test cases of a script by their names, it runs all."""
    for registered in files:
        if registered.name != "meson.build":
            continue
        text = read(registered)
        names = set(QUOTED.findall(text))
        for script in BY_CASE.findall(text):
            path = registered.with_name(script)
            for case, body in TEST_CASE.findall(read(path)):
                if "def test_" in body and case not in names:
                    yield path, 1, f"{registered.parent.name}/meson.build runs no {case}"


def check_runs(files):
    """What a bin has for longer than a run begins each one anew, or its header says
    why not: "No run: ..."."""
    folders = {"bins", "net"}
    for path in files:
        parts = path.relative_to(TOP).parts
        if parts[:2] != ("gst", "elements") or parts[2] not in folders:
            continue
        for number, line in enumerate(read(path).split("\n"), 1):
            made = MAKES_OBJECT.match(line) if path.suffix == ".h" else None
            if made and not re.search(
                    rf"{made.group(1)}_begin_run \(|/\*[^/]*No run:[^/]*\*/\n"
                    rf".*{made.group(1)}_new \(", read(path)):
                yield path, number, (
                    f"{made.group(1)}_new without {made.group(1)}_begin_run")


CHECKS = {
    "cases": check_cases,
    "format": check_format,
    "licence": check_licence,
    "words": check_words,
    "categories": check_categories,
    "core": check_core,
    "layout": check_layout,
    "functions": check_functions,
    "runs": check_runs,
}


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in CHECKS:
        print("usage: check_tree.py", "|".join(CHECKS), file=sys.stderr)
        return 2
    files = tracked_files()
    if not files:
        print("check_tree.py: no files found", file=sys.stderr)
        return 1
    findings = list(CHECKS[sys.argv[1]](files))
    for path, line, text in findings:
        print(f"{path.relative_to(TOP)}:{line}: {text}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
