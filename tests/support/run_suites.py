#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs meson's tests, says why what was skipped was skipped, and ends with one
line that counts them.

Meson runs tests side by side, but alone those that say `is_parallel : false`
(everything that measures time).  Beside them run, each by a meson of its own,
what computes, at a low priority, and the networks with real TCP, whose
processes mostly wait and then want a CPU at once.  What fails of the suites
in real time is tried once more, alone, and the output says so: beside others it
may have had no CPU when it needed it."""

import argparse
import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

import own_network

CORES = len(os.sched_getaffinity(0))


@dataclasses.dataclass(frozen=True)
class Run:
    """Of meson test."""
    name: str                       # not meson's: tests run meson test, too
    suites: tuple
    side_by_side: int
    scheduled: tuple = ()


BESIDE = (
    Run("all-computations",
        ("--suite", "unit", "--suite", "elements", "--suite", "style",
         "--suite", "sim", "--suite", "package", "--no-suite", "commands"),
        CORES, ("nice", "-n", "10")),
    # Without the right to that just a remark.
    Run("all-networks", ("--suite", "net"), 1, ("nice", "-n", "-10")))
IN_TURN = (
    # Most wait, each in a network of its own: an eighth of a core each.  With 14 at a time on
    # two cores four of 74 were too late, and had to be repeated.
    Run("all-tests", ("--suite", "pipeline", "--suite", "live", "--suite", "bench",
                      "--suite", "commands", "--no-suite", "demo",
                      "--no-suite", "sim"), max(10, 4 * CORES)),
    # They encode and decode what they show: half a core each.
    Run("all-demos", ("--suite", "demo"), max(3, CORES)))

# Their tests are as late as the machine is: a busy one failed eight.  Where more
# than twice as many fail, it is not that.
REAL_TIME = {"pipeline", "live", "net", "bench", "commands"}
MOST_AGAIN = 16
PASSED = {"OK", "EXPECTEDFAIL"}
SKIPPED = {"SKIP"}


def skip_reason(record):
    """The line in which a test that exited with 77 said why."""
    text = (record.get("stdout") or "") + "\n" + (record.get("stderr") or "")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    said = [line for line in lines if line.upper().startswith("SKIP")]
    if said:
        return said[-1]
    return lines[-1] if lines else "no reason given"


def read_records(log):
    if not log.exists():
        return []
    with log.open(encoding="utf-8", errors="replace") as file:
        return [json.loads(line) for line in file if line.strip()]


def count(records):
    """(passed, failed, skipped) of meson's records."""
    passed = sum(record["result"] in PASSED for record in records)
    skipped = sum(record["result"] in SKIPPED for record in records)
    return passed, len(records) - passed - skipped, skipped


def start_meson(build, log_name, options, wrapper=(), scheduled=(),
                output=None):
    """Meson test, of the tests' programs under a wrapper's if there is one, and
    the file in which it records."""
    # The name is meson's own way.
    ending = "-" + pathlib.Path(wrapper[0]).name if wrapper else ""
    log = build / "meson-logs" / f"{log_name}{ending}.json"
    log.unlink(missing_ok=True)
    if wrapper:
        options = ["--wrapper", " ".join(wrapper), *options]
    return subprocess.Popen(
        [*scheduled, "meson", "test", "-C", str(build), "--no-rebuild",
         "--logbase", log_name, "--print-errorlogs", *options],
        stdin=subprocess.DEVNULL, stdout=output, stderr=output), log


def run_meson(build, log_name, options, wrapper=()):
    """Its exit code and what it recorded."""
    process, log = start_meson(build, log_name, options, wrapper)
    return process.wait(), read_records(log)


def run_all(build, selection):
    """The exit code and the records of each run.  Those beside the others say
    what they have to say when they have ended."""
    started = []

    def start(run, output=None):
        process, log = start_meson(
            build, run.name, [*run.suites, "--num-processes",
                              str(run.side_by_side), *selection],
            scheduled=run.scheduled, output=output)
        started.append(process)
        return process, log

    outputs = [tempfile.TemporaryFile() for _ in BESIDE]
    try:
        beside = [start(*each) for each in zip(BESIDE, outputs)]
        for run in IN_TURN:
            process, log = start(run)
            yield process.wait(), read_records(log)
        for (process, log), output in zip(beside, outputs):
            code = process.wait()
            output.seek(0)
            print(output.read().decode(errors="replace"), end="", flush=True)
            yield code, read_records(log)
    finally:
        for process in started:
            process.terminate()
            process.wait()


def suites_of(record):
    """Of a name like "gst-tfrc:live+slow / rtsp-run"."""
    suites, _, _ = record["name"].partition(" / ")
    return set(suites.rpartition(":")[2].split("+"))


def try_again(build, records):
    """The records, with those of a second try for what failed in real time."""
    failed = [record["name"] for record in records
              if record["result"] not in PASSED | SKIPPED
              and suites_of(record) & REAL_TIME]
    if not failed or len(failed) > MOST_AGAIN:
        return records
    print(f"once more, alone: {', '.join(failed)}", flush=True)
    _, found = run_meson(
        build, "second-try", ["--num-processes", "1"]
        + [name.rpartition(" / ")[2] for name in failed])
    second = {record["name"]: record for record in found}
    return [second.get(record["name"], record) if record["name"] in failed
            else record for record in records]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    selection = ["--no-suite", "slow"] if arguments.quick else []
    if arguments.list:
        return subprocess.run(
            ["meson", "test", "-C", str(arguments.build), "--no-rebuild",
             "--list"] + selection, stdin=subprocess.DEVNULL).returncode

    # As Ctrl-C does: nothing goes on beside.  nohup has SIGHUP ignored.
    for number in signal.SIGTERM, signal.SIGHUP:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda number, _: sys.exit(128 + number))
    broken, first = False, []
    for code, found in run_all(arguments.build, selection):
        broken |= code != 0 and count(found)[1] == 0
        first += found
    records = try_again(arguments.build, first)

    reason = own_network.why_not()
    if reason:
        print(f"one after another, what could wait side by side: {reason}")
    for record in records:
        if record["result"] in SKIPPED:
            print(f"skipped {record['name']}: {skip_reason(record)}")
    for before, record in zip(first, records):
        if before is not record:
            print(f"{before['result']} beside others, {record['result']} "
                  f"alone: {record['name']}")
    passed, failed, skipped = count(records)
    if not records or broken:
        print("meson test itself failed", file=sys.stderr)
        failed += 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
