#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a group's files say, small enough to calculate by hand."""

import pathlib
import sys
import tempfile
import unittest

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "support"))

from group_results import COLUMNS, GroupResult  # noqa: E402

ROUND = dict.fromkeys(COLUMNS["rounds"].split(), 0)


class Group(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.group = GroupResult(self.folder, {"index": 3, "reports": 7})

    def write(self, table, rows):
        (self.folder / f"group-{table}-3.txt").write_text(
            "".join(" ".join(map(str, row)) + "\n" for row in rows))

    def write_rounds(self, *rounds):
        self.write("rounds", [{**ROUND, **one}.values() for one in rounds])

    def test_columns_have_names(self):
        self.write("reports", [(0.5, 0, 4, 1000, 1, 0, 0, 1),
                               (0.7, 1, 2, 2000, 0, 1, 0, 0)])
        np.testing.assert_array_equal(self.group.reports["member"], [4, 2])
        np.testing.assert_array_equal(self.group.reports["is_clr"], [1, 0])
        self.assertEqual(self.group.summary["reports"], 7)

    def test_a_table_may_be_empty(self):
        self.write("clr", [])
        self.assertEqual(len(self.group.clr["time"]), 0)
        self.assertEqual(self.group.clr_at(5), -1)
        self.assertIsNone(self.group.clr_since([1], 0))

    def test_who_is_the_clr(self):
        self.write("clr", [(1, 4, -1, 1000, 0.1), (3, -1, 4, "nan", "nan"),
                           (4, 2, -1, 900, 0.1)])
        self.assertEqual([self.group.clr_at(time)
                          for time in (0.5, 1, 2.9, 3.5, 9)],
                         [-1, 4, 4, -1, 2])
        self.assertEqual(self.group.clr_since([4], 0.25), 0.75)
        self.assertEqual(self.group.clr_since([4, 2], 2), 0)
        self.assertEqual(self.group.clr_since([2], 1.5), 2.5)
        self.assertIsNone(self.group.clr_since([4], 3.5))

    def test_rounds_that_lie_within(self):
        self.write_rounds(*({"round": i, "begin": i, "end": i + 1}
                            for i in range(5)))
        np.testing.assert_array_equal(
            self.group.rounds_between(0.5, 4)["round"], [1, 2, 3])

    def test_quality_of_what_was_reported(self):
        # 1000 reported: 25 % above 800; 20 % below 1250; nobody reported.
        self.write_rounds(
            {"end": 1, "lowest_reported": 1000, "lowest_begin": 800,
             "lowest_end": 2000},
            {"end": 1, "lowest_reported": 1000, "lowest_begin": 500,
             "lowest_end": 1250},
            {"end": 1, "lowest_reported": "nan", "lowest_begin": 500,
             "lowest_end": 500})
        np.testing.assert_allclose(self.group.quality(0, 1),
                                   [0.25, -0.2, np.nan])


if __name__ == "__main__":
    unittest.main()
