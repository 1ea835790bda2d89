#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs meson's tests and benchmarks, says why what was skipped was skipped,
and ends with one line that counts them.

Meson runs tests side by side, but alone those that say `is_parallel : false`
(everything that measures time); benchmarks run one after another.  What fails
of the suites in real time is tried once more, alone, and the output says so:
beside others it may have had no CPU when it needed it."""

import argparse
import json
import os
import pathlib
import subprocess
import sys

import own_network

# Of the tests that are side by side most wait, each in a network of its own.
SIDE_BY_SIDE = 6
# Their tests are as late as the machine is.  Where more of them fail, it is not
# that.
REAL_TIME = {"pipeline", "live", "net", "bench"}
MOST_AGAIN = 5
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


def run_meson(build, log_name, options, wrapper=()):
    """One run of meson test, of the tests' programs under a wrapper's if there
    is one; its exit code and what it recorded."""
    log_file = log_name
    if wrapper:
        options = ["--wrapper", " ".join(wrapper)] + options
        # meson's own way.
        log_file += "-" + pathlib.Path(wrapper[0]).name
    log = build / "meson-logs" / (log_file + ".json")
    log.unlink(missing_ok=True)
    code = subprocess.run(
        ["meson", "test", "-C", str(build), "--no-rebuild", "--logbase", log_name,
         "--print-errorlogs"] + options,
        stdin=subprocess.DEVNULL).returncode
    return code, read_records(log)


def suites_of(record):
    """Of a name like "gst-tfrc:live+slow / group-demo"."""
    suites, _, _ = record["name"].partition(" / ")
    return set(suites.rpartition(":")[2].split("+"))


def try_again(build, records, options):
    """The records, with those of a second try for what failed in real time."""
    failed = [record["name"] for record in records
              if record["result"] not in PASSED | SKIPPED
              and suites_of(record) & REAL_TIME]
    if not failed or len(failed) > MOST_AGAIN:
        return records
    print(f"once more, alone: {', '.join(failed)}", flush=True)
    _, found = run_meson(
        build, "second-try", ["--num-processes", "1"] + options
        + [name.rpartition(" / ")[2] for name in failed])
    second = {record["name"]: record for record in found}
    return [second.get(record["name"], record) if record["name"] in failed
            else record for record in records]


def has_benchmarks(build):
    text = subprocess.run(
        ["meson", "introspect", "--benchmarks", str(build)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True).stdout
    return bool(json.loads(text))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    selection = ["--no-suite", "slow"] if arguments.quick else []
    jobs = max(SIDE_BY_SIDE, len(os.sched_getaffinity(0)))

    # Not meson's own names: a test that runs meson test would write there.
    runs = [("all-tests", selection)]
    if has_benchmarks(arguments.build):
        runs.append(("all-benchmarks", ["--benchmark"] + selection))

    if arguments.list:
        for _, options in runs:
            subprocess.run(["meson", "test", "-C", str(arguments.build),
                            "--no-rebuild", "--list"] + options,
                           stdin=subprocess.DEVNULL, check=True)
        return 0

    broken, first, records = False, [], []
    for name, options in runs:
        sys.stdout.flush()
        code, found = run_meson(
            arguments.build, name, ["--num-processes", str(jobs)] + options)
        broken |= code != 0 and count(found)[1] == 0
        first += found
        records += try_again(
            arguments.build, found, [option for option in options
                                     if option == "--benchmark"])

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
