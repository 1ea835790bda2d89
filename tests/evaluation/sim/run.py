#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Simulates what the papers claim of TFRC, and judges it."""

import argparse
import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[2]
sys.path.insert(0, str(TOP / "tests" / "support"))

import claims  # noqa: E402
import engine_behaviour  # noqa: E402
import evaluation  # noqa: E402
import keys  # noqa: E402
import records  # noqa: E402
import run_cache  # noqa: E402
import samples  # noqa: E402
import second_look  # noqa: E402
from engine_behaviour import behaviour  # noqa: E402
from scenario_options import Parser, interrupt  # noqa: E402

BUILD = pathlib.Path(os.environ.get("TFRC_BUILD_DIR", TOP / "build"))
PROGRAM = BUILD / "tests/evaluation/sim" / "tfrc-sim"

EPILOGUE = """\
exit code: 0 if every claim is within its alarm (see tolerances.toml), 1 if
not or if a run failed, 2 for wrong use, 77 if the engine was not built, 130
after Ctrl-C.  Finished runs are kept in the build folder, and --record keeps
each scenario as it ends: what was interrupted goes on.  What is outside with
--quick is looked at twice more, and the median counts."""


def parse(arguments):
    parser = Parser(description=__doc__, epilog=EPILOGUE)
    parser.add_argument("--quick", dest="scale", action="store_const",
                        const=claims.Scale.QUICK,
                        help="short runs, as tests/run.sh has them: minutes "
                        "(default: what the documents publish, hours)")
    parser.add_argument("--list", action="store_true",
                        help="the scenarios, and what each takes")
    parser.add_argument("--json", metavar="FILE", type=pathlib.Path,
                        help="write the claims and what was measured")
    parser.add_argument("--record", action="store_true",
                        help="keep what is measured in records/, draw its "
                        "figures, and write the tables of docs/; without "
                        "SCENARIO, those only that --stale lists")
    parser.add_argument("--confirm", action="store_true",
                        help="only make the shortest runs of the records that "
                        "--stale lists, and note in records/ which give the "
                        "same, byte for byte, and which are outdated; exit "
                        "code 1 if any are")
    parser.add_argument("--report", action="store_true",
                        help="only write the tables of docs/, from records/")
    parser.add_argument("--stale", action="store_true",
                        help="only list the records of a core that behaved "
                        "otherwise, outdated, or without some of the claims")
    parser.add_argument("--figures", metavar="FOLDER", type=pathlib.Path,
                        help="draw the scenarios' figures there")
    parser.add_argument("--seed", metavar="N", type=natural, default=0,
                        help="add N to the seed of every run (default: 0)")
    parser.add_argument("--jobs", metavar="N", type=positive,
                        default=len(os.sched_getaffinity(0)),
                        help="runs at a time (default: the cores)")
    parser.set_defaults(scale=claims.Scale.STANDARD)
    chosen = parser.parse_args(arguments)
    if chosen.report and (chosen.scenarios or chosen.left_out):
        parser.error("--report is of all records")
    if (chosen.record or chosen.confirm) \
            and (chosen.seed or chosen.scale is claims.Scale.QUICK):
        parser.error("--record and --confirm are of long runs with their own "
                     "seeds")
    known = claims.load_scenarios()
    named = bool(chosen.scenarios)
    chosen.scenarios = parser.choose(chosen, known)
    if chosen.confirm or chosen.record and not named:
        kept = records.load()
        chosen.scenarios = [
            one for one in chosen.scenarios
            if not records.is_current(kept.get(one.name), one, chosen.scale)
            or chosen.record and (
                records.lacking(kept[one.name], one)
                or records.has_fewer_seeds(kept[one.name], one))]
    return chosen


def natural(text):
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is no number from 0 on")
    return int(text)


def positive(text):
    if natural(text) == 0:
        raise argparse.ArgumentTypeError("at least 1")
    return int(text)


def print_list(scenarios):
    """Core-seconds by scale: estimates, '-' where nothing is judged."""
    width = max(len(scenario.name) for scenario in scenarios)
    print(f"{'core-seconds, about':{width}}"
          + "".join(f"{scale.value:>10}" for scale in claims.SCALES))
    for scenario in scenarios:
        costs = [evaluation.core_seconds(scenario, scale) for scale in claims.SCALES]
        print(f"{scenario.name:{width}}"
              + "".join("         -" if cost is None else f"{cost:10.0f}"
                        for cost in costs)
              + f"  {scenario.what} ({scenario.source})")


def make_cache():
    """One for each evaluation, which stops it; False without the engine."""
    return PROGRAM.exists() and run_cache.RunCache(BUILD / "sim-runs", PROGRAM)


def look_again(evaluated, chosen):
    """`evaluated`, with two more looks at what missed in its short runs."""
    looks = {one.scenario.name: [one.outcomes] for one in evaluated
             if not all(outcome.ok for outcome in one.outcomes)}
    missed = [one.scenario for one in evaluated if one.scenario.name in looks]
    if not missed:
        return evaluated
    print("another look at: " + ", ".join(looks), flush=True)
    for look in range(1, second_look.LOOKS):
        for one in evaluation.evaluate(
                missed, chosen.scale, make_cache(), chosen.jobs,
                chosen.seed + second_look.SEED_STEP * look):
            looks[one.scenario.name].append(one.outcomes)
    return [dataclasses.replace(one, outcomes=second_look.settle(
        looks.get(one.scenario.name, [one.outcomes]))) for one in evaluated]


def print_stale(scenarios):
    """Answers with the exit code."""
    kept, found = records.load(), 0
    for scenario in scenarios:
        record = kept.get(scenario.name)
        if record is None:
            since = "never recorded"
        else:
            lacking = len(records.lacking(record, scenario))
            since = record.outdated and (
                f"outdated: its shortest runs differ at {record.outdated}") \
                or records.tell(records.older(record, scenario)) \
                or lacking and f"{lacking} claims were not measured" \
                or records.has_fewer_seeds(record, scenario) \
                and f"it had {record.seeds} seeds"
        if since:
            found += 1
            print(f"{scenario.name}: {since}")
    print(f"{found} of {len(scenarios)} records are of another behaviour or "
          "lack claims or seeds")
    return 1 if found else 0


def unlike_the_tree():
    """Why what is built is not what is committed, or None."""
    if records.changed_sources():
        return "commit what the figures depend on first: " \
            + ", ".join(records.SOURCES)
    ninja = subprocess.run(["ninja", "-C", BUILD, "-n", "simulator"],
                           capture_output=True, text=True, check=False)
    if ninja.returncode or "no work to do" not in ninja.stdout:
        return f"build first: ninja -C {BUILD} simulator"
    for one in (behaviour, engine_behaviour):
        if one.main(["--traces"]) == 1:
            return f"write what has moved, and commit it: {one.__file__}"
    return None


def record(evaluated):
    """Keeps a scenario that is over, if all of its runs have ended well."""
    import report  # matplotlib takes a second
    known = {claim.claim for claim in evaluated.scenario.claims}
    if not {one.claim.claim for one in evaluated.outcomes} <= known:
        return
    records.save([evaluated], claims.Scale.STANDARD)
    report.draw_figures([evaluated], TOP / "docs" / "figures")
    report.write(records.load(), TOP / "docs")


def confirm(chosen):
    """Answers with the exit code."""
    import report  # matplotlib takes a second
    kept = records.load()
    runs = {one.name: samples.choose(one, chosen.scale)
            for one in chosen.scenarios if one.name in kept
            and (kept[one.name].samples or not one.runs(chosen.scale))}
    cache, outdated = make_cache(), 0
    missing = evaluation.missing(runs, cache)
    with evaluation.simulating(missing, cache, chosen.jobs) as futures:
        for scenario in chosen.scenarios:
            if scenario.name not in runs:
                print(f"{scenario.name}: no runs to compare: record it anew")
                outdated += 1
                continue
            mine = runs[scenario.name].values()
            errors = [error for run in mine if run.digest() in futures
                      for error in [futures[run.digest()].result()] if error]
            if errors:
                print(f"{scenario.name}: {errors[0]}")
                outdated += 1
                continue
            if mine:
                found = samples.digests(runs[scenario.name],
                                        [cache.result(run) for run in mine])
            else:
                [one] = evaluation.evaluate([scenario], chosen.scale, cache,
                                            chosen.jobs)
                found = records.all_told(one.outcomes)
            compared = records.compare(kept[scenario.name], found)
            if not mine:
                compared = dataclasses.replace(
                    compared, measure=keys.measure(scenario))
            records.write(scenario.name, compared)
            trouble = compared.outdated \
                and f"differs since {compared.outdated}" \
                or records.tell(records.older(compared, scenario))
            outdated += bool(trouble)
            print(f"{scenario.name}: " + (
                f"{trouble}: record it anew" if trouble else "as recorded"),
                flush=True)
    report.write(records.load(), TOP / "docs")
    count = len(chosen.scenarios)
    print(f"{count - outdated} of {count} give what was recorded")
    return 1 if outdated else 0


def write_json(path, evaluated):
    listing = [{"scenario": one.scenario.name,
                "claims": [outcome.json() for outcome in one.outcomes]}
               for one in evaluated]
    path.write_text(json.dumps(listing, indent=2) + "\n")


def main(arguments=None):
    chosen = parse(arguments)
    if chosen.list:
        print_list(chosen.scenarios)
        return 0
    if chosen.stale:
        return print_stale(chosen.scenarios)
    if chosen.report:
        import report  # matplotlib takes a second
        report.write(records.load(), TOP / "docs")
        return 0
    if not PROGRAM.exists() and any(
            scenario.runs(chosen.scale) for scenario in chosen.scenarios):
        print(f"SKIP: {PROGRAM} was not built: ns-3 is missing",
              file=sys.stderr)
        return 77
    if (chosen.record or chosen.confirm) and (trouble := unlike_the_tree()):
        print(trouble, file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, interrupt)
    try:
        if chosen.confirm:
            return confirm(chosen)
        evaluated = evaluation.evaluate(
            chosen.scenarios, chosen.scale, make_cache(), chosen.jobs,
            chosen.seed, record if chosen.record else None)
        if chosen.scale is claims.Scale.QUICK:
            evaluated = look_again(evaluated, chosen)
    except KeyboardInterrupt:
        print("interrupted; finished runs are kept", file=sys.stderr)
        return 130
    if chosen.json:
        write_json(chosen.json, evaluated)
    if chosen.figures:
        import report  # matplotlib takes a second
        report.draw_figures(evaluated, chosen.figures)
    missed = [outcome for one in evaluated for outcome in one.outcomes
              if not outcome.ok]
    count = sum(len(one.outcomes) for one in evaluated)
    print(f"{count - len(missed)} of {count} claims within their alarm")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
