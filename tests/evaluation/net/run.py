#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs real elements beside real TCP in network namespaces, and judges what
they do."""

import concurrent.futures
import contextlib
import json
import os
import pathlib
import signal
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "sim"))

import claims  # noqa: E402
import kept_runs  # noqa: E402
import namespaces  # noqa: E402
import network  # noqa: E402
import plots  # noqa: E402
import records  # noqa: E402
import second_look  # noqa: E402
import stage  # noqa: E402
from claims import Scale  # noqa: E402
from scenario_options import Parser, interrupt  # noqa: E402

EPILOGUE = """\
exit code: 0 if every claim is in its range, 1 if not or if a run failed, 2
for wrong use, 77 if this machine cannot run it or never came to rest, 130
after Ctrl-C.  A run during which the machine stalled the links says nothing
about us: it is made again, with the next seed.  What misses with --quick is
looked at twice more, and the median counts.  For fewer of these, all
processes of the runs have a priority of nice -10 where that is allowed."""

# The scenario of --full, which has no other scale.
SOAK = "soak"
# Of --quick: those that take longest begin.
LONGEST = {"group", "breaker", "forms"}
# Of one run, until the machine is calm.
MAX_TRIES = 3
PRIORITY = -10


def parse(arguments):
    parser = Parser(description=__doc__, epilog=EPILOGUE)
    parser.add_argument("--quick", dest="scale", action="store_const",
                        const=Scale.QUICK, default=Scale.STANDARD,
                        help="one short run of each, as tests/run.sh")
    parser.add_argument("--full", dest="scale", action="store_const",
                        const=Scale.FULL,
                        help="half an hour of the soak, and only that")
    parser.add_argument("--list", action="store_true",
                        help="only list the scenarios")
    parser.add_argument("--json", metavar="FILE", type=pathlib.Path,
                        help="write the claims and what was measured")
    parser.add_argument("--folder", metavar="FOLDER", type=pathlib.Path,
                        help="keep the runs' logs there")
    parser.add_argument("--resume", action="store_true",
                        help="keep finished runs in FOLDER, and make only "
                        "those that it does not hold; other elements, other "
                        "FOLDER")
    parser.add_argument("--figures", metavar="FOLDER", type=pathlib.Path,
                        help="draw the scenarios' figures there")
    parser.add_argument("--seeds", metavar="N", type=int, default=sys.maxsize,
                        help="only the first N runs of each case")
    parser.add_argument("--jobs", metavar="N", type=int, default=2,
                        help="runs at a time (default: 2)")
    chosen = parser.parse_args(arguments)
    if chosen.resume and not chosen.folder:
        parser.error("--resume: of which --folder?")
    for name in ("jobs", "seeds"):
        if getattr(chosen, name) < 1:
            parser.error(f"--{name}: at least 1")
    known = claims.load_scenarios(HERE / "cases")
    if chosen.scale is Scale.FULL:
        if set(chosen.scenarios) - {SOAK}:
            parser.error(f"--full: only '{SOAK}' has that scale")
        chosen.scenarios = [SOAK]
    chosen.scenarios = parser.choose(chosen, known)
    if chosen.scale is Scale.QUICK:
        chosen.scenarios.sort(key=lambda scenario: scenario.name not in LONGEST)
    return chosen


def file_name(*words):
    """Of the words that name a run, "5 Mbit/s" one of them."""
    return "-".join(map(str, words)).replace("/", "_")


def perform(scenario, key, act, folder, kept=None):
    """[Stage, ...] of the tries; the last one is what counts.  `kept`: where
    the run is, or is to be."""
    here = kept_runs.load(kept) if kept else None
    if here:
        return [here]
    tries = []
    name = file_name(scenario.name, *key)
    for number in range(MAX_TRIES):
        here = stage.Stage(folder / f"{name}-try{number + 1}",
                           key[-1] + 1000 * number)
        here.perform(act)
        tries.append(here)
        if here.is_calm() or stage.interrupted.is_set():
            break
    if kept and here.is_calm() and not here.failure:
        kept_runs.save(here, kept)
    return tries


def evaluate(scenarios, scale, folder, jobs, resume=False,
             seeds=sys.maxsize):
    """(scenario, {key: tries}) for each, when its runs are there.  Runs go
    side by side."""
    def kept(scenario, key):
        return folder / file_name(scale.value, scenario.name, *key, "run") \
            if resume else None

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        planned = [(scenario, {
            key: pool.submit(perform, scenario, key, act, folder,
                             kept(scenario, key))
            for key, act in scenario.runs(scale).items()
            if key[-1] <= seeds})
            for scenario in scenarios]
        try:
            while planned:
                scenario, futures = planned[0]
                yield scenario, {key: future.result()
                                 for key, future in futures.items()}
                planned.pop(0)
        finally:
            if planned:         # Ctrl-C
                stage.interrupted.set()
                pool.shutdown(wait=False, cancel_futures=True)


def judge(scenario, scale, tries):
    """(outcomes, why there are none or None).  A run that failed is a missed
    claim, unless the machine stalled in it."""
    last = {key: stages[-1] for key, stages in tries.items()}
    disturbed = [key for key, here in last.items()
                 if here.links is not None and not here.is_calm()]
    if disturbed:
        worst = max(last[key].lateness_ms() for key in disturbed)
        starved = any(last[key].starved for key in disturbed)
        return [], (f"{scenario.name}: the machine stalled the links in "
                    f"{MAX_TRIES} tries, by up to {worst:.0f} ms"
                    + ", or starved an encoder" * starved)
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


def judge_all(evaluated, chosen):
    """[(scenario, tries, outcomes, why there are none)]"""
    judged = []
    for scenario, tries in evaluated:
        if not tries:           # not at this scale
            continue
        outcomes, reason = judge(scenario, chosen.scale, tries)
        print_outcomes(scenario, outcomes)
        judged.append((scenario, tries, outcomes, reason))
        if chosen.figures and scenario.plot and outcomes:
            chosen.figures.mkdir(parents=True, exist_ok=True)
            plots.draw(scenario, claims.Results(
                {key: stages[-1] for key, stages in tries.items()}),
                chosen.figures / f"net-{scenario.name}.svg")
    return judged


def look_again(judged, chosen, folder):
    """`judged`, with two more looks at what missed in its only run."""
    looks = {scenario.name: [outcomes]
             for scenario, _, outcomes, _ in judged
             if chosen.scale is Scale.QUICK
             and not all(one.ok for one in outcomes)}
    again = [second_look.reseeded(scenario, look)
             for scenario, _, _, _ in judged if scenario.name in looks
             for look in range(1, second_look.LOOKS)]
    if not again:
        return judged
    print("another look at: " + ", ".join(looks), flush=True)
    with contextlib.closing(evaluate(
            again, chosen.scale, folder, chosen.jobs)) as evaluated:
        for scenario, _, outcomes, _ in judge_all(evaluated, chosen):
            looks[scenario.name] += [outcomes] if outcomes else []
    return [(scenario, tries, second_look.combine(
        looks.get(scenario.name, [outcomes])), reason)
        for scenario, tries, outcomes, reason in judged]


def listing(judged):
    """What --json writes; with what elements, and how busy the machine was."""
    measured = records.git("log", "-1", "--format=%h %cs", "--abbrev=8", "--", "gst")
    load = round(os.getloadavg()[0], 1)
    return [{
        "scenario": scenario.name, "source": scenario.source,
        "what": scenario.what, "measured": measured, "load": load,
        "claims": [outcome.record() for outcome in outcomes],
        "disturbed_runs": sum(len(stages) - 1 for stages in tries.values())}
        for scenario, tries, outcomes, _ in judged]


def have_priority():
    try:
        os.setpriority(os.PRIO_PROCESS, 0, PRIORITY)
    except PermissionError:
        pass


def main(arguments=None):
    chosen = parse(arguments)
    if chosen.list:
        for scenario in chosen.scenarios:
            print(f"{scenario.name:20} {scenario.what} ({scenario.source})")
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
    have_priority()
    try:
        with contextlib.closing(evaluate(
                chosen.scenarios, chosen.scale, folder, chosen.jobs,
                chosen.resume, chosen.seeds)) as evaluated:
            judged = judge_all(evaluated, chosen)
        judged = look_again(judged, chosen, folder)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    if chosen.json:
        chosen.json.write_text(json.dumps(listing(judged), indent=2) + "\n")
    missed = [(scenario, [one for one in outcomes if not one.ok])
              for scenario, _, outcomes, _ in judged]
    for scenario, outcomes in missed:
        print_outcomes(scenario, outcomes)
    if any(outcomes for _, outcomes in missed):
        return 1
    reasons = [reason for _, _, _, reason in judged if reason]
    if reasons:
        print("SKIP: " + "; ".join(reasons))
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
