#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What check_docs.py finds in documents that are made up here."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).with_name("check_docs.py")


def findings(text, files=()):
    """Lines that check_docs.py prints about a tree whose docs/page.md has this
    text."""
    tree = {"README.md": "", "docs/README.md": "[page](page.md)",
            "docs/page.md": text, "gst/elements/send/queue.c": "",
            "docs/architecture.md": "`send/pacer.c`",
            "gst/elements/send/pacer.c": "  GMutex lock;\n",
            "docs/other.md": "# Other\n\n## The `queue`, again\n", **dict(files)}
    tree["docs/README.md"] += "[other](other.md) [ways](architecture.md)"
    with tempfile.TemporaryDirectory() as top:
        for name, content in tree.items():
            path = pathlib.Path(top, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        run = subprocess.run(
            [sys.executable, CHECK, top], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, encoding="utf-8", check=False)
    lines = run.stdout.splitlines()
    assert run.returncode == (1 if lines else 0), run
    return lines


class DocsTest(unittest.TestCase):
    def test_what_exists_is_right(self):
        self.assertEqual(findings(
            "[a](other.md) [b](other.md#the-queue-again) [c](#here) "
            "[d](https://example.org/x) `send/queue.c` "
            "`gst/elements/send/queue.c`\n# Here"), [])

    def test_a_file_that_is_gone_is_found(self):
        self.assertEqual(findings("a\n`send/stack.c`"),
                         ["docs/page.md:2: no file send/stack.c"])

    def test_both_files_of_a_noun_must_be_there(self):
        self.assertEqual(findings("`send/queue.[ch]`"),
                         ["docs/page.md:1: no file send/queue.h"])

    def test_a_link_to_nothing_is_found(self):
        self.assertEqual(findings("[x](gone.md) [y](other.md#gone)"),
                         ["docs/page.md:1: no file gone.md",
                          "docs/page.md:1: no heading other.md#gone"])

    def test_a_page_that_a_source_names_must_be_there(self):
        self.assertEqual(findings("", {
            "gst/a.h": "/* docs/page.md, docs/lost.md */"}),
            ["gst/a.h:1: no page docs/lost.md"])

    def test_a_command_has_its_program_and_options(self):
        self.assertEqual(findings(
            "`tests/a/run.sh b --json F --only C` and `build/tests/gone`\n\n"
            "    sudo tests/a/run.sh --gone\n    X=1 build/tests/b/bench-c --d\n",
            {"tests/a/run.sh": "run.py", "tests/a/run.py": 'add ("--json")',
             "tests/a/measure.py": 'add ("--only")', "tests/b/c.c": '"d"'}),
            ["docs/page.md:1: no program build/tests/gone",
             "docs/page.md:3: tests/a/run.sh has no option --gone"])

    def test_code_blocks_are_not_looked_at(self):
        self.assertEqual(findings("```sh\n`send/stack.c`\n```"), [])

    def test_a_large_figure_is_found(self):
        self.assertEqual(
            findings("![x](figures/x.svg)", {
                "docs/figures/x.svg": 300001 * "x"}),
            ["docs/figures/x.svg:1: is larger than 300000 bytes: draw less"])

    def test_a_page_that_nothing_leads_to_is_found(self):
        self.assertEqual(findings("", {"docs/lost.md": ""}),
                         ["docs/README.md:1: does not lead to lost.md"])

    def test_a_figure_that_no_page_shows_is_found(self):
        figures = {"docs/figures/a.svg": "", "docs/figures/b.svg": ""}
        self.assertEqual(findings("![a](figures/a.svg)", figures),
                         ["docs/figures/b.svg:1: no page shows it"])

    def test_a_lock_that_the_page_does_not_have_is_found(self):
        self.assertEqual(findings("", {
            "gst/elements/send/flow.c": "struct {\n  GMutex lock; /* a */\n};"}),
            ["docs/architecture.md:1: does not say what the lock of "
             "send/flow.c guards"])


class MessagesTest(unittest.TestCase):
    CODE = {"gst/elements/send/a.c":
            'f ("port %u is taken, choose " "another one: " G_X "%s");'}

    def found(self, row):
        return findings("", {
            **self.CODE, "docs/README.md": "[page](page.md) [g](user-guide.md)",
            "docs/user-guide.md": f"## When it does not work\n\n| {row} | |\n"})

    def test_a_message_of_the_code_is_right_whatever_varies_in_it(self):
        self.assertEqual(self.found(
            "`port 5004 is taken, choose another one: …`, or no picture"), [])

    def test_a_message_that_nobody_says_is_found(self):
        self.assertEqual(
            self.found("`port 5004 is taken, choose one`"),
            ["docs/user-guide.md:1: no element says “is taken, choose one”"])


class DeviationsTest(unittest.TestCase):
    SWITCHES = """  SWITCH ("probes", TfrcSenderConfig, probe_interval),
  BOUND ("credit", TfrcSenderConfig, max_credit),
"""
    TABLE = """| [probes](../rules.md#d2-probes) | seconds | 2 | 45 |
| [credit](../rules.md#d3-credit) | packets | 1 | 135 |

"""
    BODY = """### D2 Probes

Here: so.

### D3 Credit

Here: so.

"""
    CHOICE = """### D4 A representation

Here: so.
No switch: the RFC leaves it open.
"""

    def found(self, table=TABLE, body=BODY, choice=CHOICE):
        lines = findings("", {
            "docs/rules.md": body + choice,
            "docs/results/rules.md": table,
            "docs/README.md": "[page](page.md) [r](rules.md) [f](results/rules.md)",
            "tests/support/switches.c": self.SWITCHES})
        return [line.partition(": ")[2] for line in lines]

    def test_each_has_a_row_or_a_reason(self):
        self.assertEqual(self.found(), [])

    def test_one_without_a_row_or_a_reason_is_found(self):
        self.assertEqual(
            self.found(choice=self.CHOICE.replace("No switch: ", "")),
            ["D4 has no row, or one and no switch"])

    def test_one_that_is_measured_and_has_no_switch_is_found(self):
        self.assertEqual(
            self.found(choice=self.CHOICE.replace("D4", "D2")),
            ["D2 has no row, or one and no switch"])

    def test_a_switch_without_a_row_is_found(self):
        self.assertEqual(
            self.found(table=self.TABLE.replace("[credit]", "[probes]")),
            ["the rule credit has no row, or no switch"])


class CommitsTest(unittest.TestCase):
    def test_a_commit_is_in_the_history(self):
        with tempfile.TemporaryDirectory() as top:
            def git(*arguments):
                return subprocess.run(
                    ["git", "-C", top, "-c", "user.name=a", "-c", "user.email=b",
                     *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout
            git("init", "--quiet")
            git("commit", "--quiet", "--allow-empty", "--message=c")
            page = pathlib.Path(top, "README.md")
            for name, told in ((git("rev-parse", "HEAD")[:8], False),
                               ("1234abcd", True), ("deadbeef", False)):
                page.write_text(f"Measured at {name}.\n", encoding="utf-8")
                run = subprocess.run([sys.executable, CHECK, top], check=False,
                                     stdout=subprocess.PIPE, text=True)
                self.assertEqual(f"a commit {name} that" in run.stdout, told)


if __name__ == "__main__":
    unittest.main()
