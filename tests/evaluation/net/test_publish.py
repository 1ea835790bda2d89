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
        ended = subprocess.run([sys.executable, "-B", publish.__file__, "--help"],
                               capture_output=True, text=True)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertIn("publish.py [FILE...]", ended.stdout)


def told(name, *answers, **claim):
    """A scenario as in the JSON, with a claim of 0 to 1 for each answer."""
    scenario = Scenario(name, claims.PRESENT_DAY, "what it shows", dict, [
        Claim(f"claim {i}", "", lambda results, answer=answer: answer, 0, 1,
              **claim) for i, answer in enumerate(answers)])
    return {"scenario": name, "source": scenario.source,
            "what": scenario.what, "disturbed_runs": 0,
            "measured": "0123abcd 2026-11-22", "load": 1.0,
            "claims": [judge(scenario, one, Results()).record()
                       for one in scenario.claims]}


def kept(*scenarios, before=()):
    return publish.keep([scenarios], before)


def texts(*scenarios):
    """(sections, summary)"""
    listed = kept(*scenarios)
    found = publish.judged(listed)
    return (publish.sections(listed, found, pathlib.Path("/no/such")),
            publish.summary(listed, found))


class Kept(unittest.TestCase):

    def test_a_claim_is_kept_with_the_value_of_each_run(self):
        one, = kept(told("a", [0.25, 0.75], note="a note"))
        self.assertEqual(one["claims"], [{
            "claim": "claim 0", "measured": 0.5, "values": [0.25, 0.75], "low": 0,
            "high": 1, "verdict": "holds", "note": "a note"}])

    def test_what_is_measured_anew_takes_the_place_of_what_was_kept(self):
        found = kept(told("b", 0.5), told("c", 7),
                     before=kept(told("a", 0.1), told("c", 0.1)))
        self.assertEqual([one["scenario"] for one in found], ["a", "b", "c"])
        self.assertEqual(found[2]["claims"][0]["measured"], 7)

    def test_it_is_read_as_it_was_written(self):
        found = kept(told("a", [0.25, 0.75]), told("b", 7))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "networks.json"
            publish.save(found, path)
            self.assertEqual(publish.load(path), found)

    def test_what_a_figure_shows_is_not_kept(self):
        one = told("a", 1)
        one["claims"][0]["claim"] = "CoV of TFRC at 0.2 s, 3 TCP, all queues"
        self.assertEqual(kept(one)[0]["claims"], [])

    def test_only_runs_that_failed_are_kept(self):
        for answer, count in (1, 0), (2, 1):
            one = told("a", answer)
            one["claims"][0]["claim"] = "runs that failed"
            self.assertEqual(len(kept(one)[0]["claims"]), count)


class Texts(unittest.TestCase):

    def test_a_claim_is_a_row_without_the_list_of_its_runs(self):
        text, _ = texts(told("a", [0.25, 0.75], note="a note"))
        self.assertIn("### a\n\nWhat it shows (present day).", text)
        self.assertIn("| claim 0 | 0.5 (0.25 to 0.75) | 0 to 1 | holds "
                      "| a note |", text)
        self.assertIn("*Measured at 0123abcd (2026-11-22): "
                      "`tests/evaluation/net/run.sh a`.*", text)

    def test_a_claim_is_judged_by_the_range_of_now(self):
        claim = "TFRC's CoV at 1 s by TCP's, red, 1 TCP"
        one, = publish.judged([{"scenario": "beside-reno-5", "claims": [
            {"claim": claim, "measured": 1.5, "least": 1, "most": 2,
             "verdict": "published"}]}])["beside-reno-5"]
        self.assertEqual((one.verdict, one.range_text, one.measured_text),
                         ("missed", "<= 1", "1.5 (1 to 2)"))

    def test_a_figure_is_shown_where_there_is_one(self):
        listed = kept(told("a", 1), told("b", 1))
        with tempfile.TemporaryDirectory() as folder:
            figures = pathlib.Path(folder)
            (figures / "net-a.svg").touch()
            text = publish.sections(listed, publish.judged(listed), figures)
        self.assertIn("![a](../figures/net-a.svg)", text)
        self.assertNotIn("net-b.svg", text)

    def test_verdicts_are_counted(self):
        _, text = texts(told("a", 0.5, 0.5, 7), told("b", 0.5))
        self.assertIn("| [a](#a) | what it shows "
                      "| 2 | 0 | 1 | 0 |", text)
        self.assertIn("| all |  | **3** | **0** | **1** | **0** |", text)

    def test_what_misses_is_bold_beside_tcp(self):
        found = publish.judged([{"scenario": "beside-cubic-5", "claims": [
            {"claim": f"TFRC's rate by the mean TCP's, red, {flows} TCP",
             "measured": value, "verdict": "holds",
             "note": "RFC 8312 expects of CUBIC 1.40 of Reno's"}
            for flows, value in ((1, 0.9), (7, 3.0))]}])
        self.assertIn("| cubic | 5 | red | 0.9 [1.40] |  | **3** [1.40] |\n",
                      publish.beside(found, publish.SHARE, publish.share))


MARKERS = {"evaluation.md": [publish.BEGIN],
           "results/networks.md": [publish.SHARES, publish.SMOOTHNESS, publish.COUNTS,
                                   publish.BEGIN]}
AGE = re.compile(r"; \d+ commits? to gst/ since")


class Documents(unittest.TestCase):

    def test_the_documents_have_their_markers_once(self):
        for name, markers in MARKERS.items():
            text = (publish.DOCS / name).read_text()
            for marker in markers:
                self.assertEqual(text.count(marker), 1, name)

    def test_they_are_what_is_kept(self):
        for path, text in publish.pages(publish.load()).items():
            there, here = (AGE.sub("", one) for one in (
                path.read_text(encoding="utf-8"), text))
            # Not assertEqual, which would print the page.
            self.assertTrue(there == here, f"{path}: run publish.py")

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
