#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What layers.py finds in trees that are made up here."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import draw_layers

LAYERS = pathlib.Path(__file__).with_name("layers.py")
GOOD = {
    "protocol/base/time.h": "#include <stdint.h>",
    "protocol/tfrc/sender.h": '#include "base/time.h"',
    "protocol/tfrc/sender.c": '#include "tfrc/sender.h"',
    "elements/send/flow.h": '#include "tfrc/sender.h"',
    "elements/send/pacer.h": '#include "flow.h"',
}


def with_readmes(files):
    """The same, and a README.md with a line for each in every folder."""
    texts = {}
    for name in sorted(files):
        folder, _, file = name.rpartition("/")
        texts.setdefault(f"{folder}/README.md", []).append(f"| `{file}` | x |")
    return {**{name: "\n".join(lines) for name, lines in texts.items()},
            **files}


def findings(files):
    """Lines that layers.py prints about a tree with these files in gst/, and
    the README.md of each folder where they have none."""
    with tempfile.TemporaryDirectory() as top:
        for name, text in with_readmes(files).items():
            path = pathlib.Path(top, "gst", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n", encoding="utf-8")
        run = subprocess.run(
            [sys.executable, LAYERS, top], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, encoding="utf-8", check=False)
    lines = run.stdout.splitlines()
    assert run.returncode == (1 if lines else 0), run
    return lines


class LayersTest(unittest.TestCase):
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
        self.assertIn("elements/attic has no layer", found[0])

    def test_an_include_of_nothing_is_found(self):
        found = findings({"wire/a.c": '#include "gone.h"'})
        self.assertEqual(found, ['gst/wire/a.c: no file in gst/ is "gone.h"'])

    def test_a_file_without_a_line_in_its_readme_is_found(self):
        found = findings({"wire/a.c": "", "wire/a.h": "", "wire/b.h": "",
                          "wire/README.md": "| `a.[ch]` | x |"})
        self.assertEqual(found, ["gst/wire/README.md: has no line for b.h"])

    def test_a_line_for_a_file_that_is_gone_is_found(self):
        found = findings({"wire/a.h": "",
                          "wire/README.md": "| `a.[ch]` | x |"})
        self.assertEqual(found, ["gst/wire/README.md: there is no a.c"])


class PictureTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.gst = pathlib.Path(folder.name)

    def draw(self, includes):
        """The picture of files that each include one other."""
        for name, other in includes.items():
            include = f'#include "{other.partition("/")[2]}"\n'
            for path, text in ((name, include), (other, "")):
                path = self.gst / path
                path.parent.mkdir(parents=True, exist_ok=True)
                if text or not path.exists():
                    path.write_text(text, encoding="utf-8")
        return draw_layers.picture(self.gst)

    def test_an_arrow_that_others_imply_is_words_in_the_box(self):
        text = self.draw({"protocol/tfmcc/a.h": "protocol/tfrc/b.h",
                          "protocol/tfrc/b.h": "protocol/base/c.h"})
        self.assertEqual(text.count("marker-end"), 2)
        self.assertNotIn("and base", text)
        text = self.draw({"protocol/tfmcc/d.h": "protocol/base/c.h"})
        self.assertEqual(text.count("marker-end"), 2)
        self.assertIn("and base", text)

    def test_only_an_arrow_up_is_red(self):
        text = self.draw({"protocol/tfrc/b.h": "protocol/base/c.h"})
        self.assertNotIn("url(#up)", text)
        text = self.draw({"protocol/base/d.h": "protocol/tfrc/b.h"})
        self.assertEqual(text.count("url(#up)"), 1)


if __name__ == "__main__":
    unittest.main()
