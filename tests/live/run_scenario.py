#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs live scenarios: real elements, encoder, sockets and time, over the
link that the profile describes.

    run_scenario.py SCENARIO... [--quick | --runs N] [--jobs N] [--folder DIR] [--json FILE]

The runs go side by side, each with processes and a seed of its own, and so
do several scenarios, the longest first: a run takes about a quarter of a core.  The claims are
judged by their medians; with --quick by one run, and by the median of more
only where that misses; with --runs by so many, whatever they show.  A run
during which the machine stalled the link says nothing about us: it is made
again, and if the machine never comes to rest the test is skipped with the
reason."""

import argparse
import concurrent.futures
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]
                       / "examples"))

from live import options, report  # noqa: E402
from live.recording import Recording  # noqa: E402
from live.session import Plan, Session  # noqa: E402

import measures  # noqa: E402
from scenarios import SCENARIOS  # noqa: E402

# What the link may be late by; its shortest delay is 0.5 ms, but a stall of
# a few frames' time is what disturbs a run.
CALM_MS = 50
ROUNDS = 3


def measure(claim, recording, values):
    if isinstance(claim.measure, str):
        return values[claim.measure]
    return claim.measure(recording)


def run_once(name, seed, folder):
    """In this process: what each claim measures, as JSON on stdout."""
    scenario = SCENARIOS[name]
    recording = Recording()
    Session(Plan(
        seconds=scenario.seconds, source=scenario.source,
        link=options.link_files()[scenario.link], encoder=scenario.encoder,
        folder=folder, seed=seed, sink=scenario.sink), recording).run()
    title = f"{name}, seed {seed}"
    values, _ = report.write(recording, folder, title)
    report.draw(recording, folder, title)
    print(json.dumps({
        "lateness_ms": measures.worst_lateness_ms(recording),
        "measured": [measure(claim, recording, values)
                     for claim in scenario.claims]}))
    return 0


def run_round(name, seeds, folder):
    """One process for each seed, side by side, and what each answers."""
    processes = [subprocess.Popen(
        [sys.executable, __file__, name, "--seed", str(seed),
         "--folder", str(folder / f"run-{seed}")],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True) for seed in seeds]
    answers = []
    for process in processes:
        out, errors = process.communicate()
        if process.returncode:
            answers.append({"lateness_ms": None,
                            "failure": errors.strip().split("\n")[-1]})
        else:
            answers.append(json.loads(out.strip().split("\n")[-1]))
    return answers


def typical(claim, values):
    """Of the runs' values, the one that the claim is judged by.  A run that
    does not tell counts as the worst."""
    worst = math.inf if claim.high is not None else -math.inf
    numbers = [worst if value is None else value for value in values]
    if claim.worst:
        return max(numbers) if claim.high is not None else min(numbers)
    return statistics.median(numbers)


def judge(claim, values):
    value = typical(claim, values)
    ok = (claim.low is None or value >= claim.low) \
        and (claim.high is None or value <= claim.high)
    return {"claim": claim.claim,
            "measured": round(value, 4) if math.isfinite(value) else None,
            "low": claim.low, "high": claim.high, "ok": ok,
            "note": "; ".join(filter(None, [claim.note, "runs: " + ", ".join(
                "-" if one is None else f"{one:.4g}" for one in values)]))}


def run(name, folder, quick=False, n_runs=None):
    """(JSON of the scenario or None, why there is none).  One run scatters,
    and so does a median of three: where it misses, runs are added, and the
    median of all is what counts.  `n_runs`: none are added."""
    answers, runs = [], SCENARIOS[name].runs
    for wanted in [n_runs] if n_runs else [1] * quick + [runs, 3 * runs]:
        reason = add_runs(name, folder, answers, wanted)
        if reason:
            return None, reason
        outcome = outcome_of(name, answers)
        if passes(outcome):
            break
        print(json.dumps(outcome, indent=2), file=sys.stderr)
    return outcome, None


def add_runs(name, folder, answers, wanted):
    """Adds to answers until there are enough of a calm machine.  Returns
    why there are not, or None.  A run that failed ends it."""
    missing = wanted - len(calm(answers))
    turns = ROUNDS * math.ceil(missing / SCENARIOS[name].runs)
    while missing > 0 and turns > 0 and not failures(answers):
        seeds = [1 + len(answers) + i
                 for i in range(min(SCENARIOS[name].runs, missing))]
        answers += run_round(name, seeds, folder)
        missing = wanted - len(calm(answers))
        turns -= 1
    if missing <= 0 or failures(answers):
        return None
    worst = max(answer["lateness_ms"] or math.inf for answer in answers)
    return (f"{name}: the machine stalled the link in "
            f"{len(answers) - len(calm(answers))} runs, by up to "
            f"{worst:.0f} ms")


def calm(answers):
    return [answer for answer in answers
            if answer["lateness_ms"] is not None
            and answer["lateness_ms"] <= CALM_MS]


def failures(answers):
    return [answer["failure"] for answer in answers if "failure" in answer]


def outcome_of(name, answers):
    scenario, failed = SCENARIOS[name], failures(answers)
    if failed:
        claims = [{"claim": "runs without an error",
                   "measured": len(failed), "low": None, "high": 0,
                   "ok": False, "note": "; ".join(failed)}]
    else:
        claims = [judge(claim, [answer["measured"][i]
                                for answer in calm(answers)])
                  for i, claim in enumerate(scenario.claims)]
    return {"scenario": name, "runs": len(calm(answers)),
            "disturbed_runs": len(answers) - len(calm(answers)),
            "claims": claims}


def passes(outcome):
    return all(claim["ok"] for claim in outcome["claims"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenarios", nargs="+", choices=SCENARIOS,
                        metavar="SCENARIO", help=", ".join(SCENARIOS))
    parser.add_argument("--seed", type=int,
                        help="only one run of the first, with this")
    how_many = parser.add_mutually_exclusive_group()
    how_many.add_argument("--quick", action="store_true",
                          help="one run of each, more where that misses")
    how_many.add_argument("--runs", type=int, metavar="N",
                          help="so many runs of each")
    parser.add_argument("--jobs", type=int, metavar="N",
                        help="scenarios at a time (default: all)")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    chosen = parser.parse_args()
    folder = (chosen.folder
              or pathlib.Path(tempfile.mkdtemp(prefix="tfrc-live-")))
    if chosen.seed is not None:
        return run_once(chosen.scenarios[0], chosen.seed, folder)
    names = sorted(chosen.scenarios, key=lambda name: -SCENARIOS[name].seconds)
    with concurrent.futures.ThreadPoolExecutor(chosen.jobs or len(names)) as pool:
        results = list(pool.map(
            lambda name: run(name, folder / name, chosen.quick,
                             chosen.runs),
            names))
    outcomes = [outcome for outcome, _ in results if outcome]
    reasons = [reason for _, reason in results if reason]
    for outcome in outcomes:
        print(json.dumps(outcome, indent=2))
    if chosen.json:
        report.write_json(chosen.json, outcomes)
    if not all(map(passes, outcomes)):
        return 1
    if reasons:
        print("SKIP: " + "; ".join(reasons))
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
