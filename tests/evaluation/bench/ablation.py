#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What each rule of ours buys, and what it does where it is not needed.

    ablation.py [--only PART] [--scenario NAME] [--quick] [--list] [RULE...]

Prints the tables of docs/results/rules.md:

    figures   the scenario in which the rule matters, with and without it, in
              virtual time: seconds
    links     streams of TFRC over the links of the live set, and networks: in
    networks  others unlike them, in virtual time: a minute
    beside    a stream of TFRC beside models of Reno and CUBIC, in virtual time:
              minutes
    groups    groups over such links, of TFMCC, in virtual time: minutes
    fairness  the standard scenarios of fairness and of a video in ns-3, with its
              TCP, without one rule after the other, and without all: half an hour
    live      the standard set of live streams, of TFRC, without each rule that
              changes them in "links", in turn, three times: real elements and
              time, three quarters of an hour on a machine that does nothing else

Columns that follow one another are of one scenario; a cell of the last two is the
median of the runs.  write_tables.py keeps what is measured in virtual time in the
documents.  The rules are those of tests/support/switches.c, each in the
scenarios of its protocol."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TFRC_BUILD_DIR",
                                    TESTS.parent / "build"))
SWITCHES = TESTS / "support" / "switches.c"
SWITCH = re.compile(r'^  (?:SWITCH|BOUND|PAPER) \("([\w-]+)", '
                    r'(TfrcSenderBased|Tfrc|Tfmcc)[A-Z]\w+,', re.MULTILINE)
# In virtual time, of bench-ablation.
TABLES = ("links", "networks", "beside", "groups")
# (protocol, scenario, claim that is shown, heading)
FAIRNESS = [
    ("Tfrc", "basic", "normalised throughput of TCP", "TCP beside TFRC"),
    *(("Tfrc", "cubic", f"greedy beside {tcps} {kind}: its throughput by that "
       "of a TCP", f"TFRC by {tcps} {kind}")
      for kind in ("Reno", "Cubic") for tcps in (1, 3)),
    *(("Tfrc", "same-rtt", f"RTT {rtt} ms: TFRC by TCP", f"{rtt} ms")
      for rtt in (10, 150)),
    ("Tfrc", "rfc8867-single", "50 ms: used of 1 Mbit/s, 20 to 40 s",
     "video alone"),
    ("Tfmcc", "widmer-fairness",
     "TFMCC's throughput by the mean TCP, one bottleneck", "TFMCC by TCP"),
]
# (scenario, claim or number of the demo that is shown, heading)
LIVE = [
    ("steady", "utilisation", "steady: utilisation"),
    ("steady", "queue_delay_ms_p95", "queue p95 [ms]"),
    ("steady", "loss_fraction", "lost"),
    ("steady", "rate_cov_1s", "CoV 1 s"),
    ("steps", "utilisation", "steps: utilisation"),
    ("steps", "loss_fraction", "lost"),
    ("steps", "reaction at 2000 -> 500 kbit/s (s)", "reaction [s]"),
    ("steps", "recovery at 500 -> 2000 kbit/s (s)", "recovery [s]"),
    ("outage", "utilisation", "outage: utilisation"),
    ("outage", "loss_fraction", "lost"),
    ("outage", "first fresh frame after the link's return (s)",
     "frame [s]"),
    ("outage", "1.5 Mbit/s after the link's return (s)", "rate [s]"),
    ("loss2", "sent rate by the equation at the link's own loss events",
     "loss2: by equation"),
    ("loss2", "rate_cov_1s", "CoV 1 s"),
]
# Of the whole set, with all rules and without all alone.
LIVE_REST = [
    ("loss1", "sent rate (kbit/s)", "loss1 [kbit/s]"),
    ("outage30", "first fresh frame after the link's return (s)",
     "outage30 [s]"),
    ("lan", "encoder by its cap, lowest mean of 5 s", "lan [by cap]"),
    ("dialup", "longest silence of feedback (s)", "dialup [s]"),
]
LIVE_ROUNDS = 3
LIVE_RULES = ("none", "credit", "outages", "receive-rate-clamp", "all")
SIDE_BY_SIDE = 2


def read_rules(text):
    """{rule: protocols}, in the order of the file."""
    rules = {}
    for rule, protocol in SWITCH.findall(text):
        rules.setdefault(rule, set()).add(protocol)
    return rules


def scenarios_of(table):
    return list(dict.fromkeys(scenario for *_, scenario, _, _ in table))


def judge(without, command):
    """{scenario: {claim: what was measured}}, from the command's --json."""
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder, "results.json")
        code = subprocess.run(
            [sys.executable, *command, "--json", results], check=False,
            env={**os.environ, "TFRC_WITHOUT": without},
            stdout=sys.stderr).returncode
        if not results.exists():
            sys.exit(code)
        return {one["scenario"]: {claim["claim"]: claim["measured"]
                                  for claim in one["claims"]}
                for one in json.loads(results.read_text())}


def simulate(without, scenarios, quick):
    return judge(without, [TESTS / "evaluation/sim/run.py", *scenarios,
                           *(["--quick"] if quick else [])])


def stream(without, scenario):
    """One run with the tests' build of the plugin: claims, and the numbers of
    the demo.  Nothing if the machine never came to rest."""
    with tempfile.TemporaryDirectory() as folder:
        found = judge(without, [TESTS / "live" / "run_scenario.py", scenario,
                                "--runs", "1", "--folder", folder])
        runs = sorted(pathlib.Path(folder).glob("*/run-*/result.json"),
                      key=lambda path: path.stat().st_mtime)
        if scenario not in found:
            return {}
        return json.loads(runs[-1].read_text()) | found[scenario]


def cell(runs, shown):
    measured = [run[shown] for run in runs if run.get(shown) is not None]
    return f"{statistics.median(measured):.3g}" if measured else "-"


def print_head(shown):
    print("| without | " + " | ".join(column[-1] for column in shown) + " |")
    print("|---|" + "--:|" * len(shown), flush=True)


def print_fairness(rules, quick):
    print_head(FAIRNESS)
    for rule, of in rules.items():
        scenarios = scenarios_of(one for one in FAIRNESS if one[0] in of)
        if not scenarios:
            continue
        found = simulate("" if rule == "none" else rule, scenarios, quick)
        cells = [cell([found[scenario]], claim) if scenario in found else ""
                 for _, scenario, claim, _ in FAIRNESS]
        print(f"| {rule} | " + " | ".join(cells) + " |", flush=True)


def print_live(table, rules, quick):
    """In turn, so that what else the machine does falls on all of them."""
    found = {}
    with concurrent.futures.ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        jobs = [(rule, scenario)
                for _ in range(1 if quick else LIVE_ROUNDS) for rule in rules
                for scenario in scenarios_of(table)]
        for job, run in zip(jobs, pool.map(lambda job: stream(
                "" if job[0] == "none" else job[0], job[1]), jobs)):
            found.setdefault(job, []).append(run)
            print(*job, run, file=sys.stderr, flush=True)
    print_head(table)
    for rule in rules:
        cells = [cell(found[rule, scenario], shown)
                 for scenario, shown, _ in table]
        print(f"| {rule} | " + " | ".join(cells) + " |", flush=True)


def bench(*arguments):
    sys.stdout.flush()
    return subprocess.run([BUILD / "tests/evaluation/bench" / "bench-ablation",
                           *arguments], check=False).returncode


def print_figures(rules):
    return bench(*(rule for rule in rules if rule not in ("none", "all")))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parts = ("figures", *TABLES, "fairness", "live")
    parser.add_argument("--only", metavar="PART", choices=parts,
                        help=", ".join(parts[:-1]) + " or live")
    parser.add_argument("--quick", action="store_true",
                        help="short simulations, and one round of live streams "
                        "instead of three")
    parser.add_argument("--scenario", metavar="NAME", action="append",
                        choices=scenarios_of(LIVE + LIVE_REST),
                        help="of live streams these alone, more than one with "
                        "an option each")
    parser.add_argument("--list", action="store_true", help="name the rules")
    parser.add_argument("rules", metavar="RULE", nargs="*",
                        help="these alone (default: all; of live streams "
                        "those that change them)")
    chosen = parser.parse_args()
    rules = {"none": {"Tfrc", "Tfmcc"}, **read_rules(SWITCHES.read_text()),
             "all": {"Tfrc", "Tfmcc"}}
    unknown = set(chosen.rules) - set(rules)
    if unknown:
        parser.error(f"no rule '{min(unknown)}' (see --list)")
    if chosen.list:
        print("\n".join(rules))
        return 0
    if chosen.rules:
        rules = {rule: rules[rule] for rule in chosen.rules}
    code = 0
    if chosen.only in (None, "figures"):
        code = print_figures(rules)
    for table in TABLES:
        if chosen.only in (None, table):
            code = bench(f"--{table}") or code
    if chosen.only in (None, "fairness"):
        print_fairness(rules, chosen.quick)
    if chosen.only in (None, "live"):
        for table, of in (LIVE, LIVE_RULES), (LIVE_REST, ("none", "all")):
            table = [one for one in table
                     if not chosen.scenario or one[0] in chosen.scenario]
            if table:
                print_live(table, chosen.rules or of, chosen.quick)
    return code


if __name__ == "__main__":
    sys.exit(main())
