#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the numbers of a scenario depend on."""

import json
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "support"))

import claims  # noqa: E402
import keys  # noqa: E402
import records  # noqa: E402

NAMES = [name for path in records.TRACES for name in json.loads(
    (records.TOP / path).read_text())["traces"]]
SCENARIO = """
from other import sent
LIMIT = 3
def mean(result):
    '''The mean.'''
    return sent(result.rates(LIMIT))
def idle(result):
    return 0
SCENARIOS = [Scenario("s", source="A", what="w", runs=dict, claims=[
    Claim("a", "b", mean, note="c")])]
"""
OTHER = """
def sent(rates):
    return rates[0]
class Result:
    bins: int = 3
    def rates(self, limit):
        return self.bins + limit
    def other(self):
        return 1
"""


class Scripts(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.known = claims.load_scenarios()

    def heads(self, name):
        return {script.partition("/")[0]
                for script in keys.scripts(self.known[name], NAMES)}

    def test_plain_flows_know_neither_delay_control_nor_groups(self):
        self.assertEqual(self.heads("basic"), {"tfrc", "simulated", "wire",
                                               "engine"})
        self.assertNotIn("wire/tfmcc",
                         keys.scripts(self.known["basic"], NAMES))

    def test_groups_do_not_know_unicast(self):
        found = keys.scripts(self.known["widmer-fairness"], NAMES)
        self.assertEqual(self.heads("widmer-fairness"),
                         {"tfmcc", "wire", "engine"})
        self.assertNotIn("engine/tfrc", found)
        self.assertIn("engine/branch", found)

    def test_delay_control_is_known_where_it_is_on(self):
        self.assertIn("delay", self.heads("delay-floyd-fairness"))
        self.assertIn("engine/media-delay",
                      keys.scripts(self.known["delay-rfc8867-pair"], NAMES))

    def test_settings_and_links_that_few_have(self):
        response = keys.scripts(self.known["bansal-response"], NAMES)
        self.assertIn("tfrc/history", response)
        self.assertNotIn("tfrc/ecn", response)
        self.assertIn("engine/wifi",
                      keys.scripts(self.known["rfc8869-wifi"], NAMES))

    def test_what_the_core_calculates_is_of_its_protocol(self):
        self.assertEqual(self.heads("core-rto"), {"tfrc"})
        self.assertEqual(self.heads("core-biasing"), {"tfmcc"})


class Measures(unittest.TestCase):

    def digest(self, scenario=SCENARIO, other=OTHER, more=""):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder) / "sim"
            (folder / "scenarios").mkdir(parents=True)
            (folder / "scenarios/mine.py").write_text(scenario)
            (folder / "other.py").write_text(other)
            (folder / "more.py").write_text(more)
            return keys.Sources(folder).digest("s")

    def test_words_layout_and_what_is_not_called_change_nothing(self):
        for old, new in (("'''The mean.'''", "# A mean"), ('"c"', '"d"'),
                         ('"w"', '"v"'), ("return 0", "return 1"),
                         ("sent(result", "sent(\n        result")):
            self.assertEqual(self.digest(SCENARIO.replace(old, new)),
                             self.digest(), new)
        self.assertEqual(self.digest(other=OTHER.replace("return 1", "return 2")),
                         self.digest())

    def test_what_is_called_changes_it(self):
        for old, new in (("LIMIT = 3", "LIMIT = 4"), ("mean, note", "idle, note"),
                         ("runs=dict", "runs=list")):
            self.assertNotEqual(self.digest(SCENARIO.replace(old, new)),
                                self.digest(), new)
        for old, new in (("rates[0]", "rates[1]"), ("+ limit", "- limit")):
            self.assertNotEqual(self.digest(other=OTHER.replace(old, new)),
                                self.digest(), new)

    def test_what_moves_to_another_file_changes_nothing(self):
        sent, _, rest = OTHER.partition("class")
        self.assertEqual(self.digest(
            SCENARIO.replace("from other", "from more"),
            "class" + rest, sent), self.digest())


if __name__ == "__main__":
    unittest.main()
