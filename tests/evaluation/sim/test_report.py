#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What --report writes, and that the documents hold what it wrote."""

import dataclasses
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
DOCS = HERE.parents[2] / "docs"
sys.path.insert(0, str(HERE.parents[1] / "support"))

import beside_ns2  # noqa: E402
import claims  # noqa: E402
import draw_evaluation  # noqa: E402
from claims import Claim, Results, Scenario  # noqa: E402
from evaluation import Evaluated  # noqa: E402
import measured  # noqa: E402
import parameters  # noqa: E402
import plots  # noqa: E402
import records  # noqa: E402
import report  # noqa: E402
import rto_modes  # noqa: E402
import run  # noqa: E402
import tolerances  # noqa: E402
from simulation import (Flow, Link, Loss, Members, Queue,  # noqa: E402
                        Run, dumbbell)


# What --report writes between the markers.
REPORTED = ("results/simulation.md", "results/simulation-today.md",
            "evaluation.md", "../README.md")
# What is written by hand is of these.
PAGES = sorted(path.relative_to(DOCS).as_posix()
               for path in DOCS.rglob("*.md") if path.parent.name != "reference")
# Two cells that are numbers, or begin with one.
MEASURED_ROW = re.compile(r"^\|(?:.*\|)? *\**\d[\d.]*\**[^\w|\n.].*\| *\**\d",
                          re.MULTILINE)
PAPER = tolerances.Tolerance(accept=(0, 1), where="figure 6",
                             basis=tolerances.TEXT)
FIVE_SEEDS = "5 runs with 5 seeds; links: b."


def chapter(name, source, answers, note="", runs="", **row):
    """A scenario with a claim of 0 to 1 for each answer, as recorded."""
    scenario = Scenario(name, source, "what it shows", dict, [
        Claim(f"claim {i}", "about 1", None, note=note,
              tolerance=dataclasses.replace(PAPER, **row))
        for i, _ in enumerate(answers)])
    told = {f"claim {i}": {"measured": None} if answer is None
            else {"measured": sum(answer) / len(answer), "least": min(answer),
                  "most": max(answer)} if isinstance(answer, list)
            else {"measured": answer} for i, answer in enumerate(answers)}
    return report.Chapter(scenario, records.Record(
        "0123abcd", "2026-11-22", "standard", runs, told))


def rows(text):
    """The cells of each row of the tables in a text; bars that are escaped
    do not end a cell."""
    return [re.split(r"(?<!\\)\|", line)[1:-1] for line in text.split("\n")
            if line.startswith("|")]


class Texts(unittest.TestCase):

    def test_only_claims_of_papers_are_counted(self):
        chapters = [
            chapter("a", claims.FLOYD, [0.5, 1, 7]),
            chapter("b", claims.BANSAL, [5, 6], differs_by="a: claim 0"),
            chapter("c", claims.BANSAL, [0.5], not_comparable="apples"),
            chapter("d", claims.BANSAL, [0.5, 2], kind="rig"),
            chapter("e", claims.PRESENT_DAY, [0.5, 0.5, 3], kind="goal")]
        text = report.summary(chapters) + report.by_source(chapters)
        self.assertIn(
            "**Reproduced of the five papers, by 95 % intervals: of 6 numbers "
            "of the texts 2 (0 undecided), of 0 ranges and words read as "
            "numbers 0 (0 undecided), of 0 orders and bounds 0 (0 undecided).**",
            text)
        self.assertIn("| numbers of the texts | 2 | 0 | 2 | 1 | 1 |", text)
        self.assertIn("of 2 all claims of 0 are reproduced, none of 1.", text)
        self.assertIn("| Floyd et al. 2000 | 2 | 0 | 0 | 1 | 0 |", text)
        self.assertIn("| Bansal et al. 2001 | 0 | 0 | 2 | 0 | 1 |", text)
        self.assertNotIn("present day", text)
        self.assertIn("| checks of the rig | 1 | 1 |", text)
        self.assertIn("| goals of ours | 2 | 1 |", text)

    def test_a_claim_is_a_row(self):
        text = report.section(
            chapter("a", claims.FLOYD, [[0.25, 0.75]],
                    note="read | from\nthe plot", runs=FIVE_SEEDS))
        self.assertIn("### a: what it shows\n\nFigure 6. Commit 0123abcd "
                      "(2026-11-22).", text)
        self.assertIn("| claim 0 | about 1 | 0.5 (0.25 to 0.75) | 0 to 1 | "
                      "reproduced | read \\| from the plot |", text)
        self.assertIn("<summary>5 runs with 5 seeds</summary>\n\nLinks: b.\n", text)

    def test_what_is_reproduced_as_a_whole_is_folded(self):
        for answers, folded in (([1, 1], True), ([1, 7], False),
                                ([1, [0.5, 1.25]], False)):
            self.assertEqual("<summary>2 reproduced</summary>" in
                             report.section(chapter("a", claims.FLOYD,
                                                    answers)), folded)

    def test_an_interval_on_both_sides_is_told(self):
        one = chapter("a", claims.FLOYD, [[0.25, 1.25], [0.5, 0.75], 0.5],
                      runs=FIVE_SEEDS)
        text = report.section(one)
        self.assertIn("| 0.75 (0.25 to 1.25) | 0 to 1 | undecided | "
                      "95 %: 0.243 to 1.26 |", text)
        self.assertIn("| 0.625 (0.5 to 0.75) | 0 to 1 | reproduced |", text)
        self.assertIn("| 0.5 | 0 to 1 | undecided | one number of all seeds |", text)
        self.assertIn("of 3 numbers of the texts 1 (2 undecided)",
                      report.sentence([one]))

    def test_a_goal_that_a_seed_missed_is_met_on_the_mean(self):
        one = chapter("a", claims.PRESENT_DAY, [[0.25, 1.25]], kind="goal")
        self.assertIn("| met on the mean |", report.section(one))

    def test_checks_of_the_rig_have_a_table_of_their_own(self):
        one = chapter("a", claims.FLOYD, [7], kind="rig")
        self.assertIn("[checks of the rig](#checks-of-the-rig)",
                      report.section(one))
        self.assertIn("| a | figure 6 | claim 0 | about 1 | 7 | 0 to 1 | "
                      "missed | cause not known |", report.checks([one]))

    def test_goals_that_are_missed_stand_first(self):
        one = chapter("a", claims.PRESENT_DAY, [1, 7], kind="goal",
                      supposed="the moon")
        head, _, rest = report.today([one]).partition("## present day")
        self.assertIn("**Of 2 goals 1 are missed.**", head)
        self.assertIn("| a | figure 6 | claim 1 | about 1 | 7 | 0 to 1 | "
                      "missed | supposed: the moon |", head)
        self.assertIn("<summary>1 met, 1 missed</summary>", rest)
        self.assertIn("| claim 0 | about 1 | 1 | 0 to 1 | met |", rest)

    def test_cases_of_the_rfcs_are_a_matrix(self):
        told = [chapter("rfc8867-pair", claims.RFC_8867, [1, 7], kind="goal"),
                chapter("delay-rfc8867-pair", claims.PRESENT_DAY, [1], kind="goal"),
                chapter("rfc8869-wifi", claims.PRESENT_DAY, [1, 1], kind="goal"),
                chapter("cubic", claims.PRESENT_DAY, [1], kind="goal")]
        self.assertEqual(report.cases(told).splitlines()[2:], [
            "| rfc8867-pair | figure 6 | what it shows | 1 | 1 | 1 | 0 |",
            "| rfc8869-wifi | figure 6 | what it shows | 2 | 0 |  |  |"])

    def test_what_is_judged_alike_is_set_beside(self):
        one = chapter("a", claims.PRESENT_DAY, [1], kind="goal")
        other = chapter("b", claims.PRESENT_DAY, [7], kind="goal")
        with mock.patch.object(tolerances, "like", lambda: {"b": "a"}):
            text = report.sections([one, other], report.TODAY)
        self.assertIn("| claim 0 | about 1 | 1 | 0 to 1 | met | 7 | missed |",
                      text)
        self.assertIn("Its goals are in the table of a.", text)

    def test_what_is_only_published_is_in_the_record(self):
        text = report.section(chapter("a", claims.FLOYD, [1],
                                      kind="published"))
        self.assertIn("\n1 more measured, in records/a.json.\n", text)
        self.assertNotIn("claim 0", text)

    def test_a_cause_is_told_as_what_it_is(self):
        for row, words in (
                ({}, "cause not known"),
                ({"supposed": "the moon"},
                 "supposed: the moon"),
                ({"differs_by": "b: claim 1"}, "shown by b: claim 1")):
            text = report.section(chapter("a", claims.FLOYD, [7], **row))
            self.assertIn(f"| {words} |", text)

    def test_an_experiment_that_fails_shows_no_cause(self):
        one, = chapter("a", claims.FLOYD, [7], differs_by="b: c").outcomes
        for experiment, words in (
                (None, ["cause not known"]),
                (chapter("b", claims.FLOYD, [5], kind="experiment"),
                 ["cause not known", "not shown by b: c: 5"]),
                (chapter("b", claims.FLOYD, [0.5], kind="experiment"),
                 ["shown by b: c: 0.5"])):
            self.assertEqual(list(report.notes(report.with_cause(
                one, experiment and experiment.outcomes[0]))), words)

    def test_what_was_not_over_is_told_as_that(self):
        one = chapter("a", claims.FLOYD, [[1, 60]])
        one.record.claims["claim 0"]["at_least"] = True
        text = report.section(report.Chapter(one.scenario, one.record))
        self.assertIn("| at least 30.5 (1 to at least 60) |", text)

    def test_what_was_not_measured_is_named(self):
        one = chapter("a", claims.FLOYD, [1, 1])
        del one.record.claims["claim 1"]
        chapters = [report.Chapter(one.scenario, one.record)]
        self.assertIn("Not measured yet: claim 1.",
                      report.section(chapters[0]))
        self.assertIn("of 1 numbers of the texts 1", report.summary(chapters))

    def test_what_has_become_of_a_record_is_told(self):
        def text_of(older=(), **changed):
            one = chapter("a", claims.FLOYD, [1])
            old = report.Chapter(one.scenario, dataclasses.replace(
                one.record, **changed), older)
            return report.age([old], "89abcdef") + report.section(old)

        fresh = text_of()
        self.assertIn("At core `89abcdef`: 1 of 1 records", fresh)
        self.assertIn("Commit 0123abcd (2026-11-22).\n", fresh)
        old = text_of(older=["tfrc/loss"])
        self.assertIn("0 of 1 records are of this behaviour or confirmed with it, "
                      "1 older and not confirmed, 0 outdated", old)
        self.assertIn("(2026-11-22); **old**, moved since: tfrc/loss.",
                      old)
        self.assertIn("(2026-11-22), the same at 4567 (2026-11-23); **old**",
                      text_of(older=["a"], confirmed="4567 2026-11-23"))
        self.assertIn("(2026-11-22).\n", text_of(confirmed="4567 2026-11-23"))
        outdated = text_of(older=["a"], outdated="4567 2026-11-23")
        self.assertIn("0 older and not confirmed, 1 outdated", outdated)
        self.assertIn("**outdated**: its shortest runs differ at 4567",
                      outdated)

    def test_claims_that_rest_on_few_seeds_are_named(self):
        def told(runs, why=""):
            one = chapter("a", claims.FLOYD, [1, 1], runs=runs)
            one.scenario = dataclasses.replace(one.scenario, few_seeds=why)
            return report.few_seeds([one])

        self.assertEqual(told("10 runs of 90 s with 5 seeds; links: b."), "")
        self.assertEqual(told("8 runs of 90 s with 4 seeds; links: b."),
                         "Measured with fewer than 5 seeds, 2 claims without "
                         "a reason: a (4).\n\n")
        self.assertEqual(told("1 run of 9 s; links: b.", "nothing is drawn"),
                         "Measured with fewer than 5 seeds, 0 claims without "
                         "a reason: a (1, nothing is drawn).\n\n")

    def test_the_mode_that_comes_nearest_is_in_bold(self):
        told = {f"mean absolute difference ratio {column}, {variant}":
                {"measured": measured, "least": 0.1, "most": 9}
                for column in rto_modes.COLUMNS
                for variant, measured in (("tcp/1", 2), ("tcp/3", 0.5))}
        record = records.Record("0123abcd", "2026-11-22", "standard", "",
                                told)
        self.assertEqual(list(rto_modes.rows({"rhee-rto-1998": record})), [
            ["the same without SACK and Limited Transmit", "TCP's, `tcp`",
             *["2.00 (0.10 to 9.00)"] * 4],
            ["the same without SACK and Limited Transmit",
             "TCP's / 3, `scaled`", *["**0.50** (0.10 to 9.00)"] * 4]])

    def test_the_authors_code_stands_beside_ours(self):
        head, found = beside_ns2.smoothness(records.load())
        self.assertEqual(head[:3], ["timescale (s)", "0.2", "0.5"])
        self.assertEqual(found[0][:3], ["TCP, ns-2", "0.540", "0.440"])
        self.assertEqual({len(row) for row in found}, {len(head)})

    def test_what_alternative_flows_share_is_told_once(self):
        self.assertEqual(
            report.setup("2 runs of 9 s; links: 1 Mbit/s 2 ms; flows: 5 tcp "
                         "9 ms + 3 web 9 ms or 5 tcp 9 ms + 40 tcp 9 ms + "
                         "3 web 9 ms."),
            "2 runs of 9 s; links: 1 Mbit/s 2 ms; flows: 5 tcp 9 ms + 3 web "
            "9 ms + (nothing or 40 tcp 9 ms).")
        alike = "2 runs of 9 s; flows: 1 tcp or 2 tfrc; losses: p = 0.1."
        self.assertEqual(report.setup(alike), alike)
        # A flow that is there twice stays so.
        self.assertEqual(report.setup("flows: 1 a + 1 a + 2 b or 1 a + 3 b."),
                         "flows: 1 a + (1 a + 2 b or 3 b).")

    def test_many_phases_of_losses_are_told_by_the_first_ones(self):
        self.assertEqual(report.setup("losses: a, b, c, d, e, f."),
                         "losses: a, b, c, d, ... (6 phases).")

    def test_a_note_is_told_once(self):
        text = report.section(chapter(
            "a", claims.FLOYD, [1, 1], note="long " * 20))
        self.assertEqual(text.count(("long " * 20).strip()), 1)
        self.assertEqual(text.count("| (1) |"), 2)
        self.assertIn("\n(1) long", text)

    def test_every_row_is_as_wide_as_its_head(self):
        self.assertEqual({len(row) for row in rows(report.section(
            chapter("a", claims.FLOYD, [1, 2, None], note="a | b")))}, {6})

    def test_what_is_written_by_hand_is_kept(self):
        document = f"head\n{report.BEGIN}\nold\n{report.END}\ntail\n"
        once = report.between_markers(document, "new\n")
        self.assertEqual(
            once, f"head\n{report.BEGIN}\n\nnew\n\n{report.END}\ntail\n")
        self.assertEqual(report.between_markers(once, "new\n"), once)

    def test_a_document_without_markers_is_an_error(self):
        with self.assertRaises(ValueError):
            report.between_markers("no markers", "text")

    def test_parameters_are_told_once_and_differences_listed(self):
        results = Results()
        for kind in ["drop-tail", "red"]:
            for seed in [1, 2]:
                results[kind, seed] = type("R", (), {"run": dumbbell(
                    15e6, 25, Queue(kind=kind, packets=100),
                    [Flow(name="tcp", kind="tcp", count=16, rtt_ms=(80, 120))],
                    90, seed=seed)})()
        self.assertEqual(
            parameters.describe(results),
            "4 runs of 90 s with 2 seeds; links: 15 Mbit/s 25 ms; queues: "
            "drop-tail 100 or red 100; flows: 16 tcp 80 to 120 ms.")

    def test_many_flows_are_told_by_their_kinds(self):
        flows = [Flow(name=f"cbr-{rate}", kind="cbr", rtt_ms=100)
                 for rate in range(7)] + [Flow(name="tcp", kind="tcp")]
        results = Results({(1,): type("R", (), {"run": dumbbell(
            1e6, 1, Queue(), flows, 9)})()})
        self.assertIn("flows: 7 cbr 100 ms + 1 tcp.",
                      parameters.describe(results))

    def test_loss_patterns_are_told(self):
        link = Link(rate_bit_s=1e6, delay_ms=1, loss=(
            Loss(kind="every-nth", n=100, until_s=6),
            Loss(kind="bernoulli", p=0.1)))
        results = Results({(1,): type("R", (), {"run": Run(
            links=(link,), flows=(), seconds=9)})()})
        self.assertIn("losses: each 100th until 6 s, p = 0.1.",
                      parameters.describe(results))

    def test_groups_are_told_with_their_branches(self):
        def listening(kind, name, *members, **path):
            return Flow(name=name, kind=kind, rtt_ms=20,
                        parameters={"members": list(members)}, **path)
        tails = [listening("tfmcc-branch", "tail", Members(every_nth=50),
                           from_link=i, to_link=i) for i in (1, 2)]
        run = Run(links=(Link(rate_bit_s=1e9, delay_ms=1),
                         Link(rate_bit_s=1e6, delay_ms=5),
                         Link(rate_bit_s=1e6, delay_ms=5)), seconds=9,
                  flows=(listening("tfmcc", "tfmcc", Members(
                      count=9, delay_ms=(10, 20), loss=0.1), to_link=0),
                         *tails))
        text = parameters.describe(Results({
            (1,): type("R", (), {"run": run})()}))
        self.assertIn("links: 1000 Mbit/s 1 ms and 2 of 1 Mbit/s 5 ms;", text)
        self.assertIn("1 tfmcc 20 ms (9 receivers +2 x 10 to 20 ms losing "
                      "0.1) + 1 tail 20 ms (1 receiver losing each 50th)",
                      text)

    def test_many_kinds_of_receivers_are_told_by_the_ends(self):
        flow = Flow(name="tfmcc", kind="tfmcc", parameters={
            "members": [Members(count=2, every_nth=n) for n in range(3, 12)]})
        results = Results({(1,): type("R", (), {"run": dumbbell(
            1e6, 1, Queue(), [flow], 9)})()})
        self.assertIn(
            "1 tfmcc (2 receivers losing each 3th, ... 2 receivers losing "
            "each 11th (9 kinds)).", parameters.describe(results))


class Figures(unittest.TestCase):

    def draw(self, folder, name):
        def plot(results, figure):
            axes = figure.subplots()
            plots.ours(axes, [1, 2, 3], [[1, 2], 3, None], "TFRC")
            plots.paper(axes, [1, 2], [1, 2])
            axes.legend()
        scenario = Scenario(name, claims.FLOYD, "", dict, [], plot)
        report.draw_figures([Evaluated(scenario, [], Results())], folder)
        return (pathlib.Path(folder) / f"sim-{name}.svg").read_bytes()

    def test_the_same_results_give_the_same_file(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.draw(folder, "a"), self.draw(folder, "a"))

    def test_figures_are_small(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertLess(len(self.draw(folder, "a")), 30000)


def exists(command):
    """A file of the tree, or a program that is built of one."""
    path = DOCS.parent / command.removeprefix("build/")
    return path.exists() or command.startswith("build/") and any(
        path.with_name(f"{name}.c").exists()
        for name in (path.name, re.sub("^(test|bench)-", "", path.name)))


def known_commits():
    """Whether there is a commit of that name; None where the history is not
    there: in an archive, in a shallow clone."""
    def git(*arguments):
        return subprocess.run(["git", "-C", DOCS.parent, *arguments],
                              check=False, capture_output=True, text=True)

    if not (DOCS.parent / ".git").exists() \
            or git("rev-parse", "--is-shallow-repository").stdout != "false\n":
        return None
    return lambda commit: git("cat-file", "-e", commit).returncode == 0


class Ages(unittest.TestCase):
    """Of tables that no command writes."""

    def marked(self, line, count):
        asked = []

        def commits(*arguments):
            asked.append(arguments)
            return ["a"] * count

        with mock.patch.object(records, "commits", commits):
            return measured.mark(f"a\n{line}\nb\n", "89ab"), asked[0]

    def test_a_line_says_how_old_it_is(self):
        line = "*Measured at 0123abcd (2026-11-22): `tests/evaluation/net/run.sh a`.*"
        old = "*Measured at 0123abcd (2026-11-22; 2 commits to gst/ since): " \
            "`tests/evaluation/net/run.sh a`.*"
        text, asked = self.marked(line, 2)
        self.assertEqual(text, f"a\n{old}\nb\n")
        self.assertEqual(asked, ("0123abcd", "89ab", ("gst",)))
        self.assertIn("; 1 commit to gst/ since", self.marked(old, 1)[0])
        self.assertEqual(self.marked(old, 0)[0], f"a\n{line}\nb\n")

    def test_it_depends_on_what_its_command_measures(self):
        for command, sources in (
                ("build/tests/evaluation/bench/bench-core", ("gst/protocol",)),
                ("build/tests/evaluation/bench/bench-receive", ("gst",))):
            line = f"*Measured at 0123abcd (2026-11-22): `{command}`.*"
            self.assertEqual(self.marked(line, 0)[1][2], sources)


class Documents(unittest.TestCase):

    def setUp(self):
        self.text = "".join((DOCS / name).read_text() for name in (
            "evaluation.md", "results/simulation.md",
            "results/simulation-today.md"))

    def test_they_hold_what_the_records_give(self):
        """With the ages at the commit that they name."""
        as_of = re.search(r"^At core `([0-9a-f]{8})`", self.text,
                          re.MULTILINE).group(1)
        if known_commits() is None:
            self.skipTest("no repository")
        with tempfile.TemporaryDirectory() as folder:
            docs = pathlib.Path(folder) / "docs"
            (docs / "results").mkdir(parents=True)
            for name in {*REPORTED, *PAGES}:
                shutil.copy(DOCS / name, docs / name)
            report.write(records.load(), docs, as_of)
            for name in {*REPORTED, *PAGES}:
                self.assertEqual(
                    (docs / name).read_text(), (DOCS / name).read_text(),
                    f"{name}: run tests/evaluation/sim/run.sh --report")

    def test_rows_are_well_formed(self):
        for table in re.findall(r"(?:^\|.*\n)+", self.text, re.MULTILINE):
            self.assertEqual(len({len(row) for row in rows(table)}), 1, table)

    def test_every_scenario_of_the_tables_is_recorded_or_new(self):
        known = claims.load_scenarios()
        self.assertEqual(records.load().keys() - known.keys(), set())
        for name, record in records.load().items():
            with self.subTest(name):
                self.assertEqual(
                    record.claims.keys()
                    - {claim.claim for claim in known[name].claims}, set())

    def test_figures_exist_and_none_is_left_over(self):
        shown = set(re.findall(r"\(\.\./figures/(sim-[^)]+)\)", self.text))
        there = {path.name for path in (DOCS / "figures").glob("sim-*")}
        self.assertEqual(shown, there)

    def test_pictures_of_the_evaluation_are_those_of_the_records(self):
        for name, picture in draw_evaluation.PICTURES.items():
            # Not assertIn, which would print the picture.
            self.assertTrue(plots.digest(picture)
                            in (DOCS / "figures" / name).read_text(),
                            f"{name}: run tests/evaluation/sim/draw_evaluation.py")

    def test_every_table_says_when_and_how_it_was_measured(self):
        """But those that a command writes, which say it themselves, and those
        without numbers in two cells of a row."""
        for name in PAGES:
            text = re.sub(r"<!-- begin: .*?<!-- end -->", "",
                          (DOCS / name).read_text(), flags=re.DOTALL)
            for part in re.split(r"^##+ ", text, flags=re.MULTILINE)[1:]:
                title = part.partition("\n")[0]
                if MEASURED_ROW.search(part):
                    with self.subTest(name, section=title):
                        self.assertRegex(part, measured.LINE)

    def test_what_it_was_measured_with_exists(self):
        known = known_commits()
        for name in PAGES:
            for found in measured.LINE.finditer((DOCS / name).read_text()):
                with self.subTest(name, at=found.group()):
                    command = found["command"].split()
                    self.assertTrue(exists(command[0]))
                    if known is not None:
                        self.assertTrue(known(found["commit"]))

    def test_records_are_of_commits_that_exist(self):
        known = known_commits()
        if known is None:
            self.skipTest("no repository")
        for name, record in records.load().items():
            with self.subTest(name):
                self.assertTrue(known(record.commit))

    def test_its_commands_parse(self):
        for name in ["results/simulation.md", "testing.md"]:
            for block in re.findall(r"```sh\n(.*?)```",
                                    (DOCS / name).read_text(), re.DOTALL):
                for line in block.split("\n"):
                    words = shlex.split(line, comments=True)
                    if words and words[0].endswith("tests/evaluation/sim/run.sh"):
                        run.parse(words[1:])


if __name__ == "__main__":
    unittest.main()
