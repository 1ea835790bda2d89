#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""That tables are those of tables.json, and that no table of numbers is typed: what
stands outside of markers has no row with two numbers, but where the section says
that they were chosen."""

import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import tables  # noqa: E402  (the path to the simulation's modules)
import measured  # noqa: E402

DOCS = tables.DOCS
PAGES = [DOCS.parent / "README.md", *sorted(
    path for path in DOCS.rglob("*.md") if path.parent.name != "reference")]
WRITTEN = re.compile(r"<!-- begin: .*?<!-- end -->", re.DOTALL)
HEADING = re.compile(r"^#+ ", re.MULTILINE)
# A number with what little may follow it, and the same with words before it.
NUMBER = re.compile(r"\**[-<>=~±]* ?\.?\d[^|]{0,40}$")
ONE = {"page": "page.md", "commit": "0123abcd", "date": "2026-11-22",
       "command": "build/a", "head": ["what", "ms"], "rule": "|---|--:|",
       "rows": [["a", "1"], ["", "2.5"]]}


def typed(text):
    """Rows of the tables outside of markers that have two numbers."""
    for section in HEADING.split(WRITTEN.sub("", text)):
        for table in tables.TABLE.findall(section):
            for row in map(tables.cells, table.strip().split("\n")[2:]):
                if "chosen" not in section \
                        and sum(bool(NUMBER.match(cell)) for cell in row) > 1:
                    yield " | ".join(row)


class Kept(unittest.TestCase):
    def test_a_table_is_read_as_it_was_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "tables.json"
            tables.save({"b": ONE, "a": ONE}, path)
            self.assertEqual(tables.load(path), {"a": ONE, "b": ONE})

    def test_its_text(self):
        self.assertEqual(tables.text_of(ONE),
                         "| what | ms |\n|---|--:|\n| a | 1 |\n| | 2.5 |\n")

    def test_what_a_command_prints_takes_the_place_of_the_rows(self):
        printed = "so:\n\n| x |\n| --- |\n| 7 |\n\n| what | time |\n|---|---|\n| b | 3 |\n"
        found = tables.taken(ONE, printed, 1, "89abcdef", "2026-11-28")
        self.assertEqual((found["rows"], found["commit"], found["head"]),
                         ([["b", "3"]], "89abcdef", ["what", "ms"]))
        with self.assertRaises(ValueError):
            tables.taken(ONE, printed, 0, "89abcdef", "2026-11-28")


class Pages(unittest.TestCase):
    def test_say_what_is_kept(self):
        for path, text in tables.pages(tables.load()).items():
            # Not assertEqual, which would print the page.
            self.assertTrue(path.read_text(encoding="utf-8") == text,
                            f"{path}: run tests/evaluation/evidence/tables.py")

    def test_say_of_when_and_how_each_table_is(self):
        for name, one in tables.load().items():
            section = next(
                part for part in HEADING.split(
                    (DOCS / one["page"]).read_text(encoding="utf-8"))
                if tables.marker(name) in part)
            with self.subTest(name):
                self.assertIn((one["commit"], one["date"], one["command"]), [
                    (found["commit"] + (found["before"] or ""), found["date"],
                     found["command"]) for found in measured.LINE.finditer(section)])

    def test_no_number_in_a_table_is_typed(self):
        for path in PAGES:
            with self.subTest(path.relative_to(DOCS.parent)):
                self.assertEqual(list(typed(path.read_text(encoding="utf-8"))), [])

    def test_a_typed_number_is_found(self):
        row = "# A\n\n| a | b |\n|---|---|\n| **1.5 ms** | 2 |\n"
        self.assertEqual(list(typed(row)), ["**1.5 ms** | 2"])
        self.assertEqual(list(typed(row + "\nThese were chosen.\n")), [])
        self.assertEqual(list(typed(f"{tables.marker('a')}\n{row}\n<!-- end -->")), [])


if __name__ == "__main__":
    unittest.main()
