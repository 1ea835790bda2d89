#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A TFMCC group in tfrc-sim: who gets which packets and which reports, by
hand calculation; and that one receiver alone gets what TFRC gets."""

import pathlib
import sys
import unittest

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "support"))

from group_results import GroupResult  # noqa: E402
from test_engine import Engine, flow, link  # noqa: E402

# The links take 20 of a member's RTT of 60 ms.
WIDE = link(rate_bit_s=1e8)


def group(*listeners, **changes):
    parameters = {"members": list(listeners), "sample_ms": 500,
                  **changes.pop("parameters", {})}
    return flow("tfmcc", **{"rtt_ms": 20, "to_link": 0,
                            "parameters": parameters, **changes})


def members(**changes):
    return {"count": 1, "delay_ms": 20, "every_nth": 100, **changes}


def branch(*listeners, **changes):
    parameters = {"of": "tfmcc", "members": list(listeners),
                  **changes.pop("parameters", {})}
    return flow("tfmcc-branch", **{"rtt_ms": 20, "parameters": parameters,
                                   **changes})


class Group(Engine):

    def run_group(self, flows, links=(WIDE,), seconds=30, name="run",
                  **settings):
        """The summary; self.group is the first flow's."""
        self.summary = self.simulate(flows, links, seconds, name, **settings)
        self.group = GroupResult(self.folder / name, self.summary["flows"][0])
        return self.summary

    def rate(self, start, end):
        """Bytes/s that the first flow's links delivered."""
        rows = self.tables["received.txt"][start * 100:end * 100, 0]
        return rows.sum() / (end - start)


class Conservation(Group):

    def test_a_run_is_the_same_twice(self):
        flows = [group(members(count=20, delay_ms=[10, 40], every_nth=None,
                               loss=[0.01, 0.05], report_loss=0.1))]
        for name, seed in (("one", 1), ("two", 1), ("other", 2)):
            self.run_group(flows, name=name, seed=seed)
        for table in ("reports", "rounds", "state", "clr", "members"):
            file = f"group-{table}-0.txt"
            one, two, other = ((self.folder / name / file).read_bytes()
                               for name in ("one", "two", "other"))
            self.assertEqual(one, two, file)
            self.assertNotEqual(one, other, file)

    def test_each_member_gets_all_packets_but_its_own_losses(self):
        # The sender stops 2 s before the end.  Each 50th packet is lost to
        # each, and to some one more, by their phases.
        summary = self.run_group(
            [group(members(count=10, every_nth=50, delay_ms=[0, 40]),
                   members(count=10, every_nth=None), stop_s=28)])
        sent = summary["flows"][0]["sent_packets"]
        got = self.group.members["packets"]
        self.assertGreater(sent, 1000)
        np.testing.assert_array_equal(got[10:], sent)
        lost = sent - got[:10]
        self.assertTrue(((lost == sent // 50)
                         | (lost == sent // 50 + 1)).all())
        self.assertEqual(self.group.summary["receptions"], got.sum())

    def test_losses_at_random(self):
        # 0.3 N packets are lost, with a deviation of sqrt (0.21 N).
        self.run_group([group(members(count=100, every_nth=None, loss=0.3),
                              parameters={"min_rate_bit_s": 1e6}, stop_s=18)],
                       seconds=20)
        sent = 100 * self.group.summary["sent_packets"]
        lost = sent - self.group.members["packets"].sum()
        self.assertGreater(sent, 1e5)
        self.assertAlmostEqual(lost / sent, 0.3,
                               delta=4 * (0.21 / sent) ** 0.5)

    def test_what_a_link_drops_is_lost_to_all(self):
        summary = self.run_group(
            [group(members(count=5, every_nth=None), stop_s=28)],
            [link(loss=[{"kind": "every-nth", "n": 100}])])
        (one,) = summary["flows"]
        self.assertGreater(one["drops"], 10)
        self.assertTrue((self.group.members["packets"]
                         == one["sent_packets"] - one["drops"]).all())

    def test_reports_reach_the_sender(self):
        self.run_group([group(members(count=30))])
        sent = self.group.summary["reports_sent"]
        self.assertEqual(sent, self.group.members["reports"].sum())
        self.assertEqual(self.group.summary["reports"],
                         len(self.group.reports))
        # At the end some are under way, at most one of each.
        self.assertLessEqual(len(self.group.reports), sent)
        self.assertGreater(len(self.group.reports), sent - 30)
        self.assertEqual(self.group.summary["reports_invalid"], 0)
        # All that answer a round that has ended, or the one that had not.
        rounds = self.group.rounds
        answered = self.group.reports["round"] < len(rounds)
        self.assertEqual((rounds["reports"] + rounds["clr_reports"]).sum(),
                         answered.sum())

    def test_lost_reports(self):
        self.run_group([group(members(count=30, report_loss=0.2))], seconds=60)
        self.assertAlmostEqual(
            len(self.group.reports) / self.group.summary["reports_sent"],
            0.8, delta=0.06)


class Paths(Group):

    def test_a_member_measures_its_rtt(self):
        # 10 + d + d + 10 ms, 0.08 ms for 1000 bytes on the link and less
        # for the report.
        self.run_group([group(*(members(delay_ms=delay)
                                for delay in (0, 20, 90)))])
        np.testing.assert_allclose(self.group.members["rtt_estimate"],
                                   [0.020, 0.060, 0.200], atol=0.001)
        np.testing.assert_allclose(self.group.members["rtt"],
                                   [0.020, 0.060, 0.200])

    def test_a_change_of_delay_loses_nothing(self):
        # 40 ms more each way, and back.  Who is shorter again may not have
        # reported since, and then knows of the way there only.
        self.run_group([group(
            members(delays=[[10, 60], [20, 20]], every_nth=None),
            members(delays=[[10, 60]], every_nth=None), members(), stop_s=28)])
        got = self.group.members
        np.testing.assert_array_equal(
            got["packets"][:2], self.group.summary["sent_packets"])
        np.testing.assert_array_equal(got["lost"][:2], 0)
        np.testing.assert_allclose(got["rtt_estimate"][1:], [0.14, 0.06],
                                   atol=0.002)
        self.assertLess(got["rtt_estimate"][0], 0.102)

    def test_joins_and_leaves(self):
        # The first is killed as the CLR: whoever reported least in the last two
        # rounds takes over at once, when it is given up.
        self.run_group([group(
            members(every_nth=20, join_s=5, leave_s=20, kill=True),
            members(every_nth=40, join_s=5, leave_s=25), members())])
        state = self.group.state
        self.assertEqual([int(state["members"][state["time"] == t][0])
                          for t in (4, 6, 19, 21, 26)], [1, 3, 3, 2, 1])
        self.assertEqual(self.group.clr_at(4.9), 2)
        self.assertEqual(self.group.clr_at(19.9), 0)
        self.assertIn(self.group.clr_at(24.9), (1, 2))
        self.assertEqual(self.group.clr_at(29.9), 2)
        # 10 of its RTTs after its last report, which came at most one before.
        self.assertAlmostEqual(self.group.clr_since([1, 2], 20), 0.6,
                               delta=0.07)
        # Data came until then: of 30 s 15, 20 and 30.
        packets = self.group.members["packets"]
        self.assertLess(packets[0], packets[1])
        self.assertLess(packets[1], packets[2])

    def test_a_member_gets_what_comes_after_it_joined(self):
        # One each 8 ms.  It counts from when it passes the end of the links,
        # and takes 90 ms from there.
        self.run_group(
            [group(members(delay_ms=90, join_s=5, leave_s=6.01,
                           every_nth=None),
                   members(delay_ms=90, every_nth=None),
                   parameters={"min_rate_bit_s": 1e6,
                               "max_rate_bit_s": 1e6})], seconds=10)
        self.assertAlmostEqual(self.group.members["packets"][0],
                               (6.01 - 5 - 0.09) / 0.008, delta=1)

    def test_a_branch_has_its_own_bottleneck(self):
        # 200 kbit/s from 30 s on; nothing goes there before.
        summary = self.run_group(
            [group(members(count=4)),
             branch(members(every_nth=None, join_s=30), from_link=1,
                    to_link=1)],
            [WIDE, link(rate_bit_s=2e5)], seconds=90)
        one, other = summary["flows"]
        self.assertLess(other["sent_packets"], one["sent_packets"])
        before = self.tables["received.txt"][:3000]
        self.assertEqual(before[:, 1].sum(), 0)
        self.assertGreater(self.rate(25, 30), 2 * 25000)
        self.assertLess(self.rate(60, 90), 1.1 * 25000)
        self.assertGreater(self.rate(60, 90), 0.6 * 25000)
        self.assertEqual(self.group.clr_at(89), 4)
        # But for what is on the last 20 ms.
        self.assertAlmostEqual(self.group.members["packets"][4],
                               other["received_packets"], delta=2)
        # 20 of the first link, 20 of the second, 40 of its own and a queue.
        self.assertGreater(self.group.members["rtt_estimate"][4], 0.08)

    def test_a_branch_at_the_sender_leaves_the_links_out(self):
        self.run_group(
            [group(members()),
             branch(members(), from_link=1, to_link=1,
                    parameters={"at": "sender"})], [WIDE, WIDE])
        np.testing.assert_allclose(self.group.members["rtt_estimate"], 0.06,
                                   atol=0.001)

    def test_synchronised_clocks(self):
        # 2 (30 ms + 0.08 + 50), and without them 512 ms from R_max.
        for parameters, rtt in (({"synchronised_error_ms": 50}, 0.160),
                                ({}, 0.512)):
            self.run_group([group(members(), parameters=parameters)],
                           seconds=1)
            self.assertEqual(self.group.members["first_rtt"][0], -1)
            self.assertAlmostEqual(self.group.members["rtt_estimate"][0], rtt,
                                   delta=0.001)

    def test_who_has_not_measured_bounds_r_max(self):
        # The second one comes at 20 s.
        for parameters, low, high in (({"unmeasured_rtt_ms": 500}, 0.5, 0.6),
                                      ({}, 0.06, 0.1)):
            self.run_group([group(members(), members(join_s=20),
                                  parameters=parameters)], seconds=40)
            state = self.group.state
            joined = state["max_rtt"][state["time"] == 21]
            self.assertTrue(low <= joined <= high, joined)
            self.assertLess(state["max_rtt"][-1], 0.1)


class Protocol(Group):

    def test_one_receiver_gets_what_tfrc_gets(self):
        # 1 % on a path of 60 ms.  Unicast discounts at another threshold and
        # smooths its RTT differently.
        lossy = [link(rate_bit_s=1e8,
                      loss=[{"kind": "bernoulli", "p": 0.01}])]
        self.run_group([group(members(every_nth=None))], lossy, 300)
        ours = self.rate(60, 300)
        self.run_group([flow("tfrc", rtt_ms=60)], lossy, 300)
        self.assertAlmostEqual(ours / self.rate(60, 300), 1, delta=0.15)

    def test_the_worst_receiver_limits_all(self):
        # p = 0.01 and 0.04: with sqrt (2 p/3) + 12 sqrt (3 p/8) p (1 + 32 p^2)
        # 0.0890 and 0.2251, so 2.53 times the rate.
        rates = []
        for n in (100, 25):
            self.run_group([group(members(count=20, every_nth=1000),
                                  members(every_nth=n))], seconds=90)
            rates.append(self.rate(45, 90))
            self.assertEqual(self.group.clr_at(89), 20)
        self.assertAlmostEqual(rates[0] / rates[1], 2.53, delta=0.1)

    def test_what_cancels_a_timer(self):
        # All alike, except that theta decides who is about as low.  One run scatters
        # by as much as a tenth of it changes.
        reports = []
        for margin in (0.0, 0.1, 1.0):
            found = []
            for seed in range(1, 5):
                self.run_group([group(
                    members(count=200, every_nth=None, loss=[0.01, 0.04]),
                    parameters={"margin": margin})], seconds=60, seed=seed)
                rounds = self.group.rounds_between(20, 60)
                found.append(rounds["reports"].mean())
            reports.append(np.mean(found))
        self.assertGreater(reports[0], reports[1])
        self.assertGreater(reports[1], reports[2])

    def test_the_bias_of_the_timers(self):
        # The first of 300 timers expires after 0.32 T on average: 1 - (ln 300
        # + 0.58) / ln 10000.  T is 6 RTTs, and its report takes one more.
        # All rates are that of the sender: r' = 1 adds T/4.
        for method, mean in (("modified-offset", 0.25 + 0.75 * 0.32 + 1 / 6),
                             ("none", 0.32 + 1 / 6)):
            self.run_group([group(members(count=300), parameters={
                "bias_method": method})], seconds=60)
            rounds = self.group.rounds_between(30, 60)
            rounds = rounds[rounds["first_report"] > 0]
            self.assertAlmostEqual(
                (rounds["first_report"] / (6 * rounds["max_rtt"])).mean(),
                mean, delta=0.05)

    def test_rounds_and_states_agree_with_the_reports(self):
        self.run_group([group(members(count=50), members(every_nth=20))])
        rounds, reports = self.group.rounds, self.group.reports
        for one in rounds[[3, -2]]:
            mine = reports[reports["round"] == one["round"]]
            others = mine[mine["is_clr"] == 0]
            self.assertEqual(len(others), one["reports"])
            self.assertEqual(mine["rate"].min(), one["lowest_reported"])
            if len(others):
                self.assertAlmostEqual(others["time"][0] - one["begin"],
                                       one["first_report"], places=6)
        np.testing.assert_allclose(rounds["end"][:-1], rounds["begin"][1:])
        # The CLR has 20, the others 100: 3.3 times its rate.
        self.assertGreater(rounds["lowest_others_end"][-1],
                           3 * rounds["lowest_end"][-1])
        # The 20th are the worst, and the CLR is known by then.
        last = self.group.state[-1]
        self.assertEqual((last["clr"], last["lowest_member"]), (50, 50))
        self.assertEqual(last["with_loss"], 51)
        self.assertEqual(last["slow_start"], 0)
        self.assertGreater(self.group.summary["slow_start_end_s"], 0)


class Refusals(Group):

    def test_wrong_groups(self):
        for flows, told in [
                ([group(members(every_nth=None, loss="much"))], "realistic"),
                ([group(members(every_nth=None, loss=1.5))], "loss"),
                ([group(members(join_s=5, leave_s=4))], "leave_s"),
                ([group(members(colour=3))], "colour"),
                ([group(members(losses=[[1, 2]]))], "losses"),
                ([group(members(), parameters={"bias_method": "wild"})],
                 "bias_method"),
                ([group(members(), parameters={"history_length": 32})],
                 "history_length"),
                ([group(members()), branch(parameters={"of": "it"})], "of"),
                ([group(members()), branch(parameters={"at": "home"})], "at"),
        ]:
            with self.subTest(told=told):
                done = self.start({"links": [WIDE], "flows": flows,
                                   "seconds": 1}, self.folder / "bad")
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, r"\Atfrc-sim: [^\n]*\n\Z")
                self.assertIn(told, done.stderr)


if __name__ == "__main__":
    unittest.main()
