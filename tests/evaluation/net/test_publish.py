#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is written of the measurements, and that the documents hold it."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import run  # noqa: E402  (the path to the simulation's modules)
import publish  # noqa: E402
import claims  # noqa: E402
from claims import Claim, Results, Scenario, judge  # noqa: E402

CASES = pathlib.Path(__file__).resolve().parent / "cases"


class Program(unittest.TestCase):

    def test_it_finds_its_modules_by_itself(self):
        ended = subprocess.run([sys.executable, "-B", publish.__file__],
                               capture_output=True, text=True)
        self.assertEqual((ended.returncode, ended.stderr), (2, ""))
        self.assertIn("publish.py FILE", ended.stdout)


def told(name, *answers, **claim):
    """A scenario as in the JSON, with a claim of 0 to 1 for each answer."""
    scenario = Scenario(name, claims.PRESENT_DAY, "what it shows", dict, [
        Claim(f"claim {i}", "", lambda results, answer=answer: answer, 0, 1,
              **claim) for i, answer in enumerate(answers)])
    return {"scenario": name, "source": scenario.source,
            "what": scenario.what, "disturbed_runs": 0,
            "claims": [judge(scenario, one, Results()).record()
                       for one in scenario.claims]}


class Texts(unittest.TestCase):

    def test_a_claim_is_a_row_without_the_list_of_its_runs(self):
        text = publish.sections(
            [told("a", [0.25, 0.75], note="a note")],
            pathlib.Path("/no/such"))
        self.assertIn("### a\n\nWhat it shows (present day).", text)
        self.assertIn("| claim 0 | 0.5 (0.25 to 0.75) | 0 to 1 | holds "
                      "| a note |", text)

    def test_a_figure_is_shown_where_there_is_one(self):
        with tempfile.TemporaryDirectory() as folder:
            figures = pathlib.Path(folder)
            (figures / "net-a.svg").touch()
            text = publish.sections([told("a", 1), told("b", 1)], figures)
        self.assertIn("![a](../figures/net-a.svg)", text)
        self.assertNotIn("net-b.svg", text)

    def test_the_last_of_a_scenario_counts(self):
        merged = publish.merge([[told("b", 0.1), told("a", 0.1)],
                                [told("b", 0.9)]])
        self.assertEqual([one["scenario"] for one in merged], ["a", "b"])
        self.assertEqual(merged[1]["claims"][0]["measured"], 0.9)

    def test_verdicts_are_counted(self):
        text = publish.summary([told("a", 0.5, 0.5, 7), told("b", 0.5)])
        self.assertIn("| [a](#a) | what it shows "
                      "| 2 | 0 | 1 | 0 |", text)
        self.assertIn("| all |  | **3** | **0** | **1** | **0** |", text)

    def test_what_is_measured_anew_takes_the_place_of_what_was_published(self):
        with tempfile.TemporaryDirectory() as folder:
            docs = pathlib.Path(folder)
            (docs / "results").mkdir()
            for name, markers in MARKERS.items():
                (docs / name).write_text("".join(
                    f"head\n{marker}\n{publish.END}\ntail\n"
                    for marker in markers))
            publish.write([told("a", 0.1), told("c", 0.1)], docs)
            publish.write([told("b", 0.5), told("c", 7)], docs)
            networks = (docs / "results/networks.md").read_text()
            evaluation = (docs / "evaluation.md").read_text()
        self.assertEqual(re.findall(r"^### (.+)$", networks, re.MULTILINE),
                         ["a", "b", "c"])
        self.assertIn("| claim 0 | 7 | 0 to 1 | missed |", networks)
        self.assertEqual(networks.count("claim 0"), 3)
        self.assertIn("| all |  | **2** | **0** | **1** | **0** |",
                      networks)
        self.assertIn("**Of 3 claims of 3 scenarios 1 are missed**; 0 more",
                      evaluation)
        self.assertTrue(networks.endswith("tail\n"))

    def test_shares_are_a_table(self):
        def section(*rows):
            return "".join(f"| TFRC's rate by the mean TCP's, {row} |\n"
                           for row in rows)
        self.assertEqual(publish.shares({
            "beside-cubic-5": section(
                "red, 1 TCP | 0.9 (0.8 to 1) | 0.5 to 2 | holds | RFC 8312 "
                "expects of CUBIC 1.40 of Reno's",
                "red, 7 TCP | 3 | 0.5 to 2 | missed | "),
            "beside-reno-20": section(
                "drop-tail-50, 3 TCP | 1 | any | published | ")}),
            "| TCP | Mbit/s | queue | beside 1 | beside 3 | beside 7 |\n"
            "| --- | --- | --- | --- | --- | --- |\n"
            "| reno | 20 | drop-tail-50 |  | 1 |  |\n"
            "| cubic | 5 | red | 0.9 [1.40] |  | **3** |\n")

    def test_what_a_figure_shows_is_no_row(self):
        one = told("a", 1)
        one["claims"][0]["claim"] = "CoV of TFRC at 0.2 s, 3 TCP, all queues"
        self.assertEqual(publish.outcomes(one), [])

    def test_only_runs_that_failed_are_told(self):
        one = told("a", 1)
        one["claims"][0]["claim"] = "runs that failed"
        self.assertEqual(publish.outcomes(one), [])
        one = told("a", 2)
        one["claims"][0]["claim"] = "runs that failed"
        self.assertEqual(len(publish.outcomes(one)), 1)


MARKERS = {"evaluation.md": [publish.SHARES, publish.BEGIN],
           "results/networks.md": [publish.COUNTS, publish.BEGIN]}


class Documents(unittest.TestCase):

    def test_the_documents_have_their_markers_once(self):
        for name, markers in MARKERS.items():
            text = (publish.DOCS / name).read_text()
            for marker in markers:
                self.assertEqual(text.count(marker), 1, name)

    def test_the_count_is_that_of_the_results(self):
        rows = publish.published_counts(
            (publish.DOCS / "results/networks.md").read_text())
        self.assertIn(publish.sentence(rows),
                      (publish.DOCS / "evaluation.md").read_text())

    def test_only_scenarios_of_the_tables_are_published(self):
        text = (publish.DOCS / "results/networks.md").read_text()
        published = re.findall(r"^### (.+)$", text.partition(
            publish.BEGIN)[2], re.MULTILINE)
        known = [name for name, scenario in
                 claims.load_scenarios(CASES).items()
                 if scenario.runs(claims.Scale.STANDARD)]
        self.assertEqual(set(published) - set(known), set())

    def test_figures_exist_and_none_is_left_over(self):
        text = (publish.DOCS / "results/networks.md").read_text()
        shown = set(re.findall(r"\(\.\./figures/(net-[^)]+)\)", text))
        there = {path.name
                 for path in (publish.DOCS / "figures").glob("net-*")}
        self.assertEqual(shown, there)


if __name__ == "__main__":
    unittest.main()
