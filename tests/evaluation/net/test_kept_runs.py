#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A run comes back from its file as it was, without its processes; and
--resume makes only those that are not there."""

import os
import pathlib
import sys
import tempfile
import threading
import unittest

sys.dont_write_bytecode = True
import run  # noqa: E402
import kept_runs  # noqa: E402
import network  # noqa: E402
import stage  # noqa: E402
from claims import Scale, Scenario  # noqa: E402

SCENARIO = Scenario("fake", "present day", "", lambda scale: {
    (1,): None, (2,): None}, [])


class Links:
    def __init__(self, lateness):
        self.lateness = lateness

    def lateness_ms(self):
        return [self.lateness]


class Kept(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_all_but_the_processes_comes_back(self):
        here = stage.Stage(self.folder, 7)
        here.marks["end"] = 4.5
        here.tcp_streams = [{"retransmits": 3}]
        here.stopping = threading.Event()
        child = network.Child("child", ["true"], dict(os.environ), print)
        here.tcp_clients = [(child, ["line"])]
        child.stop()
        kept_runs.save(here, self.folder / "kept")
        again = kept_runs.load(self.folder / "kept")
        self.assertEqual(again.seed, 7)
        self.assertEqual(again.marks, {"end": 4.5})
        self.assertEqual(again.tcp_streams, [{"retransmits": 3}])
        self.assertEqual(again.tcp_clients, [(None, ["line"])])
        self.assertIsNone(again.stopping)
        self.assertIsNone(kept_runs.load(self.folder / "other"))

    def made(self, failure=None, lateness=1):
        """Which runs an evaluation with --resume makes."""
        seeds = []

        def perform(here, act):
            seeds.append(here.seed)
            here.links = Links(lateness)
            here.failure = failure
        before, stage.Stage.perform = stage.Stage.perform, perform
        try:
            (_, tries), = run.evaluate([SCENARIO], Scale.QUICK, self.folder,
                                       1, resume=True)
        finally:
            stage.Stage.perform = before
        self.assertEqual(list(tries), [(1,), (2,)])
        return seeds

    def test_what_is_there_is_not_made_again(self):
        self.assertEqual(self.made(), [1, 2])
        self.assertEqual(self.made(), [])
        (self.folder / "quick-fake-2-run").unlink()
        self.assertEqual(self.made(), [2])

    def test_a_failed_run_is_made_again(self):
        self.assertEqual(self.made("sender: it ended"), [1, 2])
        self.assertEqual(self.made(), [1, 2])

    def test_a_disturbed_run_is_made_again(self):
        self.assertEqual(self.made(lateness=151),
                         [1, 1001, 2001, 2, 1002, 2002])
        self.assertEqual(self.made(), [1, 2])


if __name__ == "__main__":
    unittest.main()
