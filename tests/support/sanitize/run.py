#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the suites unit, elements and pipeline under sanitizers, each in a
build of its own below build-sanitize/ (or $SANITIZE_DIR), and ends with one
line that counts the tests.

GStreamer and GLib are the system's, built without sanitizers: suppressions
and glib-sync.c, both beside this file, say what follows from that."""

import argparse
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent))
import run_suites  # noqa: E402

FUZZ_SECONDS = 20
DOORS = "--seconds 60"    # or $DOORS
# The most random bits of an address that gcc 12's thread sanitizer bears.
TSAN_RANDOM_BITS = 28

# Judges how late a program is, which a sanitizer makes it.
TIMED = {"relay"}

# One process for all tests of a program, so that a leak is one that grows;
# and no allocator between ours and the sanitizer's.  The registry of plugins
# stays as fill_registry() makes it.
COMMON = {"CK_FORK": "no", "G_SLICE": "always-malloc",
          "GST_REGISTRY_UPDATE": "no"}


@dataclasses.dataclass
class Tool:
    """How a build is made, and how its tests run.  `{reports}` is the start
    of the name of the files that take what it finds."""

    options: list
    slowness: int               # what the tests' time limits are multiplied by
    environment: dict = dataclasses.field(default_factory=dict)
    libraries: list = dataclasses.field(default_factory=list)
    wrapper: list = dataclasses.field(default_factory=list)
    # Python's own code is neither instrumented nor free of leaks.
    in_python: dict = dataclasses.field(default_factory=dict)
    preload_always: bool = False
    programs: tuple = ("unit", "elements")     # suites
    left_out: tuple = ()                       # suites, of those
    broken: tuple = ()                         # tests


ASAN = "log_path={reports}:detect_stack_use_after_return=1"
TOOLS = {
    "address": Tool(
        ["-Db_sanitize=address,undefined", "-Db_lundef=false"], 5,
        {"ASAN_OPTIONS": ASAN + ":fast_unwind_on_malloc=0",
         "LSAN_OPTIONS": f"suppressions={HERE}/leaks.supp"
                         ":print_suppressions=0",
         "UBSAN_OPTIONS": "log_path={reports}:halt_on_error=1"
                          ":print_stacktrace=1"},
        ["libasan.so", "libubsan.so"],
        in_python={"ASAN_OPTIONS": ASAN + ":detect_leaks=0"}),
    "thread": Tool(
        ["-Db_sanitize=thread", "-Db_lundef=false"], 10,
        {"TSAN_OPTIONS": "log_path={reports}:ignore_noninstrumented_modules=1"
                         f":suppressions={HERE}/races.supp:history_size=4"
                         ":detect_deadlocks=0"},
        ["libtsan.so"], preload_always=True,
        # The programs of unit have one thread.  Those of sanitize show that
        # races are seen, and that what orders threads is.
        programs=("sanitize", "elements"),
        # What webrtcbin gave Python is freed when the process exits, into
        # memory that is freed already, with a queue as aux sender as well.
        broken=("webrtc-embedding",)),
    "valgrind": Tool(
        [], 40,
        wrapper=["valgrind", "--quiet", "--error-exitcode=99",
                 "--log-file={reports}.%p", "--num-callers=30",
                 "--leak-check=full", "--show-leak-kinds=definite",
                 "--errors-for-leak-kinds=definite",
                 # A test has a flow on its stack, more than the 2 MB that
                 # valgrind takes for another stack.
                 "--max-stackframe=8000000",
                 f"--suppressions={HERE}/valgrind.supp"],
        # Half an hour for days of virtual time, which allocate nothing and
        # which the address sanitizer follows.
        left_out=("slow",)),
}


def build(name, options, **environment):
    folder = pathlib.Path(os.environ.get(
        "SANITIZE_DIR", TOP / "build-sanitize")).resolve() / name
    # Pipelines one after another: here they compute, and processes of a namespace
    # would write their reports under the same numbers.
    subprocess.run(
        [str(HERE.parent / "build.sh"), "-Dsim=disabled",
         "-Down_network=disabled"] + options,
        env={**os.environ, "BUILD_DIR": str(folder), **environment},
        stdin=subprocess.DEVNULL, check=True)
    return folder


def compiler_file(name):
    return subprocess.run(["gcc", "-print-file-name=" + name], check=True,
                          stdout=subprocess.PIPE, text=True).stdout.strip()


def preloads(tool, folder):
    found = [compiler_file(name) for name in tool.libraries]
    shim = folder / "tests/support/sanitize/glib-sync.so"
    return ":".join(found + ([str(shim)] if shim.exists() else []))


def fixed_addresses(tool):
    bits = pathlib.Path("/proc/sys/vm/mmap_rnd_bits")
    if ("libtsan.so" in tool.libraries and bits.exists()
            and int(bits.read_text()) > TSAN_RANDOM_BITS):
        return ["setarch", "--addr-no-randomize"]
    return []


def tests(folder, suites, tool, in_python):
    """The names of the tests of these suites that are scripts, or programs.

    The scripts of the other suites but pipeline load nothing of ours."""
    listed = json.loads(subprocess.run(
        ["meson", "introspect", "--tests", str(folder)], check=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout)
    def is_in(test, some):
        return any(suite.split(":")[-1] in some for suite in test["suite"])

    return [test["name"] for test in listed
            if is_in(test, suites) and not is_in(test, tool.left_out)
            and is_program(test["cmd"]) != in_python
            and test["name"] not in TIMED | set(tool.broken)]


def is_program(command):
    return "python" not in pathlib.Path(command[0]).name


def run_tests(name, tool, folder, suites, in_python):
    """meson's records of the suites, and one more if something was found in
    a process whose exit code no test looks at."""
    reports = folder / "reports" / ("python" if in_python else "program")
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir(parents=True)
    place = {"reports": str(reports / "report")}
    environment = {**COMMON, **tool.environment,
                   **(tool.in_python if in_python else {})}
    for key, value in environment.items():
        os.environ[key] = value.replace("{reports}", place["reports"])
    os.environ["CK_TIMEOUT_MULTIPLIER"] = str(tool.slowness)
    wrapper = fixed_addresses(tool)
    if in_python or tool.preload_always:
        wrapper += ["env", "LD_PRELOAD=" + preloads(tool, folder)]
    wrapper += [part.replace("{reports}", place["reports"])
                for part in tool.wrapper]
    names = tests(folder, suites, tool, in_python)
    # Of what tests/meson.build allows already.
    options = ["--timeout-multiplier", str(4 * tool.slowness)]
    code, records = run_suites.run_meson(
        folder, f"{name}-{'-'.join(suites)}", options + names, wrapper)
    found = [path for path in sorted(reports.iterdir()) if path.stat().st_size]
    for path in found:
        print(f"--- {path}\n{path.read_text(errors='replace')}")
    if (code or found or not records) and not run_suites.count(records)[1]:
        records.append({"name": f"reports of {name}", "result": "FAIL"})
    return records


def fill_registry(tool, folder):
    """GStreamer's scanner of plugins can load those built for a sanitizer
    only with its library."""
    environment = {
        **os.environ,
        "GST_REGISTRY_UPDATE": "yes",
        "GST_PLUGIN_PATH_1_0": str(folder / "gst/elements"),
        "GST_REGISTRY_1_0": str(folder / "tests/registry.bin"),
        "LD_PRELOAD": preloads(tool, folder),
        "ASAN_OPTIONS": "detect_leaks=0",
        "TSAN_OPTIONS": "report_bugs=0"}
    subprocess.run(fixed_addresses(tool) + ["gst-inspect-1.0", "rtptfrcsend"],
                   env=environment, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, check=True)


def run_tool(name):
    tool = TOOLS[name]
    folder = build(name, tool.options)
    fill_registry(tool, folder)
    records = run_tests(name, tool, folder, tool.programs, False)
    if not tool.wrapper:
        records += run_tests(name, tool, folder, ["pipeline"], True)
    return records


def run_fuzzers():
    """Each fuzzer for some seconds, from its corpus on."""
    folder = build("fuzz", ["-Dfuzz=true"], CC="clang") / "tests/fuzz"
    records = []
    for program in sorted(folder.glob("fuzz-*")):
        corpus = TOP / "tests/fuzz" / program.name.replace("fuzz", "corpus")
        if not program.is_file() or not corpus.is_dir():
            continue
        with tempfile.TemporaryDirectory() as found:
            code = subprocess.run(
                [str(program), f"-max_total_time={FUZZ_SECONDS}",
                 "-print_final_stats=1", "-verbosity=0",
                 f"-artifact_prefix={folder}/", found, str(corpus)],
                env={**os.environ, "UBSAN_OPTIONS": "halt_on_error=1"},
                stdin=subprocess.DEVNULL).returncode
        records.append({"name": program.name,
                        "result": "FAIL" if code else "OK"})
    return records


def run_doors():
    """Datagrams for real elements, in the build of the address sanitizer."""
    tool = TOOLS["address"]
    folder = build("address", tool.options)
    fill_registry(tool, folder)
    own_network = HERE.parent / "own_network.py"
    code = subprocess.run(
        [sys.executable, str(own_network),
         str(folder / "tests/fuzz/fuzz-doors"),
         *os.environ.get("DOORS", DOORS).split()],
        env={**os.environ, **COMMON,
             "GST_PLUGIN_PATH_1_0": str(folder / "gst/elements"),
             "GST_REGISTRY_1_0": str(folder / "tests/registry.bin"),
             # Memory is to be seen to stay as it is.
             "ASAN_OPTIONS": "detect_stack_use_after_return=1"
                             ":fast_unwind_on_malloc=0"
                             ":quarantine_size_mb=16",
             "LSAN_OPTIONS": tool.environment["LSAN_OPTIONS"],
             "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"},
        stdin=subprocess.DEVNULL).returncode
    return [{"name": "fuzz-doors", "result": "FAIL" if code else "OK"}]


RUNS = {**{name: lambda name=name: run_tool(name) for name in TOOLS},
        "fuzz": run_fuzzers, "doors": run_doors}


def line(records):
    return "{} passed, {} failed, {} skipped".format(
        *run_suites.count(records))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tools", nargs="*", metavar="TOOL",
                        help="one of: %s; all without any" % ", ".join(RUNS))
    wanted = parser.parse_args().tools or list(RUNS)
    for name in wanted:
        if name not in RUNS:
            parser.error(f"there is no tool '{name}' (see --help)")

    found = {}
    for name in wanted:
        print(f"Sanitize: {name}", flush=True)
        found[name] = RUNS[name]()
    for name, records in found.items():
        for record in records:
            if record["result"] in run_suites.SKIPPED:
                print(f"{name}: skipped {record['name']}: "
                      f"{run_suites.skip_reason(record)}")
            elif record["result"] not in run_suites.PASSED:
                print(f"{name}: failed {record['name']}")
        print(f"{name}: {line(records)}")
    everything = sum(found.values(), [])
    print(line(everything), flush=True)
    return 1 if run_suites.count(everything)[1] else 0


if __name__ == "__main__":
    sys.exit(main())
