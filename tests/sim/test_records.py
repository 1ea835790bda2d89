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
from claims import AtLeast, Claim, Results, Scale, Scenario  # noqa: E402
from evaluation import Evaluated  # noqa: E402


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
        scenario = Scenario("s", claims.FLOYD, "", dict, [
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

    def test_what_is_not_committed_is_seen(self):
        self.assertFalse(records.changed_sources())
        (self.top / "gst/protocol/a.c").write_text("changed")
        self.assertTrue(records.changed_sources())


if __name__ == "__main__":
    unittest.main()
