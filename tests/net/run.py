#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs real elements beside real TCP in network namespaces, and judges what
they do."""

import argparse
import concurrent.futures
import json
import pathlib
import signal
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "sim"))

import claims  # noqa: E402
import namespaces  # noqa: E402
import network  # noqa: E402
import stage  # noqa: E402
from claims import Scale  # noqa: E402

EPILOGUE = """\
exit code: 0 if every claim is in its range, 1 if not or if a run failed, 2
for wrong use, 77 if this machine cannot run it or never came to rest, 130
after Ctrl-C.  A run during which the machine stalled the links says nothing
about us: it is made again, with the next seed."""

# Of one run, until the machine is calm.
MAX_TRIES = 3


class Parser(argparse.ArgumentParser):

    def error(self, message):
        self.exit(2, f"{self.prog}: {message} (see --help)\n")


def parse(arguments):
    parser = Parser(prog="run.sh", description=__doc__, epilog=EPILOGUE)
    parser.add_argument("scenarios", metavar="SCENARIO", nargs="*",
                        help="only these (see --list); default: all")
    parser.add_argument("--quick", dest="scale", action="store_const",
                        const=Scale.QUICK, default=Scale.STANDARD,
                        help="one short run of each, as tests/run.sh")
    parser.add_argument("--list", action="store_true",
                        help="only list the scenarios")
    parser.add_argument("--json", metavar="FILE", type=pathlib.Path,
                        help="write the claims and what was measured")
    parser.add_argument("--folder", metavar="FOLDER", type=pathlib.Path,
                        help="keep the runs' logs there")
    parser.add_argument("--jobs", metavar="N", type=int, default=2,
                        help="runs at a time (default: 2)")
    chosen = parser.parse_args(arguments)
    if chosen.jobs < 1:
        parser.error("--jobs: at least 1")
    known = claims.load_scenarios(HERE / "cases")
    for name in chosen.scenarios:
        if name not in known:
            parser.error(f"there is no scenario '{name}' (see --list)")
    chosen.scenarios = [known[name] for name in chosen.scenarios or known]
    return chosen


def perform(scenario, key, act, folder):
    """[Stage, ...] of the tries; the last one is what counts."""
    tries = []
    for number in range(MAX_TRIES):
        name = "-".join(map(str, (scenario.name,) + key))
        here = stage.Stage(folder / f"{name}-try{number + 1}",
                           key[-1] + 1000 * number)
        here.perform(act)
        tries.append(here)
        if here.is_calm() or stage.interrupted.is_set():
            break
    return tries


def evaluate(scenarios, scale, folder, jobs):
    """[(scenario, {key: tries})].  Runs go side by side."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        planned = [(scenario, {
            key: pool.submit(perform, scenario, key, act, folder)
            for key, act in scenario.runs(scale).items()})
            for scenario in scenarios]
        try:
            return [(scenario, {key: future.result()
                                for key, future in futures.items()})
                    for scenario, futures in planned]
        except KeyboardInterrupt:
            stage.interrupted.set()
            for _, futures in planned:
                for future in futures.values():
                    future.cancel()
            raise


def judge(scenario, scale, tries):
    """(outcomes, why there are none or None).  A run that failed is a missed
    claim, unless the machine stalled in it."""
    last = {key: stages[-1] for key, stages in tries.items()}
    disturbed = [key for key, here in last.items()
                 if here.links is not None and not here.is_calm()]
    if disturbed:
        worst = max(last[key].lateness_ms() for key in disturbed)
        return [], (f"{scenario.name}: the machine stalled the links in "
                    f"{MAX_TRIES} tries, by up to {worst:.0f} ms")
    failures = "; ".join(here.failure for here in last.values()
                         if here.failure)
    claim = claims.Claim("runs that failed", "none", lambda results: sum(
        here.failure is not None for here in results.values()), high=0,
        note=failures)
    results = claims.Results(last)
    return [claims.judge(scenario, one, results)
            for one in [claim] + scenario.judged_at(scale)], None


def print_outcomes(scenario, outcomes):
    for outcome in outcomes:
        print(f"{scenario.name}: {outcome.claim.claim}: "
              f"{outcome.measured_text} (range {outcome.range_text}) "
              f"{outcome.verdict}"
              + "".join(f"; {note}" for note in (
                  outcome.trouble, "" if outcome.ok else outcome.claim.note)
                  if note), flush=True)


def interrupt(signum, frame):
    raise KeyboardInterrupt


def main(arguments=None):
    chosen = parse(arguments)
    if chosen.list:
        for scenario in chosen.scenarios:
            print(f"{scenario.name:16}{scenario.what} ({scenario.source})")
        return 0
    reason = namespaces.why_not()
    if reason:
        print(f"SKIP: {reason}", file=sys.stderr)
        return 77
    if not network.emulator_program().exists():
        print(f"run.sh: {network.emulator_program()} was not built",
              file=sys.stderr)
        return 1
    signal.signal(signal.SIGTERM, interrupt)
    folder = chosen.folder or pathlib.Path(
        tempfile.mkdtemp(prefix="tfrc-net-"))
    print(f"logs in {folder}", flush=True)
    try:
        evaluated = evaluate(chosen.scenarios, chosen.scale, folder,
                             chosen.jobs)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    listing, reasons, all_ok = [], [], True
    for scenario, tries in evaluated:
        if not tries:           # not at this scale
            continue
        outcomes, reason = judge(scenario, chosen.scale, tries)
        print_outcomes(scenario, outcomes)
        all_ok = all_ok and all(outcome.ok for outcome in outcomes)
        reasons += [reason] if reason else []
        listing.append({
            "scenario": scenario.name,
            "claims": [outcome.json() for outcome in outcomes],
            "disturbed_runs": sum(len(stages) - 1 for stages in
                                  tries.values())})
    if chosen.json:
        chosen.json.write_text(json.dumps(listing, indent=2) + "\n")
    if not all_ok:
        return 1
    if reasons:
        print("SKIP: " + "; ".join(reasons))
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
