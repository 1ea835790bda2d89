#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What changes the digest of sources, and what is said of traces that moved."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import behaviour  # noqa: E402

SOURCE = """/* A "comment". */
#define A "/* none */"  // of two lines \\
int a (void);
"""


class Sources(unittest.TestCase):

    def test_comments_and_layout_do_not_count(self):
        self.assertEqual(behaviour.strip(SOURCE),
                         '#define A "/* none */" int a (void);')
        self.assertEqual(behaviour.strip("a /* b */ c\n\n"), "a c")

    def test_names_of_files_do_not_count(self):
        def digest(name, text="int a;"):
            with tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                (folder / "src").mkdir()
                (folder / "src" / name).write_text(text)
                return behaviour.digest(("src",), folder)

        self.assertEqual(digest("a.c"), digest("b.cc", "int a; /* b */"))
        self.assertNotEqual(digest("a.c"), digest("a.c", "int b;"))


class Command(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.kept = pathlib.Path(folder.name) / "kept.json"

    def run_it(self, *arguments, **traces):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            code = behaviour.main(
                list(arguments), self.kept, (), (), lambda: traces)
        return code, out.getvalue()

    def change(self, what="sources"):
        kept = json.loads(self.kept.read_text())
        self.kept.write_text(json.dumps(kept | {what: "others"}))

    def test_what_is_written_is_the_same(self):
        self.run_it("--write", a="1")
        self.assertEqual(self.run_it(a="1")[0], 0)

    def test_a_refactoring_passes(self):
        self.run_it("--write", a="1")
        self.change()
        self.assertEqual(self.run_it(a="1")[0], 0)

    def test_what_moved_fails_and_is_named(self):
        self.run_it("--write", a="1", b="1", c="1")
        self.change()
        code, out = self.run_it(a="1", b="2", d="1")
        self.assertEqual(code, 1)
        self.assertIn("3 of 3 scripts moved: b, c, d", out)

    def test_the_same_sources_pass_on_another_machine(self):
        self.run_it("--write", a="1")
        self.assertEqual(self.run_it(a="2")[0], 0)
        self.assertEqual(self.run_it("--traces", a="2")[0], 1)

    def test_what_moves_with_the_models_fails(self):
        self.run_it("--write", a="1")
        self.change("rig")
        self.assertEqual(self.run_it(a="2")[0], 1)

    def test_conflicts_are_written_over(self):
        for text in ("<<<<<<<", '{"sources": "1", "rig": "1", "traces": '
                     '{"a": "1", "a": "2"}}'):
            self.kept.write_text(text)
            self.assertEqual(self.run_it(a="1")[0], 1)
            self.run_it("--write", a="1")
            self.assertEqual(self.run_it(a="1")[0], 0)

    def test_two_changes_may_have_changed_other_scripts(self):
        self.run_it("--write", a="1")
        self.kept.write_text(self.kept.read_text().replace(
            '"sources"', '"sources": "1",\n "sources"').replace(
            '"rig"', '"rig": "1",\n "rig"'))
        self.assertEqual(self.run_it(a="1")[0], 0)


if __name__ == "__main__":
    unittest.main()
