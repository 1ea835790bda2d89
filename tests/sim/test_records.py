#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is kept of a measurement, and when it is older than the core."""

import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

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
        for name in records.SOURCES:
            (self.top / name).mkdir(parents=True)
        records.git("init", "-q")
        self.commit("gst/protocol/a.c", "Begin")

    def commit(self, path, subject):
        file = self.top / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(subject)
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
        _, record = self.save(1)
        self.assertEqual(record.commit, records.git(
            "log", "-1", "--format=%h", "--abbrev=8", "HEAD~1"))
        self.assertEqual(records.stale(record), [])

    def test_it_is_stale_when_the_core_has_changed_since(self):
        _, record = self.save(1)
        self.commit("docs/page.md", "Say more")
        self.assertEqual(records.stale(record), [])
        self.commit("tests/sim/engine/a.cc", "Count otherwise")
        self.commit("gst/protocol/b.c", "Behave otherwise")
        self.assertEqual([line.partition(" ")[2]
                          for line in records.stale(record)],
                         ["Behave otherwise", "Count otherwise"])
        self.assertEqual(records.stale(self.save(1)[1]), [])

    def test_what_gives_the_same_is_confirmed(self):
        _, record = self.save(1)
        self.commit("gst/protocol/b.c", "Rename")
        self.assertFalse(records.is_current(record, Scale.STANDARD))
        told = {"claim 0": {"measured": 1}}
        record = records.compare(record, told)
        self.assertTrue(records.is_current(record, Scale.STANDARD))
        self.assertEqual(records.since(record).split()[0], records.git(
            "log", "-1", "--format=%h", "--abbrev=8"))
        self.commit("gst/protocol/b.c", "Rename again")
        self.assertEqual(len(records.stale(record)), 1)

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
        _, record = self.save(1)
        self.commit("gst/protocol/b.c", "Behave otherwise")
        record = records.compare(record, {"claim 0": {"measured": 2}})
        first = record.outdated
        self.assertEqual(first, records.present())
        self.assertFalse(records.is_current(record, Scale.STANDARD))
        self.commit("gst/protocol/b.c", "Behave yet otherwise")
        record = records.compare(record, {"claim 0": {"measured": 3}})
        self.assertEqual(record.outdated, first)
        # Back again, it is what was recorded.
        record = records.compare(record, {"claim 0": {"measured": 1}})
        self.assertTrue(records.is_current(record, Scale.STANDARD))

    def test_a_record_comes_back_as_it_was_written(self):
        record = records.Record("0123abcd", "2026-11-22", "standard", "", {},
                                {"red/1": "ab"}, "4567 2026-11-22",
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
