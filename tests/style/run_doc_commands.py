#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs every command that README.md and docs/*.md tell the reader to type, or
those of the named documents, or of all --but them.

A fenced block says in the words after ``sh`` how it is run:

    ```sh                runs to its end and exits with 0, within 10 min
    ```sh background     is started; it must still run when the next block
                         without this word is over, and is then interrupted
    ```sh interrupt=8    is interrupted (Ctrl-C) after 8 s, and those in which its
                         programs waited for a CPU, running until then, and ends
                         by itself with 0 or 130

Blocks run with bash -eu in a scratch folder that looks like the top of the
tree, without a display; the table below replaces what cannot run there.
Other fences may show anything but commands: `console` and `shell` blocks
are refused, so that no command escapes."""

import argparse
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TFRC_BUILD_DIR", TOP / "build"))
LIMIT_S = 600
STOP_LIMIT_S = 60
MOST_KEPT_S = 20
REFUSED = {"console", "shell", "bash", "shell-session"}

# pattern -> what runs instead; every row says why.
SUBSTITUTIONS = [
    # There is no screen, camera or second machine here.
    (r"\b(autovideosink|xvimagesink|ximagesink)\b", "fakesink sync=true"),
    (r"\bautoaudiosink\b", "fakesink sync=true"),
    (r"\bv4l2src\b", "videotestsrc is-live=true"),
    (r"\b192\.0\.2\.\d+\b", "127.0.0.1"),
    (r"\b2001:db8::[0-9a-f]+\b", "::1"),
    (r"\bmulticast-iface=eth0\b", "multicast-iface=lo"),
    # The tree is here already, built and with its packages.
    (r"^git clone .*$", "true"),
    (r"^cd gst-tfrc$", "true"),
    (r"\bsudo ", ""),
    (r"\bmeson install\b", "meson install --dry-run"),
    # The test debian-package compiles the same with the same options.
    (r"\bninja -C build-mine\b", "ninja -n -C build-mine"),
    # These would run this test again.
    (r"\./tests/run\.sh( --quick)?(?= *(#.*)?$)", "./tests/run.sh --list"),
    (r"\bmeson test\b", "meson test --list"),
    # Each live scenario is a test of its own, of a minute or more.
    (r"(tests/live/run_scenario\.py) \w+", r"\1 --help"),
    # Simulations are tests of their own; here that the options are right.
    (r"(tests/evaluation/sim/run\.sh)", r"\1 --list"),
    # The tree's own picture stays as it is; a test compares it.
    (r"(tests/style/draw_layers\.py) \S+", r"\1 /dev/null"),
    # A benchmark, which an idle machine should run, and which needs ns-3.
    (r"(tests/evaluation/sim/bench_group\.py)", r"\1 --help"),
    # A minute for fifteen links; here the first.
    (r"(bench-playout \S+)(.*\\\n)*.*", r"\1"),
    # An hour and a half of measurement; here the shortest part of it.
    (r"(tests/evaluation/bench/run\.sh)", r"\1 --only start"),
    # What a demo shows is tested elsewhere; here that it can be typed, and that
    # its options are right.
    (r"\./(examples/(demo|multicast))\.sh(?!.*--(help|list-links)) (--[^#\n]*)",
     r"/usr/bin/python3 \1.py --check-options \4"),
    (r"(\./examples/(demo|multicast)\.sh)(?= *(#.*)?$)",
     r"\1 --headless --seconds 3 "),
    (r"\./examples/desktop\.sh",
     "DISPLAY=:0 /usr/bin/python3 examples/desktop/demo.py --check-options"),
    (r"\./examples/webrtc\.sh",
     "/usr/bin/python3 examples/webrtc/demo.py --check-options"),
    (r"\./examples/rtsp\.sh",
     "/usr/bin/python3 examples/rtsp/demo.py --check-options"),
]
FENCE = re.compile(r"^(`{3,}|~{3,})\s*(.*)$")


def blocks(path):
    """(line number, info words, text) of each fenced block."""
    fence, info, start, text = None, None, 0, []
    for number, line in enumerate(
            path.read_text(encoding="utf-8").split("\n"), 1):
        found = FENCE.match(line.strip())
        if fence is None and found:
            fence, info = found.group(1), found.group(2).split()
            start, text = number, []
        elif fence is not None and line.strip() == fence:
            yield start, info, "\n".join(text)
            fence = None
        elif fence is not None:
            text.append(line)


def substitute(text):
    for pattern, replacement in SUBSTITUTIONS:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    return text


def scratch_top(folder):
    """A folder that looks like the top of a built tree but may be littered."""
    for path in TOP.iterdir():
        if not path.name.startswith(("build", "report", ".git")):
            (folder / path.name).symlink_to(path)
    (folder / "build").symlink_to(BUILD)


def start(text, folder):
    environment = {key: value for key, value in os.environ.items()
                   if key not in {"DISPLAY", "WAYLAND_DISPLAY"}}
    environment |= {
        "BUILD_DIR": str(BUILD), "VIDEO_SOURCE": "videotestsrc is-live=true",
        "AUDIO_SOURCE": "audiotestsrc is-live=true",
        "VIDEO_SINK": "fakesink sync=true", "AUDIO_SINK": "fakesink sync=true"}
    log = tempfile.TemporaryFile()
    process = subprocess.Popen(
        ["bash", "-eu", "-c", substitute(text)], cwd=folder, env=environment,
        stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
        start_new_session=True)
    process.log = log
    return process


def stop(process):
    """Ctrl-C, as a terminal sends it: to all of the block's programs."""
    try:
        os.killpg(process.pid, signal.SIGINT)
        process.wait(STOP_LIMIT_S)
        return True
    except ProcessLookupError:
        return True
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return False


def output(process):
    process.log.seek(0)
    return process.log.read().decode(errors="replace")[-3000:]


def run_to_end(process):
    try:
        code = process.wait(LIMIT_S)
    except subprocess.TimeoutExpired:
        stop(process)
        return f"still runs after {LIMIT_S} s"
    return None if code == 0 else f"exit code {code}"


def kept_from_cpu(group):
    """Seconds in which the main threads of its processes could run and did not."""
    waited = 0
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):      # it ended, or no such statistics
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[2]) == group:
                waited += int((folder / "schedstat").read_text().split()[1]) / 1e9
    return waited


def run_until(process, seconds):
    begun = time.monotonic()
    while seconds and time.monotonic() < begun + seconds + min(
            kept_from_cpu(process.pid), MOST_KEPT_S):
        time.sleep(0.1)
    if process.poll() is not None:
        return f"ended by itself, exit code {process.returncode}"
    if not stop(process):
        return f"does not end within {STOP_LIMIT_S} s of Ctrl-C"
    good = {0, 130, -signal.SIGINT}
    return None if process.returncode in good \
        else f"exit code {process.returncode} after Ctrl-C"


def run_file(path, folder):
    """Yields (line, what is wrong, the program's output)."""
    background = []
    for line, info, text in blocks(path):
        if info[:1] and info[0] in REFUSED:
            yield line, f"fence '{info[0]}': write sh, so that it is run", ""
        if info[:1] != ["sh"]:
            continue
        process = start(text, folder)
        words = info[1:]
        if words == ["background"]:
            background.append((line, process))
            time.sleep(2)
            continue
        if not words:
            problem = run_to_end(process)
        elif words[0].startswith("interrupt="):
            problem = run_until(process, float(words[0].split("=")[1]))
        else:
            stop(process)
            problem = f"unknown words after sh: {' '.join(words)}"
        if problem:
            yield line, problem, output(process)
        for other_line, other in background:
            problem = run_until(other, 0)
            if problem:
                yield other_line, problem, output(other)
        background = []
    for line, process in background:
        stop(process)
        yield line, "background block without a block after it", ""


def parse():
    """The documents."""
    known = [TOP / "README.md"] + sorted((TOP / "docs").glob("**/*.md"))
    parser = argparse.ArgumentParser()
    parser.add_argument("--but", action="store_true",
                        help="all others than these")
    parser.add_argument("documents", nargs="*", type=pathlib.Path,
                        metavar="DOCUMENT", help="relative to the tree's top")
    chosen = parser.parse_args()
    named = [TOP / path for path in chosen.documents]
    for path in named:
        if path not in known:
            parser.error(f"there is no document {path}")
    return [path for path in known if (path in named) != chosen.but] \
        if named else known


def main():
    documents = parse()
    failed, count = 0, 0
    for path in documents:
        count += sum(info[:1] == ["sh"] for _, info, _ in blocks(path))
        with tempfile.TemporaryDirectory() as folder:
            scratch_top(pathlib.Path(folder))
            for line, problem, text in run_file(path, folder):
                print(f"{path.relative_to(TOP)}:{line}: {problem}\n{text}")
                failed += 1
    if not count:
        print("SKIP: no document has a command yet")
        return 77
    print(f"{count} blocks of commands, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
