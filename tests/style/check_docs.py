#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks what README.md and docs/*.md point at: that links lead to a file of the
tree and to a heading in it, that files named in `backticks` exist, that
programs of commands which no test runs exist and have the options, that
docs/README.md leads to every page and to the results, that a page shows every figure and none is
large, that docs/architecture.md has every lock, that docs/rules.md measures each
rule of ours without it or says why not, that the messages that docs/user-guide.md
explains are those of the elements, that pages which sources name are there, and
that commits are in the history where there is one: `check_docs.py [TREE]`.

A file may be named from the top of the tree, from its own document, or without
what is in front of a folder of gst/ or of the tests (`send/queue.c`)."""

import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(sys.argv[1] if len(sys.argv) > 1
                   else pathlib.Path(__file__).parents[2]).resolve()
LINK = re.compile(r"\]\(([^)\s]+)\)")
NAME = re.compile(r"`([\w./-]+/[\w.*-]+\.(?:\[ch\]|[a-z]+))`")
SUFFIXES = {".c", ".h", ".cc", ".py", ".sh", ".md", ".build", ".[ch]", ".link",
            ".svg"}
ROOTS = ["", "gst", "gst/elements", "gst/protocol", "tests"]
LOCK = re.compile(r"^  (GMutex|GRecMutex|GRWLock) \w+;", re.MULTILINE)
SWITCH = re.compile(r'^  (?:SWITCH|BOUND|PAPER) \("([\w-]+)"', re.MULTILINE)
ROW = re.compile(r"^\| \[([\w-]+)\]\(\.\./rules\.md#(d\d+)-", re.MULTILINE)
DEVIATION = re.compile(r"^### (D\d+) .*\n((?:(?!##).*\n)*)", re.MULTILINE)
# Indented or in `backticks`; what run_doc_commands.py runs is in fences.
COMMAND = re.compile(
    r"(?:sudo |[A-Z_]+=(?:'[^']*'|\S+) )*((?:\./)?(?:tests|examples|build/tests)/[\w./-]+"
    r"(?<![.\]]))((?: [^`#]*)?)$")
OPTION = re.compile(r" (--[a-z][a-z-]+)")
PROGRAMS = {"", ".sh", ".py"}
# In sources.
PAGE = re.compile(r"\bdocs/[a-z][\w/-]*\.md\b")
FENCE = re.compile(r"^(```|~~~)")
# A row of the table of messages; what varies in one; strings that C joins, with
# macros between them.
MESSAGE = re.compile(r"^\| (`[^|]*) \|", re.MULTILINE)
VARIES = re.compile(r"…|'[^']*'|\S*\d\S*|`")
JOIN = re.compile(r'"\s*(?:[A-Z0-9_]+\s*)?"')
# As figures name what they are of: eight digits, not of one kind alone.
COMMIT = re.compile(r"\b(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{8}\b")
MOST_BYTES = 300000  # of a figure
LEAST_WORDS = 10  # characters; shorter ones are everywhere


def documents():
    return [TOP / "README.md", *sorted((TOP / "docs").rglob("*.md")),
            *sorted((TOP / "gst").rglob("README.md"))]


def lines(path):
    """(number, text) of the lines that are no code block."""
    fenced = False
    for number, line in enumerate(
            path.read_text(encoding="utf-8").split("\n"), 1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchors(path):
    """Of the headings of a document, as GitHub makes them."""
    found = set()
    for _, line in lines(path):
        if line.startswith("#"):
            title = line.lstrip("#").strip().lower()
            found.add(re.sub(r"[^\w\- ]", "", title).replace(" ", "-"))
    return found


def check_link(path, link):
    if re.match(r"[a-z]+:", link):
        return None
    name, _, anchor = link.partition("#")
    target = (path.parent / name).resolve() if name else path
    if not target.exists():
        return f"no file {link}"
    if anchor and anchor not in anchors(target):
        return f"no heading {link}"
    return None


def check_name(path, name):
    """[ch] stands for both."""
    patterns = [name.replace("[ch]", end) for end in "ch"]
    folders = [path.parent, *(TOP / root for root in ROOTS)]
    for pattern in set(patterns):
        if not any(any(folder.glob(pattern)) for folder in folders):
            return f"no file {pattern}"
    return None


def sources_of(program):
    """Texts in which its options stand: of a script the one that it starts, too."""
    path = TOP / program.removeprefix("./").removeprefix("build/")
    name = path.name
    files = [path.parent / f"{base}{suffix}" for suffix in (".c", ".py", ".sh")
             for base in (path.stem, re.sub("^(test|bench|tfrc)-", "", name))]
    if path.suffix == ".sh":
        files += [path.parent / "run.py", path.parent / "measure.py",
                  *path.parent.glob(f"{path.stem}/*.py"),
                  *path.parent.glob("live/*.py")]
    return [one.read_text(encoding="utf-8") for one in files if one.is_file()]


def check_command(text):
    found = COMMAND.match(text.strip())
    if not found or pathlib.Path(found[1]).suffix not in PROGRAMS \
            or (TOP / found[1]).is_dir():
        return
    texts = sources_of(found[1])
    if not texts:
        yield f"no program {found[1]}"
    for option in OPTION.findall(found[2]):
        if texts and not any(option in one or f'"{option[2:]}"' in one
                             for one in texts):
            yield f"{found[1]} has no option {option}"


def git(*arguments, text=""):
    """What it prints; nothing where there is no repository."""
    return subprocess.run(
        ["git", "-c", "safe.directory=*", "-C", str(TOP), *arguments], input=text,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        check=False).stdout


def check_commits():
    if git("rev-parse", "--is-shallow-repository") != "false\n":
        return
    places = [(path, number, name) for path in documents()
              for number, line in lines(path) for name in COMMIT.findall(line)]
    told = git("cat-file", "--batch-check",
               text="".join(f"{name}^{{commit}}\n" for *_, name in places))
    for (path, number, name), answer in zip(places, told.splitlines()):
        if answer.endswith(" missing"):
            yield path, number, f"names a commit {name} that is not there"


def check_pages():
    """Pages that sources name; tests make some up."""
    for path in sorted(path for folder in ("gst", "tests", "examples")
                       for path in (TOP / folder).rglob("*")
                       if path.suffix in SUFFIXES
                       and path.name not in ("test_docs.py", "test_records.py")):
        for number, line in enumerate(
                path.read_text(encoding="utf-8").split("\n"), 1):
            for name in PAGE.findall(line):
                if not (TOP / name).exists():
                    yield path, number, f"no page {name}"


def findings():
    yield from check_commits()
    yield from check_pages()
    for path in documents():
        for number, line in lines(path):
            for command in [line] if line.startswith("    ") \
                    else re.findall(r"`([^`]+)`", line):
                for told in check_command(command):
                    yield path, number, told
            for link in LINK.findall(line):
                yield path, number, check_link(path, link)
            for name in NAME.findall(line):
                if name[name.rindex("."):] in SUFFIXES \
                        and not name.startswith("build"):
                    yield path, number, check_name(path, name)
    start = TOP / "docs" / "README.md"
    for path in sorted([*(TOP / "docs").glob("*.md"),
                        *(TOP / "docs" / "results").glob("*.md")]):
        name = path.relative_to(TOP / "docs")
        if path != start and f"]({name})" not in start.read_text():
            yield start, 1, f"does not lead to {name}"
    pages = "".join(path.read_text(encoding="utf-8") for path in documents())
    for path in sorted((TOP / "docs" / "figures").glob("*")):
        if f"figures/{path.name})" not in pages:
            yield path, 1, "no page shows it"
        if path.stat().st_size > MOST_BYTES:
            yield path, 1, f"is larger than {MOST_BYTES} bytes: draw less"
    page = TOP / "docs" / "rules.md"
    switches = TOP / "tests" / "support" / "switches.c"
    if page.exists():
        for text in check_deviations(
                page.read_text(encoding="utf-8"),
                (page.parent / "results" / "rules.md").read_text(encoding="utf-8"),
                SWITCH.findall(switches.read_text())):
            yield page, 1, text
    page = TOP / "docs" / "user-guide.md"
    if page.exists():
        code = "".join(path.read_text(encoding="utf-8") for path
                       in sorted((TOP / "gst").rglob("*.[ch]")))
        for text in check_messages(page.read_text(encoding="utf-8"), code):
            yield page, 1, text
    page = TOP / "docs" / "architecture.md"
    for path in sorted((TOP / "gst" / "elements").rglob("*.[ch]")):
        name = path.relative_to(TOP / "gst" / "elements").as_posix()
        if LOCK.search(path.read_text(encoding="utf-8")) \
                and f"`{name}`" not in page.read_text(encoding="utf-8"):
            yield page, 1, f"does not say what the lock of {name} guards"


def check_deviations(page, figures, switches):
    """What is wrong between the page, the table of its figures and the table of
    switches; what has none says why."""
    rows = ROW.findall(figures)
    measured = {anchor for _, anchor in rows}
    for rule in sorted({rule for rule, _ in rows} ^ set(switches)):
        yield f"the rule {rule} has no row, or no switch"
    for number, text in DEVIATION.findall(page):
        if (number.lower() in measured) == ("\nNo switch: " in text):
            yield f"{number} has no row, or one and no switch"


def check_messages(page, code):
    """Sentences in `backticks` at the head of a row of the last section that
    no string of the elements has; what varies in them is left out."""
    code = JOIN.sub("", code)
    for cell in MESSAGE.findall(page.rpartition("\n## When ")[2]):
        for sentence in re.findall(r"`([^`]* [^`]*)`", cell):
            for part in VARIES.split(sentence):
                part = part.strip(" ,.:")
                if len(part) >= LEAST_WORDS and part not in code:
                    yield f"no element says “{part}”"


def main():
    found = [finding for finding in findings() if finding[2]]
    for path, number, text in found:
        print(f"{path.relative_to(TOP)}:{number}: {text}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
