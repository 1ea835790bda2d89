#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What each rule of ours does to fairness and to video, in virtual time: the
standard scenarios with all rules, without one after the other, and without all.

    ablation.py [--quick] [--list] [RULE...]

Prints the table of docs/deviations.md: what is measured, and how many claims
of the scenario are in their range.  The rules are those of
tests/support/switches.c, each in the scenarios of its protocol."""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SWITCHES = HERE.parent / "support" / "switches.c"
SWITCH = re.compile(r'^  (?:SWITCH|BOUND|PAPER) \("([\w-]+)", (Tfrc|Tfmcc)\w+,',
                    re.MULTILINE)
# (protocol, scenario, claim that is shown, heading)
SHOWN = [
    ("Tfrc", "basic", "normalised throughput of TCP", "TCP beside TFRC"),
    ("Tfrc", "rfc8867-single", "50 ms: used of 1 Mbit/s, 20 to 40 s",
     "video alone"),
    ("Tfmcc", "widmer-fairness",
     "TFMCC's throughput by the mean TCP, one bottleneck", "TFMCC by TCP"),
]
NOT_BUILT = 77


def read_rules(text):
    """{rule: protocols}, in the order of the file."""
    rules = {}
    for rule, protocol in SWITCH.findall(text):
        rules.setdefault(rule, set()).add(protocol)
    return rules


def simulate(without, scenarios, options):
    """{scenario: its claims, as run.py writes them}."""
    environment = {**os.environ, "TFRC_WITHOUT": without}
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder, "results.json")
        command = [sys.executable, HERE / "run.py", *scenarios, *options,
                   "--json", results]
        code = subprocess.run(command, env=environment, check=False,
                              stdout=sys.stderr).returncode
        if not results.exists():
            sys.exit(code)
        return {one["scenario"]: one["claims"]
                for one in json.loads(results.read_text())}


def cell(claims, shown):
    """The measured value, and how many claims are in their range."""
    measured = next(claim["measured"] for claim in claims
                    if claim["claim"] == shown)
    value = "-" if measured is None else f"{measured:.2f}"
    return f"{value} ({sum(claim['ok'] for claim in claims)}/{len(claims)})"


def row(rule, protocols, options):
    scenarios = [scenario for protocol, scenario, *_ in SHOWN
                 if protocol in protocols]
    found = simulate("" if rule == "none" else rule, scenarios, options)
    cells = [cell(found[scenario], claim) if scenario in found else ""
             for _, scenario, claim, _ in SHOWN]
    return f"| {rule} | " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true",
                        help="short runs, of TFRC alone")
    parser.add_argument("--list", action="store_true", help="name the rules")
    parser.add_argument("rules", metavar="RULE", nargs="*",
                        help="these alone (default: all)")
    chosen = parser.parse_args()
    rules = read_rules(SWITCHES.read_text())
    rules = {"none": {"Tfrc", "Tfmcc"}, **rules, "all": {"Tfrc", "Tfmcc"}}
    unknown = set(chosen.rules) - set(rules)
    if unknown:
        parser.error(f"no rule '{min(unknown)}' (see --list)")
    if chosen.list:
        print("\n".join(rules))
        return
    print("| without | " + " | ".join(shown[-1] for shown in SHOWN) + " |")
    print("|---|" + "--:|" * len(SHOWN))
    for rule in chosen.rules or rules:
        protocols = {"Tfrc"} if chosen.quick else rules[rule]
        print(row(rule, protocols, ["--quick"] if chosen.quick else []),
              flush=True)


if __name__ == "__main__":
    main()
