#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is kept of a measurement, and when it is older than the core."""

import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "support"))

import claims  # noqa: E402
import records  # noqa: E402
import samples  # noqa: E402
from claims import AtLeast, Claim, Results, Scale, Scenario  # noqa: E402
from evaluation import Evaluated  # noqa: E402
from results import Result  # noqa: E402
from simulation import Flow, Queue, dumbbell  # noqa: E402


class Kept(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)
        patch = mock.patch.object(records, "TOP", self.top)
        patch.start()
        self.addCleanup(patch.stop)
        patch = mock.patch.object(records.keys, "measure", lambda _: "by hand")
        patch.start()
        self.addCleanup(patch.stop)
        patch = mock.patch.object(records.keys, "scripts",
                                  lambda _, names: sorted(names))
        patch.start()
        self.addCleanup(patch.stop)
        self.addCleanup(records.kept_at.cache_clear)
        records.git("init", "-q")
        self.behave("Begin", a="1", b="1")

    def behave(self, sources, **traces):
        """They are committed with traces of the core and the engine."""
        for path, names in zip(records.TRACES, ("ab", "c")):
            self.write(path, json.dumps({"sources": sources, "traces": {
                name: traces.get(name, "1") for name in names}}))
        self.commit("gst/protocol/a.c", sources)

    def write(self, path, text):
        (self.top / path).parent.mkdir(parents=True, exist_ok=True)
        (self.top / path).write_text(text)

    def commit(self, path, subject):
        self.write(path, subject)
        records.git("add", "-A")
        records.git("-c", "user.name=a", "-c", "user.email=a@b", "commit",
                    "-qm", subject)

    def save(self, *answers):
        """The record of a scenario with a claim for each answer."""
        scenario = Scenario("s", claims.FLOYD, "", lambda scale: {}, [
            Claim(f"claim {i}", "", lambda results, answer=answer: answer)
            for i, answer in enumerate(answers)])
        records.save([Evaluated(scenario, [
            claims.judge(scenario, claim, Results())
            for claim in scenario.claims], Results())],
            Scale.STANDARD, self.top)
        return scenario, records.load(self.top)["s"]

    def test_the_numbers_come_back_with_their_spread(self):
        scenario, record = self.save(0.123456, [1, 3], [AtLeast(60), 20],
                                     None)
        texts = [record.outcome(scenario, claim).measured_text
                 for claim in scenario.claims]
        self.assertEqual(texts, ["0.123", "2 (1 to 3)",
                                 "at least 40 (20 to at least 60)", "-"])
        self.assertIsNone(record.outcome(scenario, Claim("new", "", None)))

    def test_a_record_is_of_the_last_commit_to_the_core(self):
        self.commit("docs/page.md", "Say more")
        scenario, record = self.save(1)
        self.assertEqual(record.commit, records.git(
            "log", "-1", "--format=%h", "--abbrev=8", "HEAD~1"))
        self.assertEqual(records.older(record, scenario), [])

    def test_it_is_old_when_scripts_have_moved_since(self):
        scenario, record = self.save(1)
        first = records.present().split()[0]
        self.behave("Refactor")
        self.assertEqual(records.older(record, scenario), [])
        self.behave("Behave otherwise", b="2", c="3")
        self.assertEqual(records.older(record, scenario), ["b", "c"])
        self.assertEqual(records.older(record, scenario, first), [])
        self.behave("Back again")
        self.assertEqual(records.older(record, scenario), [])

    def test_scripts_that_change_by_themselves_make_nothing_old(self):
        scenario, record = self.save(1)
        self.behave("Begin", a="3")
        self.assertEqual(records.older(record, scenario), [])

    def test_it_is_old_when_something_else_is_measured(self):
        scenario, record = self.save(1)
        with mock.patch.object(records.keys, "measure", lambda _: "by eye"):
            self.assertEqual(records.older(record, scenario),
                             ["what is measured"])

    def test_it_is_old_where_nothing_was_traced(self):
        scenario, record = self.save(1)
        for path in records.TRACES:
            self.write(path, "")
        self.commit("gst/protocol/a.c", "Do not trace")
        untraced = records.dataclasses.replace(
            record, commit=records.present().split()[0])
        self.behave("Trace")
        self.assertEqual(records.older(untraced, scenario),
                         ["all, as nothing was traced then"])

    def test_what_has_moved_is_told_in_words(self):
        self.assertEqual(records.tell([]), "")
        self.assertEqual(records.tell(["a", "b"]), "moved since: a, b")
        self.assertEqual(records.tell(list("abcde")),
                         "moved since: a, b, c and 2 more")

    def test_what_gives_the_same_is_confirmed(self):
        scenario, record = self.save(1)
        self.behave("Behave otherwise", a="2")
        self.assertFalse(records.is_current(record, scenario, Scale.STANDARD))
        record = records.compare(record, {"claim 0": {"measured": 1}})
        self.assertTrue(records.is_current(record, scenario, Scale.STANDARD))
        self.assertEqual(records.since(record).split()[0], records.git(
            "log", "-1", "--format=%h", "--abbrev=8"))
        self.behave("Behave yet otherwise", a="3")
        self.assertEqual(records.older(record, scenario), ["a"])

    def test_a_record_of_fewer_seeds_is_told(self):
        class Scenario:
            least_seeds = staticmethod(lambda scale: 5)

        def fewer(runs):
            return records.has_fewer_seeds(records.Record(
                "0123abcd", "2026-11-22", "standard", runs, {}), Scenario)

        self.assertTrue(fewer("6 runs of 9 s with 3 seeds; links: b."))
        self.assertFalse(fewer("6 runs of 9 s with 5 seeds; links: b."))
        self.assertTrue(fewer("6 runs of 9 s; links: b."))
        self.assertFalse(fewer(""))

    def test_runs_that_came_later_are_no_samples_of_a_record(self):
        _, record = self.save(1)
        self.commit("gst/protocol/b.c", "Rename")
        same, more = {"claim 0": {"measured": 1}}, {"b": {"measured": 2}}
        self.assertFalse(records.compare(record, same | more).outdated)
        self.assertTrue(records.compare(record, more).outdated)

    def test_what_gives_something_else_is_outdated_since_then(self):
        scenario, record = self.save(1)
        self.commit("gst/protocol/b.c", "Behave otherwise")
        record = records.compare(record, {"claim 0": {"measured": 2}})
        first = record.outdated
        self.assertEqual(first, records.present())
        self.assertFalse(records.is_current(record, scenario, Scale.STANDARD))
        self.commit("gst/protocol/b.c", "Behave yet otherwise")
        record = records.compare(record, {"claim 0": {"measured": 3}})
        self.assertEqual(record.outdated, first)
        # Back again, it is what was recorded.
        record = records.compare(record, {"claim 0": {"measured": 1}})
        self.assertTrue(records.is_current(record, scenario, Scale.STANDARD))

    def test_an_interval_is_by_the_values_or_by_their_range(self):
        record = records.Record(
            "0", "1", "standard", "2 runs with 8 seeds; 5 runs with 5 seeds", {})
        known = {"measured": 3, "least": 1, "most": 5, "values": [1, 2, 3, 4, 5]}
        self.assertAlmostEqual(record.half_width(known), 1.963, 3)
        del known["values"]
        self.assertAlmostEqual(record.half_width(known), 0.507 * 4)
        self.assertIsNone(record.half_width({"measured": 3}))
        drawn_of_nothing = records.Record("0", "1", "standard", "1 run", {})
        self.assertEqual(drawn_of_nothing.half_width({"measured": 3}), 0)

    def test_a_record_comes_back_as_it_was_written(self):
        record = records.Record("0123abcd", "2026-11-22", "standard", "", {},
                                "cd", {"red/1": "ab"}, "4567 2026-11-22",
                                "89ab 2026-11-22")
        records.write("s", record, self.top)
        self.assertEqual(records.load(self.top)["s"], record)
        records.write("s", records.Record("0", "1", "standard", "", {"a": 1}),
                      self.top)
        self.assertNotIn("outdated", (self.top / "s.json").read_text())

    def test_what_is_not_committed_is_seen(self):
        self.assertFalse(records.changed_sources())
        (self.top / "gst/protocol/a.c").write_text("changed")
        self.assertTrue(records.changed_sources())


class Samples(unittest.TestCase):

    @staticmethod
    def run_of(seconds, seed=1):
        return dumbbell(1e6, 10, Queue(packets=10),
                        [Flow(name="a", kind="tfrc")], seconds, seed=seed)

    def test_the_shortest_run_of_each_kind_is_one(self):
        scenario = Scenario("s", claims.FLOYD, "", lambda scale: {
            ("red", 60, 1): self.run_of(60), ("red", 30, 1): self.run_of(30),
            ("tail", "deep", 9): self.run_of(90), (5, 1): self.run_of(5),
            (6, 1): self.run_of(6)}, [])
        chosen = samples.choose(scenario, Scale.STANDARD)
        self.assertEqual(set(chosen), {("red", 30, 1), ("tail", "deep", 9),
                                       (5, 1)})

    def test_a_digest_is_of_the_tables_of_packets(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "summary.json").write_text(
                '{"flows": [], "links": [], "wall_s": 1}')
            (folder / "sent.txt").write_text("1 2 3")
            run = self.run_of(30)
            result = Result(folder, run)
            first = samples.digests({("red", 1): run}, [result])
            self.assertEqual(list(first), ["red/1"])
            (folder / "summary.json").write_text(
                '{"flows": [], "links": [], "wall_s": 2}')
            self.assertEqual(samples.digest(result), first["red/1"])
            (folder / "sent.txt").write_text("1 2 4")
            self.assertNotEqual(samples.digest(result), first["red/1"])
            self.assertEqual(
                samples.digests({("red", 2): self.run_of(30, 2)}, [result]),
                {})


if __name__ == "__main__":
    unittest.main()
