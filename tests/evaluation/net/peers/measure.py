#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures the controls of cells.py in turns and keeps one value a run:

    measure.py [--rounds N] [--minutes M] [--jobs N] [--only CELL,...]
               [--controls CONTROL,...] [--traces FOLDER] FILE

A round is each control in each cell once, all with the seed of the round, the
controls of a cell in an order of chance next to each other.  What FILE has already is
not measured again.  A run during which the machine stalled is made again at the
end of its round, up to twice more; how many were stands beside what was kept."""

import argparse
import concurrent.futures
import contextlib
import fcntl
import functools
import json
import os
import pathlib
import platform
import random
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
NET = HERE.parent
TOP = HERE.parents[3]
sys.path[:0] = [str(HERE), str(NET), str(NET.parent / "sim"), str(TOP / "examples"),
                str(TOP / "tests" / "support")]

import cells  # noqa: E402
import quality  # noqa: E402
import stage  # noqa: E402
from live.child import share_priority  # noqa: E402

PRIORITY = -10
MAX_TRIES = 3


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=float("inf"),
                        help="begin no run after so long")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    parser.add_argument("--lock", type=pathlib.Path, default=os.devnull,
                        help="a file to lock (flock) while there are runs")
    parser.add_argument("--locked", type=int, default=4,
                        help="runs that it is locked for")
    parser.add_argument("--only", type=lambda text: text.split(","),
                        default=cells.CELLS)
    parser.add_argument("--traces", metavar="FOLDER", type=pathlib.Path,
                        help="of links in mahimahi's format, for the cell "
                        f"{cells.RECORDED}, which is not measured without")
    parser.add_argument("--controls", type=lambda text: text.split(","),
                        default=(*cells.CONTROLS, cells.REPAIRS))
    return parser.parse_args()


def git(*command):
    return subprocess.run(["git", "-C", str(TOP), *command], check=True,
                          stdout=subprocess.PIPE, text=True).stdout.strip()


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.partition(": ")[2].strip() for line in file
                      if line.startswith("model name")), platform.machine())
    return f"{os.cpu_count()} cores, {model}, Linux {platform.release()}"


@functools.cache
def elements_commit():
    return git("log", "-1", "--format=%h", "--abbrev=8", "--", "gst")


def head():
    return {"machines": [], "seconds": cells.SECONDS,
            "cellular_seconds": cells.CELLULAR_SECONDS,
            "quantiles": cells.QUANTILES, "series_s": cells.SERIES_S,
            "from_s": cells.FROM_S}


class Kept:
    """The file: a head and a line a run."""

    def __init__(self, path):
        self.path = path
        self.told = {"head": head(), "spoilt": [], "runs": []}
        if path.exists():
            self.told = json.loads(path.read_text(encoding="utf-8"))

    def machine(self):
        """The number of this one among those of the file."""
        machines, here = self.told["head"]["machines"], machine()
        if here not in machines:
            machines.append(here)
        return machines.index(here)

    def has(self, cell, control, seed):
        return any((run["cell"], run["control"], run["seed"])
                   == (cell, control, seed) for run in self.told["runs"])

    def tries(self, *key):
        """That the machine or a process has spoilt."""
        return self.told["spoilt"].count(list(key))

    def add(self, key, run):
        if run:
            self.told["runs"].append(run)
        else:
            self.told["spoilt"].append(list(key))
        lines = ",\n".join(map(json.dumps, self.told["runs"]))
        unfinished = self.path.with_suffix(".unfinished")
        unfinished.write_text(
            f'{{"head": {json.dumps(self.told["head"])},\n'
            f'"spoilt": {json.dumps(self.told["spoilt"])},\n'
            f'"runs": [\n{lines}\n]}}\n', encoding="utf-8")
        unfinished.rename(self.path)


def chosen_cells(chosen):
    return [cell for cell in chosen.only
            if cell != cells.RECORDED or chosen.traces is not None]


def plan_of_round(seed, chosen, kept, of=(*cells.CONTROLS, cells.REPAIRS)):
    """`chosen`: cells, `of`: controls."""
    chance = random.Random(seed)
    plan = []
    for cell in chosen:
        controls = cells.controls(cell)
        chance.shuffle(controls)
        plan += [(cell, control, seed) for control in controls
                 if control in of and not kept.has(cell, control, seed)]
    return plan


def perform(traces, cell, control, seed, number):
    """What is kept of it, or None: the machine was not calm, or a process failed."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tfrc-peers-"))
    try:
        here = stage.Stage(folder, seed + 1000 * number)
        began, load = time.time(), os.getloadavg()[0]
        here.perform(cells.act(cell, control, seed, traces))
        why = here.failure or ("" if cells.is_calm(here, cell) else "not calm")
        print(f"{time.strftime('%H:%M:%S')} {cell} {control} {seed}"
              f" {why} late by {here.lateness_ms() or 0:.0f} ms, encoded "
              f"{cells.encoded_share(here) if not here.failure else 0:.2f}", flush=True)
        if why and (here.failure or number < MAX_TRIES):
            return None
        return {"cell": cell, "control": control, "seed": seed,
                "commit": elements_commit(),
                "began": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(began)),
                "load": round(load, 2), "calm": not why,
                **({"trace": cells.trace_of_round(traces, seed).name}
                   if cell == cells.RECORDED else {}),
                **cells.kept(here, cell)}
    finally:
        shutil.rmtree(folder)


@contextlib.contextmanager
def locked(path):
    with open(path, "ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def measure_round(plan, kept, chosen, until):
    with concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        while plan and time.monotonic() < until:
            batch, plan = plan[:chosen.locked], plan[chosen.locked:]
            with locked(chosen.lock):
                for key, run in zip(batch, pool.map(
                        lambda key: perform(chosen.traces, *key, kept.tries(*key) + 1),
                        batch)):
                    kept.add(key, run and {**run, "jobs": chosen.jobs,
                                           "machine": kept.machine()})
                    if not run and kept.tries(*key) < MAX_TRIES:
                        plan.append(key)


def main():
    chosen = parse()
    if chosen.traces is not None and not (
            chosen.traces.is_dir() and any(chosen.traces.iterdir())):
        print(f"measure.py: {chosen.traces} is no folder with traces", file=sys.stderr)
        return 2
    if cells.missing(chosen.controls):
        print(f"measure.py: {cells.missing(chosen.controls)}", file=sys.stderr)
        return 77
    quality.fetch_ffmpeg()
    os.setpriority(os.PRIO_PROCESS, 0, PRIORITY)
    share_priority(os.getpid())
    kept = Kept(chosen.file)
    until = time.monotonic() + 60 * chosen.minutes
    for seed in range(1, chosen.rounds + 1):
        measure_round(plan_of_round(seed, chosen_cells(chosen), kept,
                                    chosen.controls), kept,
                      chosen, until)
    return 0


if __name__ == "__main__":
    sys.exit(main())
