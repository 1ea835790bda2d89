#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What each rule of ours buys, and what it does where it is not needed.

    ablation.py [--only PART] [--quick] [--list] [RULE...]

Prints the tables of docs/deviations.md:

    figures   the scenario in which the rule matters, with and without it, in
              virtual time: seconds
    links     streams over the links of the live set, of TFRC, in virtual time:
              seconds
    fairness  the standard scenarios of fairness and of a video in ns-3, without
              one rule after the other, and without all: a quarter of an hour
    live      the standard set of live streams with all rules and without all, in
              turn, three times, of TFRC: real elements and time, a quarter of an
              hour on a machine that does nothing else

A cell of the last two has what is measured, of several runs the median, and how
many claims of the scenario are in their range.  The rules are those of
tests/support/switches.c, each in the scenarios of its protocol."""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(os.environ.get("TFRC_BUILD_DIR",
                                    TESTS.parent / "build"))
SWITCHES = TESTS / "support" / "switches.c"
SWITCH = re.compile(r'^  (?:SWITCH|BOUND|PAPER) \("([\w-]+)", '
                    r'(TfrcSenderBased|Tfrc|Tfmcc)[A-Z]\w+,', re.MULTILINE)
# (protocol, scenario, claim that is shown, heading)
FAIRNESS = [
    ("Tfrc", "basic", "normalised throughput of TCP", "TCP beside TFRC"),
    ("Tfrc", "rfc8867-single", "50 ms: used of 1 Mbit/s, 20 to 40 s",
     "video alone"),
    ("Tfmcc", "widmer-fairness",
     "TFMCC's throughput by the mean TCP, one bottleneck", "TFMCC by TCP"),
]
# (scenario, claim that is shown, heading)
LIVE = [
    ("steady", "sent rate (kbit/s)", "steady [kbit/s]"),
    ("loss2", "sent rate by the equation at the link's own loss events",
     "loss2 [by equation]"),
    ("loss1", "sent rate (kbit/s)", "loss1 [kbit/s]"),
    ("steps", "recovery at 500 -> 2000 kbit/s (s)", "steps [s]"),
    ("outage", "1.5 Mbit/s after the link's return (s)", "outage [s]"),
    ("outage30", "first fresh frame after the link's return (s)",
     "outage30 [s]"),
    ("lan", "encoder by its cap, lowest mean of 5 s", "lan [by cap]"),
    ("dialup", "longest silence of feedback (s)", "dialup [s]"),
]
# Side by side, as in tests/live/meson.build.
LIVE_TOGETHER = [["dialup", "lan", "outage30", "steady"],
                 ["loss1", "loss2", "outage", "steps"]]
LIVE_ROUNDS = 3
LIVE_RULES = ("none", "all")


def read_rules(text):
    """{rule: protocols}, in the order of the file."""
    rules = {}
    for rule, protocol in SWITCH.findall(text):
        rules.setdefault(rule, set()).add(protocol)
    return rules


def judge(without, command):
    """{scenario: its claims}, as the command writes them to --json."""
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder, "results.json")
        code = subprocess.run(
            [sys.executable, *command, "--json", results], check=False,
            env={**os.environ, "TFRC_WITHOUT": without},
            stdout=sys.stderr).returncode
        if not results.exists():
            sys.exit(code)
        return {one["scenario"]: one["claims"]
                for one in json.loads(results.read_text())}


def simulate(without, scenarios, quick):
    return judge(without, [TESTS / "sim" / "run.py", *scenarios,
                           *(["--quick"] if quick else [])])


def stream(without):
    """One run of each, with the tests' build of the plugin."""
    found = {}
    for together in LIVE_TOGETHER:
        found |= judge(without, [TESTS / "live" / "run_scenario.py",
                                 "--runs", "1", *together])
    return found


def cell(runs, shown):
    """The measured value, and how many claims are in their range; `runs` without
    claims were disturbed."""
    claims = [claim for run in runs if run is not None for claim in run]
    if not claims:
        return "disturbed"
    measured = [claim["measured"] for claim in claims
                if claim["claim"] == shown and claim["measured"] is not None]
    value = f"{statistics.median(measured):.4g}" if measured else "-"
    return f"{value} ({sum(claim['ok'] for claim in claims)}/{len(claims)})"


def print_head(shown):
    print("| without | " + " | ".join(column[-1] for column in shown) + " |")
    print("|---|" + "--:|" * len(shown), flush=True)


def print_fairness(rules, quick):
    print_head(FAIRNESS)
    for rule, of in rules.items():
        scenarios = [scenario for protocol, scenario, *_ in FAIRNESS
                     if protocol in of and (protocol == "Tfrc" or not quick)]
        if not scenarios:
            continue
        found = simulate("" if rule == "none" else rule, scenarios, quick)
        cells = [cell([found.get(scenario)], claim) if scenario in scenarios
                 else "" for _, scenario, claim, _ in FAIRNESS]
        print(f"| {rule} | " + " | ".join(cells) + " |", flush=True)


def print_live(rules, quick):
    """In turn, so that what else the machine does falls on all of them."""
    rules = [rule for rule, of in rules.items() if "Tfrc" in of]
    rounds = [{rule: stream("" if rule == "none" else rule) for rule in rules}
              for _ in range(1 if quick else LIVE_ROUNDS)]
    print_head(LIVE)
    for rule in rules:
        cells = [cell([found[rule].get(scenario) for found in rounds], claim)
                 for scenario, claim, _ in LIVE]
        print(f"| {rule} | " + " | ".join(cells) + " |")


def bench(*arguments):
    sys.stdout.flush()
    return subprocess.run([BUILD / "tests" / "bench" / "bench-ablation",
                           *arguments], check=False).returncode


def print_figures(rules):
    return bench(*(rule for rule in rules if rule not in ("none", "all")))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", metavar="PART",
                        choices=("figures", "links", "fairness", "live"),
                        help="figures, links, fairness or live")
    parser.add_argument("--quick", action="store_true",
                        help="short simulations of TFRC alone, and one round "
                        "of live streams instead of three")
    parser.add_argument("--list", action="store_true", help="name the rules")
    parser.add_argument("rules", metavar="RULE", nargs="*",
                        help="these alone (default: all; of live streams "
                        "none and all)")
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
    if chosen.only in (None, "links"):
        code = bench("--links") or code
    if chosen.only in (None, "fairness"):
        print_fairness(rules, chosen.quick)
    if chosen.only in (None, "live"):
        print_live(rules if chosen.rules
                   else {rule: rules[rule] for rule in LIVE_RULES}, chosen.quick)
    return code


if __name__ == "__main__":
    sys.exit(main())
