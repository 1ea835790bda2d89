#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a live scenario: real elements, encoder, sockets and time, over the
link that the profile describes.

    run_scenario.py SCENARIO [--folder DIR] [--json FILE]

The runs go side by side, each with processes and a seed of its own, and the
claims are judged by their medians.  A run during which the machine stalled
the link says nothing about us: it is made again, and if the machine never
comes to rest the test is skipped with the reason."""

import argparse
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
    values, _ = report.write(recording, folder, f"{name}, seed {seed}")
    print(json.dumps({
        "lateness_ms": measures.worst_lateness_ms(recording),
        "measured": [measure(claim, recording, values)
                     for claim in scenario.claims]}))
    return 0


def run_round(name, seeds, folder):
    """One process for each seed, side by side: (answers, failures)."""
    processes = [subprocess.Popen(
        [sys.executable, __file__, name, "--seed", str(seed),
         "--folder", str(folder / f"run-{seed}")],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True) for seed in seeds]
    answers, failures = [], []
    for process in processes:
        out, errors = process.communicate()
        if process.returncode:
            failures.append((errors.strip().split("\n") or ["?"])[-1])
        else:
            answers.append(json.loads(out.strip().split("\n")[-1]))
    return answers, failures


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


def run(name, folder):
    """(JSON of the scenario or None, why there is none).  A median of three
    scatters: where it misses, three times as many are made, and their median
    is what counts."""
    outcome, reason = judge_runs(name, folder, SCENARIOS[name].runs)
    if outcome and not all(claim["ok"] for claim in outcome["claims"]):
        print(json.dumps(outcome, indent=2), file=sys.stderr)
        return judge_runs(name, folder, 3 * SCENARIOS[name].runs)
    return outcome, reason


def judge_runs(name, folder, runs):
    scenario = SCENARIOS[name]
    calm, disturbed = [], []
    for turn in range(ROUNDS * runs // scenario.runs):
        seeds = [1 + turn * scenario.runs + i
                 for i in range(min(scenario.runs, runs - len(calm)))]
        answers, failures = run_round(name, seeds, folder)
        if failures:
            return {"scenario": name, "claims": [{
                "claim": "runs without an error", "measured": len(failures),
                "low": None, "high": 0, "ok": False,
                "note": "; ".join(failures)}]}, None
        for answer in answers:
            late = answer["lateness_ms"]
            good = late is not None and late <= CALM_MS
            (calm if good else disturbed).append(answer)
        if len(calm) == runs:
            break
    if len(calm) < runs:
        return None, (f"the machine stalled the link in {len(disturbed)} "
                      f"runs, by up to "
                      f"{max(one['lateness_ms'] for one in disturbed):.0f}"
                      " ms")
    return {"scenario": name, "runs": len(calm),
            "disturbed_runs": len(disturbed), "claims": [
                judge(claim, [answer["measured"][i] for answer in calm])
                for i, claim in enumerate(scenario.claims)]}, None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenario", choices=SCENARIOS)
    parser.add_argument("--seed", type=int, help="only one run, with this")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    chosen = parser.parse_args()
    folder = (chosen.folder
              or pathlib.Path(tempfile.mkdtemp(prefix="tfrc-live-")))
    if chosen.seed is not None:
        return run_once(chosen.scenario, chosen.seed, folder)
    outcome, reason = run(chosen.scenario, folder)
    if outcome is None:
        print(f"SKIP: {reason}")
        return 77
    print(json.dumps(outcome, indent=2))
    if chosen.json:
        report.write_json(chosen.json, outcome)
    return 0 if all(claim["ok"] for claim in outcome["claims"]) else 1


if __name__ == "__main__":
    sys.exit(main())
