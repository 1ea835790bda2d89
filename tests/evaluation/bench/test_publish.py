#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is written of the costs, and that the document has a place for it."""

import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
import publish  # noqa: E402
import publish_delay  # noqa: E402
import run  # noqa: E402
import write_tables  # noqa: E402

HERE = {"commit": "1234abcd", "date": "2001-02-03", "arguments": "--runs 3"}
THERE = {**HERE, "commit": "5678abcd"}


def told(cpu_us, calls=None):
    """A run as measure () gives it, with half of the cost at either end."""
    end = {"cpu_us": cpu_us / 2, "wakes": 0.25, "calls": calls}
    return {"received_share": 1.0, "send": end, "receive": end}


def cell(tfrc, queue, calls=None):
    return run.summarize_cell({"tfrc": [told(one, calls) for one in tfrc],
                               "queue": [told(one) for one in queue]},
                              "tfrc", ["queue"])


class Program(unittest.TestCase):

    def test_it_finds_its_modules_by_itself(self):
        ended = subprocess.run([sys.executable, "-B", publish.__file__],
                               capture_output=True, text=True)
        self.assertEqual((ended.returncode, ended.stderr), (2, ""))
        self.assertIn("publish.py FILE", ended.stdout)


class Origin(unittest.TestCase):

    def test_it_names_no_folder_of_this_machine(self):
        self.assertEqual(run.tell_origin(["--runs", "3", "--json", "/a/b/cost.json"])
                         ["arguments"], "--runs 3 --json cost.json")


class Texts(unittest.TestCase):

    def test_a_ratio_stands_beside_its_goal(self):
        for tfrc, queue, wanted in (
                ([110, 115, 120], [100, 100, 100], "1.15 (1.10 to 1.20) | 1.15: met"),
                ([120, 120, 120], [100, 50, 100], "1.20 (1.20 to 2.40) | 1.15: missed")):
            text = publish.write({"paced_2": (cell(tfrc, queue), HERE)})
            self.assertIn(f"| `paced_2` | `queue` | {wanted} |", text)

    def test_a_cell_without_a_goal_has_none(self):
        text = publish.write({"paced_10": (cell([3], [2]), HERE)})
        self.assertIn("| `paced_10` | `queue` | 1.50 (1.50 to 1.50) |  |", text)

    def test_what_was_not_counted_is_a_dash(self):
        text = publish.write({"paced_2": (cell([100], [100], calls=1.5), HERE)})
        self.assertIn("| `paced_2` | `tfrc` | 100 (100 to 100) | 50 | 50 | 0.25 "
                      "| 0.25 | 1.50 | 1.50 | 1.000 |", text)
        self.assertIn("| 0.25 | 0.25 | - | - | 1.000 |", text)

    def test_every_part_says_where_it_was_measured(self):
        paced = cell([1], [1])
        text = publish.write({"paced_2": (paced, HERE), "paced_10": (paced, THERE),
                              "start": ({"tfrc": run.summarize([5, 60, 70])}, THERE)})
        first, second = text.partition("*Measured at 5678abcd")[::2]
        self.assertIn("*Measured at 1234abcd (2001-02-03): "
                      "`tests/evaluation/bench/run.sh --runs 3`.*", first)
        self.assertNotIn("`paced_10`", first)
        self.assertIn("`paced_10`", second)
        self.assertIn("| `tfrc` | 60 (5 to 70) | 50: missed |", second)

    def test_the_last_of_a_part_counts(self):
        merged = publish.merge([{"measured": HERE, "idle": 1, "start": 2},
                                {"measured": THERE, "idle": 3}])
        self.assertEqual(merged, {"idle": (3, THERE), "start": (2, HERE)})

    def test_what_is_in_no_file_stays(self):
        paced = cell([1], [1])
        late = {"2": {key: run.summarize([50])
                      for key in ("late_p50_us", "late_p99_us")}}
        start = {"tfrc": run.summarize([5])}
        both = publish.write({"paced_2": (paced, HERE), "paced_10": (paced, THERE),
                              "lateness": (late, THERE), "start": (start, HERE)})
        kept = publish.published(f"{publish.BEGIN}\n\n{both}\n{publish.END}")
        self.assertEqual(publish.write({}, kept), both)
        new = publish.write({"start": ({"tfrc": run.summarize([60])}, HERE)}, kept)
        self.assertEqual(new, both.replace("5 (5 to 5) | 50: met",
                                           "60 (60 to 60) | 50: missed"))

    def test_flows_and_lateness_are_rows(self):
        flows = {"threads": 4, "rss_kib": 86.2, "cpu_us": 155.1}
        late = {"late_p50_us": run.summarize([50, 55, 90]),
                "late_p99_us": run.summarize([151])}
        text = publish.write({
            "streams": ({"64": {"tfrc": {"send": flows, "receive": flows}}}, HERE),
            "idle": ({"tfrc": {end: {"threads": 4, "rss_kib": 7} for end in
                               ("send", "receive")}}, HERE),
            "lateness": ({"2": late, "10": late}, HERE)})
        self.assertIn("| 64 | `tfrc` | 4.0 | 4.0 | 86 | 86 | 155 | 155 |", text)
        self.assertIn("| `tfrc` | 4.0 | 4.0 | 7 | 7 |", text)
        self.assertIn("| 2 Mbit/s | 55 (50 to 90) | 60: met | 151 (151 to 151) "
                      "| 150: missed |", text)
        self.assertIn("| 10 Mbit/s | 55 (50 to 90) |  | 151 (151 to 151) |  |", text)


class Tables(unittest.TestCase):

    def test_figures_take_the_place_of_the_old_ones(self):
        self.assertEqual(write_tables.with_figures(
            "| rule | what | with | without |\n|---|---|--:|--:|\n"
            "| [a](#d1) | half of it again [s] | 9 | 9 |\n"
            "| [b](#d2) | reports | 9 | 9 |\n"
            "| [a](#d1) | the other | 9 | 9 |\n",
            "rule   figure  with   without\n"
            "a      half of 2 Mbit/s again 3 [s]   4.691    14.947\n"
            "a      the other   1.000   inf\n"
            "b      reports   1000.000  9999.800\n"),
            "| rule | what | with | without |\n|---|---|--:|--:|\n"
            "| [a](#d1) | half of it again [s] | 4.69 | 14.9 |\n"
            "| [b](#d2) | reports | 1000 | 10000 |\n"
            "| [a](#d1) | the other | 1 | inf |\n")


    def test_paths_that_reorder_are_a_table(self):
        printed = "".join(
            f"{part:8} {' '.join(path)} | 1.26 188.9 | 1.08 20.2\n"
            for part in ("free", "video", "full", "losses")
            for path in write_tables.PATHS)
        self.assertEqual(
            write_tables.of_reordering(printed).splitlines()[2:4], [
                "| 20 Mbit/s, 50 ms | none | 1.3 / 1.1 | 189 / 20 | 1.26 / 1.08 "
                "| 1.26 / 1.08 | 188.90 / 20.20 | 1.3 / 1.1 |",
                "| 0.3 Mbit/s, 300 ms | by 6, 5 % | 1.3 / 1.1 | 189 / 20 "
                "| 1.26 / 1.08 | 1.26 / 1.08 | 188.90 / 20.20 | 1.3 / 1.1 |"])

    def test_each_table_has_its_place(self):
        for name, (page, *_) in write_tables.TABLES.items():
            text = (publish.DOCS / page).read_text()
            self.assertEqual(text.count(write_tables.marker(name)), 1, name)


class Delay(unittest.TestCase):
    PRINTED = """cell   rate ...
| cell | | rate | use | p50 | p95 | loss | share | h99 | start | back | drops | away | goals |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |
| steady | plain | 1 | 1.0 | 94 | 99 | 0.2 | 1 | 0 | 0 | 0 | 0 | 0 |  |
| steady | default | 1 | 0.9 | 13 | 14 | 0.0 | 1 | 0 | 0 | 0 | 0 | 0 | holds |
| reno3-5-red | plain | 1 | 1.0 | 9 | 9 | 0.2 | 1.111 | 0 | 0 | 0 | 0 | 0 |  |
| reno3-5-red | default | 1 | 1.0 | 9 | 9 | 0.0 | 0.222 | 0 | 0 | 0 | 0 | 0 | misses share |
"""

    def test_cells_and_shares_are_tables(self):
        found = publish_delay.read(self.PRINTED)
        self.assertIn("| steady | 1.0 -> 0.9 | 94 -> 13 | 99 -> 14 |",
                      publish_delay.cell_table(found))
        self.assertIn("| reno | 5 | red |  |  |  | 1.11, **0.22** |  |  |  |\n",
                      publish_delay.share_table(found))
        self.assertEqual(publish_delay.counts(found).splitlines()[1],
                         "- beside TCP: of 1 cells 1 miss a goal: "
                         "`reno3-5-red` (share).")


class Document(unittest.TestCase):

    def test_it_has_a_place_for_them(self):
        text = (publish.DOCS / "results/cost.md").read_text()
        self.assertIn("\nfigures\n", publish.between_markers(
            text, "figures\n", publish.BEGIN))


if __name__ == "__main__":
    unittest.main()
