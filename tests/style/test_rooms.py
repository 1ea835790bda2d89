#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What rooms.py finds in trees that are made up here."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOMS = pathlib.Path(__file__).with_name("rooms.py")
GOOD = {
    "protocol/base/time.h": "#include <stdint.h>",
    "protocol/tfrc/sender.h": '#include "base/time.h"',
    "protocol/tfrc/sender.c": '#include "tfrc/sender.h"',
    "elements/send/flow.h": '#include "tfrc/sender.h"',
    "elements/send/pacer.h": '#include "flow.h"',
    "elements/pch/gstreamer.h": "#include <gst/gst.h>",
}


def findings(files):
    """Lines that rooms.py prints about a tree with these files in gst/."""
    with tempfile.TemporaryDirectory() as top:
        for name, text in files.items():
            path = pathlib.Path(top, "gst", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n", encoding="utf-8")
        run = subprocess.run(
            [sys.executable, ROOMS, top], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, encoding="utf-8", check=False)
    lines = run.stdout.splitlines()
    assert run.returncode == (1 if lines else 0), run
    return lines


class RoomsTest(unittest.TestCase):
    def test_a_tree_whose_arrows_all_point_down_is_right(self):
        self.assertEqual(findings(GOOD), [])

    def test_an_arrow_up_is_found(self):
        found = findings({**GOOD, "protocol/base/time.c":
                          '#include "tfrc/sender.h"'})
        self.assertTrue(any(
            line.startswith("gst/protocol/base/time.c: protocol/base must not "
                            "use protocol/tfrc (sender.h)")
            for line in found), found)

    def test_an_arrow_to_a_room_of_the_same_floor_is_found(self):
        found = findings({
            "elements/send/flow.c": '#include "receive/flow.h"',
            "elements/receive/flow.h": ""})
        self.assertEqual(len(found), 1)
        self.assertIn("elements/send must not use elements/receive", found[0])

    def test_a_circle_within_a_room_is_found(self):
        # Each half alone is innocent: a needs b in its source, b needs c,
        # and c's source needs a.
        found = findings({
            "wire/a.h": "", "wire/a.c": '#include "b.h"',
            "wire/b.h": '#include "c.h"',
            "wire/c.h": "", "wire/c.c": '#include "a.h"',
            "wire/d.c": '#include "a.h"'})
        self.assertEqual(found, ["these need each other: wire/a, wire/b, "
                                 "wire/c"])

    def test_a_source_that_includes_its_own_header_is_no_circle(self):
        self.assertEqual(findings({"wire/a.c": '#include "a.h"',
                                   "wire/a.h": ""}), [])

    def test_a_folder_that_has_no_floor_is_found(self):
        found = findings({"elements/attic/trunk.c": ""})
        self.assertEqual(len(found), 1)
        self.assertIn("elements/attic has no floor", found[0])

    def test_an_include_of_nothing_is_found(self):
        found = findings({"wire/a.c": '#include "gone.h"'})
        self.assertEqual(found, ['gst/wire/a.c: no file in gst/ is "gone.h"'])


if __name__ == "__main__":
    unittest.main()
