#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The comparison with other controls: its verdicts, and that pages and figures are
what the runs in tests/evaluation/evidence say."""

import json
import pathlib
import re
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "peers"), str(HERE.parent / "sim")]

import draw  # noqa: E402
import evidence  # noqa: E402
import plots  # noqa: E402
import publish_peers  # noqa: E402
from evidence import AGE, BESIDE_TCP, QUANTILES, SHARE  # noqa: E402


AGE_OF_IT = re.compile(r"; \d+ commits? to gst/ since")


def run(control, seed, cell="2-200", age_ms=100.0, **more):
    return {"cell": cell, "control": control, "seed": seed, "link_share": 0.9,
            "age_ms": [age_ms] * len(QUANTILES), **more}


def told(*runs):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "peers.json"
        path.write_text(json.dumps(
            {"head": {"quantiles": QUANTILES}, "spoilt": [], "runs": runs}))
        return evidence.Evidence(path)


class Verdicts(unittest.TestCase):
    def test_older_pictures_in_every_round_are_behind(self):
        both = told(*(run("ours", seed, age_ms=150 + 20 * seed) for seed in (1, 2, 3)),
                    *(run("gcc", seed, age_ms=100 + 21 * seed) for seed in (1, 2, 3)))
        self.assertEqual(both.verdict(AGE, "2-200", "gcc"), "behind")

    def test_a_larger_share_is_ahead(self):
        both = told(*(run("ours", seed) for seed in (1, 2, 3)),
                    *(run("gcc", seed, link_share=0.7) for seed in (1, 2, 3)))
        self.assertEqual(both.verdict(SHARE, "2-200", "gcc"), "ahead")

    def test_one_round_and_rounds_that_disagree_decide_nothing(self):
        one = told(run("ours", 1), run("gcc", 1, age_ms=50))
        self.assertIsNone(one.verdict(AGE, "2-200", "gcc"))
        both = told(*(run("ours", seed) for seed in (1, 2, 3)),
                    *(run("gcc", seed, age_ms=100 * seed) for seed in (1, 2, 3)))
        self.assertEqual(both.verdict(AGE, "2-200", "gcc"), "undecided")

    def test_who_never_reacts_counts_with_all_of_the_time(self):
        reaction = next(one for one in evidence.PUBLISHED
                        if one.words == "reaction [s]")
        both = told(run("gcc", 1, "steps", reaction_s=None),
                    run("gcc", 2, "steps", reaction_s=0.5), run("gcc", 3))
        self.assertEqual(both.values(reaction, "steps", "gcc"), {1: 14, 2: 0.5})
        self.assertEqual(both.values(reaction, "2-200", "gcc"), {})

    def test_the_link_beside_tcp_is_nobodys(self):
        both = told(run("ours", 1, "1-reno"), run("ours", 1))
        self.assertEqual(both.values(SHARE, "1-reno", "ours"), {})
        self.assertEqual(both.values(SHARE, "2-200", "ours"), {1: 0.9})

    def test_twice_a_tcp_is_as_far_from_it_as_half(self):
        both = told(*(run("ours", seed, tcp_share=2) for seed in (1, 2)),
                    *(run("gcc", seed, tcp_share=0.5) for seed in (1, 2)))
        mean, _ = both.difference(BESIDE_TCP, "2-200", "gcc")
        self.assertAlmostEqual(mean, 0)

    def test_a_group_is_of_rounds_that_have_all_of_its_cells(self):
        some = told(run("ours", 1, "2-50"), run("ours", 1), run("ours", 2, "2-50"))
        self.assertEqual(list(some.over(SHARE, ("2-50", "2-200"), "ours")), [1])


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = evidence.Evidence()

    def test_say_what_the_runs_say(self):
        for path, text in publish_peers.pages(self.kept).items():
            # Not assertEqual, which would print the page.
            there, here = (AGE_OF_IT.sub("", one) for one in (
                path.read_text(encoding="utf-8"), text))
            self.assertTrue(there == here,
                            f"{path}: run publish_peers.py")

    def test_figures_are_those_of_the_runs(self):
        for name, figure in draw.FIGURES.items():
            self.assertTrue(plots.digest(figure(self.kept)) in (
                publish_peers.DOCS / "figures" / name).read_text(encoding="utf-8"),
                f"{name}: run publish_peers.py")

    def test_every_control_has_three_runs_in_every_cell(self):
        for cell in evidence.CELLS:
            for control in evidence.CONTROLS:
                runs = self.kept.of(cell, control)
                if runs:
                    self.assertGreaterEqual(len(runs), 3, (cell, control))

    def test_no_run_counts_twice(self):
        keys = [(one["cell"], one["control"], one["seed"]) for one in self.kept.runs]
        self.assertEqual(len(keys), len(set(keys)))


if __name__ == "__main__":
    unittest.main()
